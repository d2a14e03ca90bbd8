"""OpenAI Decisions, ``POST /v1/decisions``, as the official SDK types it: an ordered list in, an ordered list out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cuakit.core.decision import Question
from cuakit.core.errors import DecisionError, MissingExtra

MAX_CHOICES: Final = 255
"""Choices per question that the protocol carries."""


@dataclass(frozen=True, kw_only=True)
class OpenAiDecisions:
    """A decision model behind the OpenAI Decisions endpoint.

    Args:
        model: Model name.
        base_url: Endpoint; empty for the client's default.
        api_key: Token; empty for ``OPENAI_API_KEY``.
        timeout_s: Limit per request in seconds.
    """

    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout_s: float = 25.0
    name: str = "openai-decisions"
    one_request: bool = True

    def ask(self, state: Mapping[str, Any], questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Answer all questions in one request.

        Raises:
            DecisionError: No server, a refusal, or answers that do not line up with the questions.
            MissingExtra: The ``openai`` client is not installed.
        """
        try:
            import openai
        except ModuleNotFoundError as lost:
            raise MissingExtra("OpenAI Decisions needs the openai client", hint="pip install 'cuakit[llm]'") from lost
        try:
            client = openai.OpenAI(
                base_url=self.base_url or None, api_key=self.api_key or None, timeout=self.timeout_s, max_retries=2
            )
            reply = client.decisions.create(
                model=self.model,
                input=json.dumps(state, ensure_ascii=False),
                questions=[wire(q) for q in questions.values()],  # type: ignore[misc]  # plain dicts of the typed shape
            )
        except openai.OpenAIError as wrong:
            raise DecisionError(
                f"OpenAI Decisions failed: {type(wrong).__name__}: {str(wrong)[:120]}",
                hint="check the key, base_url and model",
                code="model_unreachable",
                retryable=True,
            ) from wrong
        return parse(reply.to_dict(), list(questions))


def wire(question: Question) -> dict[str, Any]:
    """A question in the SDK's shape.

    Raises:
        DecisionError: Fewer than 2 or more than 255 choices.
    """
    if not 2 <= len(question.options) <= MAX_CHOICES:
        raise DecisionError(
            f"question {question.name!r} has {len(question.options)} options, the protocol takes 2 to {MAX_CHOICES}",
            code="option_limit",
        )
    return {
        "type": "choice",
        "name": question.name,
        "instructions": question.instructions or question.name,
        "choices": [{"value": id, "description": text} for id, text in question.options.items()],
    }


def parse(reply: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Ordered answers to answers by name.

    Raises:
        DecisionError: A refusal, or a different number of answers than questions.
    """
    given = reply.get("answers")
    if not isinstance(given, list) or len(given) != len(names):
        count = len(given) if isinstance(given, list) else "no"
        raise DecisionError(f"OpenAI Decisions gave {count} answers to {len(names)} questions")
    answers: dict[str, Any] = {}
    for name, one in zip(names, given, strict=True):
        if one.get("type") == "refusal":
            raise DecisionError(f"the model refused question {name!r}", code="model_refused")
        spread = {p["value"]: p["probability"] for p in one.get("probabilities") or []}
        answers[name] = {
            "choice": one.get("choice"),
            "confidence": one.get("confidence"),
            "probabilities": spread or None,
        }
    usage = reply.get("usage") or {}
    return {"answers": answers, "usage": {k: v for k, v in usage.items() if isinstance(v, int | float)}}
