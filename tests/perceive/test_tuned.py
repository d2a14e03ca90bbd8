"""What was tuned is used where it was measured, and nowhere else."""

import json

import pytest

from cuakit.core.errors import UsageError
from cuakit.perceive import tuned

OPTIONS = {"text": {"runtime": "openvino", "threads": 1, "workers": 2}}


def test_what_is_written_is_read(tmp_path):
    path = tuned.write(OPTIONS, {"why": "faster"}, tmp_path / "a" / "tuned.json")
    assert tuned.read(path) == (OPTIONS, "")


def test_without_a_file_the_defaults_are_used_with_a_sentence(tmp_path):
    options, note = tuned.read(tmp_path / "none")
    assert options == {}
    assert "cuakit tune" in note


@pytest.mark.parametrize("what", ["machine", "cores", "onnxruntime", "openvino"])
def test_on_another_machine_the_defaults_are_used_with_a_sentence(tmp_path, what):
    path = tuned.write(OPTIONS, {}, tmp_path / "tuned.json")
    told = json.loads(path.read_text("utf-8"))
    told["here"][what] = "another"
    path.write_text(json.dumps(told), encoding="utf-8")
    options, note = tuned.read(path)
    assert options == {}
    assert "another processor" in note


@pytest.mark.parametrize("text", ["", "{", "[]", '{"form": "x"}', '{"form": "cuakit-tuned/1", "options": []}'])
def test_a_damaged_file_is_said_and_not_guessed_at(tmp_path, text):
    path = tmp_path / "tuned.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as told:
        tuned.read(path)
    assert "cuakit tune" in told.value.hint


def test_it_lies_where_the_user_says(tmp_path, monkeypatch):
    monkeypatch.setenv("CUAKIT_TUNED", str(tmp_path / "mine.json"))
    assert tuned.write({}, {}) == tmp_path / "mine.json"
