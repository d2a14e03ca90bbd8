"""The suite ``choices`` holds what its head says: the oracle's whole way is on offer."""

from dataclasses import dataclass

import pytest

from cuakit.agent import Agent
from cuakit.core.registry import Spec
from cuakit.decide.flat import what
from cuakit.decide.offers import actions, offers
from cuakit.decide.scoring import STANDARD
from cuakit.envs.miniwob import MiniWob
from cuakit.loop import run_subtask
from cuakit.suites.loader import load_suite
from cuakit.suites.opener import open_env


@dataclass(frozen=True)
class Oracle:
    """Goes the gold way and notes what of it was not on offer."""

    gold: object
    missing: list

    def __call__(self, subtask, observation, history):
        decision = self.gold(subtask, observation, history)
        if decision.action is not None:
            fields = [o.candidate.id for o in offers(subtask, observation) if o.operation == "type_text"]
            offered = {what(a) for o in offers(subtask, observation) for a in actions(o, subtask)}
            offered |= {("set_value", c.parent, c.label) for c in observation.candidates if c.role == "option"}
            offered |= {
                ("set_value", f, str(v)) for k, v in subtask.inputs.items() if k.endswith(STANDARD) for f in fields
            }
            if what(decision.action) not in offered:
                self.missing.append(what(decision.action))
        return decision


def test_it_is_a_part_of_the_suite_of_all_families():
    part, whole = load_suite("choices"), load_suite("deciders")
    assert {(t.name, t.group) for t in part.tasks} < {(t.name, t.group) for t in whole.tasks}
    assert part.seeds == whole.seeds


def test_the_timed_suite_has_the_same_families():
    untimed, timed = load_suite("choices"), load_suite("timed")
    assert [(t.name, t.group, t.max_actions) for t in timed.tasks] == [
        (t.name, t.group, t.max_actions) for t in untimed.tasks
    ]
    assert {t.env for t in timed.tasks} == {"miniwob-timed"}


@pytest.mark.browser
def test_time_runs_out_where_it_is_limited_and_not_elsewhere(browser):
    limits = {}
    for kind in ("miniwob", "miniwob-timed"):
        with open_env(kind, browser) as env:
            env.reset("click-test", 0)
            limits[kind] = env.surface.evaluate("core.EPISODE_MAX_TIME")
            if kind == "miniwob-timed":
                env.surface.evaluate("core.endEpisode(-1, false, 'out of time')")
                assert env.done()
                assert env.score() == 0
    assert limits["miniwob-timed"] == 10_000
    assert limits["miniwob"] > 1e9


@pytest.mark.browser
@pytest.mark.parametrize("seed", [0, 3])
def test_the_oracles_way_is_on_offer_in_it_and_not_outside(seed):
    inside = {t.name for t in load_suite("choices").tasks}
    probed = ("click-test", "enter-date", "login-user", "use-spinner", "find-word", "use-slider", "drag-box")
    on_offer = set()
    with MiniWob(scale=1) as env:
        for name in probed:
            subtask = env.reset(name, seed)
            oracle = Oracle(env.gold(name), [])
            agent = Agent(name="oracle", settle=Spec("page-fast-v1"))
            run_subtask(agent, env.surface, subtask, decider=oracle, done=env.done, deadline_s=60)
            assert env.score() == 1
            if not oracle.missing:
                on_offer.add(name)
    assert on_offer == inside & set(probed)
