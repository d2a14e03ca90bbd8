"""Which dots belong to one selected shape: geometry of points alone.

A selection is drawn as four corners and four middles of a rectangle, which may be turned, or as the four middles only
when the shape is small. Both are symmetric about the centre, so opposite dots share their midpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_DOTS: Final = 96
"""Most dots that are looked at; twelve selected shapes."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle of handles.

    Args:
        center: Midpoint in pixels.
        across: From the centre to the middle of the right side, in the shape's own frame.
        down: From the centre to the middle of the bottom side.
        dots: Index of each dot by place: ``(1, -1)`` is the top right corner, ``(0, 1)`` the middle of the bottom.
    """

    center: tuple[float, float]
    across: tuple[float, float]
    down: tuple[float, float]
    dots: dict[tuple[int, int], int]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Point at signed fractions of the half sides."""
        return (
            self.center[0] + x * self.across[0] + y * self.down[0],
            self.center[1] + x * self.across[1] + y * self.down[1],
        )

    @property
    def angle(self) -> float:
        """Degrees clockwise that the shape is turned."""
        return float(np.degrees(np.arctan2(self.across[1], self.across[0])))

    def turned(self, quarters: int) -> Frame:
        """The same rectangle read after so many quarter turns clockwise."""
        across, down, dots = self.across, self.down, self.dots
        for _ in range(quarters % 4):
            across, down = down, (-across[0], -across[1])
            dots = {(y, -x): i for (x, y), i in dots.items()}
        return Frame(self.center, across, down, dots)


def group(points: NDArray[np.float64], tolerance: float) -> list[Frame]:
    """Rectangles of handles among dots, the smallest first; each dot serves one.

    Args:
        points: (N, 2) centres of dots in pixels.
        tolerance: How far a dot may be from its place, in pixels.
    """
    points = points[:MAX_DOTS]
    pairs = _opposite(points, tolerance)
    full = [f for members in pairs for f in _with_corners(points, members, tolerance)]
    frames = _disjoint(full)
    used = {i for f in frames for i in f.dots.values()}
    middles = [
        f for members in pairs for f in _middles_only(points, members, tolerance) if not used & set(f.dots.values())
    ]
    frames += _disjoint(middles)
    used = {i for f in frames for i in f.dots.values()}
    rest = [i for i in range(len(points)) if i not in used]
    return [*frames, *_disjoint(_cut_off(points, rest, tolerance))]


def _disjoint(frames: Iterable[Frame]) -> list[Frame]:
    taken: set[int] = set()
    kept: list[Frame] = []
    for frame in sorted(frames, key=lambda f: (-len(f.dots), np.hypot(*f.across) * np.hypot(*f.down))):
        members = set(frame.dots.values())
        if not members & taken:
            taken |= members
            kept.append(frame)
    return kept


def _opposite(points: Vector, tolerance: float) -> list[list[tuple[int, int]]]:
    """Pairs of dots by common midpoint."""
    cells: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i, j in combinations(range(len(points)), 2):
        x, y = (points[i] + points[j]) / 2 / (2 * tolerance)
        for a in {int(np.floor(x)), int(np.floor(x + 0.5))}:
            for b in {int(np.floor(y)), int(np.floor(y + 0.5))}:
                cells[a, b].append((i, j))
    unique = {tuple(members) for members in cells.values() if len(members) > 1}
    return [list(members) for members in unique]


def _with_corners(points: Vector, pairs: Sequence[tuple[int, int]], tolerance: float) -> list[Frame]:
    found = []
    half = {p: (points[p[1]] - points[p[0]]) / 2 for p in pairs}
    for p, q in combinations(pairs, 2):
        if abs(np.hypot(*half[p]) - np.hypot(*half[q])) > tolerance or set(p) & set(q):
            continue
        center = (points[p[0]] + points[p[1]]) / 2
        frame = _frame(points, center, (half[p] + half[q]) / 2, (half[p] - half[q]) / 2, tolerance)
        if frame is not None and len(frame.dots) == 8:
            found.append(frame)
    return found


def _middles_only(points: Vector, pairs: Sequence[tuple[int, int]], tolerance: float) -> list[Frame]:
    found = []
    half = {p: (points[p[1]] - points[p[0]]) / 2 for p in pairs}
    for p, q in combinations(pairs, 2):
        cosine = float(half[p] @ half[q]) / max(1e-9, np.hypot(*half[p]) * np.hypot(*half[q]))
        small = min(np.hypot(*half[p]), np.hypot(*half[q])) < 20 * tolerance  # else the corners would be shown
        if abs(cosine) > 0.05 or set(p) & set(q) or not small:
            continue
        center = (points[p[0]] + points[p[1]]) / 2
        frame = _frame(points, center, half[p], half[q], tolerance)
        if frame is not None and len(frame.dots) == 4 and all(0 in place for place in frame.dots):
            found.append(frame)
    return found


def _cut_off(points: Vector, rest: Sequence[int], tolerance: float) -> list[Frame]:
    """Rectangles of which a part is out of sight: a corner and the middles of its two sides, and at least two more."""
    found = []
    for corner in rest[:32]:
        for a, b in combinations([i for i in rest[:32] if i != corner], 2):
            u, v = points[a] - points[corner], points[b] - points[corner]
            frame = _frame(points, points[corner] + u + v, u, v, tolerance)
            if frame is not None and len(frame.dots) >= 5 and set(frame.dots.values()) <= set(rest):
                found.append(frame)
    return found


def _frame(points: Vector, center: Vector, a: Vector, b: Vector, tolerance: float) -> Frame | None:
    """Rectangle with half sides ``a`` and ``b``, turned so that ``across`` points right, with the dots on its places."""
    if min(np.hypot(*a), np.hypot(*b)) < 2 * tolerance or abs(float(a @ b)) > 0.05 * np.hypot(*a) * np.hypot(*b):
        return None
    across, down = (a, b) if abs(a[0]) >= abs(a[1]) else (b, a)
    across = across if across[0] > 0 else -across
    down = down if across[0] * down[1] - across[1] * down[0] > 0 else -down
    dots = {}
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            distance = np.hypot(*(points - (center + x * across + y * down)).T)
            nearest = int(distance.argmin())
            if distance[nearest] <= tolerance:
                dots[x, y] = nearest
    if (0, 0) in dots or len(set(dots.values())) != len(dots):
        return None
    return Frame(_pair(center), _pair(across), _pair(down), dots)


def _pair(v: Vector) -> tuple[float, float]:
    return float(v[0]), float(v[1])
