"""Scripted oracles: one gold path per task, through candidates only.

A script sees what the agent sees and says the next action, or nothing while what it needs is not on the screen yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Click, DoubleClick, PressKey, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.decision import Decision
from cuakit.core.geometry import Box, iou_matrix
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.envs.base import Policy

Move = Callable[[Observation, Subtask, History], Action | None]
"""One step of a path: what is seen, the subtask, and the steps so far give the next action."""

PATIENCE: Final = 20
"""Looks in vain before a script gives up."""

_BARRED: Final = frozenset({"disabled", "occluded", "offscreen"})
"""States of what cannot be acted on."""

_LINE_PT: Final = 32
"""Highest box, in points, that is taken for one line of text."""


def click(key: str) -> Move:
    """Click what is called like the fact ``key`` of the subtask, or like ``key`` itself."""

    def move(seen: Observation, subtask: Subtask, history: History) -> Action | None:
        del history
        name = str(subtask.metadata.get(key, key))
        if found := named(seen, name):
            return Click(target=found.id)
        if line := in_line(seen, name):
            return Click(target=line[0].id, at=(line[1], 0.5))
        return None

    return move


def double_click(key: str) -> Move:
    """Double-click, as :func:`click`."""

    def move(seen: Observation, subtask: Subtask, history: History) -> Action | None:
        del history
        found = named(seen, str(subtask.metadata.get(key, key)))
        return DoubleClick(target=found.id) if found else None

    return move


def press(key: str) -> Move:
    """Press a key."""

    def move(seen: Observation, subtask: Subtask, history: History) -> Action:
        del seen, subtask, history
        return PressKey(key=key)

    return move


def type_label(seen: Observation, subtask: Subtask, history: History) -> Action | None:
    """Type the label into the editor that is open on the canvas: a field, or else the shape that it covers."""
    field = editor(seen) or named(seen, str(subtask.metadata.get("name", ""))) or newcomer(seen, history)
    if field is None:
        return None
    return TypeText(target=field.id, text=str(subtask.inputs["label"]), input_key="label")


_INSERT: Final = (click("Arrange"), click("Insert"), click("shape"))

PATHS: Final[Mapping[str, Sequence[Move]]] = MappingProxyType(
    {
        "switch-option": (click("option"),),
        "insert-shape": _INSERT,
        "label-shape": (*_INSERT, press("F2"), press("W"), type_label, press("ESCAPE")),
        "rename-shape": (double_click("name"), type_label, press("ESCAPE")),
        "delete-shape": (click("name"), press("DELETE")),
    }
)
"""Task → its moves. An empty editor is too small to hit for sure, so one letter makes it wide before the label is typed."""


def policy(task: str) -> Policy:
    """The oracle of a task.

    Raises:
        KeyError: No such task.
    """
    path = PATHS[task]

    def decide(subtask: Subtask, seen: Observation, history: History) -> Decision:
        made = sum(1 for step in history if step.receipt is not None and step.receipt.injected)
        if made >= len(path):
            return Decision(outcome="complete", reason="every move was made")
        action = path[made](seen, subtask, history)
        if action is not None:
            return Decision(outcome="act", action=action, reason=f"move {made + 1} of {len(path)}")
        if len(history) >= PATIENCE and all(s.decision.outcome == "reobserve" for s in history[-PATIENCE:]):
            return Decision(outcome="blocked", reason=f"move {made + 1} of {len(path)} has nothing to act on")
        return Decision(outcome="reobserve", reason="not on the screen yet")

    return decide


def named(seen: Observation, name: str) -> Candidate | None:
    """The candidate of that name that one would act on: spelled alike first, then the tightest box."""
    wanted = _words(name)
    fitting = [c for c in seen.candidates if wanted and _words(c.label) == wanted and not _BARRED & set(c.states)]
    return min(fitting, key=lambda c: (c.label != name, c.box.area), default=None)


def in_line(seen: Observation, name: str) -> tuple[Candidate, float] | None:
    """A line of text that holds the name among other words, and where in it, as a fraction of its width.

    Menu titles stand so close together that they are read from pixels as one line.
    """
    for line in seen.candidates:
        found = re.search(rf"\b{re.escape(name)}\b", line.label)
        if found and line.box.height <= _LINE_PT * seen.screenshot.scale:
            return line, (found.start() + found.end()) / 2 / len(line.label)
    return None


def newcomer(seen: Observation, history: History) -> Candidate | None:
    """The largest shape near the middle of the window that was not there in the beginning."""
    if not history:
        return None
    was = history[0].observation.candidates.boxes
    width, height = seen.screenshot.size
    middle = Box(0.3 * width, 0.2 * height, 0.7 * width, 0.8 * height)
    overlap = iou_matrix(seen.candidates.boxes, was).max(axis=1, initial=0.0)
    fresh = [
        c
        for c, share in zip(seen.candidates, overlap, strict=True)
        if share < 0.5 and middle.contains(c.box) and c.box.area < middle.area / 4
    ]
    return max(fresh, key=lambda c: c.box.area, default=None)


def editor(seen: Observation) -> Candidate | None:
    """The text field on the canvas: the focused one."""
    fields = [c for c in seen.candidates if c.role == "textbox" and "focused" in c.states]
    return fields[0] if fields else None


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
