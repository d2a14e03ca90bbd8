"""Agents on the real pages: the oracle is right, doing nothing is worth nothing, words beat chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from cuakit.agent import Agent
from cuakit.backends.cdp import Browser
from cuakit.core.stages import Decider
from cuakit.core.trajectory import Trajectory
from cuakit.decide.lexical import Lexical
from cuakit.decide.noop import Noop
from cuakit.decide.random import Random
from cuakit.envs.miniwob import GROUPS, MiniWob
from cuakit.loop import run_subtask

pytestmark = pytest.mark.browser

DOM = Agent(name="dom")
ONE_OF_EACH = (
    "click-dialog-2",
    "click-checkboxes",
    "click-tab-2",
    "login-user",
    "use-slider",
    "choose-list",
    "read-table",
    "scroll-text-2",
)
"""A family from each group and kind of action; the whole list is run by the benchmark."""


@pytest.fixture(scope="module")
def env(browser: Browser) -> Iterator[MiniWob]:
    with MiniWob(browser) as env:
        yield env


def play(env: MiniWob, family: str, seed: int, decider: Decider) -> tuple[float, Trajectory]:
    subtask = env.reset(family, seed)
    trajectory = run_subtask(DOM, env.surface, subtask, decider=decider, done=env.done, deadline_s=60)
    return env.score(), trajectory


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_the_oracle_solves_it_through_leases(env, family):
    score, trajectory = play(env, family, 1000, env.gold(family))
    assert score == 1
    assert all(s.receipt.capture_id for s in trajectory.steps if s.receipt is not None)


def test_the_oracle_types_what_it_was_given_under_its_name(env):
    subtask = env.reset("login-user", 1)
    trajectory = run_subtask(DOM, env.surface, subtask, decider=env.gold("login-user"), done=env.done)
    typed = [s.decision.action for s in trajectory.steps if s.decision.action.kind == "type_text"]
    assert [(a.input_key, a.text) for a in typed] == list(subtask.inputs.items())


def test_doing_nothing_is_worth_exactly_nothing(env):
    assert [play(env, f, 1000, Noop())[0] for f in ("click-test", "click-checkboxes", "enter-text")] == [0, 0, 0]


def mean(env: MiniWob, make: Callable[[int], Decider]) -> float:
    families = ("click-test-2", "click-button", "click-link", "click-tab", "click-dialog-2")
    assert set(families) <= set(GROUPS["single-click"])
    scores = [play(env, f, seed, make(seed))[0] for f in families for seed in (1000, 1001)]
    return sum(scores) / len(scores)


def test_words_beat_chance(env):
    assert mean(env, lambda _: Lexical()) >= 0.9 > mean(env, lambda seed: Random(seed=seed))
