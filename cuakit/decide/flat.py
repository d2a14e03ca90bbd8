"""One question whose options are whole actions: *click button 'Send'*, *type input 'name' into textbox 'To'*.

Small models choose better from a short list of complete actions than from several linked questions. The list is
ranked, capped so that one letter per option is enough, and what is dropped is reported in the state. Words on the screen
can count as evidence beside the model's own answer; see :class:`FlatPolicy`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.action import Action, Click, PressKey, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.decision import Answer, Decision, Question
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step
from cuakit.decide.action_space import DEFAULT_CAP, ActionSpace, action_space, relevance
from cuakit.decide.gate import gated
from cuakit.decide.goal import Goal
from cuakit.decide.memory import Memory
from cuakit.decide.offers import holders, offers
from cuakit.decide.questions import inline
from cuakit.decide.scoring import score
from cuakit.decide.transport import ChoiceTransport, ask_checked

MAX_ACTIONS: Final = 22
"""Actions in one list: 26 letters less the four words that may be on offer."""

SHOWN: Final = 40
"""Most pieces of static text that are told."""

WORDS: Final[Mapping[str, str]] = {
    "complete": "The goal is already reached",
    "needs_agent": "The planner has to decide something first",
    "reobserve": "The screen is still changing; look again",
    "abstain": "None of these actions is right",
}

Evidence = Mapping[tuple[str, str, str], tuple[Action, float]]
"""What an action does to what → the action, and how much the words on the screen speak for it."""


@dataclass(frozen=True, kw_only=True)
class FlatPolicy:
    """Chooses among complete actions.

    With ``evidence``, the model's probabilities p become p · exp(evidence · score), where the score is that of
    ``lexical-v1``: the model and the words are taken for independent witnesses.

    Args:
        transport: How the model is asked.
        cap: Most actions offered; at most 22 are.
        retries: Times the question is asked again after an invalid answer.
        min_confidence: Least confidence to act.
        min_margin: Least lead to act.
        evidence: Weight of matching words; 0 leaves the answer to the model.
    """

    transport: ChoiceTransport
    cap: int = DEFAULT_CAP
    retries: int = 1
    min_confidence: float | None = None
    min_margin: float | None = None
    evidence: float = 0.0

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """Choose the next step.

        Raises:
            DecisionError: The model failed, or its answer stayed invalid after the re-ask.
        """
        space = action_space(subtask, observation, cap=240)
        words = evidence(subtask, observation, history) if self.evidence else {}
        options, dropped = actions(subtask, space, min(self.cap, MAX_ACTIONS), words)
        question = Question(
            name="action",
            options=dict.fromkeys(options, "") | _words(history),
            instructions=f"{_told(subtask, space, history, dropped)}\nWhich one step comes next?",
        )
        told: Mapping[str, Any] = {}  # the question says it all, in the order that small models read best
        answers, usage = ask_checked(self.transport, told, {question.name: question}, retries=self.retries)
        answer = answers[question.name]
        if words and answer.probabilities:
            answer = _weighed(answer, options, words, self.evidence)
            answers = {question.name: answer}
        if answer.choice in WORDS:
            return Decision(outcome=answer.choice, answers=answers, usage=usage)  # type: ignore[arg-type]
        made = Decision(outcome="act", action=options[answer.choice], answers=answers, usage=usage)
        return gated(made, self.min_confidence, self.min_margin)


def actions(
    subtask: Subtask, space: ActionSpace, cap: int, words: Evidence = MappingProxyType({})
) -> tuple[dict[str, Action], int]:
    """Complete actions by what they are called, best ranked kept, in screen order.

    Args:
        subtask: Gives inputs and relevance.
        space: What can be done.
        cap: Most actions.
        words: Evidence; an action that it speaks for is offered too.

    Returns:
        Phrase → action, and how many did not fit. Things of the same name are numbered.
    """
    rank = relevance(subtask)
    clickable = space.targets.get("CLICK", ())
    outer = {c.id for c in holders(clickable).values()}
    made: list[tuple[float, str, Action]] = [
        (rank(c), f"click {inline(c, subtask)}", Click(target=c.id))
        for c in clickable
        if "type" not in c.actions and c.id not in outer
    ]
    for c in space.targets.get("TYPE_TEXT", ()):
        made += [(rank(c) + 1, *_typing(c, key, subtask)) for key in subtask.inputs]
    for c in space.targets.get("SET_VALUE", ()):
        if "type" not in c.actions:
            made += [(rank(c) + 1, *_setting(c, key, subtask)) for key in subtask.inputs]
    offered = {what(action) for _, _, action in made}
    by_id = {c.id: c for group in space.targets.values() for c in group}
    for key, (action, _) in words.items():
        if key not in offered and key[1] in by_id:
            text = f"{key[0].split('_')[0]} {inline(by_id[key[1]], subtask)}"
            made.append((0.0, f"{text} to {subtask.redact(key[2])!r}" if key[2] else text, action))
    made = [(r + words[w][1], text, words[w][0]) if (w := what(a)) in words else (r, text, a) for r, text, a in made]
    if any("focused" in c.states and "type" in c.actions for c in by_id.values()):
        made.append((0.0, "press the ENTER key", PressKey(key="ENTER")))
    keep = set(sorted(range(len(made)), key=lambda i: (-made[i][0], i))[:cap])
    return _named([m for i, m in enumerate(made) if i in keep]), len(made) - len(keep)


def what(action: Action) -> tuple[str, str, str]:
    """What an action does to what, apart from how."""
    return action.kind, str(getattr(action, "target", "")), str(getattr(action, "text", getattr(action, "value", "")))


def _named(made: list[tuple[float, str, Action]]) -> dict[str, Action]:
    alike: dict[str, int] = {}
    out: dict[str, Action] = {}
    for _, text, action in made:
        alike[text] = alike.get(text, 0) + 1
        out[text if alike[text] == 1 else f"{text}, number {alike[text]} of its name"] = action
    return out


def _words(history: History) -> dict[str, str]:
    """The words on offer: a second look right after one tells nothing new, and before an action nothing is reached."""
    last = history[-1].decision.outcome if history else ""
    left_out = {"reobserve"} if last == "reobserve" else set()
    if not any(step.receipt is not None and step.receipt.injected for step in history):
        left_out.add("complete")
    return {word: meaning for word, meaning in WORDS.items() if word not in left_out}


def evidence(subtask: Subtask, observation: Observation, history: History) -> Evidence:
    """What matching words speak for, by ``lexical-v1``'s own scores; risky actions are left out."""
    possible = offers(subtask, observation)
    scored = score(Goal.of(subtask), Memory.of(history), subtask, possible, observation.candidates)
    return {what(s.action): (s.action, s.score) for s in scored}


def _weighed(answer: Answer, options: Mapping[str, Action], words: Evidence, weight: float) -> Answer:
    lifted = {
        option: p * math.exp(weight * words[what(options[option])][1])
        if option in options and what(options[option]) in words
        else p
        for option, p in answer.probabilities.items()
    }
    total = sum(lifted.values())
    if total <= 0:
        return answer
    spread = {option: p / total for option, p in lifted.items()}
    best = max(spread, key=lambda option: spread[option])
    return replace(answer, choice=best, probabilities=MappingProxyType(spread))


def _typing(c: Candidate, key: str, subtask: Subtask) -> tuple[str, Action]:
    action = TypeText(target=c.id, text=str(subtask.inputs[key]), input_key=key)
    return f"type input {key!r} into {inline(c, subtask)}", action


def _setting(c: Candidate, key: str, subtask: Subtask) -> tuple[str, Action]:
    action = SetValue(target=c.id, value=str(subtask.inputs[key]), input_key=key)
    return f"set {inline(c, subtask)} to input {key!r}", action


def _told(subtask: Subtask, space: ActionSpace, history: History, dropped: int) -> str:
    shown = " | ".join(subtask.redact(c.label) for c in space.text[:SHOWN])
    inputs = "; ".join(f"{k} = {v!r}" for k, v in subtask.visible_inputs().items())
    lines = [
        f"Text on the screen: {shown}" if shown else "",
        f"Inputs: {inputs}" if inputs else "",
        f"Already done: {'; '.join(_done(step, subtask) for step in history if step.decision.action) or 'nothing yet'}",
        f"{dropped} further actions are not shown." if dropped else "",
        f"Task: {subtask.redact(subtask.goal)}",
    ]
    return "\n".join(line for line in lines if line)


def _done(step: Step, subtask: Subtask) -> str:
    action = step.decision.action
    assert action is not None
    target = step.observation.candidates.get(getattr(action, "target", ""))
    return f"{action.kind.replace('_', ' ')} {inline(target, subtask) if target else ''}".strip()
