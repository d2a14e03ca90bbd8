"""Small grey pictures of a frame, and whether two of them differ. The figures are arc-cua's pixel probe."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cuakit.core.screenshot import Screenshot

SIDE: Final = 320
"""Longest side of a thumbnail in pixels; small enough to cost under a millisecond, large enough to show a word."""

LEVEL: Final = 24
"""Levels of 255 that a thumbnail pixel must move to count."""

SHARE: Final = 0.002
"""Share of the pixels that must move for the frame to count as changed."""


def thumbnail(shot: Screenshot) -> NDArray[np.int16]:
    """(h, w) grey levels, each the mean of a block of the frame."""
    factor = max(1, -(-max(shot.size) // SIDE))
    small = Image.fromarray(shot.pixels).reduce(factor).convert("L")
    return np.asarray(small, dtype=np.int16)


def differs(a: NDArray[np.int16], b: NDArray[np.int16], *, level: int = LEVEL, share: float = SHARE) -> bool:
    """Whether at least ``share`` of the pixels moved by more than ``level``; always when the sizes differ."""
    if a.shape != b.shape:
        return True
    return bool((np.abs(a - b) > level).mean() >= share)
