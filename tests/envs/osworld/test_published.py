"""The published set and its commands. The task files come from a wheel made here, in the published layout."""

import hashlib
import json
import zipfile
from dataclasses import replace

import pytest

from cuakit.cli import main
from cuakit.core.errors import InvalidTask, UnknownName
from cuakit.envs.desktop.places import HOME
from cuakit.envs.osworld import published
from cuakit.envs.osworld.support import reasons, survey

FILE = {"type": "vm_file", "path": f"{HOME}/n.txt", "dest": "n.txt"}
GOOD = {
    "id": "11-a",
    "instruction": "Write b.",
    "config": [{"type": "launch", "parameters": {"command": "mousepad n.txt"}}],
    "evaluator": {
        "func": "check_list",
        "result": FILE,
        "expected": {"type": "rule", "rules": {"expect": ["b"]}},
        "postconfig": [{"type": "sleep", "parameters": {"seconds": 1}}],
    },
}
OTHER = {
    "id": "12-b",
    "instruction": "Say it.",
    "evaluator": {
        "func": "sing",
        "result": {"type": "ear"},
        "expected": {"type": "rule", "rules": {}},
        "postconfig": [{"type": "close_window", "parameters": {"window_name": "x"}}],
    },
}
IMPOSSIBLE = {"id": "13-c", "instruction": "Fly.", "evaluator": {"func": "infeasible"}}


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel with three tasks, pinned in place of the published one; the cache is private."""
    inside = next(iter(published.WHEEL.files))
    sources = {"os__11-a": GOOD, "os__12-b": OTHER, "gimp__13-c": IMPOSSIBLE}
    data = json.dumps({"sources": sources}).encode()
    with zipfile.ZipFile(tmp_path / "tasks.whl", "w") as archive:
        archive.writestr(inside, data)
    monkeypatch.setenv("CUAKIT_CACHE", str(tmp_path / "cache"))
    pinned = replace(published.WHEEL, files={inside: hashlib.sha256(data).hexdigest()})
    monkeypatch.setattr(published, "WHEEL", pinned)
    return tmp_path / "tasks.whl"


def test_what_is_missing_is_counted(wheel):
    found = survey(published.published(wheel))
    assert [(s.name, s.judged, s.postconfig) for s in found] == [
        ("gimp/13-c", True, False),
        ("os/11-a", True, False),
        ("os/12-b", False, True),
    ]
    assert reasons(found) == {"metric sing": 1, "getter ear": 1}
    assert [s.commands for s in found] == [(), ("config[0]",), ()]


@pytest.mark.parametrize("name", ["os/11-a", "11-a", "11"])
def test_a_task_is_found_by_a_beginning_of_its_id(wheel, name):
    assert published.published_task(name, wheel).id == "11-a"


@pytest.mark.parametrize("name", ["1", "zz", "os/11"])
def test_a_name_of_none_or_many_is_refused(wheel, name):
    with pytest.raises(UnknownName):
        published.published_task(name, wheel)


def test_one_bad_file_names_itself(wheel, monkeypatch):
    monkeypatch.setattr(published, "raw", lambda mirror=None: {"os/x": {"id": "x"}})
    with pytest.raises(InvalidTask, match="os/x"):
        published.published(wheel)


def told(capsys) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_list_counts(wheel, capsys):
    assert main(["osworld", "list", "--mirror", str(wheel), "--json"]) == 0
    answer = told(capsys)
    assert (answer["tasks"], answer["judged"], answer["running_commands"]) == (3, 2, 1)
    assert answer["tasks_missing"]["os/12-b"] == ["metric sing", "getter ear"]
    assert main(["osworld", "list", "--mirror", str(wheel), "--names"]) == 0
    assert "os/12-b  metric sing, getter ear" in capsys.readouterr().out


def test_files_are_checked_and_nothing_is_run(tmp_path, capsys):
    hostile = {**GOOD, "config": [{"type": "open", "parameters": {"path": "/etc/passwd"}}]}
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    (tmp_path / "bad.json").write_text(json.dumps(hostile))
    assert main(["osworld", "check", str(tmp_path / "good.json")]) == 0
    assert "runs commands at: config[0]" in capsys.readouterr().out
    assert main(["osworld", "check", str(tmp_path / "good.json"), str(tmp_path / "bad.json"), "--json"]) == 1
    files = told(capsys)["files"]
    assert [f["ok"] for f in files.values()] == [True, False]


def test_a_home_is_judged(wheel, tmp_path, capsys):
    (tmp_path / "home").mkdir()
    words = ["osworld", "judge", "11-a", "--home", str(tmp_path / "home"), "--mirror", str(wheel), "--json"]
    assert main(words) == 0
    assert told(capsys) == {"task": "11-a", "score": 0.0}
    (tmp_path / "home/n.txt").write_text("b")
    assert main(words) == 0
    assert told(capsys) == {"task": "11-a", "score": 1.0}


def test_a_home_that_is_not_there_is_a_sentence(tmp_path, capsys):
    assert main(["osworld", "judge", "11-a", "--home", str(tmp_path / "no")]) == 2
    assert "is no folder" in capsys.readouterr().err
