"""Whether the pixels under a target still look as they did: a pure comparison of two patches.

What counts is local. A changed glyph is a handful of pixels that lie together; noise is as many pixels spread thin.
So the patch is searched for the densest glyph-sized window, not averaged: the answer does not depend on how large the
element is. Two harmless changes are taken out first: a caret that blinks in a field, and a highlight that shifts the
colour of the whole element.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box, Point

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Slices = tuple[slice, slice]

FIELDS: Final = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
"""Roles in which a caret surely may blink."""

EDITABLE: Final = FIELDS | {"cell", "unknown"}
"""Roles in which a caret may blink."""


_EDGE_PT: Final = 4
"""How far into an element its surroundings may show: rounded corners and soft edges."""

_SAMPLE: Final = 4096
"""Pixels that the element's colour shift is estimated from."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much may change. Lengths are in logical points and follow the display's scale.

    The thresholds are measured on Chromium pages, light and dark, at 100 to 300 % (``benchmarks/latency/guard_levels.py``).
    Densest window after harmless changes: none, hover and blinking caret 0.000, JPEG at quality 95 0.031. After harmful
    ones: ``i`` to ``l`` 0.045, ``.`` to ``,`` 0.051, 10 % backdrop 0.250, one digit of a 10 px row 0.290, element moved by
    1 px 0.637; a word, a tick or a dialog more. Pixels that were compressed harder need ``level=32`` (JPEG 90: 0.016
    instead of 0.203), which no longer sees a 10 % backdrop on a dark page.

    Args:
        level: A pixel changed when one channel moved by more than this many of 255 levels.
        density: Most changed share of any glyph-sized window; 3 of 64 pixels at 100 % are already too many.
        window_pt: Side of that window.
        pad_pt: Margin around the element that is looked at too.
        row_pt: Elements up to this height are looked at over their whole width, because a row's text may be far from
            the point; taller ones only around it.
        around_pt: Width and height looked at around the point of a tall element.
        highlight: Largest shift of the element's own colour that counts as a highlight, in levels.
        surroundings: When nearly all of the margin and the element moved by more than this many levels, it is no highlight
            but a sheet over the page, such as the 10 % backdrop of a modal dialog (25 levels on white). When the element
            stayed, it is the highlight of the row that it lies in.
    """

    level: int = 16
    density: float = 0.04
    window_pt: int = 8
    pad_pt: int = 4
    row_pt: int = 64
    around_pt: tuple[int, int] = (320, 160)
    highlight: int = 40
    surroundings: int = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Result of one look.

    Args:
        same: Whether the target may be acted on.
        changed: Share of pixels that changed, harmless changes taken out.
        density: Largest share in any glyph-sized window.
    """

    same: bool
    changed: float
    density: float


def patch_box(box: Box, hit: Point, size: tuple[int, int], scale: float, limits: Limits) -> Box:
    """What to look at for an element: the element with a margin, or its part around the point when it is tall.

    Args:
        box: The element, in physical pixels.
        hit: Where input will go, in physical pixels.
        size: Frame size in physical pixels.
        scale: Physical pixels per point.
        limits: Margins and caps.

    Returns:
        Whole-pixel box inside the frame; it holds the point's pixel.
    """
    point = Box(hit.x, hit.y, hit.x + 1, hit.y + 1)
    if box.height > limits.row_pt * scale:
        half_w, half_h = limits.around_pt[0] * scale / 2, limits.around_pt[1] * scale / 2
        box = box.intersect(Box(hit.x - half_w, hit.y - half_h, hit.x + half_w, hit.y + half_h)).union(point)
    padded = box.union(point).pad(limits.pad_pt * scale)
    left, top, right, bottom = padded.clip(*size).rounded()
    return Box(left, top, min(right, size[0]), min(bottom, size[1]))


def compare(
    before: Pixels,
    after: Pixels,
    limits: Limits,
    *,
    element: Box | None = None,
    scale: float = 1.0,
    role: str = "",
    patchy: bool = False,
) -> Comparison:
    """Compare a remembered patch with fresh pixels of the same place.

    Args:
        before: (h, w, 3) uint8 RGB, as it was.
        after: (h, w, 3) uint8 RGB, as it is.
        limits: Tolerances.
        element: Where the element lies inside the patch, in patch pixels; a highlight may fill it.
        scale: Physical pixels per point.
        role: The element's role word; a caret is only forgiven where one can blink.
        patchy: Whether, without an element, a highlight may fill any part of the patch, such as a row.

    Returns:
        ``same`` is False for patches of different or no size.
    """
    if before.shape != after.shape or before.size == 0:
        return Comparison(same=False, changed=1.0, density=1.0)
    moved = np.maximum(before, after) - np.minimum(before, after)
    if not moved.any():
        return Comparison(same=True, changed=0.0, density=0.0)
    changed = _any_channel(moved > limits.level)
    if element is not None:
        inside = _slices(element, changed.shape)
        if _dimmed(_any_channel(moved > limits.surroundings), inside):
            core = _slices(element.pad(-_EDGE_PT * scale), changed.shape)
            if not _stayed(moved[core]):
                return Comparison(same=False, changed=1.0, density=1.0)
            outside = np.ones(changed.shape, dtype=np.bool_)
            outside[inside] = False
            rest = _beyond_highlight(before, after, changed, limits, of=outside)  # the row behind a button
            rest[core] = changed[core]
            changed = rest
        else:
            changed[inside] &= _beyond_highlight(before[inside], after[inside], changed[inside], limits)
    elif patchy:
        changed = _beyond_highlight(before, after, changed, limits, of=changed)
    if role in EDITABLE:
        changed = _without_caret(changed, scale)
    density = densest(changed, max(2, round(limits.window_pt * scale)))
    return Comparison(same=density <= limits.density, changed=float(changed.mean()), density=density)


def _any_channel(mask: Mask) -> Mask:
    either: Mask = mask[..., 0] | mask[..., 1] | mask[..., 2]
    return either


def _slices(box: Box, shape: tuple[int, ...]) -> Slices:
    left, top, right, bottom = box.clip(shape[1], shape[0]).rounded()
    return slice(top, bottom), slice(left, right)


def _dimmed(moved: Mask, inside: Slices) -> bool:
    """Whether nearly all of the margin around the element moved."""
    margin = moved.size - moved[inside].size
    return margin > 0 and int(moved.sum()) - int(moved[inside].sum()) > 0.95 * margin


def _stayed(moved: Pixels) -> bool:
    """Whether next to nothing of an element moved by more than a rounding error; a sheet would dim its label too."""
    return moved.size > 0 and float(_any_channel(moved > 2).mean()) < 0.01


def _beyond_highlight(before: Pixels, after: Pixels, changed: Mask, limits: Limits, *, of: Mask | None = None) -> Mask:
    """Changed pixels that a uniform and bounded colour shift does not explain.

    A background that shifted leaves its text as it was and the smooth edges between them anywhere in between. The shift
    is the median over the pixels of ``of``, or over all.
    """
    if not changed.any():
        return changed
    step = max(1, int((changed.size / _SAMPLE) ** 0.5))
    sample = _difference(before[::step, ::step], after[::step, ::step])
    sample = sample.reshape(-1, 3) if of is None else sample[of[::step, ::step]]
    if not sample.size:
        return changed
    shift = np.median(sample, axis=0)
    if not shift.any() or np.abs(shift).max() > limits.highlight:
        return changed
    beyond = changed.copy()
    delta = _difference(before[changed], after[changed])
    low, high = np.minimum(shift, 0) - limits.level, np.maximum(shift, 0) + limits.level
    beyond[changed] = _any_channel((delta < low) | (delta > high))
    return beyond


def _difference(before: Pixels, after: Pixels) -> NDArray[np.int16]:
    return after.astype(np.int16) - before.astype(np.int16)


def _without_caret(changed: Mask, scale: float) -> Mask:
    """Changed pixels without a lone upright bar: at most 2 points wide, at least 10 high, nearly solid.

    Chromium's caret is 1 point wide and 18 high beside 14 px text. One that moved leaves two bars; both are looked for.
    """
    rest = changed
    for _ in range(2):
        columns = rest.sum(axis=0)
        if not columns.any():
            break
        peak = int(columns.argmax())
        reach = max(1, round(2 * scale))
        left, right = max(0, peak - reach + 1), peak + reach
        rows = np.flatnonzero(rest[:, peak])
        height = int(rows[-1] - rows[0]) + 1
        solid = rows.size >= 0.9 * height
        aside = columns[max(0, left - reach) : left].sum() + columns[right : right + reach].sum()
        if not (solid and height >= 10 * scale and aside == 0 and _narrow(columns[left:right], scale)):
            break
        rest = rest.copy()
        rest[:, left:right] = False
    return rest


def _narrow(columns: NDArray[np.integer], scale: float) -> bool:
    return int(np.count_nonzero(columns)) <= max(1, round(2 * scale))


def densest(changed: Mask, side: int) -> float:
    """Largest share of set pixels in any square window of the given side, or in the whole mask if that is smaller.

    >>> densest(np.eye(4, dtype=np.bool_), 2)
    0.5
    """
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not rows.size:
        return 0.0
    set_part = changed[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]  # no window outside it holds more
    height, width = min(side, set_part.shape[0]), min(side, set_part.shape[1])
    sums = np.zeros((set_part.shape[0] + 1, set_part.shape[1] + 1), dtype=np.int32)
    np.cumsum(set_part, axis=0, dtype=np.int32, out=sums[1:, 1:])
    np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
    counts = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    area: int = min(side, changed.shape[0]) * min(side, changed.shape[1])
    return int(counts.max()) / area
