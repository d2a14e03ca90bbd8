"""The decider that does nothing: whatever it scores is the benchmark's own gift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cuakit.core.decision import Answer, Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask


@dataclass(frozen=True, kw_only=True)
class Noop:
    """Always abstains."""

    stage_id: ClassVar[str] = "noop-v1"

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:  # noqa: ARG002 - the protocol's signature
        """Abstain."""
        answer = Answer(choice="abstain", probabilities={"abstain": 1.0})
        return Decision(outcome="abstain", answers={"operation": answer}, reason="this agent never acts")
