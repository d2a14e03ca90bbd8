"""A decider that follows a script, such as an environment's gold path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.noop import Noop


@dataclass(frozen=True, kw_only=True)
class Scripted:
    """Asks a policy.

    Args:
        policy: The script; without one every decision abstains.
    """

    stage_id: ClassVar[str] = "scripted-v1"

    policy: Callable[[Subtask, Observation, History], Decision] = field(default_factory=Noop)

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """The script's decision, unchanged."""
        return self.policy(subtask, observation, history)
