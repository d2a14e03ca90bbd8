"""Spaces that the recogniser swallowed, put back where the ink has a gap as wide as the line's other spaces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

INK: Final = 60
"""Channel difference from the ground that counts as ink."""

ALONE: Final = 0.3
"""Gap over line height that is a space in a line that has no other; letters of a fixed pitch stand 0.25 apart."""

LEAST: Final = 0.16
"""Gap over line height below which nothing is a space."""


def respace(crop: NDArray[np.uint8], text: str, places: Sequence[float]) -> tuple[str, tuple[float, ...]]:
    """Insert missing spaces.

    Args:
        crop: (h, w, 3) pixels of a level line.
        text: What was read.
        places: Centre of each character in pixels of the crop.

    Returns:
        Text and places, one for each character.
    """
    if len(text) < 3 or crop.size == 0:
        return text, tuple(places)
    gaps = gaps_in(ink_of(crop))
    height = crop.shape[0]
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
