"""What a found thing is, from its form, its text and its looks: button, field, combo box, link, container, icon."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.colours import colour_word
from cuakit.perceive.company import with_menubars, with_navigation
from cuakit.perceive.glyphs import CLOSE, is_cross

ACTIONS: Final = {
    "button": ("click",),
    "checkbox": ("click",),
    "combobox": ("click",),
    "icon": ("click",),
    "cell": ("click",),
    "link": ("click",),
    "listitem": ("click",),
    "menuitem": ("click",),
    "slider": ("click",),
    "switch": ("click",),
    "radio": ("click",),
    "tab": ("click",),
    "text": ("click",),  # pixels cannot tell whether a text can be clicked
    "textbox": ("click", "type"),
}
"""What one can do with a thing of a role, as far as pixels can tell."""


@dataclass(frozen=True, slots=True)
class _Look:
    """Measures of one box.

    Args:
        even: Share of the inner pixels that have the inner ground colour.
        bright: Inner ground, mean of the channels.
        outer: Outer ground, mean of the channels.
        differs: Largest channel difference between inner and outer ground.
    """

    even: float
    bright: float
    outer: float
    differs: float

    @property
    def field(self) -> bool:
        """Whether the ground is one to write on: no darker than its surroundings, unless all is dark."""
        return self.bright >= max(242, self.outer - 6) if self.outer > 128 else self.bright < 128


def assign_roles(shot: Screenshot, found: Candidates, text_box: Callable[[Candidate], Box | None]) -> Candidates:
    """Fill in roles, values, states and actions of rows that came from pixels.

    Args:
        shot: The frame.
        found: Fused candidates; rows from an application's own tree keep their role.
        text_box: Where the text of a row is, or None.
    """
    scale = shot.scale
    children: dict[str, list[Candidate]] = {}
    for c in found:
        children.setdefault(c.parent, []).append(c)
    rows = [_with_role(shot, c, children.get(c.id, []), text_box(c), scale) for c in found]
    rows = _tabs([_named_field(c, rows, scale) for c in rows], scale)
    rows = with_navigation(with_menubars(rows, scale), scale)
    return Candidates(_with_actions(_tight(shot, c)) for c in rows)


def _tight(shot: Screenshot, c: Candidate) -> Candidate:
    """A piece of text with the room around it that a line of text has: detectors leave up to half a line on each side."""
    if c.source != "ocr" or c.role not in ("text", "link", "heading"):
        return c
    left, top, _, _ = c.box.clip(shot.width, shot.height).rounded()
    crop = shot.crop(c.box).astype(np.int16)
    if min(crop.shape[:2]) < 4:
        return c
    off = np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2)
    ink = off > max(24.0, 0.4 * float(off.max()))
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size:
        return c
    inked = Box(*map(float, (left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1)))
    return replace(c, box=inked.pad(0.15 * inked.height + 1).intersect(c.box))


def _with_actions(c: Candidate) -> Candidate:
    return c if c.actions else replace(c, actions=ACTIONS.get(c.role, ()))


def _with_role(shot: Screenshot, c: Candidate, children: list[Candidate], text: Box | None, scale: float) -> Candidate:
    if c.role == "checkbox" and not c.name and "checked" in c.states:
        # A marked square without a label is a tool button far more often than a box; a bare cross closes.
        return replace(c, role="button", states=(), name=CLOSE if is_cross(shot, c.box) else "")
    if c.role not in ("icon", "unknown") or (c.source not in ("contours", "fused")):
        return c
    look = _measure(shot.pixels, c.box, scale)
    if c.text and text is not None:
        if not c.box.contains(text.center) or c.hit is not None:
            return replace(c, role="icon" if c.role == "icon" else "button")
        return _text_control(shot, c, text, look)
    return _empty_control(shot, c, children, look)


def _text_control(shot: Screenshot, c: Candidate, text: Box, look: _Look) -> Candidate:
    scale = shot.scale
    left, right = text.left - c.box.left, c.box.right - text.right
    wide = c.box.width >= 2.2 * c.box.height
    flush = c.box.left <= 1 or c.box.right >= shot.width - 1  # a field has room around it
    off_centre = right - left > max(8 * scale, 0.12 * c.box.width)
    if wide and off_centre and _DATE.fullmatch(c.text.replace(" ", "")):
        # Typing starts in the part of the date that is clicked.
        return replace(c, role="textbox", value=c.text, hit=c.hit or text.at(0.08, 0.5))
    if wide and off_centre and left < 20 * scale and _has_arrow(shot, c.box, text.right):
        return replace(c, role="combobox", value=c.text)
    quiet = look.differs < 24 or look.bright >= 250  # white to write on, also where the page has a colour
    if wide and off_centre and left < 16 * scale and look.field and quiet and not flush:
        return replace(c, role="textbox", value=c.text)
    if wide and look.field and quiet and (asks := _SEARCH.match(c.text)):
        return replace(c, role="searchbox", name=asks[0], actions=("click", "type"))
    if c.box.width >= 5 * c.box.height and off_centre and left < 20 * scale and look.differs >= 12:
        return replace(c, role="tab")  # a bar with its words at the left opens what is below it
    return replace(c, role="button")


def _tabs(rows: list[Candidate], scale: float) -> list[Candidate]:
    """Give the role ``tab`` to buttons that stand side by side in the strip on top of a panel."""
    groups: dict[tuple[str, int], list[int]] = {}
    for i, c in enumerate(rows):
        if c.role == "button" and c.text and c.box.height <= 48 * scale:
            groups.setdefault((c.parent, round(c.box.bottom / (3 * scale))), []).append(i)
    parents = {c.id: c for c in rows}
    out = list(rows)
    for (parent, _), members in groups.items():
        strip = parents.get(parent)
        panel = parents.get(strip.parent) if strip else None
        if len(members) < 2 or strip is None or panel is None:
            continue
        top = strip.box.top - panel.box.top < 12 * scale and strip.box.width > 0.8 * panel.box.width
        row = strip.box.height < 1.8 * rows[members[0]].box.height and panel.box.height > 2 * strip.box.height
        if top and row and all(b - a < 6 * scale for a, b in _gaps([rows[i].box for i in members])):
            for i in members:
                out[i] = replace(rows[i], role="tab")
    return out


def _gaps(boxes: list[Box]) -> list[tuple[float, float]]:
    ordered = sorted(boxes, key=lambda b: b.left)
    return [(a.right, b.left) for a, b in pairwise(ordered)]


def _empty_control(shot: Screenshot, c: Candidate, children: list[Candidate], look: _Look) -> Candidate:
    scale, w, h = shot.scale, c.box.width, c.box.height
    rectangle = c.score >= 0.85
    plain = look.even > 0.97
    flush = c.box.left <= 1 or c.box.right >= shot.width - 1
    if rectangle and w >= 2 * h and 14 * scale <= h <= 56 * scale and look.field:
        if look.even > 0.85 and _has_arrow(shot, c.box, c.box.left):
            return replace(c, role="combobox")
        if plain and not children and not flush:
            return replace(c, role="textbox")
    if rectangle and plain and h > 40 * scale and w > 80 * scale and look.field and look.differs < 24 and not children:
        field = w * h < 0.3 * shot.width * shot.height and not flush
        return replace(c, role="textbox" if field else "group")
    if children or max(w, h) > 96 * scale:
        return replace(c, role="group" if children else "image")
    if plain and rectangle and 0.5 <= w / h <= 2:
        return replace(c, role="icon", name=c.name or colour_word(shot.pixels, c.box))
    return replace(c, role="icon", name=c.name or (CLOSE if is_cross(shot, c.box) else ""))


def _has_arrow(shot: Screenshot, box: Box, after: float) -> bool:
    """Whether a small downward mark stands alone at the right end of a box."""
    scale = shot.scale
    margin = min(3 * scale, 0.2 * box.height)
    end = Box(max(after, box.right - 1.3 * box.height), box.top, box.right, box.bottom).pad(-margin)
    crop = shot.crop(end).astype(np.int16)
    if crop.size == 0:
        return False
    ink = np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2) > 60
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size or ink[:, :1].any() or ink[:, -1:].any():
        return False
    w, h = np.ptp(columns) + 1, np.ptp(rows) + 1
    middle = (rows[0] + rows[-1]) / 2 / len(ink)
    flat = w >= 1.15 * h or (rows.size and h > 1.3 * w)  # one chevron, or one above the other
    return bool(flat and 4 * scale <= w <= 16 * scale and 2 * scale <= h <= 14 * scale and 0.3 < middle < 0.7)


def _measure(pixels: NDArray[np.uint8], box: Box, scale: float) -> _Look:
    h, w = pixels.shape[:2]
    edge = 2.5 * scale
    left, top, right, bottom = box.pad(-min(edge, 0.3 * min(box.width, box.height))).clip(w, h).rounded()
    step = max(1, round(min(right - left, bottom - top) / 24))
    inner = pixels[top:bottom:step, left:right:step].reshape(-1, 3)
    if not len(inner):
        return _Look(1.0, 0.0, 0.0, 0.0)
    ground = np.median(inner, axis=0)
    even = float((np.abs(inner - ground).max(axis=1) < 16).mean())
    l2, t2, r2, b2 = box.pad(edge).clip(w, h).rounded()
    around = pixels[t2:b2, l2:r2]
    ring = np.concatenate([around[0, ::step], around[-1, ::step], around[::step, 0], around[::step, -1]])
    outer = np.median(ring, axis=0)
    return _Look(even, float(ground.mean()), float(outer.mean()), float(np.abs(ground - outer).max()))


def _named_field(c: Candidate, rows: list[Candidate], scale: float) -> Candidate:
    """Name a field after the text left of it, or above it."""
    if c.role not in ("textbox", "combobox", "slider") or (c.name and c.name != c.value):
        return c
    best, nearest = "", 90 * scale
    for t in rows:
        if t.role not in ("text", "heading") or t.box.height > 2 * c.box.height:
            continue
        beside = abs(t.box.center.y - c.box.center.y) < 0.6 * c.box.height and t.box.right <= c.box.left + 4 * scale
        above = t.box.bottom <= c.box.top + 4 * scale and t.box.left < c.box.right and t.box.right > c.box.left
        distance = c.box.left - t.box.right if beside else 2 * (c.box.top - t.box.bottom) if above else nearest
        if (beside or (above and c.box.top - t.box.bottom < 16 * scale)) and distance < nearest:
            best, nearest = t.text.rstrip(" :*"), distance
    return replace(c, name=best or c.name)


_SEARCH: Final = re.compile(r"(?:search|find|filter)\b(?: [^\W\d_]{2,})*", re.IGNORECASE)
"""What an empty search field shows; a magnifier behind it is often read as a letter."""

_DATE: Final = re.compile(r"[dmy]{2,4}([/.-])[dmy]{2,4}\1[dmy]{2,4}", re.IGNORECASE)
"""What an empty date field shows."""
