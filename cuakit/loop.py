"""The sentence: look, find, choose, act under a lease, let it settle, and again.

The only place where stages meet, and the only one that times them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cuakit.act.broker import CaptureBroker
from cuakit.act.effects import judge
from cuakit.agent import Agent, Stages
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.stages import Decider, Recorder, Surface
from cuakit.core.subtask import Subtask
from cuakit.core.timing import Stopwatch
from cuakit.core.trajectory import Status, Step, Trajectory

STALE_LIMIT: Final = 8
"""Looks in a row that lead to no action before the run gives up; arc-cua's number, enforced here."""

NO_CHANGE_LIMIT: Final = 3
"""Actions in a row after which nothing looks different; arc-cua's number."""

_ENDS: Final[dict[str, Status]] = {
    "complete": "SUBTASK_COMPLETE",
    "blocked": "BLOCKED",
    "needs_agent": "NEEDS_AGENT",
    "needs_input": "NEEDS_INPUT",
    "abstain": "NEEDS_AGENT",
}


def run_subtask(  # noqa: C901 - the whole sentence in one place is the point
    agent: Agent,
    surface: Surface,
    subtask: Subtask,
    *,
    broker: CaptureBroker | None = None,
    decider: Decider | None = None,
    record: Recorder | None = None,
    done: Callable[[], bool] | None = None,
    deadline_s: float | None = None,
) -> Trajectory:
    """Work on a subtask until it is done, cannot go on, or runs out of actions or time.

    Args:
        agent: One choice per stage.
        surface: What is looked at and acted on.
        subtask: What to do.
        broker: Issues the leases; a fresh one by default.
        decider: Used instead of the agent's own.
        record: Called with each finished step.
        done: Asked after each action whether the application says that it is over.
        deadline_s: Wall time in seconds.

    Returns:
        The steps and how it ended. A refusal is a step, not an error.

    Raises:
        BackendError: The target went away.
        DecisionError: The decision model failed.
    """
    broker = broker or CaptureBroker()
    stages = agent.assemble(surface, broker, decider)
    end = None if deadline_s is None else time.monotonic() + deadline_s
    steps: list[Step] = []
    idle = unchanged = 0
    while True:
        step = _turn(stages, surface, broker, subtask, steps)
        if steps:
            seen = judge(steps[-1].observation, step.observation, steps[-1].receipt)
            steps[-1] = replace(steps[-1], receipt=seen)
            same = _looks_same(steps[-1].observation, step.observation)
            unchanged = unchanged + 1 if same and _injected(seen) else 0
            if record:
                record(steps[-1])
        steps.append(step)
        idle = 0 if _injected(step.receipt) else idle + 1
        status, reason = _ended(step, agent, subtask, steps, idle, unchanged)
        if status is None and done is not None and done():
            status, reason = "SUBTASK_COMPLETE", "the application says that it is over"
        if status is None and end is not None and time.monotonic() >= end:
            status, reason = "NEEDS_AGENT", f"out of time after {deadline_s:g} s"
        if status is not None:
            if record:
                record(step)
            return Trajectory(status=status, steps=tuple(steps), reason=reason, needs_input=step.decision.needs_input)


def _turn(stages: Stages, surface: Surface, broker: CaptureBroker, subtask: Subtask, steps: list[Step]) -> Step:
    watch = Stopwatch()
    with watch.span("capture"):
        shot = surface.grab()
    with watch.span("perceive"):
        found = stages.perceive(shot)
    with watch.span("lease"):
        capture = broker.issue(surface, shot, found)
    observation = Observation(
        screenshot=shot, candidates=found, target=capture.target, capture_id=capture.id, title=surface.title()
    )
    with watch.span("decide"):
        decision = stages.decide(subtask, observation, steps)
    receipt, settled = None, None
    if decision.outcome == "act":
        with watch.span("act"):
            receipt = stages.act(decision, observation)
    if decision.outcome in ("act", "reobserve"):
        with watch.span("settle"):
            settled = stages.settle(surface.grab)
    return Step(
        index=len(steps),
        observation=observation,
        decision=decision,
        receipt=receipt,
        settled=settled,
        spans=watch.take(),
    )


def _ended(
    step: Step, agent: Agent, subtask: Subtask, steps: list[Step], idle: int, unchanged: int
) -> tuple[Status | None, str]:
    decision: Decision = step.decision
    if decision.outcome in _ENDS:
        return _ENDS[decision.outcome], decision.reason or decision.outcome
    if agent.act.name.startswith("dry-run"):
        return "DRY_RUN", "dry run: the first action was checked and not carried out"
    if unchanged >= NO_CHANGE_LIMIT:
        return "BLOCKED", f"nothing changed after {unchanged} actions"
    if idle >= STALE_LIMIT:
        return "BLOCKED", f"{idle} looks in a row led to no action"
    if sum(1 for s in steps if _injected(s.receipt)) >= subtask.max_actions:
        return "NEEDS_AGENT", f"out of actions after {subtask.max_actions}"
    return None, ""


def _injected(receipt: Receipt | None) -> bool:
    return receipt is not None and receipt.injected


def _looks_same(before: Observation, after: Observation) -> bool:
    same_frame = before.screenshot.digest == after.screenshot.digest
    return same_frame and before.candidates == after.candidates
