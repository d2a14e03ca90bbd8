"""A decision model by name: which protocol, which server, which rendering, in plain options that a file can hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.action_space import DEFAULT_CAP
from cuakit.decide.flat import FlatPolicy
from cuakit.decide.policy import ChoicePolicy
from cuakit.decide.questions import Rendering
from cuakit.decide.transport import ChoiceTransport
from cuakit.llm.decisions import OpenAiDecisions
from cuakit.llm.letters import LetterChat
from cuakit.llm.ollama import OllamaChoice
from cuakit.llm.systemone import SystemOne

Provider = Literal["systemone", "letters", "openai-decisions", "ollama"]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Finite choices by a model behind one of the supported protocols.

    Args:
        provider: Protocol.
        base_url: Server; for ``letters`` the default is ``CUAKIT_LLM_URL``, and its key ``CUAKIT_LLM_KEY``.
        model: Model name.
        form: ``heads`` asks arc-cua's questions, ``flat`` one question whose options are whole actions.
        rendering: Element table, or facts inlined per option; ``flat`` always inlines.
        cap: Most executable candidates offered.
        rotations: Orders of the options that a letter model averages.
        min_confidence: Least confidence to act.
        min_margin: Least lead to act.
        evidence: With ``flat``, the weight of matching words beside the model's answer; see
            :class:`cuakit.decide.flat.FlatPolicy`.
        timeout_s: Limit per request in seconds.

    Raises:
        UsageError: The provider is unknown, or needs a model or server that is not given.
    """

    stage_id: ClassVar[str] = "choice-v1"

    provider: Provider
    base_url: str = ""
    model: str = ""
    form: Literal["heads", "flat"] = "heads"
    rendering: Rendering = "table"
    cap: int = DEFAULT_CAP
    rotations: int = 1
    min_confidence: float | None = None
    min_margin: float | None = None
    evidence: float = 0.0
    timeout_s: float = 60.0
    _policy: ChoicePolicy | FlatPolicy = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        transport = self._transport()
        policy: ChoicePolicy | FlatPolicy
        if self.form == "flat":
            policy = FlatPolicy(
                transport=transport,
                cap=self.cap,
                min_confidence=self.min_confidence,
                min_margin=self.min_margin,
                evidence=self.evidence,
            )
        else:
            policy = ChoicePolicy(
                transport=transport,
                rendering=self.rendering,
                cap=self.cap,
                min_confidence=self.min_confidence,
                min_margin=self.min_margin,
            )
        object.__setattr__(self, "_policy", policy)

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """Choose the next step.

        Raises:
            DecisionError: The model failed, or its answer stayed invalid after the re-ask.
        """
        return self._policy(subtask, observation, history)

    def _transport(self) -> ChoiceTransport:
        limit = self.timeout_s
        if self.provider == "systemone":
            return SystemOne(base_url=self.base_url, model=self.model, timeout_s=limit)
        if self.provider == "letters":
            url = self.base_url or os.environ.get("CUAKIT_LLM_URL", "")
            if not url:
                raise UsageError("letters needs base_url or CUAKIT_LLM_URL", hint="e.g. http://127.0.0.1:8080/v1")
            key = os.environ.get("CUAKIT_LLM_KEY", "none")
            return LetterChat(
                base_url=url, model=self.model or "default", api_key=key, rotations=self.rotations, timeout_s=limit
            )
        if self.provider in ("openai-decisions", "ollama") and not self.model:
            raise UsageError(f"{self.provider} needs a model name")
        if self.provider == "openai-decisions":
            return OpenAiDecisions(base_url=self.base_url, model=self.model, timeout_s=limit)
        if self.provider == "ollama":
            return OllamaChoice(host=self.base_url, model=self.model, timeout_s=limit)
        raise UsageError(
            f"no provider named {self.provider!r}", hint="providers: systemone, letters, openai-decisions, ollama"
        )
