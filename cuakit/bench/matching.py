"""Which found box is which true one, and which text says what: pure functions over boxes and strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box, iou_matrix

SAME: Final = 0.5
"""Least intersection over union of two boxes that are taken for one thing, as COCO's AP50."""

INSIDE: Final = 0.8
"""Share of a box that must lie in a control for it to be a part of that control."""

_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing that a parser found.

    Args:
        box: In pixels of the picture.
        role: Role word; ``text`` for text, ``icon`` where nothing is known.
        text: What it says.
        score: Confidence in [0, 1].
    """

    box: Box
    role: str = "icon"
    text: str = ""
    score: float = 1.0


def corners(boxes: Sequence[Box]) -> NDArray[np.float64]:
    """(N, 4) left, top, right, bottom."""
    return np.array([(b.left, b.top, b.right, b.bottom) for b in boxes], dtype=np.float64).reshape(-1, 4)


def overlaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, M) areas that the boxes share."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared: NDArray[np.float64] = np.prod(np.clip(high - low, 0, None), axis=2)
    return shared


def areas(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) areas."""
    size: NDArray[np.float64] = np.prod(np.clip(a[:, 2:] - a[:, :2], 0, None), axis=1)
    return size


def match(truth: Sequence[Sequence[Box]], found: Sequence[Box], *, least: float = SAME) -> dict[int, int]:
    """True thing → found box, one to one, the closest pairs first.

    Args:
        truth: The extents of each thing, any of which is right.
        found: Boxes.
        least: Least intersection over union.

    >>> match([[Box(0, 0, 10, 10)]], [Box(50, 50, 60, 60), Box(0, 0, 10, 9)])
    {0: 1}
    """
    if not truth or not found:
        return {}
    iou = _by_thing(iou_matrix(corners([b for t in truth for b in t]), corners(found)), truth)
    rows, columns = np.nonzero(iou >= least)
    order = np.lexsort((columns, rows, -iou[rows, columns]))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for k in order:
        t, f = int(rows[k]), int(columns[k])
        if t not in pairs and f not in taken:
            pairs[t] = f
            taken.add(f)
    return pairs


def parts(found: Sequence[Box], controls: Sequence[Box]) -> NDArray[np.bool_]:
    """(N,) whether each found box lies inside a control, and is smaller: its label or its icon, no false alarm."""
    if not found or not controls:
        return np.zeros(len(found), dtype=np.bool_)
    a, b = corners(found), corners(controls)
    size = areas(a)[:, None]
    inside: NDArray[np.bool_] = (overlaps(a, b) >= INSIDE * np.maximum(size, 1e-9)) & (size < areas(b)[None, :])
    return np.asarray(inside.any(axis=1))


def _by_thing(values: NDArray[Any], truth: Sequence[Sequence[Box]]) -> NDArray[Any]:
    """(things, M) largest of the rows of each thing's extents."""
    starts = np.cumsum([0, *(len(t) for t in truth[:-1])])
    best: NDArray[Any] = np.maximum.reduceat(values, starts, axis=0)
    return best


def centred(truth: Sequence[Sequence[Box]], found: Sequence[Box]) -> NDArray[np.bool_]:
    """(N,) whether the centre of some found box, which is no larger than four times as large, lies in each true one."""
    if not truth or not found:
        return np.zeros(len(truth), dtype=np.bool_)
    a, b = corners([b for t in truth for b in t]), corners(found)
    x, y = (b[:, 0] + b[:, 2]) / 2, (b[:, 1] + b[:, 3]) / 2
    hit = (x >= a[:, :1]) & (x < a[:, 2:3]) & (y >= a[:, 1:2]) & (y < a[:, 3:4])
    fits = areas(b)[None, :] <= 4 * areas(a)[:, None]
    return np.asarray(_by_thing(hit & fits, truth).any(axis=1))


def plain(text: str) -> str:
    """Text for comparison: case and white space do not count.

    >>> plain("Sign  In")
    'signin'
    """
    return _BLANK.sub("", text).casefold()


def errors_within(truth: str, said: str) -> int:
    """Least edits that turn some part of what was said into the truth: what surrounds it costs nothing.

    >>> errors_within("save", "file sava as")
    1
    """
    if not truth:
        return 0
    above = np.zeros(len(said) + 1, dtype=np.int64)
    letters = np.array([ord(c) for c in said], dtype=np.int64)
    for i, c in enumerate(truth, 1):
        row = np.empty_like(above)
        row[0] = i
        best = np.minimum(above[1:] + 1, above[:-1] + (letters != ord(c)))
        row[1:] = best
        # insertions run along the row: a running minimum of (value − position), made one after the other by ufunc
        steps = np.arange(len(said) + 1)
        row = np.minimum.accumulate(row - steps) + steps
        above = row
    return int(above.min())
