"""Reads the screen state that arc-cua (and our own policy) sends, back into a subtask, an observation and a history.

So any decider of ours can answer for a client that never heard of cuakit. Boxes are unknown to such a client's state;
rows get made-up places in table order, which is the reading order that the client chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cuakit.core.action import Action, Click, PressKey, SetValue, TypeText
from cuakit.core.candidate import ROLES, Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step

_ACTIONS: Final = {
    "CLICK": "click",
    "TYPE_TEXT": "type",
    "SET_VALUE": "set_value",
    "DRAG_TO": "drag",
    "SCROLL": "scroll",
    "DOUBLE_CLICK": "double_click",
    "RIGHT_CLICK": "right_click",
}
_FLAGS: Final = ("focused", "selected", "expanded")
_ROW: Final = 20


def is_screen(state: Any) -> bool:
    """Whether a state is one that :func:`read_screen` understands."""
    return isinstance(state, Mapping) and isinstance(state.get("subtask"), Mapping) and _desktop(state) is not None


def read_screen(state: Mapping[str, Any]) -> tuple[Subtask, Observation, tuple[Step, ...]]:
    """Subtask, observation and history of a state.

    Raises:
        InvalidSubtask: The subtask in it breaks a rule.
    """
    desktop = _desktop(state) or {}
    columns = [str(c) for c in desktop.get("element_columns", ())]
    rows = [dict(zip(columns, row, strict=False)) for row in desktop.get("elements", ()) if isinstance(row, list)]
    context = desktop.get("context") or {}
    observation = Observation(
        screenshot=Screenshot(pixels=np.zeros((1, 1, 3), np.uint8), source="state"),
        candidates=Candidates(_candidate(i, r) for i, r in enumerate(rows) if r.get("id")),
        title=" ".join(str(v) for v in (desktop.get("window") or desktop.get("title"), context.get("title")) if v),
    )
    subtask = _subtask(state["subtask"])
    return subtask, observation, _history(state.get("recent_actions"), subtask, observation)


def _desktop(state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for key in ("desktop", "screen"):
        found = state.get(key)
        if isinstance(found, Mapping) and isinstance(found.get("elements"), list):
            return found
    return None


def _subtask(given: Mapping[str, Any]) -> Subtask:
    def listed(key: str) -> tuple[str, ...]:
        value = given.get(key) or ()
        return tuple(value) if isinstance(value, list) else ()

    inputs = given.get("inputs")
    return Subtask(
        goal=str(given.get("goal") or ""),
        verification=listed("verification") or ("The goal is reached",),
        inputs=inputs if isinstance(inputs, Mapping) else {},
        constraints=listed("constraints"),
        allowed_risks=frozenset(listed("allowed_risks")),
    )


def _candidate(index: int, row: Mapping[str, Any]) -> Candidate:
    role = str(row.get("role") or "unknown")
    given = row.get("actions")
    actions = tuple(_ACTIONS[a] for a in given if a in _ACTIONS) if isinstance(given, list) else ("click",)
    value = row.get("value")
    states = [f for f in _FLAGS if row.get(f) is True]
    if isinstance(row.get("states"), str):
        states += str(row["states"]).split()
    if value is True:
        states.append("checked")
    return Candidate(
        id=str(row["id"]),
        box=Box.from_xywh(0, index * _ROW, 100, _ROW - 2),
        role=role if role in ROLES else "unknown",
        name=str(row.get("name") or ""),
        value="" if value is None or isinstance(value, bool) else str(value),
        source="dom",
        actions=actions,
        states=tuple(states),
        reading_order=index,
        provenance=(f"dom:{row['id']}",),
    )


def _history(given: Any, subtask: Subtask, observation: Observation) -> tuple[Step, ...]:
    records = [r for r in given if isinstance(r, Mapping)] if isinstance(given, Sequence) else []
    steps: list[Step] = []
    for record in records:
        action = _action(record, subtask)
        if action is not None:
            done = Receipt(effect="unverifiable", route="dom")
            made = Decision(outcome="act", action=action)
            steps.append(Step(index=len(steps), observation=observation, decision=made, receipt=done))
    return tuple(steps)


def _action(record: Mapping[str, Any], subtask: Subtask) -> Action | None:
    kind, target, key = record.get("action"), str(record.get("target") or ""), str(record.get("input_key") or "")
    if isinstance(kind, Mapping):  # our own policy writes the whole action
        target, key, kind = str(kind.get("target", "")), str(kind.get("input_key", "")), str(kind.get("kind")).upper()
    text = str(subtask.inputs.get(key, ""))
    if kind == "TYPE_TEXT":
        return TypeText(target=target, text=text, input_key=key)
    if kind == "SET_VALUE":
        return SetValue(target=target, value=text, input_key=key)
    if kind == "PRESS_KEY":
        return PressKey(key=str(record.get("key") or "ENTER"))
    return Click(target=target) if target else None
