"""Where things go: free space on the canvas, and layouts. Lengths are points of the window; nothing is random."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.scene import Anchor, Scene

GAP: Final = 60.0
"""Distance between neighbours, which leaves room for a connector and its label."""

GRID: Final = 10.0
"""What places are rounded to, as editors snap."""

SIDES: Final[Mapping[str, tuple[float, float]]] = {
    "n": (0.5, 0.0),
    "e": (1.0, 0.5),
    "s": (0.5, 1.0),
    "w": (0.0, 0.5),
    "ne": (1.0, 0.0),
    "nw": (0.0, 0.0),
    "se": (1.0, 1.0),
    "sw": (0.0, 1.0),
}
"""Side or corner → place on a box, as fractions."""

_RELATIVE: Final = re.compile(r"(right of|left of|above|below|under|beside|next to)\s+(.+)", re.IGNORECASE)
_POINT: Final = re.compile(r"\s*(-?\d{1,6}(?:\.\d+)?)\s*,\s*(-?\d{1,6}(?:\.\d+)?)\s*")
_STEP: Final[Mapping[str, tuple[int, int]]] = {
    "right of": (1, 0),
    "beside": (1, 0),
    "next to": (1, 0),
    "left of": (-1, 0),
    "above": (0, -1),
    "below": (0, 1),
    "under": (0, 1),
}


def place(where: str, size: tuple[float, float], scene: Scene, canvas: Box, *, moving: str = "") -> Box:
    """The box for an object of a size.

    Args:
        where: ``auto`` for the first free spot; ``right of A``, ``left of``, ``above`` or ``below A``; or ``x,y``, the
            top-left corner in points from the canvas's own.
        size: Width and height.
        scene: What is there already.
        canvas: The visible drawing area.
        moving: Id of the object that is placed, which is not in its own way.

    Raises:
        UsageError: The words mean nothing (``bad_arguments``), or there is no room (``no_room``).
    """
    taken = [n.box for n in scene.nodes.values() if n.box is not None and n.id != moving]
    if where == "auto":
        return _first_free(size, taken, canvas)
    if point := _POINT.fullmatch(where):
        box = Box.from_xywh(canvas.left + float(point[1]), canvas.top + float(point[2]), *size)
        return _inside(box, canvas, where)
    if relative := _RELATIVE.fullmatch(where.strip()):
        anchor = scene.nodes[scene.find(relative[2].strip())].box
        if anchor is None:
            raise UsageError(f"it is not known where {relative[2]!r} is", hint="look again", code="no_room")
        return _beside(anchor, _STEP[relative[1].casefold()], size, taken, canvas)
    raise UsageError(
        f"{where[:60]!r} is no place",
        hint="auto · right of A · left of A · above A · below A · x,y",
        code="bad_arguments",
    )


def _first_free(size: tuple[float, float], taken: Sequence[Box], canvas: Box) -> Box:
    width, height = size
    for margin in (GAP, GAP / 2, GRID):
        y = canvas.top + GRID * 4
        while y + height <= canvas.bottom - GRID:
            x = canvas.left + GRID * 4
            while x + width <= canvas.right - GRID:
                box = Box.from_xywh(x, y, width, height)
                if all(box.pad(margin).intersect(t).area == 0 for t in taken):
                    return box
                x += GRID
            y += GRID
    raise UsageError(
        f"no room for {width:g} × {height:g} on the visible canvas",
        hint="scroll, zoom out, or use a larger window",
        code="no_room",
    )


def _beside(anchor: Box, step: tuple[int, int], size: tuple[float, float], taken: Sequence[Box], canvas: Box) -> Box:
    """The nearest free box on a side: straight out first, then shifted along the side."""
    dx, dy = step
    width, height = size
    center = anchor.center
    for shift in (0, 1, -1, 2, -2, 3, -3):
        if dx:
            left = anchor.right + GAP if dx > 0 else anchor.left - GAP - width
            box = Box.from_xywh(left, center.y - height / 2 + shift * (height + GAP / 2), width, height)
        else:
            top = anchor.bottom + GAP if dy > 0 else anchor.top - GAP - height
            box = Box.from_xywh(center.x - width / 2 + shift * (width + GAP / 2), top, width, height)
        box = _snapped(box)
        if canvas.contains(box) and all(box.pad(GRID / 2).intersect(t).area == 0 for t in taken):
            return box
    raise UsageError("no room on that side", hint="choose another side, or 'auto'", code="no_room")


def _inside(box: Box, canvas: Box, where: str) -> Box:
    if canvas.contains(box):
        return box
    raise UsageError(
        f"{where} lies outside the visible canvas, {canvas.width:g} × {canvas.height:g}",
        hint="scroll, or choose a place inside",
        code="no_room",
    )


def _snapped(box: Box) -> Box:
    left, top = round(box.left / GRID) * GRID, round(box.top / GRID) * GRID
    return Box.from_xywh(left, top, box.width, box.height)


def facing(source: Box, target: Box) -> tuple[Anchor, Anchor]:
    """The sides by which two boxes look at each other."""
    a, b = source.center, target.center
    dx = max(target.left - source.right, source.left - target.right)
    dy = max(target.top - source.bottom, source.top - target.bottom)
    if dx >= dy:
        return ("e", "w") if b.x >= a.x else ("w", "e")
    return ("s", "n") if b.y >= a.y else ("n", "s")


# -- layouts: from sizes and links to top-left corners, relative to the canvas ------------------------------------------


def layered(
    names: Sequence[str],
    links: Iterable[tuple[str, str]],
    sizes: Mapping[str, tuple[float, float]],
    canvas: Box,
    *,
    across: bool = False,
) -> dict[str, tuple[float, float]]:
    """Objects in layers by their longest way from a start; links that would close a circle do not count.

    Args:
        names: Objects in the order they were named.
        links: Pairs from, to.
        sizes: Width and height by name.
        canvas: The visible drawing area.
        across: Layers from left to right instead of top to bottom.

    Returns:
        Top-left corner by name, relative to the canvas.

    Raises:
        UsageError: It does not fit (``no_room``).
    """
    depth = _depths(names, links)
    rows = [[n for n in names if depth[n] == d] for d in range(max(depth.values(), default=-1) + 1)]
    most = (max((s[0] for s in sizes.values()), default=0), max((s[1] for s in sizes.values()), default=0))
    along, stack = (1, 0) if across else (0, 1)
    room = (canvas.height, canvas.width) if across else (canvas.width, canvas.height)
    gap_row = _gap(room[0], most[along], max((len(r) for r in rows), default=1))
    gap_layer = _gap(room[1], most[stack], max(1, len(rows)))
    made: dict[str, tuple[float, float]] = {}
    for d, row in enumerate(rows):
        span = len(row) * most[along] + (len(row) - 1) * gap_row
        for i, name in enumerate(row):
            a = (room[0] - span) / 2 + i * (most[along] + gap_row) + (most[along] - sizes[name][along]) / 2
            b = GRID * 3 + d * (most[stack] + gap_layer) + (most[stack] - sizes[name][stack]) / 2
            made[name] = _grid((b, a) if across else (a, b))
    return made


def ring(
    names: Sequence[str], sizes: Mapping[str, tuple[float, float]], canvas: Box, *, hub: str = ""
) -> dict[str, tuple[float, float]]:
    """Objects on an ellipse, clockwise from the top; ``hub`` sits in the middle.

    Raises:
        UsageError: They would overlap (``no_room``).
    """
    around = [n for n in names if n != hub]
    wide = max(s[0] for s in sizes.values())
    high = max(s[1] for s in sizes.values())
    radius = ((canvas.width - wide) / 2 - GRID * 2, (canvas.height - high) / 2 - GRID * 2)
    middle = (canvas.width / 2, canvas.height / 2)
    centers = {
        name: (
            middle[0] + radius[0] * math.sin(2 * math.pi * i / len(around)),
            middle[1] - radius[1] * math.cos(2 * math.pi * i / len(around)),
        )
        for i, name in enumerate(around)
    }
    if hub:
        centers[hub] = middle
    made = {n: _grid((c[0] - sizes[n][0] / 2, c[1] - sizes[n][1] / 2)) for n, c in centers.items()}
    boxes = [Box.from_xywh(*made[n], *sizes[n]).pad(GRID / 2) for n in made]
    if min(radius) <= 0 or any(a.intersect(b).area for i, a in enumerate(boxes) for b in boxes[:i]):
        raise UsageError(f"{len(names)} objects do not fit on a ring here", hint="use a larger window", code="no_room")
    return made


def _depths(names: Sequence[str], links: Iterable[tuple[str, str]]) -> dict[str, int]:
    before: dict[str, set[str]] = {n: set() for n in names}
    for a, b in links:
        if a == b:
            continue
        trial = {n: set(p) for n, p in before.items()}
        trial[b].add(a)
        try:
            TopologicalSorter(trial).prepare()
        except CycleError:
            continue
        before = trial
    depth: dict[str, int] = {}
    for name in TopologicalSorter(before).static_order():
        depth[name] = max((depth[p] + 1 for p in before[name]), default=0)
    return depth


def _gap(room: float, size: float, count: int) -> float:
    gap = min(GAP, (room - GRID * 4 - size * count) / max(1, count - 1))
    if gap < GRID * 2 and count > 1:
        raise UsageError(f"{count} objects in a row do not fit here", hint="use a larger window", code="no_room")
    return gap


def _grid(corner: tuple[float, float]) -> tuple[float, float]:
    return round(corner[0] / GRID) * GRID, round(corner[1] / GRID) * GRID
