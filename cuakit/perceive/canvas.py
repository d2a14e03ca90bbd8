"""The drawing area of a diagram editor, and the filled shapes on it, from pixels.

The area is where thin lines repeat at one pitch in both directions: the grid. A shape is a closed outline whose inside
hides the grid, so a region that connectors merely enclose is none. Text is none of its business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot


@dataclass(frozen=True, kw_only=True)
class CanvasShapes:
    """Finds the canvas (``group``, named ``canvas``) and the shapes on it (``image``, named by their outline).

    Lengths are in points, scaled by ``Screenshot.scale``.

    Args:
        pitch_pt: Least and greatest distance of grid lines.
        least_pt: Shortest side of a shape.
        contrast: Least difference of an outline from the background, in grey levels.
        colour: Least colourfulness (largest minus smallest channel) that counts as ink as well: the blurred edges of
            selection handles, which would leave a gap in an outline; above the palest fills.
        area: Where the canvas is, in physical pixels, when that is known already.
    """

    stage_id: ClassVar[str] = "canvas-v1"
    pitch_pt: tuple[float, float] = (4.0, 45.0)
    least_pt: float = 8.0
    contrast: int = 90
    colour: int = 60
    area: Box | None = None

    def __call__(self, shot: Screenshot) -> Candidates:
        """The canvas first, then shapes in reading order; empty where no canvas is in sight."""
        grey: NDArray[np.uint8] = np.asarray(cv2.cvtColor(shot.pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
        area = self.area or self.find(grey, shot.scale)
        if area is None:
            return Candidates()
        rows = [
            Candidate(id="canvas", box=area, role="group", name="canvas", source="contours", actions=("click", "drop"))
        ]
        for box, name in sorted(self.shapes(shot.pixels, grey, area, shot.scale), key=lambda s: (s[0].top, s[0].left)):
            id = f"s{len(rows):03d}"
            rows.append(
                Candidate(id=id, box=box, role="image", name=name, source="contours", actions=("click", "drag"))
            )
        return Candidates(rows)

    def find(self, grey: NDArray[np.uint8], scale: float) -> Box | None:
        """Extent of the grid, or None.

        Args:
            grey: (H, W) uint8.
            scale: Pixels per point.
        """
        across = _longest(_lines(grey, axis=0, share=0.25), self.pitch_pt, scale)
        if across is None:
            return None
        strip = grey[:, across[0] : across[1]]
        down = _longest(_lines(strip, axis=1, share=0.2), self.pitch_pt, scale)
        return None if down is None else Box(across[0], down[0], across[1], down[1])

    def shapes(
        self, pixels: NDArray[np.uint8], grey: NDArray[np.uint8], area: Box, scale: float
    ) -> list[tuple[Box, str]]:
        """Outer boxes of filled shapes in an area, with the name of their outline."""
        left, top, right, bottom = area.rounded()
        inner = grey[top:bottom, left:right]
        paper = _paper(inner)
        colour = np.ptp(pixels[top:bottom, left:right], axis=2)
        ink = ((np.abs(inner.astype(np.int16) - paper) >= self.contrast) | (colour >= self.colour)).astype(np.uint8)
        reach = 2 * max(1, round(scale)) + 1  # an outline may fade for a pixel where a selection handle touches it
        ink = np.asarray(cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8)), dtype=np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(1 - ink, connectivity=4)
        found: list[tuple[Box, str]] = []
        for i in range(1, count):
            x, y, width, height, _ = (int(v) for v in stats[i])
            whole = min(x, y) > 0 and x + width < inner.shape[1] and y + height < inner.shape[0]
            if not whole or min(width, height) < self.least_pt * scale:
                continue
            inside = labels[y : y + height, x : x + width] == i
            if _hides_grid(inner[y : y + height, x : x + width], inside, scale):
                line = max(1.0, round(scale))
                box = Box(x - line, y - line, x + width + line, y + height + line).shift(left, top)
                found.append((box, _outline(inside)))
        return [f for f in found if not any(o is not f and o[0].contains(f[0]) for o in found)]


def _paper(inner: NDArray[np.uint8]) -> int:
    """The commonest grey level: paper or fill, never a line."""
    return int(np.bincount(inner.ravel(), minlength=256).argmax())


def _lines(grey: NDArray[np.uint8], *, axis: int, share: float) -> NDArray[np.intp]:
    """Positions where a line runs through at least a share of the other direction."""
    values = grey.astype(np.int16)
    step = np.abs(np.diff(values, axis=1 - axis)) >= 3
    drawn = step.mean(axis=axis) >= share
    return np.flatnonzero(drawn)


def _longest(at: NDArray[np.intp], pitch_pt: tuple[float, float], scale: float) -> tuple[int, int] | None:
    """Longest run of lines whose gaps stay below the pitch; at least eight lines."""
    if at.size < 8:
        return None
    breaks = np.flatnonzero(np.diff(at) > 2 * scale) + 1
    lines = np.array([part.mean() for part in np.split(at, breaks)])  # a line has two sides, blurred at odd scales
    gaps = np.diff(lines)
    usual = gaps[(gaps >= pitch_pt[0] * scale) & (gaps <= pitch_pt[1] * scale)]
    if not usual.size:
        return None
    regular = np.abs(gaps - np.median(usual)) <= 1.5 * scale
    best, start = (0, 0), 0
    for i in range(len(gaps) + 1):
        if i == len(gaps) or not regular[i]:
            if i - start >= 8 and i - start > best[1] - best[0]:
                best = start, i
            start = i + 1
    return _extended(lines, *best, slack=1.5 * scale) if best[1] else None


def _extended(lines: NDArray[np.float64], first: int, last: int, *, slack: float) -> tuple[int, int]:
    """A run of regular lines, continued at both ends past lines that do not belong to it, such as outlines."""
    low, high = float(lines[first]), float(lines[last])
    pitch = (high - low) / (last - first)
    while (near := np.abs(lines - (high + pitch))).min() <= slack:
        high = float(lines[near.argmin()])
    while (near := np.abs(lines - (low - pitch))).min() <= slack:
        low = float(lines[near.argmin()])
    return round(low), round(high)


def _hides_grid(pixels: NDArray[np.uint8], inside: NDArray[np.bool_], scale: float) -> bool:
    """Whether the inside is one flat colour, apart from text: no straight line runs right through it."""
    edge = int(np.ceil(2 * scale))
    core = inside[edge:-edge, edge:-edge]
    values = pixels[edge:-edge, edge:-edge]
    if core.sum() < 16:
        return False
    flat = int(np.bincount(values[core], minlength=256).argmax())
    off = core & (np.abs(values.astype(np.int16) - flat) >= 4)
    through = [(off.sum(axis) >= 0.7 * core.sum(axis)) & (core.sum(axis) >= 0.25 * core.shape[axis]) for axis in (0, 1)]
    return all(int(t.sum()) < 2 for t in through)


def _outline(inside: NDArray[np.bool_]) -> str:
    """``rectangle``, ``ellipse``, ``rhombus`` or ``shape``, by how much of its box it fills and where."""
    height, width = inside.shape
    filled = cv2.fillPoly(
        np.zeros((height, width), np.uint8),
        cv2.findContours(inside.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0],
        (1,),
    )
    share = float(filled.mean())
    corners = [bool(filled[y, x]) for y in (1, height - 2) for x in (1, width - 2)]
    if share > 0.96:
        return "rectangle"
    if abs(share - 0.785) < 0.04 and not any(corners):
        return "ellipse"
    if abs(share - 0.5) < 0.05 and not any(corners):
        return "rhombus"
    return "rounded rectangle" if share > 0.9 else "shape"
