"""Spaces that the recogniser swallowed, put back where the ink has a gap as wide as the line's other spaces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

INK: Final = 60
"""Channel difference from the ground that counts as ink."""

ALONE: Final = 0.3
"""Gap over line height that is a space in a line that has no other; letters of a fixed pitch stand 0.25 apart."""

BREAK: Final = 0.6
"""Gap over line height that ends a line: about a character's width more than a space of a fixed pitch."""

LEAST: Final = 0.16
"""Gap over line height below which nothing is a space."""


@dataclass(frozen=True, slots=True)
class Part:
    """Text between two wide gaps.

    Args:
        text: What it says.
        places: Centre of each character in pixels of the crop.
        start: Where it starts, or None for the start of the line.
        stop: Where it ends, or None for the end of the line.
    """

    text: str
    places: tuple[float, ...]
    start: float | None = None
    stop: float | None = None


def respace(crop: NDArray[np.uint8], text: str, places: Sequence[float]) -> list[Part]:
    """Insert missing spaces, and cut the line at gaps that are too wide to be one.

    Args:
        crop: (h, w, 3) pixels of a level line.
        text: What was read.
        places: Centre of each character in pixels of the crop.

    Returns:
        One part, or several from left to right.
    """
    if len(text) < 3 or crop.size == 0:
        return [Part(text, tuple(places))]
    gaps = gaps_in(ink_of(crop))
    mended, at = _mend(gaps, crop.shape[0], text, places)
    cuts = [g for g in gaps if g[1] - g[0] >= BREAK * crop.shape[0] and at[0] < (g[0] + g[1]) / 2 < at[-1]]
    parts: list[Part] = []
    start: float | None = None
    low = -math.inf
    for stop, after in [*cuts, (None, math.inf)]:
        middle = math.inf if stop is None else (stop + after) / 2
        pairs = [(c, x) for c, x in zip(mended, at, strict=True) if low <= x < middle]
        while pairs and pairs[0][0] == " ":
            pairs.pop(0)
        while pairs and pairs[-1][0] == " ":
            pairs.pop()
        if pairs:
            edge = None if stop is None else stop + 1.0
            parts.append(Part("".join(c for c, _ in pairs), tuple(x for _, x in pairs), start, edge))
        start, low = after - 1.0, middle
    return parts


def _mend(
    gaps: Sequence[tuple[int, int]], height: int, text: str, places: Sequence[float]
) -> tuple[str, tuple[float, ...]]:
    between = [_widest(gaps, a, b) for a, b in pairwise(places)]
    pitch = max(1.25 * float(np.median(np.diff(places))), 0.5 * height)  # two narrow letters stand nearer than that
    known = [max(between[i - 1 : i + 1], default=0.0) for i, c in enumerate(text) if c == " " and 0 < i < len(text) - 1]
    limit = max(LEAST * height, 0.85 * float(np.median(known))) if known else ALONE * height
    out: list[tuple[str, float]] = [(text[0], places[0])]
    for i in range(1, len(text)):
        far = between[i - 1] >= limit and places[i] - places[i - 1] > pitch
        if far and text[i - 1 : i + 1].isalpha():  # digits and points stand apart by themselves
            out.append((" ", (places[i - 1] + places[i]) / 2))
        out.append((text[i], places[i]))
    return "".join(c for c, _ in out), tuple(x for _, x in out)


def ink_of(crop: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """(h, w) whether a pixel differs from the ground, underlines taken out."""
    values = crop.astype(np.int16)
    ground = np.median(values.reshape(-1, 3), axis=0)
    ink: NDArray[np.bool_] = np.abs(values - ground).max(axis=2) > INK
    return ink & ~underlines(ink)[:, None]


def underlines(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(h,) rows of the lower half with a run of ink longer than any stroke of a letter, and their soft edges."""
    rows = np.zeros(len(ink), dtype=np.bool_)
    for y in range(len(ink) // 2, len(ink)):
        rows[y] = max((b - a for a, b in runs(ink[y])), default=0) >= 0.7 * len(ink)
    grown = rows.copy()
    grown[1:] |= rows[:-1]
    grown[:-1] |= rows[1:]
    return grown


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Half-open ranges of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def gaps_in(ink: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Ranges of columns without ink."""
    return runs(np.asarray(~ink.any(axis=0)))


def _widest(gaps: Sequence[tuple[int, int]], left: float, right: float) -> float:
    """Width of the widest gap whose middle lies between two characters."""
    return max((b - a for a, b in gaps if left < (a + b) / 2 < right), default=0)
