"""What of an application's objects the picture shows: the truth of one screen from its objects, its text and its pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.data.annotations import Element, TextLine

CONTROLS = frozenset(
    "button cell checkbox columnheader combobox icon link listbox listitem menuitem option radio searchbox slider "
    "spinbutton switch tab textbox treeitem".split()
)
MARKS = frozenset({"checkbox", "radio", "switch"})

SEEN = 8
"""Least difference of a channel that counts as drawn; surfaces are rendered without noise."""


@dataclass(frozen=True)
class Taken:
    """One picture and what its application says is on it.

    Args:
        shot: The picture.
        found: The application's objects.
        lines: Every line of text that is drawn.
        labels: Candidate id → where its label is drawn, for check boxes and their like.
        blind: Areas of which the application tells nothing.
    """

    shot: Screenshot
    found: Candidates
    lines: tuple[TextLine, ...]
    labels: Mapping[str, Box] = field(default_factory=dict)
    blind: tuple[Box, ...] = ()


def elements(taken: Taken) -> tuple[Element, ...]:
    """Controls that the picture shows, and the lines of text outside them."""
    shot = taken.shot
    out, areas = [], []
    for c in taken.found:
        box = c.box.clip(*shot.size)
        role = _role(c, taken.found)
        if not _is_candidate(c, role, box, shot):
            continue
        ink = extent(shot.pixels, box)
        if ink is None:
            continue
        written = [t.box for t in taken.lines if share(t.box, box) > 0.7]
        shown = ink if ink == box else reduce(Box.union, written, ink)
        label = taken.labels.get(c.id) if role in MARKS else None
        areas.append(box if label is None else box.union(label))
        out.append(_element(c, role, [shown, box, *([areas[-1]] if label else [])], taken.lines))
    free = [t for t in taken.lines if not any(share(t.box, a) > 0.7 for a in areas)]
    return (*_one_each(out), *(Element(box=t.box, role="text", name=t.text, text=t.text) for t in free))


def _one_each(found: Sequence[Element]) -> list[Element]:
    """Of two of one role, one inside the other, only the outer: a label and the mark that it holds are one control."""
    outer = [e for e in found if e.role in MARKS]
    held = {
        id(e)
        for e in outer
        if any(o is not e and o.role == e.role and o.box.area > e.box.area and share(e.box, o.box) > 0.9 for o in outer)
    }
    return [e for e in found if id(e) not in held]


def doubtful(taken: Taken) -> tuple[Box, ...]:
    """Where something may be a control, though nothing says so: what is found there is neither right nor wrong."""
    whole = taken.shot.width * taken.shot.height
    return tuple(
        b for c in taken.found if c.score <= 0.5 and 0 < (b := c.box.clip(*taken.shot.size)).area < 0.1 * whole
    )


def _element(c: Candidate, role: str, extents: Sequence[Box], lines: Sequence[TextLine]) -> Element:
    first, *others = dict.fromkeys(extents)
    drawn = first == extents[1]
    looks = {"link": ("button", "tab"), "listitem": ("button",), "menuitem": ("button",)}.get(role, ()) if drawn else ()
    return Element(
        box=first,
        role=role,
        name=c.label,
        text=" ".join(t.text for t in lines if share(t.box, extents[1]) > 0.7),
        states=c.states,
        also=tuple(others),
        looks=looks,
    )


def _role(c: Candidate, table: Candidates) -> str:
    """The role; an entry of a menu bar is called a menu by some toolkits."""
    if c.role == "image" and "click" in c.actions:
        return "icon"
    above = next((p.role for p in table if p.id == c.parent), "")
    return "menuitem" if c.role == "menu" and above in ("menubar", "") else c.role


def _is_candidate(c: Candidate, role: str, box: Box, shot: Screenshot) -> bool:
    """A control of some size, in view, that is more than a guess, and no page of its own."""
    if role not in CONTROLS or {"occluded", "offscreen"} & set(c.states) or c.score <= 0.5:
        return False
    if role in ("cell", "listitem", "columnheader") and not c.label and not c.value:
        return False
    least = min(box.width, box.height) >= 6 * shot.scale
    return least and box.area >= 0.5 * c.box.area and box.area <= 0.4 * shot.width * shot.height


def extent(pixels: NDArray[np.uint8], box: Box) -> Box | None:
    """What is drawn of a control: its whole box where its ground or border shows, else its ink; None when nothing is."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = box.clip(width, height).rounded()
    patch = pixels[top:bottom, left:right].astype(np.int16)
    if min(patch.shape[:2]) < 3:
        return None
    rim = _edge(patch)
    ground = np.median(rim, axis=0)
    around = pixels[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2].astype(np.int16)
    outside = np.median(_edge(around), axis=0)
    inner = np.median(_edge(patch[2:-2, 2:-2]), axis=0) if min(patch.shape[:2]) > 8 else ground
    if max(np.abs(ground - outside).max(), np.abs(inner - outside).max()) > SEEN:
        return box
    ink = np.abs(patch - ground).max(axis=2) > 3 * SEEN
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size:
        return None
    tight = Box(left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1)
    return Box(*map(float, tight.xyxy)) if tight.area < 0.9 * box.area else box


def _edge(patch: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.concatenate([patch[0], patch[-1], patch[:, 0], patch[:, -1]])


def share(inner: Box, outer: Box) -> float:
    """Share of a box that lies in another."""
    return inner.intersect(outer).area / inner.area if inner.area else 0.0
