"""Whole trials on private desktops: the gold path scores all, doing nothing scores nothing, and giving up is heard."""

import json
import shutil
from pathlib import Path

import pytest

from cuakit.agent import Agent
from cuakit.core.decision import Decision
from cuakit.core.errors import UnknownName
from cuakit.core.trajectory import Trajectory
from cuakit.decide.noop import Noop
from cuakit.envs.desktop.env import DesktopEnv, tasks_folder
from cuakit.envs.desktop.read import read_task
from cuakit.loop import run_subtask

AGENT = Agent.from_toml(tasks_folder() / "agents" / "gold.toml")


def needs(*programs: str) -> list[pytest.MarkDecorator]:
    lost = [p for p in programs if shutil.which(p) is None]
    return [pytest.mark.skipif(bool(lost), reason=f"needs {' '.join(lost)}")]


def attempt(env: DesktopEnv, task: str, decider, seed: int = 0) -> Trajectory:
    goal = env.reset(task, seed)
    done = run_subtask(AGENT, env.surface, goal, decider=decider or env.gold(task), done=env.done, deadline_s=200.0)
    env.ended(done)
    return done


@pytest.mark.x11
@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "task",
    [
        pytest.param("note-append", marks=needs("mousepad")),
        pytest.param("term-sort", marks=needs("xterm")),
        pytest.param("sum-note", marks=needs("mousepad", "galculator")),
        pytest.param("form-order", marks=needs("chromium")),
    ],
)
def test_gold_scores_all_and_doing_nothing_nothing(task):
    with DesktopEnv() as env:
        done = attempt(env, task, None)
        assert env.score() == 1.0, done.reason
        assert all(s.receipt is None or s.receipt.capture_id or s.receipt.effect == "refused" for s in done.steps)
        before = env.session.desktop
        attempt(env, task, Noop(), seed=1)
        assert env.session.desktop is not before
        assert not before.home.exists()
        assert env.score() == 0.0


@pytest.mark.x11
@pytest.mark.timeout(300)
def test_a_task_that_cannot_be_done_is_solved_by_saying_so(tmp_path: Path):
    task = {"id": "t", "instruction": "Fly.", "evaluator": {"func": "infeasible"}, "cuakit": {"paraphrase": "Do fly."}}
    (tmp_path / "fly.json").write_text(json.dumps(task))

    def gives_up(*_: object) -> Decision:
        return Decision(outcome="blocked", reason="nobody can")

    with DesktopEnv(tasks=tmp_path) as env:
        assert env.reset("fly", 1).goal == "Do fly."
        attempt(env, "fly", gives_up)
        assert env.score() == 1.0
        attempt(env, "fly", Noop())
        assert env.score() == 0.0
        with pytest.raises(UnknownName, match="no gold path"):
            env.gold("fly")


def test_a_paraphrase_changes_no_judge():
    for file in tasks_folder().glob("*.json"):
        task = read_task(file)
        assert task.extra["paraphrase"] != task.instruction
