"""System One's request and answers: what is accepted, what is refused with 422, and how an answer is written.

The shapes are those of the TypeSafe SDK's schema and of the ``jevcompat`` specification: noul, choice and score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

MAX_OPTIONS: Final = 255
MAX_LEVELS: Final = 10
MAX_QUESTIONS: Final = 400

Kind = Literal["noul", "choice", "score"]


class Invalid(Exception):
    """A request that breaks the schema.

    Args:
        place: Path of the offending value.
        why: What is wrong with it.
    """

    def __init__(self, place: Sequence[str | int], why: str) -> None:
        super().__init__(f"{'.'.join(map(str, place))}: {why}")
        self.detail = [{"loc": ["body", *place], "msg": why, "type": "value_error"}]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question of any kind, as options with descriptions.

    Args:
        kind: Its type.
        options: Option id → description text; ``true``/``false`` for a noul, level numbers for a score.
        instructions: What is asked, as text.
        raw: Instructions as they were sent.
        legend: Level descriptions as they were sent; only for a score.
    """

    kind: Kind
    options: Mapping[str, str]
    instructions: str
    raw: Any = None
    legend: tuple[Any, ...] = ()


def text_of(value: Any) -> str:
    """Strings inside a JSON value, in order, as one text; keys are not content."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(filter(None, map(text_of, value.values())))
    if isinstance(value, list):
        return " ".join(filter(None, map(text_of, value)))
    return "" if value is None or isinstance(value, bool) else str(value)


def read(body: Any) -> tuple[str, Any, dict[str, Asked]]:
    """Model name, state and questions of a request.

    Raises:
        Invalid: With the place and the reason.
    """
    if not isinstance(body, Mapping):
        raise Invalid((), "a JSON object is needed")
    model, state, questions = body.get("model"), body.get("state"), body.get("questions")
    if not isinstance(model, str) or not model:
        raise Invalid(("model",), "a model name is needed")
    if not isinstance(state, str | Mapping | list):
        raise Invalid(("state",), "a string, object or array is needed")
    if not isinstance(questions, Mapping) or not 1 <= len(questions) <= MAX_QUESTIONS:
        raise Invalid(("questions",), f"an object with 1 to {MAX_QUESTIONS} questions is needed")
    if "" in questions:
        raise Invalid(("questions",), "a question id must not be empty")
    return model, state, {name: _question(name, q) for name, q in questions.items()}


def _question(name: str, q: Any) -> Asked:
    place = ("questions", name)
    if not isinstance(q, Mapping) or q.get("type") not in ("noul", "choice", "score"):
        raise Invalid((*place, "type"), "one of noul, choice, score is needed")
    raw = q.get("instructions")
    if raw is not None and not isinstance(raw, str | Mapping | list):
        raise Invalid((*place, "instructions"), "a string, object or array is needed")
    criteria, kind = q.get("criteria"), q["type"]
    asked, where = text_of(raw), (*place, "criteria")
    if kind == "noul":
        if criteria is not None and (not isinstance(criteria, Mapping) or set(criteria) - {"true", "false"}):
            raise Invalid(where, "an object with true and false, or nothing, is needed")
        sides = criteria or {}
        options = {side: _described(sides.get(side), (*where, side)) for side in ("true", "false")}
        return Asked(kind="noul", options=options, instructions=asked, raw=raw)
    if kind == "score":
        if not isinstance(criteria, list) or not 1 <= len(criteria) <= MAX_LEVELS:
            raise Invalid(where, f"a list of 1 to {MAX_LEVELS} levels is needed")
        if any(level is None for level in criteria):
            raise Invalid(where, "a level needs a description")
        levels = {str(i): _described(level, (*where, i)) for i, level in enumerate(criteria)}
        return Asked(kind="score", options=levels, instructions=asked, raw=raw, legend=tuple(criteria))
    if not isinstance(criteria, Mapping) or not 1 <= len(criteria) <= MAX_OPTIONS or "" in criteria:
        raise Invalid(where, f"an object with 1 to {MAX_OPTIONS} named options is needed")
    named = {option: _described(text, (*where, option)) for option, text in criteria.items()}
    return Asked(kind="choice", options=named, instructions=asked, raw=raw)


def _described(value: Any, place: Sequence[str | int]) -> str:
    if value is not None and not isinstance(value, str | Mapping | list):
        raise Invalid(place, "a string, object, array or null is needed")
    return text_of(value)


def write(asked: Asked, spread: Mapping[str, float]) -> dict[str, Any]:
    """An answer from a distribution over the options.

    The distribution is renormalised; ``confidence`` is (max − 1/n) / (1 − 1/n), the reference formula.

    Args:
        asked: The question.
        spread: Option id → weight, covering the options, none negative, not all zero.
    """
    total = math.fsum(spread.values())
    spread = {option: spread[option] / total for option in asked.options}
    if asked.kind == "noul":
        return {"type": "noul", "noul": spread["true"]}
    n = len(spread)
    best = max(spread, key=lambda option: spread[option])
    confidence = min(1.0, max(0.0, (spread[best] - 1 / n) / (1 - 1 / n))) if n > 1 else 1.0
    if asked.kind == "choice":
        return {"type": "choice", "choice": best, "confidence": confidence, "probabilities": spread}
    return {
        "type": "score",
        "score": math.fsum(int(level) * p for level, p in spread.items()),
        "confidence": confidence,
        "probabilities": spread,
        "legend": {str(i): level for i, level in enumerate(asked.legend)},
    }
