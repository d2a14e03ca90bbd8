"""When a run ends."""

from itertools import count

import numpy as np
import pytest

from cuakit.core.action import Click
from cuakit.core.candidate import Candidates
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step
from cuakit.ending import NO_CHANGE_LIMIT, STALE_LIMIT, ending

TASK = Subtask(goal="press it", max_actions=5)
DELIVERED = Receipt(effect="unverifiable", route="trusted_input", delivery="background")
REFUSED = Receipt(effect="refused", code="capture_stale")


def look(shade: int) -> Observation:
    return Observation(screenshot=Screenshot(pixels=np.full((4, 4, 3), shade, np.uint8)), candidates=Candidates())


def act(shade: int, receipt: Receipt | None = DELIVERED) -> Step:
    return Step(
        index=0, observation=look(shade), decision=Decision(outcome="act", action=Click(target="c01")), receipt=receipt
    )


def say(outcome: str, shade: int = 0) -> Step:
    return Step(index=0, observation=look(shade), decision=Decision(outcome=outcome, reason="why"))


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("complete", "SUBTASK_COMPLETE"),
        ("blocked", "BLOCKED"),
        ("needs_agent", "NEEDS_AGENT"),
        ("needs_input", "NEEDS_INPUT"),
        ("abstain", "NEEDS_AGENT"),
    ],
)
def test_a_terminal_choice_ends_the_run_with_its_reason(outcome, status):
    assert ending([say(outcome)], TASK) == (status, "why")


def test_looking_again_does_not_end_the_run_until_the_stale_limit():
    looks = [say("reobserve", shade) for shade in range(STALE_LIMIT)]
    assert ending(looks[:-1], TASK) is None
    assert ending(looks, TASK)[0] == "BLOCKED"


def test_refusals_count_as_looks_without_action():
    assert ending([act(s, REFUSED) for s in range(STALE_LIMIT)], TASK)[0] == "BLOCKED"


def test_a_delivered_action_resets_the_stale_count():
    steps = [say("reobserve", s) for s in range(STALE_LIMIT - 1)] + [act(20), say("reobserve", 21)]
    assert ending(steps, TASK) is None


def test_actions_that_change_nothing_end_the_run():
    steps = [act(0) for _ in range(NO_CHANGE_LIMIT + 1)]
    assert ending(steps[:-1], TASK) is None
    assert ending(steps, TASK) == ("BLOCKED", f"nothing changed after {NO_CHANGE_LIMIT} actions")


def test_a_change_anywhere_in_between_keeps_the_run_alive():
    shades = count()
    assert ending([act(next(shades)), act(next(shades)), act(next(shades)), act(2)], TASK) is None


def test_the_action_budget_is_exact():
    steps = [act(s) for s in range(TASK.max_actions)]
    assert ending(steps[:-1], TASK) is None
    assert ending(steps, TASK)[0] == "NEEDS_AGENT"


def test_a_dry_run_ends_after_one_action():
    assert ending([act(0)], TASK, dry_run=True)[0] == "DRY_RUN"
