"""Gold paths that drag: boxes, shapes, list items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Drag, Fraction
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, submit

_SIDES: Final[Mapping[str, Fraction]] = MappingProxyType(
    {"left": (0.3, 0.5), "right": (0.7, 0.5), "up": (0.5, 0.15), "down": (0.5, 0.9)}
)
"""Places inside a shape, also inside a triangle; the shape goes where the pointer is, less half its size."""


def into_box(view: View) -> Action | None:
    """The small box into the large one, then Submit."""
    small, large = view.first(name="s"), view.first(name="L")
    if small is None or large is None or view.actions:
        return submit(view)
    return Drag(target=small.id, to=large.id, to_at=(0.5, 0.5))


def aside(view: View) -> Action | None:
    """A shape a little to one side, then Submit."""
    shape = view.first("image", test=lambda c: "drag" in c.actions)
    if shape is None or view.actions:
        return submit(view)
    return Drag(target=shape.id, to=shape.id, at=(0.5, 0.5), to_at=_SIDES[view.parse(r"(left|right|up|down)")[0]])


def item(view: View) -> Action | None:
    """A list item to another place."""
    name, where = view.parse(r"Drag (.+?) (to|up|down) ")
    items = view.all("listitem")
    at = next(i for i, c in enumerate(items) if c.label == name)
    ordinal = re.search(r"to the (\d+)\w\w position", view.goal)
    if ordinal:
        goal = int(ordinal[1]) - 1
    elif where == "to":
        goal = 0 if "the top" in view.goal else len(items) - 1
    else:
        goal = at + (1 if where == "down" else -1)
    return _move(items, at, goal)


def ordered(view: View) -> Action | None:
    """Numbers into increasing order, the smallest out of place first, then Submit."""
    items = view.all("listitem")
    values = [int(c.label) for c in items]
    for goal, value in enumerate(sorted(values)):
        if values[goal] != value:
            return _move(items, values.index(value, goal), goal)
    return submit(view)


def _move(items: Sequence[Candidate], at: int, goal: int) -> Drag:
    """Past the middle of the item that has to give way."""
    return Drag(target=items[at].id, to=items[goal].id, to_at=(0.5, 0.75 if goal > at else 0.25))


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "drag-box": into_box,
        "drag-circle": aside,
        "drag-items": item,
        "drag-single-shape": aside,
        "drag-sort-numbers": ordered,
    }
)
