"""What a decision model looks like to a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from cuakit.core.decision import Question


class ChoiceTransport(Protocol):
    """Sends finite questions to a decision model.

    ``ask`` returns ``{"answers": {name: {"choice", "probabilities"?, "confidence"?}}, "usage"?: {name: number}}``.
    It may leave out questions when ``one_request`` is false; the policy then asks for what it needs, head by head.
    """

    name: str
    one_request: bool

    def ask(self, state: Mapping[str, Any], questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """Answer the questions.

        Raises:
            DecisionError: The model cannot be reached or does not answer.
        """
