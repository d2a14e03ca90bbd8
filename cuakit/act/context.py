"""What tells a control from its twins: the part of the frame between it and them.

Ten rows with the same button hold ten things that look alike. When the rows change places, the pixels of a button do not
change at all, and a page that reuses its nodes sees the same node with the same text. Only the rest of the row tells.
So for a control that has twins on its frame, the surroundings up to the nearest twins are looked at as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cuakit.act import guard
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot

SIZE_PX: Final = 2.0
"""How far the sides of two twins may differ."""

_STRIDE: Final = 4
_TELLS_APART: Final = 0.2
"""Share of every fourth pixel that differs between things that are no twins, without looking closer."""


def twins(shot: Screenshot, candidates: Candidates, one: Candidate, limits: guard.Limits) -> tuple[Box, ...]:
    """Boxes of other objects that look like this one: same size, and same words or same pixels.

    Args:
        shot: The frame.
        candidates: What was found on it.
        one: One of them.
        limits: How equal pixels must be.
    """
    sides = candidates.boxes
    size = np.array([one.box.width, one.box.height])
    near = np.flatnonzero((np.abs(sides[:, 2:] - sides[:, :2] - size) <= SIZE_PX).all(axis=1))
    found = []
    for at in near:
        other = candidates[int(at)]
        if other.id == one.id or other.box.intersect(one.box).area or {"offscreen", "occluded"} & set(other.states):
            continue
        if (one.label and one.label == other.label) or _look_alike(shot, one.box, other.box, limits):
            found.append(other.box)
    return tuple(found)


def _look_alike(shot: Screenshot, one: Box, other: Box, limits: guard.Limits) -> bool:
    a, b = shot.crop(one), shot.crop(other)
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    a, b = a[:height, :width], b[:height, :width]
    sparse = (slice(None, None, _STRIDE), slice(None, None, _STRIDE))
    moved = np.maximum(a[sparse], b[sparse]) - np.minimum(a[sparse], b[sparse]) > limits.level
    if not moved.size or moved.any(axis=2).mean() > _TELLS_APART:
        return False
    return guard.compare(a, b, limits).same


def surroundings(one: Box, others: Sequence[Box], size: tuple[int, int]) -> Box | None:
    """The part of a frame between a control and its nearest twins; None when it has none.

    On a side without a twin it reaches as far as on the opposite side. Without twins to the left and right it spans the
    frame; without twins above and below it reaches as far as to the sides, or the control's own height.

    Args:
        one: The control, in physical pixels.
        others: Its twins.
        size: Frame size in physical pixels.

    >>> surroundings(Box(80, 50, 90, 60), [Box(80, 20, 90, 30), Box(80, 80, 90, 90)], (100, 100)).xyxy
    (0, 30, 100, 80)
    """
    if not others:
        return None
    beside = [o for o in others if o.top < one.bottom and one.top < o.bottom]
    stacked = [o for o in others if o.left < one.right and one.left < o.right]
    left, right = _gaps([one.left - o.right for o in beside], [o.left - one.right for o in beside])
    above, below = _gaps([one.top - o.bottom for o in stacked], [o.top - one.bottom for o in stacked])
    if left is None or right is None:
        left = right = float(max(size)) if stacked else one.width
    if above is None or below is None:
        above = below = max(one.height, left if beside else 0.0)
    around = Box(one.left - left, one.top - above, one.right + right, one.bottom + below)
    return Box(*map(int, around.clip(*size).rounded()))


def _gaps(before: Sequence[float], after: Sequence[float]) -> tuple[float | None, float | None]:
    """Nearest distance on either side; each stands in for the other."""
    first = min((g for g in before if g >= 0), default=None)
    last = min((g for g in after if g >= 0), default=None)
    return (last if first is None else first), (first if last is None else last)
