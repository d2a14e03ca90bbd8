"""What a decision model looks like to a policy, and the one way its answers are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from cuakit.core.decision import Answer, Question
from cuakit.core.errors import DecisionError


class ChoiceTransport(Protocol):
    """Sends finite questions to a decision model.

    ``ask`` returns ``{"answers": {name: {"choice", "probabilities"?, "confidence"?}}, "usage"?: {name: number}}``.
    """

    @property
    def name(self) -> str:
        """What it is called in records."""

    @property
    def one_request(self) -> bool:
        """Whether many questions cost about as much as one; otherwise a policy asks only what it needs."""

    def ask(self, state: Mapping[str, Any], questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """Answer the questions.

        Raises:
            DecisionError: The model cannot be reached or does not answer.
        """


def ask_checked(
    transport: ChoiceTransport, state: Mapping[str, Any], questions: Mapping[str, Question], *, retries: int
) -> tuple[dict[str, Answer], dict[str, float]]:
    """Ask, validate every answer, and ask the same again after an invalid one.

    Returns:
        Answers by question name, and the usage that the server reported.

    Raises:
        DecisionError: Unreachable, or still invalid after ``retries`` further tries; the message names the question.
    """
    for _ in range(retries):
        try:
            return _checked(transport.ask(state, questions), questions)
        except DecisionError as wrong:
            if wrong.error_code != DecisionError.code:
                raise
    return _checked(transport.ask(state, questions), questions)


def _checked(raw: Mapping[str, Any], questions: Mapping[str, Question]) -> tuple[dict[str, Answer], dict[str, float]]:
    given = raw.get("answers")
    if not isinstance(given, Mapping):
        raise DecisionError("the model returned no answers", hint="nothing was executed")
    out: dict[str, Answer] = {}
    for name, question in questions.items():
        one = given.get(name)
        if not isinstance(one, Mapping):
            raise DecisionError(f"question {name!r}: no answer", hint="nothing was executed")
        out[name] = Answer.check(question, one.get("choice"), one.get("probabilities"), one.get("confidence"))
    usage = raw.get("usage")
    counted = usage.items() if isinstance(usage, Mapping) else ()
    return out, {k: float(v) for k, v in counted if isinstance(v, int | float)}
