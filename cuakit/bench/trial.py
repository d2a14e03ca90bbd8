"""One trial, from a fresh task instance to the application's own verdict. Runs inside a worker."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

from cuakit.agent import Agent
from cuakit.bench.budget import Budget, Metered
from cuakit.bench.plan import Job
from cuakit.core import codec
from cuakit.core.action import action_dict
from cuakit.core.errors import BackendError, CuakitError, MissingExtra, RecordError
from cuakit.core.stages import Decider
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step, Trajectory, Trial, TrialOutcome
from cuakit.decide.scripted import Scripted
from cuakit.envs.base import Environment
from cuakit.loop import run_subtask
from cuakit.record.blobs import Blobs
from cuakit.record.writer import StepWriter

Phase = Literal["open", "reset", "run", "score"]

ORACLE = "scripted-v1"
"""Decider that stands for the environment's gold path."""


@runtime_checkable
class _Listens(Protocol):
    """An environment with tasks that cannot be done, which are solved by saying so."""

    def ended(self, trajectory: Trajectory) -> None:
        """Be told how the agent ended, before the score is asked for."""


@dataclass(kw_only=True)
class TrialRun:
    """Carries a trial through its phases and turns every failure into an outcome.

    Args:
        job: What to run.
        attempt: Which try it is, from 1.
        open_env: Gives the environment, warm if it can.
        blobs: Takes the frames.
        emit: Takes the step rows.
        enter: Told each phase as it begins.
        budget: What the decision model may use; without one it is only counted.
    """

    job: Job
    attempt: int
    open_env: Callable[[str], Environment]
    blobs: Blobs
    emit: Callable[[dict[str, Any]], None]
    enter: Callable[[Phase], None]
    budget: Budget | None = None
    _meter: Metered | None = None
    _phase: Phase = "open"
    _subtask: Subtask | None = None
    _steps: list[Mapping[str, float]] = field(default_factory=list)

    def __call__(self) -> Trial:
        """Run it.

        Raises:
            RecordError: What happened cannot be kept; the run must stop.
            MissingExtra: A stage or environment needs a package; no trial of this run can work.
        """
        start = time.monotonic()
        try:
            made = self._run()
        except (RecordError, MissingExtra):
            raise
        except Exception as wrong:  # noqa: BLE001 - the boundary: whatever an agent or a page does becomes an outcome
            made = self._trial(self._blame(wrong), error=self._told(wrong))
        return replace(made, seconds=round(time.monotonic() - start, 3))

    def _run(self) -> Trial:
        task, seed = self.job.task, self.job.seed
        self._enter("open")
        env = self.open_env(task.env)
        self._enter("reset")
        subtask = env.reset(task.name, seed)
        self._subtask = subtask = replace(subtask, max_actions=task.max_actions or subtask.max_actions)
        self._enter("run")
        self._meter = Metered.of(_decider(self.job.agent, env, task.name, seed), self.budget)
        trajectory = run_subtask(
            self.job.agent,
            env.surface,
            subtask,
            decider=self._meter,
            record=self._recorder(subtask),
            done=env.done,
            deadline_s=task.deadline_s,
        )
        self._enter("score")
        if isinstance(env, _Listens):
            env.ended(trajectory)
        score = float(env.score())
        if not math.isfinite(score) or not 0.0 <= score <= 1.0:
            raise ValueError(f"the environment scored {score}, which is not in [0, 1]")
        return self._trial("scored", score=score, trajectory=trajectory)

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self.enter(phase)

    def _recorder(self, subtask: Subtask) -> Callable[[Step], None]:
        keys = {"trial": self.job.id, "attempt": self.attempt}
        write = StepWriter(subtask=subtask, emit=self.emit, blobs=self.blobs, keys=keys)

        def keep(step: Step) -> None:
            self._steps.append({s.name: s.ms for s in step.spans})
            write(step)

        return keep

    def _blame(self, wrong: Exception) -> TrialOutcome:
        if self._phase == "score":
            return "evaluator_error"
        if self._phase == "run" and not isinstance(wrong, BackendError):
            return "agent_error"
        return "env_error"

    def _told(self, wrong: Exception) -> str:
        code = wrong.error_code if isinstance(wrong, CuakitError) else type(wrong).__name__
        text = f"{code}: {wrong}"[:1000]
        return self._subtask.redact(text) if self._subtask else text

    def _trial(
        self,
        outcome: TrialOutcome,
        *,
        score: float | None = None,
        error: str = "",
        trajectory: Trajectory | None = None,
    ) -> Trial:
        job = self.job
        extra: dict[str, Any] = {"env": job.task.env, "group": job.task.group, "observe": job.agent.observe}
        if score is None:
            extra["failed_in"] = self._phase
        if self._meter is not None and (used := self._meter.told()):
            extra["usage"] = used
        if self.budget is not None:
            extra["budget"] = self.budget.to_dict()
        extra["step_ms"] = [round(sum(s.values()), 2) for s in self._steps]
        if self._subtask is not None:
            extra["goal"] = self._subtask.redact(self._subtask.goal)
        if trajectory is not None:
            extra["reason"] = _redacted(self._subtask, trajectory.reason)
            extra["actions_digest"] = actions_digest(trajectory, self._subtask)
        return Trial(
            id=job.id,
            suite=job.task.suite,
            task=job.task.id,
            agent=job.agent.name,
            seed=job.seed,
            outcome=outcome,
            score=score,
            status=trajectory.status if trajectory else "",
            steps=len(self._steps),
            actions=trajectory.actions_taken if trajectory else 0,
            error=error,
            extra=extra,
        )


def _decider(agent: Agent, env: Environment, task: str, seed: int) -> Decider:
    return Scripted(policy=env.gold(task)) if agent.decide.name == ORACLE else agent.decider(seed)


def _redacted(subtask: Subtask | None, text: str) -> str:
    return subtask.redact(text) if subtask else text


def actions_digest(trajectory: Trajectory, subtask: Subtask | None) -> str:
    """Identity of what was decided, step by step, 16 hex digits: equal for two runs that did the same."""
    secret = subtask.secret_inputs if subtask else frozenset()
    decided = [
        [s.decision.outcome, action_dict(s.decision.action, redact=secret) if s.decision.action else None]
        for s in trajectory.steps
    ]
    return codec.digest(decided)[:16]
