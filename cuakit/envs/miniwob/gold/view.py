"""What a script sees, with the look-ups that scripts share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cuakit.core.action import Action, Click, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.memory import Memory, identity

FIELDS = ("textbox", "searchbox", "spinbutton", "combobox")
"""Roles that are typed into."""


def reachable(candidate: Candidate) -> bool:
    """Whether it is in view and not covered."""
    return not {"offscreen", "occluded"} & set(candidate.states)


@dataclass(frozen=True)
class View:
    """One moment of an episode.

    Args:
        subtask: Goal and inputs.
        observation: What is on the screen.
        history: Steps so far.
    """

    subtask: Subtask
    observation: Observation
    history: History

    @property
    def goal(self) -> str:
        """The task's sentence."""
        return self.subtask.goal

    @cached_property
    def memory(self) -> Memory:
        """What was done so far."""
        return Memory.of(self.history)

    @property
    def actions(self) -> list[Action]:
        """Actions that reached the page, in order."""
        return [
            s.decision.action
            for s in self.history
            if s.decision.action is not None and s.receipt is not None and s.receipt.injected
        ]

    def all(
        self,
        *roles: str,
        name: str | None = None,
        has: str | None = None,
        test: Callable[[Candidate], bool] | None = None,
    ) -> list[Candidate]:
        """Candidates in reading order.

        Args:
            roles: Any of these roles; all when none is given.
            name: The whole label.
            has: Part of the label.
            test: Further condition.
        """
        return [
            c
            for c in sorted(self.observation.candidates, key=lambda c: c.reading_order)
            if (not roles or c.role in roles)
            and (name is None or c.label.strip() == name)
            and (has is None or has in c.label)
            and (test is None or test(c))
        ]

    def first(
        self,
        *roles: str,
        name: str | None = None,
        has: str | None = None,
        test: Callable[[Candidate], bool] | None = None,
    ) -> Candidate | None:
        """First of :meth:`all` that can be reached, preferring what can be acted on."""
        found = [c for c in self.all(*roles, name=name, has=has, test=test) if reachable(c)]
        return next((c for c in found if c.interactive), found[0] if found else None)

    def clicked(self, candidate: Candidate) -> int:
        """How often it was clicked."""
        return self.memory.clicks[identity(candidate)]

    def inner(self, candidate: Candidate) -> Candidate:
        """What lies inside it and is called the same, such as the link of a tab, or itself."""
        held = (c for c in self.observation.candidates if c.parent == candidate.id and c.label == candidate.label)
        return next((c for c in held if c.interactive), candidate)

    def parse(self, pattern: str) -> tuple[str, ...]:
        """Groups of a pattern in the goal.

        Raises:
            LookupError: The goal reads otherwise.
        """
        match = re.search(pattern, self.goal)
        if match is None:
            raise LookupError(f"goal {self.goal!r} does not match {pattern!r}")
        return match.groups()

    def rgb(self, candidate: Candidate) -> tuple[int, int, int]:
        """Median colour of the middle of a candidate, 0–255 each."""
        left, top, right, bottom = candidate.box.clip(*self.observation.screenshot.size).rounded()
        dx, dy = (right - left) // 4, (bottom - top) // 4
        middle = self.observation.screenshot.pixels[top + dy : bottom - dy or None, left + dx : right - dx or None]
        if not middle.size:
            return 0, 0, 0
        red, green, blue = np.median(middle.reshape(-1, 3), axis=0)
        return int(red), int(green), int(blue)


Script = Callable[[View], Action | None]
"""Next action, or None to look again."""


def click(candidate: Candidate | None) -> Click | None:
    """Click on it, if it is there."""
    return None if candidate is None else Click(target=candidate.id)


def enter(view: View, field: Candidate | None, text: str) -> Action | None:
    """Type a text into a field unless it holds it; the input that it comes from is named where there is one."""
    if field is None or field.value == text or (identity(field), text) in view.memory.entered:
        return None
    key = next((k for k, v in view.subtask.inputs.items() if v == text), "")
    return TypeText(target=field.id, text=text, input_key=key)


def choose(view: View, field: Candidate | None, value: str) -> Action | None:
    """Set a field's value unless it has it."""
    if field is None or field.value == value or (identity(field), value) in view.memory.entered:
        return None
    key = next((k for k, v in view.subtask.inputs.items() if v == value), "")
    return SetValue(target=field.id, value=value, input_key=key)


def submit(view: View, *names: str) -> Click | None:
    """Click the button that ends the form."""
    for name in names or ("Submit",):
        found = view.first("button", name=name) or view.first(name=name)
        if found:
            return Click(target=found.id)
    return None
