"""One question whose options are whole actions: *click button 'Send'*, *type name into textbox 'To'*.

Small models choose better from a short list of complete actions than from several linked questions. The list is
ranked, capped so that one letter per option is enough, and what is dropped is reported in the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cuakit.core.action import Action, Click, PressKey, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.decision import Decision, Question
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.action_space import DEFAULT_CAP, ActionSpace, action_space, relevance
from cuakit.decide.gate import gated
from cuakit.decide.questions import inline, state
from cuakit.decide.transport import ChoiceTransport, ask_checked

MAX_ACTIONS: Final = 22
"""Actions in one list: 26 letters less the four words that are always on offer."""

WORDS: Final[Mapping[str, str]] = {
    "complete": "The goal is already reached",
    "needs_agent": "The planner has to decide something first",
    "reobserve": "The screen is still changing; look again",
    "abstain": "None of these actions is right",
}


@dataclass(frozen=True, kw_only=True)
class FlatPolicy:
    """Chooses among complete actions.

    Args:
        transport: How the model is asked.
        cap: Most actions offered; at most 22 are.
        retries: Times the question is asked again after an invalid answer.
        min_confidence: Least confidence to act.
        min_margin: Least lead to act.
    """

    transport: ChoiceTransport
    cap: int = DEFAULT_CAP
    retries: int = 1
    min_confidence: float | None = None
    min_margin: float | None = None

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """Choose the next step.

        Raises:
            DecisionError: The model failed, or its answer stayed invalid after the re-ask.
        """
        space = action_space(subtask, observation, cap=240)
        options, dropped = actions(subtask, space, min(self.cap, MAX_ACTIONS))
        question = Question(
            name="action",
            options={k: text for k, (_, text) in options.items()} | dict(WORDS),
            instructions=f"Goal: {subtask.redact(subtask.goal)}\nWhich one step comes next?",
        )
        told = _brief(state(subtask, observation, history, space), dropped)
        answers, usage = ask_checked(self.transport, told, {question.name: question}, retries=self.retries)
        answer = answers[question.name]
        if answer.choice in WORDS:
            return Decision(outcome=answer.choice, answers=answers, usage=usage)  # type: ignore[arg-type]
        made = Decision(outcome="act", action=options[answer.choice][0], answers=answers, usage=usage)
        return gated(made, self.min_confidence, self.min_margin)


def actions(subtask: Subtask, space: ActionSpace, cap: int) -> tuple[dict[str, tuple[Action, str]], int]:
    """Complete actions by option id, best ranked kept, in screen order.

    Returns:
        Option id → (action, description), and how many did not fit.
    """
    rank = relevance(subtask)
    made: list[tuple[float, str, Action, str]] = [
        (rank(c), f"click_{c.id}", Click(target=c.id), f"click {inline(c, subtask)}")
        for c in space.targets.get("CLICK", ())
        if "type" not in c.actions
    ]
    for c in space.targets.get("TYPE_TEXT", ()):
        made += [(rank(c) + 1, *_typing(c, key, subtask)) for key in subtask.inputs]
    for c in space.targets.get("SET_VALUE", ()):
        if "type" not in c.actions:
            made += [(rank(c) + 1, *_setting(c, key, subtask)) for key in subtask.inputs]
    made.append((0.0, "press_ENTER", PressKey(key="ENTER"), "press the ENTER key"))
    keep = set(sorted(range(len(made)), key=lambda i: (-made[i][0], i))[:cap])
    return {m[1]: (m[2], m[3]) for i, m in enumerate(made) if i in keep}, len(made) - len(keep)


def _typing(c: Candidate, key: str, subtask: Subtask) -> tuple[str, Action, str]:
    action = TypeText(target=c.id, text=str(subtask.inputs[key]), input_key=key)
    return f"type_{key}_into_{c.id}", action, f"type input {key!r} into {inline(c, subtask)}"


def _setting(c: Candidate, key: str, subtask: Subtask) -> tuple[str, Action, str]:
    action = SetValue(target=c.id, value=str(subtask.inputs[key]), input_key=key)
    return f"set_{c.id}_to_{key}", action, f"set {inline(c, subtask)} to input {key!r}"


def _brief(full: Mapping[str, Any], dropped: int) -> dict[str, Any]:
    screen = full["screen"]
    return {
        "inputs": full["subtask"]["inputs"],
        "title": screen["title"],
        "text_on_screen": screen["text"][:40],
        "done_so_far": [f"{p['action']['kind']} {p['on']}" for p in full["recent_actions"]],
        "actions_not_shown": dropped,
    }
