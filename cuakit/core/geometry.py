"""Points, boxes and affine maps. One pixel space per value; nothing here knows which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Point:
    """A position; x grows to the right, y downwards."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """Half-open axis-aligned rectangle ``[left, right) × [top, bottom)``.

    Raises:
        ValueError: A side is negative or a coordinate is not finite.
    """

    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.xyxy)):
            raise ValueError(f"box coordinates must be finite: {self.xyxy}")
        if self.right < self.left or self.bottom < self.top:
            raise ValueError(f"box has a negative side: {self.xyxy}")

    @classmethod
    def from_xywh(cls, x: float, y: float, width: float, height: float) -> Self:
        """Box from its top-left corner and size."""
        return cls(x, y, x + width, y + height)

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """``(left, top, right, bottom)``."""
        return self.left, self.top, self.right, self.bottom

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Vertical extent."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Width × height; 0 for an empty box."""
        return self.width * self.height

    @property
    def center(self) -> Point:
        """Midpoint."""
        return Point((self.left + self.right) / 2, (self.top + self.bottom) / 2)

    def at(self, fx: float, fy: float) -> Point:
        """Point at the given fractions of width and height, each in [0, 1].

        >>> Box(0, 0, 10, 20).at(0.5, 0.25)
        Point(x=5.0, y=5.0)
        """
        return Point(self.left + fx * self.width, self.top + fy * self.height)

    def contains(self, what: Point | Box) -> bool:
        """Whether a point (half-open) or a whole box (edges may touch) lies inside."""
        if isinstance(what, Point):
            return self.left <= what.x < self.right and self.top <= what.y < self.bottom
        return (
            self.left <= what.left and self.top <= what.top and what.right <= self.right and what.bottom <= self.bottom
        )

    def intersect(self, other: Box) -> Box:
        """Shared part; an empty box where they do not meet."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Box(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))

    def union(self, other: Box) -> Box:
        """Smallest box that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def iou(self, other: Box) -> float:
        """Overlap as intersection over union, in [0, 1]. Touching edges do not overlap.

        >>> Box(0, 0, 4, 4).iou(Box(2, 0, 6, 4))
        0.3333333333333333
        """
        shared = self.intersect(other).area
        return shared / (self.area + other.area - shared) if shared else 0.0

    def pad(self, by: float) -> Box:
        """Grown by ``by`` on each side; a negative value shrinks, at most to the centre."""
        dx, dy = max(by, -self.width / 2), max(by, -self.height / 2)
        return Box(self.left - dx, self.top - dy, self.right + dx, self.bottom + dy)

    def shift(self, dx: float, dy: float) -> Box:
        """Moved by an offset."""
        return Box(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def clip(self, width: float, height: float) -> Box:
        """Part inside a frame of the given size."""
        return self.intersect(Box(0, 0, width, height))

    def rounded(self) -> tuple[int, int, int, int]:
        """Smallest whole-pixel ``(left, top, right, bottom)`` that covers the box."""
        return math.floor(self.left), math.floor(self.top), math.ceil(self.right), math.ceil(self.bottom)


@dataclass(frozen=True, slots=True)
class Affine:
    """``x' = m11·x + m12·y + tx``, ``y' = m21·x + m22·y + ty``.

    Raises:
        ValueError: The map is not finite or cannot be inverted.
    """

    m11: float = 1.0
    m12: float = 0.0
    m21: float = 0.0
    m22: float = 1.0
    tx: float = 0.0
    ty: float = 0.0

    def __post_init__(self) -> None:
        terms = (self.m11, self.m12, self.m21, self.m22, self.tx, self.ty)
        if not all(map(math.isfinite, terms)) or self._determinant == 0:
            raise ValueError(f"not an invertible affine map: {terms}")

    @property
    def _determinant(self) -> float:
        return self.m11 * self.m22 - self.m12 * self.m21

    @classmethod
    def scaling(cls, sx: float, sy: float | None = None, *, tx: float = 0.0, ty: float = 0.0) -> Self:
        """Axis scaling followed by a shift."""
        return cls(m11=sx, m22=sx if sy is None else sy, tx=tx, ty=ty)

    def apply(self, point: Point) -> Point:
        """Map one point."""
        return Point(
            self.m11 * point.x + self.m12 * point.y + self.tx,
            self.m21 * point.x + self.m22 * point.y + self.ty,
        )

    def apply_box(self, box: Box) -> Box:
        """Smallest box that holds the four mapped corners."""
        corners = [self.apply(Point(x, y)) for x in (box.left, box.right) for y in (box.top, box.bottom)]
        xs, ys = [c.x for c in corners], [c.y for c in corners]
        return Box(min(xs), min(ys), max(xs), max(ys))

    def then(self, after: Affine) -> Affine:
        """This map followed by ``after``."""
        return Affine(
            m11=after.m11 * self.m11 + after.m12 * self.m21,
            m12=after.m11 * self.m12 + after.m12 * self.m22,
            m21=after.m21 * self.m11 + after.m22 * self.m21,
            m22=after.m21 * self.m12 + after.m22 * self.m22,
            tx=after.m11 * self.tx + after.m12 * self.ty + after.tx,
            ty=after.m21 * self.tx + after.m22 * self.ty + after.ty,
        )

    def inverse(self) -> Affine:
        """The map back."""
        d = self._determinant
        a, b, c, e = self.m22 / d, -self.m12 / d, -self.m21 / d, self.m11 / d
        return Affine(a, b, c, e, -(a * self.tx + b * self.ty), -(c * self.tx + e * self.ty))


def iou_matrix(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """Pairwise IoU.

    Args:
        a: (N, 4) xyxy.
        b: (M, 4) xyxy.

    Returns:
        (N, M) values in [0, 1].
    """
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2, dtype=np.float64)
    area_a = (a[:, 2:] - a[:, :2]).prod(axis=1, dtype=np.float64)
    area_b = (b[:, 2:] - b[:, :2]).prod(axis=1, dtype=np.float64)
    total = area_a[:, None] + area_b[None, :] - shared
    overlap: NDArray[np.float64] = np.divide(shared, total, out=np.zeros_like(shared), where=total > 0)
    return overlap


def nms(
    boxes: NDArray[np.floating], scores: NDArray[np.floating], threshold: float, most: int | None = None
) -> NDArray[np.intp]:
    """Greedy non-maximum suppression.

    Args:
        boxes: (N, 4) xyxy.
        scores: (N,) higher is kept first; ties keep the earlier row.
        threshold: Rows with IoU above it to a kept row are dropped.
        most: Most rows that are kept; all by default.

    Returns:
        Indices that are kept, best first.
    """
    order = np.argsort(-scores, kind="stable")
    keep: list[int] = []
    while order.size and len(keep) != most:
        best, order = order[0], order[1:]
        keep.append(int(best))
        if order.size:
            order = order[iou_matrix(boxes[best : best + 1], boxes[order])[0] <= threshold]
    return np.asarray(keep, dtype=np.intp)
