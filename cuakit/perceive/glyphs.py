"""Check boxes and radio buttons by their looks: a thin square or ring of the right size, empty or marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.text import Line

SIZE_PT: Final = (10.5, 26.0)
"""Sides of a mark box in points: 13 in Chromium, up to 24 in touch styles."""

CLOSE: Final = "close"
"""Name of a cross that stands alone."""

GRID: Final = 24
"""Side of the picture on which a shape is judged, in pixels."""


def mark_glyphs(shot: Screenshot, shapes: Candidates) -> Candidates:
    """Give the roles ``checkbox`` and ``radio``, with the state ``checked``, to shapes that look so; name crosses.

    Letters such as O look so as well; whoever knows the text drops those (see :mod:`cuakit.perceive.fuse`).
    """
    return Candidates(_judged(shot, s) for s in shapes)


def _judged(shot: Screenshot, shape: Candidate) -> Candidate:
    w, h = shape.box.width, shape.box.height
    low, high = (s * shot.scale for s in SIZE_PT)
    if shape.role != "icon" or not 0.8 <= w / h <= 1.25 or max(w, h) > high:
        return shape
    if min(w, h) < low:
        return replace(shape, role="button", name=CLOSE) if is_cross(shot, shape.box) else shape
    role, checked = look(contrast(shot.pixels, shape.box))
    if not role:
        return replace(shape, role="button", name=CLOSE) if is_cross(shot, shape.box) else shape
    return replace(shape, role=role, states=("checked",) if checked else ())


def without_marks(shot: Screenshot, lines: Sequence[Line], shapes: Candidates) -> list[Line]:
    """Cut check boxes, radio buttons and closing crosses out of the lines that were read over them.

    An O that is a ring is no text, and a line with a ring in its middle is two labels. A mark stands apart from its
    neighbours and differs from them in colour or height; that is how an O of a word is told from a ring before it.
    """
    marks = [s for s in shapes if s.role in ("checkbox", "radio") or _is_closer(shot, s)]
    return [part for line in lines for part in _cut(shot, line, _in_line(line, marks))]


def _is_closer(shot: Screenshot, shape: Candidate) -> bool:
    return shape.role == "button" and shape.name == CLOSE and shape.box.width <= 16 * shot.scale


def _in_line(line: Line, marks: Sequence[Candidate]) -> list[Candidate]:
    inside = [m for m in marks if line.box.intersect(m.box).area > 0.5 * m.box.area]
    return sorted(inside, key=lambda m: m.box.left)


def _cut(shot: Screenshot, line: Line, marks: Sequence[Candidate]) -> list[Line]:
    if len(line.text) <= 2 and any(line.box.iou(m.box) > 0.35 for m in marks):
        return []
    parts: list[Line] = []
    rest: Line | None = line
    for mark in marks:
        if rest is None or not rest.places or not _stands_apart(shot, rest, mark):
            continue
        before, rest = _around(rest, mark.box)
        parts += [before] if before is not None else []
    return [*parts, rest] if rest is not None else parts


def _around(line: Line, mark: Box) -> tuple[Line | None, Line | None]:
    """The parts of a line before and behind a mark."""
    pairs = list(zip(line.text, line.places, strict=True))
    slack = 0.15 * mark.width
    return (
        _part(line, [p for p in pairs if p[1] < mark.left - slack], line.box.left, mark.left - 1),
        _part(line, [p for p in pairs if p[1] > mark.right + slack], mark.right + 1, line.box.right),
    )


def _part(line: Line, pairs: list[tuple[str, float]], left: float, right: float) -> Line | None:
    while pairs and pairs[0][0] == " ":
        pairs = pairs[1:]
    while pairs and pairs[-1][0] == " ":
        pairs = pairs[:-1]
    if not pairs or right <= left:
        return None
    text, places = "".join(c for c, _ in pairs), tuple(x for _, x in pairs)
    return replace(line, box=Box(left, line.box.top, right, line.box.bottom), text=text, places=places)


def _stands_apart(shot: Screenshot, line: Line, mark: Candidate) -> bool:
    """Whether a mark is no letter of its line: free on both sides, and of another colour or height than the letters."""
    near = 3.0 * shot.scale if mark.role != "button" else 0.8 * line.box.height
    left, top, right, bottom = line.box.clip(shot.width, shot.height).rounded()
    crop = shot.pixels[top:bottom, left:right].astype(np.int16)
    if crop.size == 0:
        return False
    ink = np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2) > 60
    a, b = round(mark.box.left) - left, round(mark.box.right) - left
    around = [ink[:, max(0, a - round(near)) : max(0, a - 1)], ink[:, b + 1 : b + round(near)]]
    if any(side.any() for side in around):
        return False
    others = ink.copy()
    others[:, max(0, a - 1) : b + 1] = False
    rows = np.flatnonzero(others.any(axis=1))
    if not rows.size or mark.role == "button":
        return True
    higher = mark.box.height > 1.12 * (rows[-1] - rows[0] + 1)
    own = ink & ~others
    return higher or bool(own.any() and np.abs(_tone(crop, own) - _tone(crop, others)).max() > 48)


def _tone(crop: NDArray[np.int16], ink: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Colour of the ink without its soft edges."""
    pixels = crop[ink]
    ground = np.median(crop.reshape(-1, 3), axis=0)
    distance = np.abs(pixels - ground).max(axis=1)
    tone: NDArray[np.float64] = pixels[distance >= np.quantile(distance, 0.7)].mean(axis=0)
    return tone


def contrast(pixels: NDArray[np.uint8], box: Box) -> NDArray[np.float32]:
    """How much each place of a thing differs from the ground around it, cut to where it differs.

    Args:
        pixels: (H, W, 3) RGB frame.
        box: Where the thing is, a pixel more or less.

    Returns:
        (GRID, GRID) largest channel difference, 0 to 255.
    """
    left, top, right, bottom = box.pad(2).clip(pixels.shape[1], pixels.shape[0]).rounded()
    patch = pixels[top:bottom, left:right].astype(np.int16)
    edge = np.concatenate([patch[0], patch[-1], patch[:, 0], patch[:, -1]])
    off = np.abs(patch - np.median(edge, axis=0).astype(np.int16)).max(axis=2).astype(np.float32)
    inner = off[1:-1, 1:-1] if min(off.shape) > 4 else off
    seen = inner > 0.3 * inner.max()
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if rows.size and columns.size:
        inner = inner[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.asarray(cv2.resize(inner, (GRID, GRID), interpolation=cv2.INTER_AREA), dtype=np.float32)


def look(c: NDArray[np.float32]) -> tuple[str, bool]:
    """Role and mark of a contrast picture: ``checkbox``, ``radio`` or empty, and whether it is checked."""
    if c.max() < 24:
        return "", False
    square, ring = _sides(c), _ring(c)
    border = max(square, ring)
    if border < 24:
        return "", False
    if square >= 0.6 * ring and _corners(c) > 0.45 * square:
        return _box_mark(c, square)
    inner = c[GRID // 4 : -GRID // 4, GRID // 4 : -GRID // 4]
    if ring >= 24:
        dot = float(c[GRID // 2 - 2 : GRID // 2 + 2, GRID // 2 - 2 : GRID // 2 + 2].mean())
        flat = float(inner.max() - inner.min()) < 24
        if flat and dot < 0.5 * ring:
            return "radio", False
        if _dot(c):
            return "radio", True
    return "", False


def is_cross(shot: Screenshot, box: Box) -> bool:
    """Whether a small shape is a diagonal cross, bare or on a button: the sign that closes."""
    side = max(box.width, box.height)
    if not 5 * shot.scale <= side <= 40 * shot.scale or not 0.75 <= box.width / box.height <= 1.34:
        return False
    crop = shot.crop(box.pad(-0.12 * side)).astype(np.float32)
    if min(crop.shape[:2]) < 5:
        return False
    ink = np.abs(crop - np.median(np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]]), axis=0)).max(axis=2)
    rows, columns = np.flatnonzero((ink > 60).any(axis=1)), np.flatnonzero((ink > 60).any(axis=0))
    if len(rows) < 4 or len(columns) < 4:
        return False
    c = cv2.resize(ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], (9, 9), interpolation=cv2.INTER_AREA)
    arms = np.concatenate([np.diag(c)[1:-1], np.diag(c[:, ::-1])[1:-1]])
    gaps = np.array([c[0, 4], c[8, 4], c[4, 0], c[4, 8], c[1, 4], c[7, 4], c[4, 1], c[4, 7]])
    return bool(low_end(arms) > 2 * max(8.0, float(gaps.max())) or arms.min() > 1.7 * gaps.max() + 8)


def _sides(c: NDArray[np.float32]) -> float:
    """Contrast of the weakest of four straight sides within the outer fifth."""
    reach = GRID // 5
    trim = c[3:-3], c[:, 3:-3].T
    sides = [low_end(part) for part in (trim[0][:, :reach], trim[0][:, -reach:])]
    sides += [low_end(part) for part in (trim[1][:, :reach], trim[1][:, -reach:])]
    return float(min(s.max() for s in sides))


def low_end(values: NDArray[np.float32], share: float = 0.15) -> NDArray[np.float32]:
    """Value that ``share`` of the values along the first axis do not exceed; np.quantile without its overhead."""
    at = int(share * (len(values) - 1))
    return np.asarray(np.partition(values, at, axis=0)[at])


def _ring(c: NDArray[np.float32]) -> float:
    """Contrast of the best circle within the outer fifth, at its weakest angles."""
    return max(float(low_end(_circle(c, r))) for r in np.arange(0.38, 0.5, 0.02) * GRID)


def _circle(c: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    centre = (GRID - 1) / 2
    rows = np.rint(centre + radius * np.sin(angles)).astype(int).clip(0, GRID - 1)
    columns = np.rint(centre + radius * np.cos(angles)).astype(int).clip(0, GRID - 1)
    return np.asarray(c[rows, columns])


def _corners(c: NDArray[np.float32]) -> float:
    """Contrast just outside a circle that fills the picture, on the diagonals: only a square reaches there."""
    reach = [max(d[:3]) for d in (np.diag(c), np.diag(c[::-1]), np.diag(c[:, ::-1]), np.diag(c[::-1, ::-1]))]
    return float(np.median(reach))


def _box_mark(c: NDArray[np.float32], border: float) -> tuple[str, bool]:
    """A mark box has one even colour inside its border, and on it nothing or one stroke."""
    k = GRID // 6
    inside = c[k:-k, k:-k]
    rim = np.concatenate([inside[0], inside[-1], inside[:, 0], inside[:, -1]])
    base = float(np.median(rim))
    if (np.abs(rim - base) < 40).mean() < 0.75:
        return "", False
    stroke = float((np.abs(inside[2:-2, 2:-2] - base) > 60).mean())
    if stroke > 0.03:
        return ("checkbox", True) if stroke < 0.7 else ("", False)
    return ("checkbox", False) if base < 0.5 * border else ("", False)  # evenly filled to the rim is a swatch


def _dot(c: NDArray[np.float32]) -> bool:
    """A filled centre, a gap around it, and a ring."""
    centre = float(c[GRID // 2 - 2 : GRID // 2 + 2, GRID // 2 - 2 : GRID // 2 + 2].mean())
    gap = min(float(low_end(_circle(c, r), 0.8)) for r in np.arange(0.24, 0.4, 0.02) * GRID)
    return centre > 60 and gap < 0.6 * centre
