"""From questions to a decision: ask, validate, re-ask once, gate, and turn the answer into one action.

Nothing is executed for an answer that breaks a rule. Confidence and margin are recomputed from the probabilities,
because providers define their own ``confidence`` differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cuakit.core.action import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
)
from cuakit.core.decision import RESERVED, Answer, Decision, Question
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask, parse_chord
from cuakit.decide.action_space import DEFAULT_CAP, action_space
from cuakit.decide.gate import gated
from cuakit.decide.questions import NONE, Rendering, needed, questions, state
from cuakit.decide.transport import ChoiceTransport, ask_checked


@dataclass(frozen=True, kw_only=True)
class ChoicePolicy:
    """Finite choices by any model that can choose.

    Args:
        transport: How the model is asked.
        rendering: Element table, or facts inlined per option.
        cap: Most executable candidates per question, 1 to 240.
        retries: Times the same questions are asked again after an invalid answer.
        min_confidence: Least confidence to act or to report completion; a figure that is not reported is not gated.
        min_margin: Least lead over the runner-up, likewise.
    """

    transport: ChoiceTransport
    rendering: Rendering = "table"
    cap: int = DEFAULT_CAP
    retries: int = 1
    min_confidence: float | None = None
    min_margin: float | None = None

    def __post_init__(self) -> None:
        for name in ("min_confidence", "min_margin"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} must lie in [0, 1], got {value}")

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """Choose the next step.

        Raises:
            DecisionError: The model failed, or its answer stayed invalid after the re-ask.
        """
        space = action_space(subtask, observation, cap=self.cap)
        asked = questions(subtask, space, rendering=self.rendering)
        told = state(subtask, observation, history, space)
        answers, usage = self._answers(told, asked, subtask)
        made = materialise(answers, subtask, observation)
        return gated(replace(made, usage=usage), self.min_confidence, self.min_margin)

    def _answers(
        self, told: Mapping[str, Any], asked: Mapping[str, Question], subtask: Subtask
    ) -> tuple[dict[str, Answer], dict[str, float]]:
        if self.transport.one_request:
            answers, usage = ask_checked(self.transport, told, asked, retries=self.retries)
            return _used(answers, subtask), usage
        answers, usage = ask_checked(self.transport, told, {"operation": asked["operation"]}, retries=self.retries)
        for name in _heads(answers["operation"].choice, subtask):
            more, cost = ask_checked(self.transport, told, {name: asked[name]}, retries=self.retries)
            answers |= more
            usage = {k: usage.get(k, 0) + cost.get(k, 0) for k in usage | cost}
        return answers, usage


def _heads(operation: str, subtask: Subtask) -> tuple[str, ...]:
    if operation == "SUBTASK_COMPLETE":
        return tuple(f"verification_{i}" for i in range(len(subtask.verification)))
    return needed(operation)


def _used(answers: Mapping[str, Answer], subtask: Subtask) -> dict[str, Answer]:
    names = ("operation", *_heads(answers["operation"].choice, subtask))
    return {n: answers[n] for n in names if n in answers}


@dataclass(frozen=True)
class _Reading:
    """Answers as values."""

    answers: Mapping[str, Answer]
    subtask: Subtask

    def __getitem__(self, name: str) -> str:
        return self.answers[name].choice


def materialise(answers: Mapping[str, Answer], subtask: Subtask, observation: Observation) -> Decision:
    """Turn checked answers into a decision.

    Raises:
        DecisionError: The action they describe is not legal on this observation.
    """
    said = _Reading(answers, subtask)
    operation = said["operation"]
    if operation in RESERVED:
        return Decision(outcome="reobserve" if operation == "reobserve" else "abstain", answers=answers)
    if operation == "SUBTASK_COMPLETE":
        open_ = [s for i, s in enumerate(subtask.verification) if said[f"verification_{i}"] != "SATISFIED"]
        if open_:
            return Decision(outcome="needs_agent", answers=answers, reason=f"not verified: {'; '.join(open_)}")
        return Decision(outcome="complete", answers=answers)
    if operation in ("BLOCKED", "NEEDS_AGENT"):
        return Decision(outcome="blocked" if operation == "BLOCKED" else "needs_agent", answers=answers)
    if operation in ("TYPE_TEXT", "SET_VALUE") and said[f"{operation.lower()}_input"] == NONE:
        return _needs_input(said, operation, observation)
    return Decision(outcome="act", action=_action(operation, said), answers=answers)


def _needs_input(said: _Reading, operation: str, observation: Observation) -> Decision:
    c = observation.candidates[said[f"{operation.lower()}_target"]]
    described = {"element_id": c.id, "role": c.role, "name": c.name, "value": said.subtask.redact(c.value)}
    return Decision(
        outcome="needs_input", answers=said.answers, needs_input=described, reason=f"no input fits {c.role} {c.label!r}"
    )


def _action(operation: str, said: _Reading) -> Action:
    if operation == "CLICK":
        return Click(target=said["click_target"])
    if operation == "DOUBLE_CLICK":
        return DoubleClick(target=said["double_click_target"])
    if operation == "RIGHT_CLICK":
        return RightClick(target=said["right_click_target"])
    if operation == "TYPE_TEXT":
        key = said["type_text_input"]
        then = said["type_text_then_key"]
        return TypeText(
            target=said["type_text_target"],
            text=str(said.subtask.inputs[key]),
            then="" if then == "NONE" else then,  # type: ignore[arg-type]  # the question offers these words only
            input_key=key,
        )
    if operation == "SET_VALUE":
        key = said["set_value_input"]
        return SetValue(target=said["set_value_target"], value=_literal(said.subtask.inputs[key]), input_key=key)
    if operation == "SCROLL":
        return Scroll(target=said["scroll_target"], direction=said["scroll_direction"])  # type: ignore[arg-type]
    if operation == "DRAG_TO":
        return Drag(target=said["drag_to_target"], to=said["drag_to_destination"])
    if operation == "PRESS_KEY":
        return PressKey(key=said["press_key_value"])
    return Hotkey(keys=parse_chord(said["hotkey_value"]))


def _literal(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
