"""Scripted oracles: one gold path per task, through candidates only.

A script sees what the agent sees and says the next action, or nothing while what it needs is not on the screen yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Click, DoubleClick, PressKey, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.envs.base import Policy

Move = Callable[[Observation, Subtask], Action | None]
"""One step of a path."""

PATIENCE: Final = 20
"""Looks in vain before a script gives up."""


def click(key: str) -> Move:
    """Click what is called like the fact ``key`` of the subtask, or like ``key`` itself."""

    def move(seen: Observation, subtask: Subtask) -> Action | None:
        found = named(seen, str(subtask.metadata.get(key, key)))
        return Click(target=found.id) if found else None

    return move


def double_click(key: str) -> Move:
    """Double-click, as :func:`click`."""

    def move(seen: Observation, subtask: Subtask) -> Action | None:
        found = named(seen, str(subtask.metadata.get(key, key)))
        return DoubleClick(target=found.id) if found else None

    return move


def press(key: str) -> Move:
    """Press a key."""

    def move(seen: Observation, subtask: Subtask) -> Action:
        del seen, subtask
        return PressKey(key=key)

    return move


def type_label(seen: Observation, subtask: Subtask) -> Action | None:
    """Type the label into the editor that is open on the canvas."""
    field = _editor(seen) or named(seen, str(subtask.metadata.get("name", "")))
    if field is None:
        return None
    return TypeText(target=field.id, text=str(subtask.inputs["label"]), input_key="label")


_INSERT: Final = (click("Arrange"), click("Insert"), click("shape"))

PATHS: Final[Mapping[str, Sequence[Move]]] = MappingProxyType(
    {
        "switch-option": (click("option"),),
        "insert-shape": _INSERT,
        "label-shape": (*_INSERT, press("F2"), type_label, press("ESCAPE")),
        "rename-shape": (double_click("name"), type_label, press("ESCAPE")),
        "delete-shape": (click("name"), press("DELETE")),
    }
)
"""Task → its moves."""


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
        action = path[made](seen, subtask)
        if action is not None:
            return Decision(outcome="act", action=action, reason=f"move {made + 1} of {len(path)}")
        if len(history) >= PATIENCE and all(s.decision.outcome == "reobserve" for s in history[-PATIENCE:]):
            return Decision(outcome="blocked", reason=f"move {made + 1} of {len(path)} has nothing to act on")
        return Decision(outcome="reobserve", reason="not on the screen yet")

    return decide


def named(seen: Observation, name: str) -> Candidate | None:
    """The candidate of that name that one would act on: spelled alike first, then the tightest box."""
    wanted = _words(name)
    fitting = [c for c in seen.candidates if wanted and _words(c.label) == wanted and "disabled" not in c.states]
    return min(fitting, key=lambda c: (c.label != name, c.box.area), default=None)


def _editor(seen: Observation) -> Candidate | None:
    """The text field on the canvas: the focused one."""
    fields = [c for c in seen.candidates if c.role == "textbox" and "focused" in c.states]
    return fields[0] if fields else None


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
