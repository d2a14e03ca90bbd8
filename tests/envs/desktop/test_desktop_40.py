"""The suite is what it says: every task can be read and judged, doing nothing scores nothing, the right file scores all."""

import shutil
from pathlib import Path

import pytest

from cuakit.agent import Agent
from cuakit.core.errors import UnknownName, UsageError
from cuakit.envs.desktop.env import FIXTURES, DesktopEnv, tasks_folder
from cuakit.envs.desktop.getters import fixture
from cuakit.envs.desktop.gold import GoldPath
from cuakit.envs.desktop.judge import judge
from cuakit.envs.desktop.places import Places
from cuakit.envs.desktop.read import read_task
from cuakit.envs.desktop.safety import commands
from cuakit.suites.loader import load_suite

TASKS = tasks_folder()
NAMES = sorted(p.stem for p in TASKS.glob("*.json"))
COMPARED = [
    name
    for name in NAMES
    if ((expected := read_task(TASKS / f"{name}.json").evaluator.checks[0].expected) or {}).get("type") == "cloud_file"
]
"""Tasks that are judged by a file of how it should be."""


def untouched(name: str, home: Path) -> None:
    """The home as the task's set-up leaves it."""
    for step in read_task(TASKS / f"{name}.json").config:
        for file in step.parameters.get("files", ()):
            target = Places(home).inside(file["path"])
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fixture(TASKS / FIXTURES, file["url"]), target)


def test_suite_and_folder_hold_the_same_tasks():
    suite = load_suite("desktop-40")
    assert sorted(t.name for t in suite.tasks) == NAMES
    assert {t.env for t in suite.tasks} == {"desktop"}


@pytest.mark.parametrize("name", NAMES)
def test_a_task_says_what_it_must(name):
    task = read_task(TASKS / f"{name}.json")
    assert task.id == f"desktop-40/{name}"
    assert task.extra["level"] in (1, 2, 3)
    assert task.extra["paraphrase"].strip() not in ("", task.instruction)
    assert task.apps
    assert all(place.startswith("config") for place in commands(task))
    GoldPath(task.extra["gold"])


@pytest.mark.parametrize("name", NAMES)
def test_doing_nothing_scores_nothing(name, tmp_path):
    untouched(name, tmp_path)
    assert judge(read_task(TASKS / f"{name}.json"), tmp_path, fixtures=TASKS / FIXTURES) == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_home_scores_nothing(name, tmp_path):
    assert judge(read_task(TASKS / f"{name}.json"), tmp_path, fixtures=TASKS / FIXTURES) == 0.0


@pytest.mark.parametrize("name", COMPARED)
def test_the_expected_file_in_place_scores_all(name, tmp_path):
    task = read_task(TASKS / f"{name}.json")
    untouched(name, tmp_path)
    for check in task.evaluator.checks:
        assert check.result is not None
        assert check.expected is not None
        target = Places(tmp_path).inside(check.result["path"])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fixture(TASKS / FIXTURES, check.expected["path"]), target)
    assert judge(task, tmp_path, fixtures=TASKS / FIXTURES) == 1.0


@pytest.mark.parametrize("name", ["gold", "noop"])
def test_its_agents_can_be_read(name):
    assert Agent.from_toml(TASKS / "agents" / f"{name}.toml").name == name


def test_before_a_task_is_set_there_is_no_desktop():
    env = DesktopEnv()
    with pytest.raises(UsageError, match="no task is set"):
        env.score()
    with pytest.raises(UnknownName, match="no desktop task named"):
        env.reset("../desktop-40/note-new", 0)
    assert env.done() is False
    env.close()
