"""Canvas grids: many equal empty squares on a lattice are paper, not things."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidates

LEAST: Final = 20
"""Fewest equal squares that make a grid; palettes of icons are no grids, because their cells are not alike."""


ASPECT: Final = 2.0
"""Longest side over shortest of a cell; lines of two strengths cut a square grid into cells that are not quite square."""


def without_canvas_grid(shapes: Candidates) -> Candidates:
    """Drop the cells of a drawing grid, and the pieces of cells that things on the canvas cut off.

    A spreadsheet's cells stay: they are far from square.

    Args:
        shapes: Contours of one frame.
    """
    keep = ~grid_cells(shapes.boxes, shapes.scores)
    if keep.all():
        return shapes
    return Candidates((c for c, k in zip(shapes, keep.tolist(), strict=True) if k), check_parents=False)


def grid_cells(boxes: NDArray[np.float64], fill: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(N,) whether a shape is a cell of a drawing grid or a piece of one.

    Args:
        boxes: (N, 4) xyxy in pixels.
        fill: (N,) outline area over box area.
    """
    none = np.zeros(len(boxes), dtype=np.bool_)
    cells = _cells(boxes, fill) if len(boxes) >= LEAST else none
    if not cells.any():
        return none
    xs, ys = _lines(boxes[cells][:, [0, 2]]), _lines(boxes[cells][:, [1, 3]])
    side = float(np.median(boxes[cells][:, 2:] - boxes[cells][:, :2]))
    area = np.array([*boxes[cells][:, :2].min(axis=0) - side, *boxes[cells][:, 2:].max(axis=0) + side])
    inside = (boxes[:, :2] >= area[:2]).all(axis=1) & (boxes[:, 2:] <= area[2:]).all(axis=1)
    on_x, on_y = _on(boxes[:, [0, 2]], xs).sum(axis=1), _on(boxes[:, [1, 3]], ys).sum(axis=1)
    short = (boxes[:, 2:] - boxes[:, :2]).min(axis=1) <= side
    pieces = inside & (on_x >= 1) & (on_y >= 1) & (on_x + on_y >= 2) & short
    blocks = inside & (on_x == 2) & (on_y == 2) & _square(boxes, 1.3) & (fill > 0.75)  # between the stronger lines
    return np.asarray(cells | pieces | (blocks if blocks.sum() >= LEAST else none))


def _cells(boxes: NDArray[np.float64], fill: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(N,) whether a shape has about the commonest size of all squarish ones, if those stand on a lattice, close together."""
    none = np.zeros(len(boxes), dtype=np.bool_)
    w, h = (boxes[:, 2:] - boxes[:, :2]).T
    squarish = _square(boxes, ASPECT) & (fill > 0.75)
    if squarish.sum() < LEAST:
        return none
    size = np.log(np.sqrt(w * h))
    step = np.log(1.25)
    (common, _), *_ = Counter(np.rint(size[squarish] / step).astype(int).tolist()).most_common(1)
    like = squarish & (np.abs(size - common * step) <= 2 * step)
    for _ in range(3):  # what shares neither a column nor a row with others is no cell
        like[like] = _crowded(boxes[like, 0]) & _crowded(boxes[like, 1])
    if like.sum() < LEAST:
        return none
    columns, rows = _lines(boxes[like][:, :1]), _lines(boxes[like][:, 1:2])
    dense = like.sum() >= max(LEAST, 0.4 * len(columns) * len(rows))
    side = float(np.median(np.maximum(w, h)[like]))
    return like if dense and min(len(columns), len(rows)) >= 3 and _touching(boxes[like], side) else none


def _square(boxes: NDArray[np.float64], most: float) -> NDArray[np.bool_]:
    """(N,) whether the longer side is at most ``most`` times the shorter one."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return np.asarray(sides.max(axis=1) <= most * sides.min(axis=1))


def _crowded(edges: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(N,) whether at least three edges stand at the same position."""
    if not edges.size:
        return np.zeros(0, dtype=np.bool_)
    where = np.searchsorted(_lines(edges), edges, side="right")
    return np.asarray(np.bincount(where)[where] >= 3)


def _touching(boxes: NDArray[np.float64], side: float) -> bool:
    """Whether neighbours share their borders, as cells do and tool buttons do not."""
    steps = [float(np.median(np.diff(_lines(boxes[:, k : k + 1])))) for k in (0, 1)]
    return max(steps) <= side + 5


def _lines(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distinct positions, nearer than 3 pixels being one."""
    ordered = np.sort(edges.ravel())
    return np.asarray(ordered[np.concatenate([[True], np.diff(ordered) > 3])], dtype=np.float64)


def _on(edges: NDArray[np.float64], lines: NDArray[np.float64]) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(edges[..., None] - lines).min(axis=-1) <= 3.5
    return near
