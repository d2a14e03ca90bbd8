"""The decider that picks at random: the floor that a choice has to beat."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from cuakit.core.decision import Answer, Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.offers import actions, offers


@dataclass(frozen=True, kw_only=True)
class Random:
    """Uniform over everything that can be done: each operation on each candidate, with each input where text goes.

    A choice depends on ``seed`` and the number of steps so far alone, so a trial can be repeated.

    Args:
        seed: Any whole number.
    """

    stage_id: ClassVar[str] = "random-v1"

    seed: int = 0

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """One of the possible actions, each with equal probability; abstain when there is none."""
        possible = [a for o in offers(subtask, observation) for a in actions(o, subtask)]
        if not possible:
            return Decision(outcome="abstain", reason="nothing on the screen can be acted on")
        at = random.Random(f"{self.seed}:{len(history)}").randrange(len(possible))
        # No distribution is given: a uniform one has no single highest option.
        answer = Answer(choice=possible[at].kind, confidence=1 / len(possible))
        return Decision(
            outcome="act",
            action=possible[at],
            answers={"operation": answer},
            reason=f"one of {len(possible)} at random",
        )
