"""Where two frames differ, as few rectangles of tiles."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box

TILE: Final = (60, 64)
"""Height and width of a tile in pixels."""


def changed(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> list[Box]:
    """Rectangles that hold every changed pixel, one per connected group of tiles and shrunk to what changed.

    Args:
        before: (H, W, 3) RGB.
        after: (H, W, 3) RGB, the same size.

    Returns:
        Nothing when the frames are equal.

    Raises:
        ValueError: The sizes differ.
    """
    if before.shape != after.shape:
        raise ValueError(f"frames of different size: {before.shape} and {after.shape}")
    height, width = before.shape[:2]
    unlike = (before.reshape(height, -1) != after.reshape(height, -1)).reshape(height, width, 3)
    rows = np.logical_or.reduceat(unlike.reshape(height, -1), np.arange(0, height, TILE[0]), axis=0)
    tiles = np.logical_or.reduceat(rows, np.arange(0, width * 3, TILE[1] * 3), axis=1)
    if not tiles.any():
        return []
    count, labels = cv2.connectedComponents(tiles.astype(np.uint8), connectivity=8)
    found = []
    for k in range(1, count):
        ys, xs = np.nonzero(labels == k)
        top, left = int(ys.min()) * TILE[0], int(xs.min()) * TILE[1]
        part = unlike[top : (int(ys.max()) + 1) * TILE[0], left : (int(xs.max()) + 1) * TILE[1]].any(axis=2)
        inner_y, inner_x = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
        found.append(
            Box(left + int(inner_x[0]), top + int(inner_y[0]), left + int(inner_x[-1]) + 1, top + int(inner_y[-1]) + 1)
        )
    return found
