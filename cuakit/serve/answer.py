"""Answers System One questions with any decider of ours.

A question is recognised by what it offers, never by its id, so that renaming it changes nothing. What is no question
about a screen is answered by the words that an option shares with the state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cuakit.core.action import Action
from cuakit.core.decision import Decision
from cuakit.core.errors import CuakitError
from cuakit.core.observation import Observation
from cuakit.core.stages import Decider
from cuakit.decide.criteria import holds
from cuakit.decide.words import similarity, words
from cuakit.serve.protocol import Asked, text_of, write
from cuakit.serve.screen_state import is_screen, read_screen

SURE: Final = 0.9
"""Weight of the option that a decider chose where it gives no distribution of its own over these options."""

_OPERATIONS: Final = {
    "click": "CLICK",
    "double_click": "DOUBLE_CLICK",
    "right_click": "RIGHT_CLICK",
    "type_text": "TYPE_TEXT",
    "set_value": "SET_VALUE",
    "scroll": "SCROLL",
    "drag": "DRAG_TO",
    "press_key": "PRESS_KEY",
    "hotkey": "HOTKEY",
}
_TERMINAL: Final = {"complete": "SUBTASK_COMPLETE", "blocked": "BLOCKED"}


@dataclass(frozen=True, kw_only=True)
class Answerer:
    """One decider behind the protocol.

    Args:
        decider: Chooses the next step on a screen.
        model: Name that it goes by.
    """

    decider: Decider
    model: str

    def __call__(self, state: Any, questions: Mapping[str, Asked]) -> dict[str, Any]:
        """Answers by question id."""
        screen = self._screen(state) if is_screen(state) else None
        said = text_of(state)
        return {name: write(q, self._spread(q, screen, said)) for name, q in questions.items()}

    def _screen(self, state: Mapping[str, Any]) -> tuple[Decision, Observation] | None:
        try:
            subtask, observation, history = read_screen(state)
        except (CuakitError, ValueError):
            return None  # not a screen after all: the words decide
        if history and all(holds(v, observation) == "SATISFIED" for v in subtask.verification):
            return Decision(outcome="complete"), observation
        return self.decider(subtask, observation, history), observation

    def _spread(self, q: Asked, screen: tuple[Decision, Observation] | None, said: str) -> dict[str, float]:
        if screen is None or q.kind != "choice":
            return overlap(q, said)
        decision, observation = screen
        if {"SATISFIED", "NOT_SATISFIED", "UNKNOWN"} == set(q.options):
            statement = text_of(q.raw.get("criterion")) if isinstance(q.raw, Mapping) else q.instructions
            done = "SATISFIED" if decision.outcome == "complete" else holds(statement, observation)
            return peak(q.options, done)
        if "SUBTASK_COMPLETE" in q.options:
            return peak(q.options, _operation(decision, q.options))
        return _parameter(q, decision) or overlap(q, said)


def _operation(decision: Decision, options: Mapping[str, str]) -> str:
    if decision.action is not None:
        word = _OPERATIONS.get(decision.action.kind, "NEEDS_AGENT")
    else:
        word = _TERMINAL.get(decision.outcome, "NEEDS_AGENT")
    return word if word in options else "NEEDS_AGENT"


def _parameter(q: Asked, decision: Decision) -> dict[str, float]:
    """Spread over targets, inputs, keys: what the decided action says, if this question is about it."""
    action: Action | None = decision.action
    about = q.raw.get("operation") if isinstance(q.raw, Mapping) else None
    if action is None or (about is not None and about != _OPERATIONS.get(action.kind)):
        return {}
    ranked = next((a.probabilities for n, a in decision.answers.items() if n.endswith("_target")), {})
    for field in ("target", "to", "input_key", "key", "direction", "then"):
        value = str(getattr(action, field, "")) or ("NONE" if field == "then" else "")
        if value and value in q.options:
            if field == "target" and set(q.options) & set(ranked):
                floor = 1e-6
                return {o: ranked.get(o, 0.0) + floor for o in q.options}
            return peak(q.options, value)
    return {}


def peak(options: Mapping[str, str], chosen: str) -> dict[str, float]:
    """Most of the weight on one option, the rest shared; never a tie."""
    rest = (1 - SURE) / max(1, len(options) - 1)
    return {o: SURE if o == chosen else rest for o in options}


def overlap(q: Asked, said: str) -> dict[str, float]:
    """Weights by shared words and letters between each option and the state.

    Equal options get equal weight but for a hair by name, so that there is always one answer and order never matters.
    """
    told = frozenset(words(f"{said} {q.instructions}"))

    def score(option: str) -> float:
        text = q.options[option] or (option if q.kind == "choice" else "")
        own = frozenset(words(text))
        return len(own & told) / len(own) + 0.2 * similarity(text, said[:400]) if own else 0.0

    scores = {o: score(o) for o in q.options}
    ranked = sorted(q.options, reverse=True)
    return {o: math.exp(4 * scores[o]) + 1e-6 * ranked.index(o) for o in q.options}
