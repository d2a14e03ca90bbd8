"""Published tasks on a private desktop: what stands in the way is said, and the environment finds them by their id."""

import json
import shutil

import pytest

from cuakit.core.errors import UnknownName
from cuakit.core.trajectory import Trajectory
from cuakit.envs.desktop.places import HOME
from cuakit.envs.desktop.read import parse_task
from cuakit.envs.desktop.setup import obstacles
from cuakit.envs.osworld.env import OsWorld
from cuakit.envs.osworld.support import support
from cuakit.suites.opener import env_class

NOTE = {
    "id": "21-a",
    "instruction": "Write b.",
    "config": [{"type": "launch", "parameters": {"command": "gnome-terminal"}}],
    "evaluator": {
        "func": "check_list",
        "result": {"type": "vm_file", "path": f"{HOME}/n.txt", "dest": "n.txt"},
        "expected": {"type": "rule", "rules": {"expect": ["b"]}},
        "postconfig": [
            {"type": "activate_window", "parameters": {"window_name": "XTerm", "by_class": True}},
            {
                "type": "execute",
                "parameters": {"command": ["python", "-c", "import pyautogui; pyautogui.press('enter')"]},
            },
        ],
    },
}


@pytest.mark.parametrize(
    ("kind", "given", "why"),
    [
        ("launch", {"command": ["google-chrome", "--remote-debugging-port=1337"]}, ()),
        ("launch", {"command": ["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"]}, ()),
        ("launch", {"command": ["nc", "-l", "80"]}, ("a command",)),
        ("execute", {"command": ["python", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 's')"]}, ()),
        ("execute", {"command": ["python", "-c", "import os; os.remove('x')"]}, ("a command",)),
        ("execute", {"command": f"mkdir -p {HOME}/x"}, ()),
        ("sleep", {"seconds": 1}, ()),
        ("tidy_desktop", {}, ("step tidy_desktop",)),
    ],
)
def test_what_stands_in_the_way_of_a_set_up_is_said(kind, given, why):
    task = parse_task({**NOTE, "config": [{"type": kind, "parameters": given}]})
    assert obstacles(task.config[0]) == why
    found = support("os/21-a", task)
    assert found.obstacles == why
    assert found.runs == (not why)
    assert not found.fixtures


def test_the_harness_knows_it_by_name():
    assert env_class("osworld") is OsWorld


@pytest.mark.x11
@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("xterm") is None, reason="needs xterm")
def test_a_published_task_is_set_up_and_judged(monkeypatch, tmp_path):
    tasks = {"os/21-a": json.loads(json.dumps(NOTE))}

    def one(name: str, mirror: object):
        del mirror
        if name not in tasks:
            raise UnknownName(f"0 published tasks are called {name!r}")
        return parse_task(tasks[name])

    monkeypatch.setattr("cuakit.envs.osworld.env.published_task", one)
    with OsWorld(fixtures=tmp_path) as env:
        assert env.reset("os/21-a", 0).goal == "Write b."
        env.ended(Trajectory(status="NEEDS_AGENT", steps=()))
        assert env.score() == 0.0
        (env.session.home / "n.txt").write_text("b\n")
        assert env.score() == 1.0
        with pytest.raises(UnknownName):
            env.reset("os/99", 0)
