"""The sentence: look, find, choose, act under a lease, let it settle, and again.

The only place where stages meet, and the only one that times them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from cuakit.act.broker import CaptureBroker
from cuakit.act.effects import judge
from cuakit.agent import Agent, Stages
from cuakit.core.observation import Observation
from cuakit.core.stages import Decider, Recorder, Surface
from cuakit.core.subtask import Subtask
from cuakit.core.timing import Stopwatch
from cuakit.core.trajectory import Step, Trajectory
from cuakit.ending import ending


def run_subtask(
    agent: Agent,
    surface: Surface,
    subtask: Subtask,
    *,
    broker: CaptureBroker | None = None,
    decider: Decider | None = None,
    record: Recorder | None = None,
    done: Callable[[], bool] = lambda: False,
    deadline_s: float = float("inf"),
) -> Trajectory:
    """Work on a subtask until it is done, cannot go on, or runs out of actions or time.

    Args:
        agent: One choice per stage.
        surface: What is looked at and acted on.
        subtask: What to do.
        broker: Issues the leases; a fresh one by default.
        decider: Used instead of the agent's own.
        record: Called with each finished step.
        done: Asked after each step whether the application says that it is over.
        deadline_s: Wall time in seconds.

    Returns:
        The steps and how it ended. A refusal is a step, not an error.

    Raises:
        BackendError: The target went away.
        DecisionError: The decision model failed.
    """
    broker = broker or CaptureBroker()
    stages = agent.assemble(surface, broker, decider, consent=subtask.allowed_risks)
    keep = record or (lambda _: None)
    stop_at = time.monotonic() + deadline_s
    steps: list[Step] = []
    while True:
        step = _turn(stages, surface, broker, subtask, steps)
        if steps:
            last = steps[-1]
            seen = judge(last.observation, step.observation, last.receipt, action=last.decision.action)
            steps[-1] = replace(last, receipt=seen)
            keep(steps[-1])
        steps.append(step)
        end = ending(steps, subtask, dry_run=agent.act.name.startswith("dry-run"))
        if end is None and done():
            end = "SUBTASK_COMPLETE", "the application says that it is over"
        if end is None and time.monotonic() >= stop_at:
            end = "NEEDS_AGENT", f"out of time after {deadline_s:g} s"
        if end is not None:
            keep(step)
            status, reason = end
            return Trajectory(status=status, steps=tuple(steps), reason=reason, needs_input=step.decision.needs_input)


def _turn(stages: Stages, surface: Surface, broker: CaptureBroker, subtask: Subtask, steps: list[Step]) -> Step:
    watch = Stopwatch()
    with watch.span("capture"):
        target, shot = surface.target(), surface.grab()
    with watch.span("perceive"):
        found = stages.perceive(shot)
    with watch.span("lease"):
        lease = broker.issue(surface, shot, found, target=target)
        seen = Observation(screenshot=shot, candidates=found, target=target, capture_id=lease.id, title=stages.title())
    with watch.span("decide"):
        decision = stages.decide(subtask, seen, steps)
    receipt = settled = None
    if decision.outcome == "act":
        with watch.span("act"):
            receipt = stages.act(decision, seen)
    if decision.outcome in ("act", "reobserve"):
        with watch.span("settle"):
            settled = stages.settle(surface.grab)
    spans = watch.take()
    return Step(index=len(steps), observation=seen, decision=decision, receipt=receipt, settled=settled, spans=spans)
