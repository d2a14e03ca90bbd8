"""Finite choices and their answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from cuakit.core.action import Action
from cuakit.core.errors import DecisionError

RESERVED: Final = ("reobserve", "abstain")
"""Choices that are always on offer and never a candidate."""

Outcome = Literal["act", "reobserve", "abstain", "complete", "blocked", "needs_agent", "needs_input"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """One finite choice.

    Args:
        name: Which head it is, such as ``operation`` or ``click_target``.
        options: Option id → description, at least one.
        instructions: What is asked.
    """

    name: str
    options: Mapping[str, str]
    instructions: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A checked answer to one question.

    Args:
        choice: Chosen option id.
        probabilities: Option id → probability; empty when the model gives no distribution.
        confidence: The model's own figure, kept for the record only.
    """

    choice: str
    probabilities: Mapping[str, float] = field(default_factory=dict)
    confidence: float | None = None

    @classmethod
    def check(cls, question: Question, choice: Any, probabilities: Any = None, confidence: Any = None) -> Answer:
        """Validate a raw answer against its question.

        The distribution must cover exactly the options, be finite, lie in [0, 1], sum to 1 within 0.02, and have the
        choice as its single highest option. A tie is an error, because it is no decision.

        Raises:
            DecisionError: The answer breaks a rule; the message names the question.
        """

        def bad(why: str) -> DecisionError:
            return DecisionError(f"question {question.name!r}: {why}", hint="the model's answer was not executed")

        if choice not in question.options:
            raise bad(f"choice {str(choice)[:60]!r} is not among the {len(question.options)} options")
        if probabilities is None or probabilities == {}:
            if confidence is not None and not (_number(confidence) and 0 <= confidence <= 1):
                raise bad(f"confidence {confidence!r} is not a number in [0, 1]")
            return cls(choice=choice, confidence=confidence)
        if not isinstance(probabilities, Mapping) or set(probabilities) != set(question.options):
            raise bad("probabilities must cover exactly the options")
        values = list(probabilities.values())
        if not all(_number(p) and 0 <= p <= 1 for p in values):
            raise bad("every probability must be a finite number in [0, 1]")
        if abs(sum(values) - 1) > 0.02:
            raise bad(f"probabilities sum to {sum(values):.3f}, not 1")
        best = max(values)
        if probabilities[choice] < best - 1e-6:
            raise bad("the choice is not the most probable option")
        if len(values) > 1 and sorted(values)[-2] >= best - 1e-9:
            raise bad("two options tie for the highest probability")
        return cls(choice=choice, probabilities=MappingProxyType(dict(probabilities)), confidence=confidence)

    @property
    def top(self) -> float | None:
        """Probability of the choice; None without a distribution."""
        return self.probabilities.get(self.choice)

    @property
    def margin(self) -> float | None:
        """Lead over the runner-up; None without a distribution, the whole mass with a single option."""
        if not self.probabilities:
            return None
        ranked = sorted(self.probabilities.values(), reverse=True)
        return ranked[0] - ranked[1] if len(ranked) > 1 else ranked[0]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What to do next.

    Args:
        outcome: ``act`` with an action, or a reserved or terminal word without one.
        action: The action; only with ``act``.
        answers: Answers by question name.
        reason: Why, in words for a person.
        needs_input: Description of the field that no input fits; only with ``needs_input``.
        usage: Tokens, cost and the like, by name.

    Raises:
        ValueError: ``act`` without an action, or another outcome with one.
    """

    outcome: Outcome
    action: Action | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    reason: str = ""
    needs_input: Mapping[str, Any] | None = None
    usage: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.outcome == "act") != (self.action is not None):
            raise ValueError(f"outcome {self.outcome!r} with action {self.action!r}")

    @property
    def confidence(self) -> float | None:
        """Least probability over the answers that have one."""
        tops = [t for a in self.answers.values() if (t := a.top) is not None]
        return min(tops) if tops else None

    @property
    def margin(self) -> float | None:
        """Least margin over the answers that have one."""
        margins = [m for a in self.answers.values() if (m := a.margin) is not None]
        return min(margins) if margins else None

    def __repr__(self) -> str:
        what = repr(self.action) if self.action else self.outcome
        sure = "" if self.confidence is None else f" p={self.confidence:.2f} margin={self.margin:.2f}"
        return f"Decision({what}{sure})"

    def _repr_html_(self) -> str:
        from cuakit.core import html

        return html.decision(self)
