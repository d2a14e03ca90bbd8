"""Canvas grids: many equal empty squares on a lattice are paper, not things."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidates

LEAST: Final = 20
"""Fewest equal squares that make a grid; palettes of icons are no grids, because their cells are not alike."""


def without_canvas_grid(shapes: Candidates) -> Candidates:
    """Drop the cells of a drawing grid, and the pieces of cells that things on the canvas cut off.

    A spreadsheet's cells stay: they are not square.

    Args:
        shapes: Contours of one frame.
    """
    if len(shapes) < LEAST:
        return shapes
    boxes = shapes.boxes
    cells = _cells(boxes, shapes.scores)
    if not cells.any():
        return shapes
    xs, ys = _lines(boxes[cells][:, [0, 2]]), _lines(boxes[cells][:, [1, 3]])
    side = float(np.median(boxes[cells][:, 2] - boxes[cells][:, 0]))
    area = np.array([*boxes[cells][:, :2].min(axis=0) - side, *boxes[cells][:, 2:].max(axis=0) + side])
    inside = (boxes[:, :2] >= area[:2]).all(axis=1) & (boxes[:, 2:] <= area[2:]).all(axis=1)
    on_x, on_y = _on(boxes[:, [0, 2]], xs).sum(axis=1), _on(boxes[:, [1, 3]], ys).sum(axis=1)
    rest = inside & (on_x >= 1) & (on_y >= 1) & (on_x + on_y >= 2) & ((boxes[:, 2:] - boxes[:, :2]).min(axis=1) <= side)
    keep = ~(cells | rest)
    return Candidates((c for c, k in zip(shapes, keep.tolist(), strict=True) if k), check_parents=False)


def _cells(boxes: NDArray[np.float64], fill: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(N,) whether a shape is a square of the commonest size, if that size is common enough and on a lattice."""
    none = np.zeros(len(boxes), dtype=np.bool_)
    w, h = (boxes[:, 2:] - boxes[:, :2]).T
    square = (np.abs(w - h) <= 2) & (fill > 0.9)
    if square.sum() < LEAST:
        return none
    (side, _), *_ = Counter(np.rint(w[square] / 2).astype(int).tolist()).most_common(1)
    like: NDArray[np.bool_] = square & (np.abs(w - 2 * side) <= 3)
    columns, rows = _lines(boxes[like][:, :1]), _lines(boxes[like][:, 1:2])
    dense = like.sum() >= max(LEAST, 0.5 * len(columns) * len(rows))
    return like if dense and min(len(columns), len(rows)) >= 3 and _touching(boxes[like], 2 * side) else none


def _touching(boxes: NDArray[np.float64], side: float) -> bool:
    """Whether neighbours share their borders, as cells do and tool buttons do not."""
    columns = _lines(boxes[:, :1])
    steps = np.diff(columns)
    return bool(steps.size) and float(np.median(steps)) <= side + 5


def _lines(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distinct positions, nearer than 3 pixels being one."""
    ordered = np.sort(edges.ravel())
    return np.asarray(ordered[np.concatenate([[True], np.diff(ordered) > 3])], dtype=np.float64)


def _on(edges: NDArray[np.float64], lines: NDArray[np.float64]) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(edges[..., None] - lines).min(axis=-1) <= 3.5
    return near
