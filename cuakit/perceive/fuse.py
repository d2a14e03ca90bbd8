"""One list from several sources: text inside a control names it, an icon takes its label, duplicates become one.

Works on boxes, roles and text alone; it never looks at pixels, so any sources can be joined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.perceive.merge import SAME, blocks, coverage, is_line, merge_sources

MARKS: Final = frozenset({"checkbox", "radio", "switch"})
"""Small controls that take the text beside them as their name."""

BORDERED: Final = frozenset({"button", "icon"})
"""Roles that show more than their words."""

WORDED: Final = frozenset({"link", "listitem", "menuitem", "tab", "cell"})
"""Roles that are nothing without a word."""

CHEVRONS: Final = frozenset("vVˇ∨▼▾⌄")
"""What a downward chevron is read as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuseOptions:
    """Distances of :func:`fuse`, in logical points.

    Args:
        control_pt: Tallest control that its text names; anything taller is a container.
        icon_pt: Longest side of an icon that takes the text beside it as its label.
        detail_pt: Largest icon whose parts are no icons of their own.
        gap_pt: Widest gap between an icon and its label.
        lines: Most lines of text in one control.
    """

    control_pt: float = 64.0
    icon_pt: float = 40.0
    detail_pt: float = 26.0
    gap_pt: float = 9.0
    lines: int = 3


@dataclass(slots=True)
class _Node:
    """A row in the making."""

    row: Candidate
    lines: list[_Node] = field(default_factory=list)
    inner: list[_Node] = field(default_factory=list)
    parent: _Node | None = None
    gone: bool = False

    @property
    def box(self) -> Box:
        return self.row.box


def fuse(*tables: Candidates, scale: float = 1.0, options: FuseOptions | None = None) -> Candidates:
    """One table from several, numbered in reading order.

    Args:
        tables: Candidates of any sources on the same frame; ids need to be unique only within a table.
        scale: Physical pixels per logical point of the frame.
        options: Distances.

    Returns:
        Controls with names, containers (role ``group``), icons, and the text that belongs to none of them. Each row
        lists in ``provenance`` what was merged into it; ``parent`` is the smallest control or container around it.
    """
    knobs = options or FuseOptions()
    nodes = [_Node(r) for r in merge_sources(tables)]
    shapes = [n for n in nodes if not is_line(n.row)]
    texts = [n for n in nodes if is_line(n.row)]
    shapes = _without_letters(shapes, texts)
    _nest(shapes, texts)
    _drop_details(shapes, scale, knobs)
    for shape in sorted(shapes, key=lambda n: n.box.area):
        _name(shape, scale, knobs)
    _unwrap(shapes)
    _label(shapes, texts, scale, knobs)
    return _numbered([n for n in (*shapes, *texts) if not n.gone])


def _boxes(nodes: Iterable[_Node]) -> NDArray[np.float64]:
    return np.array([n.box.xyxy for n in nodes], dtype=np.float64).reshape(-1, 4)


def _without_letters(shapes: list[_Node], texts: list[_Node]) -> list[_Node]:
    """Drop contours that are letters or words of recognised text."""
    if not shapes or not texts:
        return shapes
    t = _boxes(texts)
    height, width = (t[:, 3] - t[:, 1])[None, :], (t[:, 2] - t[:, 0])[None, :]
    letter = np.zeros(len(shapes), dtype=np.bool_)
    for part in blocks(len(shapes)):
        s = _boxes(shapes[part])
        w, h = (s[:, 2] - s[:, 0])[:, None], (s[:, 3] - s[:, 1])[:, None]
        fill = np.array([n.row.score for n in shapes[part]])[:, None]
        small = (h <= 1.15 * height) & (w <= width + 0.5 * height)
        tight = (fill >= 0.88) & (h >= 0.9 * height) & (coverage(t, s).T >= 0.75)  # a rectangle close around the text
        letter[part] = (small & ~tight & (coverage(s, t) > 0.66)).any(axis=1)
    # What an application itself reported is never a letter.
    return [n for n, drop in zip(shapes, letter, strict=True) if not drop or n.row.source != "contours"]


def _nest(shapes: list[_Node], texts: list[_Node]) -> None:
    """Set each node's parent: the smallest shape that holds it."""
    if not shapes:
        return
    boxes = _boxes(shapes)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    nodes = [*shapes, *texts]
    own = np.concatenate([area, np.zeros(len(texts))])
    for part in blocks(len(nodes)):
        share = coverage(_boxes(nodes[part]), boxes)
        needed = np.where(own[part] > 0, 0.9, 0.7)[:, None]
        holds = np.where((share >= needed) & (area[None, :] > own[part, None] * 1.02), area[None, :], np.inf)
        smallest = holds.argmin(axis=1)
        for k, node in enumerate(nodes[part]):
            if np.isfinite(holds[k, smallest[k]]):
                node.parent = shapes[int(smallest[k])]
                (node.parent.inner if part.start + k < len(shapes) else node.parent.lines).append(node)


def _name(shape: _Node, scale: float, knobs: FuseOptions) -> None:
    """Name a control after the text inside it, or make it a container."""
    row, lines = shape.row, _without_chevron(_in_rows(shape.lines))
    if row.source == "detector":
        _read_detected(shape, lines, knobs)
        return
    if row.role in MARKS or row.source in ("dom", "accessibility") or row.role == "button":
        for line in lines if row.name else ():
            line.gone = line.row.text.casefold() in row.name.casefold()
        return
    inner = [n for n in shape.inner if not n.gone]
    controls = [
        n
        for n in inner
        if (n.row.name and not _behind(n, lines)) or max(n.box.width, n.box.height) > knobs.icon_pt * scale
    ]
    rows = 1 + sum(1 for a, b in pairwise(lines) if b.box.top > a.box.center.y)
    small = row.box.height <= knobs.control_pt * scale or _is_caption(row.box, lines, knobs.control_pt * scale)
    if not lines:
        if controls:
            shape.row = replace(row, role="group")
        return
    same_row = len(lines) - rows + 1
    card = rows > 1 and (bool(inner) or row.box.width > 4 * knobs.control_pt * scale)
    bar = rows == 1 and sum(n.row.source == "contours" for n in inner) > 3
    if controls or not small or card or bar or rows > knobs.lines or same_row > 3:
        shape.row = replace(row, role="toolbar" if bar else "group")
        return
    text = " ".join(n.row.text for n in lines)
    shape.row = replace(
        row,
        name=row.name or text,
        text=text,
        source="fused",
        score=_both(row.score, min(n.row.score for n in lines)),
        provenance=(*row.provenance, *(p for n in lines for p in n.row.provenance)),
    )
    for line in lines:
        line.gone = True
    for icon in shape.inner:  # before the text it belongs to the label; behind it, it is a control of its own
        if icon.row.role == "icon" and icon.box.center.x < lines[0].box.left:
            icon.gone = True


def _read_detected(shape: _Node, lines: Sequence[_Node], knobs: FuseOptions) -> None:
    """What stands on a detected control is its text; what it is was told. Without a word, some are nothing at all."""
    row = shape.row
    if row.role in MARKS:
        return
    rows = 1 + sum(1 for a, b in pairwise(lines) if b.box.top > a.box.center.y)
    hull = reduce(Box.union, (n.box for n in lines)) if lines else row.box
    if lines and row.role in BORDERED and row.box.iou(hull) >= 0.5:
        shape.gone = True  # words without anything around them
        return
    if not lines or (rows > knobs.lines and row.role != "textbox"):
        shape.gone = row.role in WORDED or bool(lines)
        return
    text = " ".join(n.row.text for n in lines)
    shape.row = replace(
        row,
        role="button" if row.role == "icon" else row.role,
        name=row.name or text,
        text=text,
        value=text if row.role in ("textbox", "combobox") else row.value,
        score=_both(row.score, min(n.row.score for n in lines)),
        provenance=(*row.provenance, *(p for n in lines for p in n.row.provenance)),
    )
    for line in lines:
        line.gone = True


def _drop_details(shapes: Sequence[_Node], scale: float, knobs: FuseOptions) -> None:
    """Drop parts of an icon: anything inside a small one, and the one glyph inside a tool button."""
    for outer in shapes:
        size = max(outer.box.width, outer.box.height)
        if outer.row.role not in ("icon", *MARKS) or outer.lines or size > knobs.icon_pt * scale:
            continue
        inner = [n for n in outer.inner if n.row.source == "contours"]
        if size <= knobs.detail_pt * scale or len(inner) == 1:
            for part in inner:
                part.gone = True


def _without_chevron(lines: list[_Node]) -> list[_Node]:
    """Lines without a last letter that stands far off: the sign of a list that opens is read as a V."""
    if len(lines) > 1 and lines[-1].row.text in CHEVRONS:
        last, before = lines[-1].box, lines[-2].box
        if abs(last.center.y - before.center.y) < 0.4 * last.height and last.left - before.right > 0.8 * last.height:
            lines[-1].gone = True
            return lines[:-1]
    return lines


def _behind(node: _Node, lines: Sequence[_Node]) -> bool:
    """Whether a small control stands at the end of a row of text, as the cross of a tab does."""
    return len(lines) == 1 and node.box.left > lines[0].box.center.x and node.box.height < 1.5 * lines[0].box.height


def _is_caption(box: Box, lines: Sequence[_Node], limit: float) -> bool:
    """Whether one line stands in the middle of a tall box, as on a large button."""
    if len(lines) != 1 or max(box.width, box.height) > 3 * limit:
        return False
    middle, text = box.center, lines[0].box
    off = abs(text.center.x - middle.x) / box.width, abs(text.center.y - middle.y) / box.height
    return max(off) < 0.1 and text.width > 0.25 * box.width


def _in_rows(lines: Sequence[_Node]) -> list[_Node]:
    """Lines in reading order: those whose middles lie within half a height share a row."""
    ordered = sorted(lines, key=lambda n: n.box.center.y)
    rows: list[list[_Node]] = []
    for line in ordered:
        if rows and line.box.center.y - rows[-1][0].box.center.y < 0.5 * line.box.height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [n for row in rows for n in sorted(row, key=lambda n: n.box.left)]


def _both(a: float, b: float) -> float:
    return math.sqrt(a * b)


def _unwrap(shapes: Sequence[_Node]) -> None:
    """Drop a container that is only the outer edge of the one control in it."""
    for outer in shapes:
        inner = [n for n in outer.inner if not n.gone]
        if outer.row.role != "group" or outer.lines or not inner:
            continue
        if len(inner) > 1:
            # Neighbours whose edges met, not a thing of its own: it is no higher than what is in it.
            outer.gone = all(n.box.height >= 0.75 * outer.box.height and n.row.name for n in inner)
            continue
        if outer.box.iou(inner[0].box) >= SAME and inner[0].row.name:
            inner[0].row = replace(inner[0].row, box=outer.box)
            inner[0].parent = outer.parent
            outer.gone = True


def _label(shapes: Sequence[_Node], texts: Sequence[_Node], scale: float, knobs: FuseOptions) -> None:
    """Join icons and marks with the text right of them, or below an icon; nearest pairs first."""
    icons = [
        n
        for n in shapes
        if not n.gone
        and not n.row.name
        and n.row.role in ("icon", *MARKS)
        and max(n.box.width, n.box.height) <= knobs.icon_pt * scale
    ]
    free = [n for n in texts if not n.gone and n.row.role != "link"]
    pairs = sorted(
        (distance, i, k)
        for i, icon in enumerate(icons)
        for k in _nearby(icon.box.pad(2 * knobs.gap_pt * scale), free)
        if icon.parent is free[k].parent and (distance := _label_distance(icon, free[k], scale, knobs)) is not None
    )
    used: set[int] = set()
    for _, i, k in pairs:
        if icons[i].row.name or k in used:
            continue
        used.add(k)
        _take_label(icons[i], free[k])


def _nearby(area: Box, nodes: Sequence[_Node]) -> list[int]:
    """Indices of the nodes that meet an area."""
    return [
        k
        for k, n in enumerate(nodes)
        if n.row.box.left < area.right
        and n.row.box.right > area.left
        and n.row.box.top < area.bottom
        and n.row.box.bottom > area.top
    ]


def _label_distance(icon: _Node, text: _Node, scale: float, knobs: FuseOptions) -> float | None:
    """How far a text is from where the label of an icon would be, or None when it cannot be its label."""
    a, b = icon.box, text.box
    gap = b.left - a.right
    limit = knobs.gap_pt * scale * (1.5 if icon.row.role in MARKS else 1.0)
    level = abs(a.center.y - b.center.y) <= 0.4 * max(a.height, b.height)
    if level and -3 * scale <= gap <= limit and 0.4 * b.height <= a.height <= 2.5 * b.height:
        return max(0.0, gap)
    if icon.row.role in MARKS:
        return None
    below = b.top - a.bottom
    middle = abs(a.center.x - b.center.x) <= 0.15 * max(a.width, b.width)
    if middle and -2 * scale <= below <= 0.5 * b.height and a.height >= 1.2 * b.height:
        return max(0.0, below) + limit
    return None


def _take_label(icon: _Node, text: _Node) -> None:
    label = text.row.text.strip()
    icon.row = replace(
        icon.row,
        name=label,
        text=label,
        box=icon.box.union(text.box),
        hit=icon.row.hit or icon.box.center,
        source="fused",
        score=_both(icon.row.score, text.row.score),
        provenance=(*icon.row.provenance, *text.row.provenance),
    )
    text.gone = True


def _numbered(nodes: Sequence[_Node]) -> Candidates:
    def holder(node: _Node) -> str:
        at = node.parent
        while at is not None and at.gone:
            at = at.parent
        return at.row.id if at is not None else ""

    return Candidates.numbered(replace(n.row, parent=holder(n)) for n in nodes)
