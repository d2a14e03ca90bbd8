"""The decider that always picks the same place in the list: what position alone is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cuakit.core.decision import Answer, Decision
from cuakit.core.errors import UsageError
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.offers import actions, offers


@dataclass(frozen=True, kw_only=True)
class Constant:
    """Takes the n-th action on offer, whatever it is; the last one when there are fewer.

    Args:
        place: Place in table order, from 0.

    Raises:
        UsageError: ``place`` is negative or no whole number.
    """

    stage_id: ClassVar[str] = "constant-v1"

    place: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.place, bool) or not isinstance(self.place, int) or self.place < 0:
            raise UsageError(f"place must be a whole number from 0, got {self.place!r}")

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:  # noqa: ARG002 - the protocol's signature
        """The action in that place; abstain when nothing is on offer."""
        possible = [a for o in offers(subtask, observation) for a in actions(o, subtask)]
        if not possible:
            return Decision(outcome="abstain", reason="nothing on the screen can be acted on")
        at = min(self.place, len(possible) - 1)
        answer = Answer(choice=possible[at].kind, probabilities={possible[at].kind: 1.0})
        return Decision(
            outcome="act",
            action=possible[at],
            answers={"operation": answer},
            reason=f"place {at} of {len(possible)}",
        )
