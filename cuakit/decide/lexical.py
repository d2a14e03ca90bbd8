"""The decider that matches words: no model and no download.

It reads the goal from left to right. A candidate scores by how much of its label the goal mentions, quoted words most;
by its role, where the goal names one; and by how early it is mentioned, because instructions name things in the order
of doing. What has done its work is not done again. Text goes into the field whose name fits the input's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from cuakit.core.decision import Answer, Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.answers import softmax_answer
from cuakit.decide.goal import Goal
from cuakit.decide.memory import Memory
from cuakit.decide.offers import offers
from cuakit.decide.scoring import Scored, score


@dataclass(frozen=True, kw_only=True)
class Lexical:
    """Word overlap between goal and labels.

    Args:
        temperature: Score difference that makes one option e times as probable as another. At the default, confidence is
            about the share of right decisions on MiniWoB++ (``cuakit bench calibration``).
        threshold: Score below which nothing is done.
    """

    stage_id: ClassVar[str] = "lexical-v1"

    temperature: float = 2.5
    threshold: float = 0.15

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """The best-scoring action, with the distribution over operations and over its targets."""
        possible = offers(subtask, observation)
        scored = score(Goal.of(subtask), Memory.of(history), subtask, possible, observation.candidates)
        return self.choose(scored, observation)

    def choose(self, scored: Sequence[Scored], observation: Observation) -> Decision:
        """The decision that a set of scores comes to."""
        ranked = sorted((s for s in scored if s.score >= self.threshold), key=lambda s: (-s.score, s.target))
        if not ranked:
            answer = Answer(choice="abstain", probabilities=MappingProxyType({"abstain": 1.0}))
            return Decision(outcome="abstain", answers={"operation": answer}, reason="no candidate matches the goal")
        best = ranked[0]
        label = observation.candidates[best.target].label
        return Decision(
            outcome="act",
            action=best.action,
            answers=self._answers(ranked),
            reason=f"{best.operation.replace('_', ' ')} {label!r}: score {best.score:.2f}",
        )

    def _answers(self, ranked: Sequence[Scored]) -> Mapping[str, Answer]:
        best = ranked[0]
        # Insertion order keeps the winner first, and a tie between operations goes to the winner by its sort key.
        operations: dict[str, float] = {s.operation: s.score for s in reversed(ranked)}
        operations[best.operation] += 1e-9
        targets = {s.target: s.score for s in reversed(ranked) if s.operation == best.operation}
        return {
            "operation": softmax_answer(
                "operation", {**operations, "abstain": self.threshold - 1e-3}, temperature=self.temperature
            ),
            f"{best.operation}_target": softmax_answer(
                f"{best.operation}_target", targets, temperature=self.temperature
            ),
        }
