"""System One: ``POST {base}/v1/systemone``, named questions in, answers by name out.

Spoken by TypeSafe, by OpenRouter under another path, and by local servers, ours among them. The shape is in the
TypeSafe SDK; retries follow arc-cua: at most three attempts on 429, 503 and 529, waiting 0.5 s and then 1 s.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cuakit.core.decision import Question
from cuakit.core.errors import DecisionError, MissingExtra

RETRIED: Final = frozenset({429, 503, 529})
WAITS_S: Final = (0.5, 1.0)


@dataclass(frozen=True, kw_only=True)
class SystemOne:
    """A decision model behind the System One protocol.

    Args:
        base_url: Server, without the path; default ``TYPESAFE_BASE_URL``.
        model: Model name; default ``TYPESAFE_MODEL``, else ``jev-latest``.
        api_key: Bearer token; default ``TYPESAFE_API_KEY``.
        path: Path of the endpoint; OpenRouter's is ``/api/alpha/decisions``.
        timeout_s: Limit per attempt in seconds.
        sleep: Waits between attempts; injected in tests.
    """

    base_url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    path: str = "/v1/systemone"
    timeout_s: float = 25.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    name: str = "systemone"
    one_request: bool = True

    def ask(self, state: Mapping[str, Any], questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Answer all questions in one request.

        Raises:
            DecisionError: No server, an error status, or no JSON.
            MissingExtra: httpx is not installed.
        """
        try:
            import httpx
        except ModuleNotFoundError as lost:
            raise MissingExtra("System One needs httpx", hint="pip install 'cuakit[llm]'") from lost
        base = self.base_url or os.environ.get("TYPESAFE_BASE_URL", "")
        if not base:
            raise DecisionError("no System One server is configured", hint="pass base_url or set TYPESAFE_BASE_URL")
        key = self.api_key or os.environ.get("TYPESAFE_API_KEY", "")
        body = {
            "model": self.model or os.environ.get("TYPESAFE_MODEL", "jev-latest"),
            "state": dict(state),
            "questions": {name: wire(q) for name, q in questions.items()},
        }
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        waits = iter(WAITS_S)
        while True:
            try:
                reply = httpx.post(base.rstrip("/") + self.path, json=body, headers=headers, timeout=self.timeout_s)
            except httpx.HTTPError as wrong:
                raise DecisionError(
                    f"System One server {base} did not answer: {type(wrong).__name__}",
                    hint="check base_url and that the server runs",
                    code="model_unreachable",
                    retryable=True,
                ) from wrong
            wait = next(waits, None) if reply.status_code in RETRIED else None
            if wait is None:
                break
            self.sleep(wait)
        return _parse(reply.status_code, reply.content, reply.text)


def wire(question: Question) -> dict[str, Any]:
    """A question as the protocol writes it."""
    return {
        "type": "choice",
        "criteria": dict(question.options),
        "instructions": {"task": question.instructions} if question.instructions else {},
    }


def _parse(status: int, content: bytes, text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(content)
    except ValueError:
        data = None
    if status != 200:
        kind = ""
        if isinstance(data, Mapping) and isinstance(data.get("detail"), Mapping):
            kind = str(data["detail"].get("error_type", ""))
        raise DecisionError(
            f"System One answered {status} {kind}".rstrip(),
            hint="offer fewer candidates" if kind == "max_tokens_exceeded" else "see the server's log",
            code=kind or "model_error",
            retryable=status in RETRIED,
        )
    if not isinstance(data, Mapping):
        raise DecisionError(f"System One's answer is no JSON object: {text[:80]!r}", hint="nothing was executed")
    return data
