"""What happened, step by step, and what it was worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt, Settled, Verdict
from cuakit.core.timing import Span

TrialOutcome = Literal["scored", "agent_error", "env_error", "evaluator_error", "timeout", "infra_error", "cancelled"]
Status = Literal["SUBTASK_COMPLETE", "BLOCKED", "NEEDS_AGENT", "NEEDS_INPUT", "DRY_RUN"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One turn of the loop.

    Args:
        index: From 0.
        observation: What was seen.
        decision: What was chosen.
        receipt: What became of the action; None when nothing was tried.
        settled: How the target came to rest; None when nothing was injected.
        verdict: Result of the check after the step; None when none was asked for.
        spans: Time per stage.
    """

    index: int
    observation: Observation
    decision: Decision
    receipt: Receipt | None = None
    settled: Settled | None = None
    verdict: Verdict | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Trajectory:
    """Steps of one subtask and how it ended.

    Args:
        status: Terminal status in arc-cua's words.
        steps: In order.
        reason: Why it ended, in words.
        needs_input: Description of the missing input, with ``NEEDS_INPUT``.
    """

    status: Status
    steps: tuple[Step, ...] = ()
    reason: str = ""
    needs_input: Mapping[str, Any] | None = None

    @property
    def actions_taken(self) -> int:
        """Actions that reached the target."""
        return sum(1 for s in self.steps if s.receipt is not None and s.receipt.injected)

    def __repr__(self) -> str:
        from cuakit.core import filmstrip

        return filmstrip.text(self)

    def _repr_html_(self) -> str:
        from cuakit.core import filmstrip

        return filmstrip.trajectory(self)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One agent on one task with one seed.

    Args:
        id: Hash of task, agent, seed, suite version and package set.
        suite: Suite id.
        task: Task id within the suite.
        agent: Agent name.
        seed: Seed of the task instance.
        outcome: Whether it could be scored, and what prevented it.
        score: In [0, 1]; None unless ``scored``.
        status: Status of the trajectory, or empty.
        steps: Number of steps.
        actions: Actions that reached the target.
        seconds: Wall time.
        error: Code and message, when not scored.
        extra: Further figures by name.

    Raises:
        ValueError: A score without ``scored``, or the other way round.
    """

    id: str
    suite: str
    task: str
    agent: str
    seed: int
    outcome: TrialOutcome
    score: float | None = None
    status: str = ""
    steps: int = 0
    actions: int = 0
    seconds: float = 0.0
    error: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if (self.outcome == "scored") != (self.score is not None):
            raise ValueError(f"outcome {self.outcome!r} with score {self.score!r}")
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise ValueError(f"score must lie in [0, 1], got {self.score}")

    @property
    def valid(self) -> bool:
        """Whether it counts; an invalid trial is never a zero."""
        return self.outcome == "scored"

    @property
    def own_failure(self) -> bool:
        """Whether it could not be scored because the agent broke or hung, and not what it ran on."""
        return self.outcome in ("agent_error", "timeout")
