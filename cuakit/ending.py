"""When a run is over: a pure function of the steps so far. The numbers are arc-cua's, all of them enforced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from cuakit.core.observation import Observation
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Status, Step

STALE_LIMIT: Final = 8
"""Looks in a row that led to no action."""

NO_CHANGE_LIMIT: Final = 3
"""Actions in a row after which nothing looked different."""

_TERMINAL: Final[dict[str, Status]] = {
    "complete": "SUBTASK_COMPLETE",
    "blocked": "BLOCKED",
    "needs_agent": "NEEDS_AGENT",
    "needs_input": "NEEDS_INPUT",
    "abstain": "NEEDS_AGENT",
}


def ending(steps: Sequence[Step], subtask: Subtask, *, dry_run: bool = False) -> tuple[Status, str] | None:
    """How a run ends after its last step, or None when it goes on.

    Args:
        steps: At least one step.
        subtask: Gives the most actions allowed.
        dry_run: Whether actions are only checked.

    Returns:
        Status and reason.
    """
    last = steps[-1].decision
    if last.outcome in _TERMINAL:
        return _TERMINAL[last.outcome], last.reason or last.outcome
    receipt = steps[-1].receipt
    if receipt is not None and receipt.code == "consent_required":
        return "NEEDS_AGENT", receipt.message
    if dry_run:
        return "DRY_RUN", "the action was checked and not carried out"
    if sum(map(injected, steps)) >= subtask.max_actions:
        return "NEEDS_AGENT", f"out of actions after {subtask.max_actions}"
    if _tail(steps, lambda s: not injected(s)) >= STALE_LIMIT:
        return "BLOCKED", f"{STALE_LIMIT} looks in a row led to no action"
    if _idle_actions(steps) >= NO_CHANGE_LIMIT:
        return "BLOCKED", f"nothing changed after {NO_CHANGE_LIMIT} actions"
    return None


def injected(step: Step) -> bool:
    """Whether the step's action reached the target."""
    return step.receipt is not None and step.receipt.injected


def looks_same(before: Observation, after: Observation) -> bool:
    """Whether two observations show the same pixels and the same objects."""
    return before.screenshot.digest == after.screenshot.digest and before.candidates == after.candidates


def _tail(steps: Sequence[Step], test: Callable[[Step], bool]) -> int:
    count = 0
    for step in reversed(steps):
        if not test(step):
            break
        count += 1
    return count


def _idle_actions(steps: Sequence[Step]) -> int:
    count = 0
    for before, after in reversed(list(pairwise(steps[-NO_CHANGE_LIMIT - 1 :]))):
        if not injected(before) or not looks_same(before.observation, after.observation):
            break
        count += 1
    return count
