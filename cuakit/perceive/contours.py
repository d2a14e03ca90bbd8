"""Closed shapes by classical means: Canny edges, dilation, outlines, size and aspect filter, duplicates dropped.

Knows nothing about text or roles; letters are shapes to it. :mod:`cuakit.perceive.fuse` joins it with other sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UnknownName
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.lattice import grid_cells

MAX_SHAPES: Final = 4000
"""Most shapes that are compared with each other; beyond it the least box-like ones are dropped."""

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "default": MappingProxyType({}),
        # StructAgent's sidebar finder: Canny, 3×3 dilation, outer outlines, 20–70 px, aspect 0.4–2.5, centres 15 px
        # apart. Its Canny thresholds are not published; 50 and 150 are the customary pair.
        "seed": MappingProxyType(
            {
                "low": 50,
                "high": 150,
                "size_pt": (20.0, 70.0),
                "aspect": (0.4, 2.5),
                "apart_pt": 15.0,
                "nested": False,
                "rectangles": False,
            }
        ),
        # Icons only: what a toolbar or a palette holds.
        "icons": MappingProxyType({"rectangles": False, "size_pt": (8.0, 64.0)}),
    }
)
"""Named sets of options; see :meth:`Contours.preset`."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Outlines of one frame as columns.

    Args:
        boxes: (N, 4) xyxy in pixels of the frame.
        fill: (N,) outline area over box area: 1 for a rectangle, 0.79 for a circle.
    """

    boxes: NDArray[np.float64]
    fill: NDArray[np.float64]

    def take(self, which: NDArray[Any]) -> Shapes:
        """Rows by mask or index."""
        return Shapes(self.boxes[which], self.fill[which])


@dataclass(frozen=True, kw_only=True)
class Contours:
    """Icon-sized shapes of any form and rectangles of any size.

    Sizes are in logical points and are scaled by ``Screenshot.scale``: one setting serves 100 % and 300 % displays.
    Edges are taken over all three channels, so shapes that differ from their ground in hue alone are found, and the
    thresholds are low because rendered surfaces have no noise.

    Args:
        low: Canny's lower threshold on the gradient.
        high: Canny's upper threshold.
        dilate: Side in pixels of the square that closes gaps; 1 for none.
        size_pt: Shortest side, and longest side of a shape that is no rectangle.
        aspect: Width over height of a shape that is no rectangle.
        rectangles: Whether rectangles longer than ``size_pt`` are kept: fields, wide buttons, panels.
        rectangle_fill: Outline area over box area from which a shape is a rectangle.
        nested: Whether shapes inside shapes are kept.
        apart_pt: Smallest distance of two centres, or 0; of two nearer ones the larger is kept.
    """

    stage_id: ClassVar[str] = "contours-v1"
    low: int = 20
    high: int = 60
    dilate: int = 3
    size_pt: tuple[float, float] = (6.0, 64.0)
    aspect: tuple[float, float] = (0.2, 5.0)
    rectangles: bool = True
    rectangle_fill: float = 0.88
    nested: bool = True
    apart_pt: float = 0.0

    @classmethod
    def preset(cls, name: str) -> Self:
        """A named setting: ``default``, ``seed`` or ``icons``.

        Raises:
            UnknownName: No such preset.
        """
        if name not in PRESETS:
            raise UnknownName(f"no contours preset named {name!r}", hint=f"known: {', '.join(PRESETS)}")
        return cls(**PRESETS[name])

    def __call__(self, shot: Screenshot) -> Candidates:
        """Shapes in reading order: role ``icon`` up to ``size_pt``, ``unknown`` above; the score is the fill."""
        shapes = self.shapes(shot)
        limit = self.size_pt[1] * shot.scale
        return Candidates.numbered(
            Candidate(
                id=f"s{i}",
                box=Box(*map(float, box)),
                role="icon" if max(box[2] - box[0], box[3] - box[1]) <= limit else "unknown",
                source="contours",
                score=float(np.clip(fill, 0.05, 1.0)),
                provenance=(f"contours:s{i}",),
            )
            for i, (box, fill) in enumerate(zip(shapes.boxes, shapes.fill, strict=True))
        )

    def shapes(self, shot: Screenshot) -> Shapes:
        """The same as columns, largest first."""
        found = outlines(shot.pixels, self.low, self.high, self.dilate, nested=self.nested)
        found = found.take(self._wanted(found, shot))
        if len(found.fill) > MAX_SHAPES:  # a fine grid would crowd out everything else
            found = found.take(~grid_cells(found.boxes, found.fill))
        if len(found.fill) > MAX_SHAPES:
            found = found.take(np.argsort(-found.fill, kind="stable")[:MAX_SHAPES])
        sides = found.boxes[:, 2:] - found.boxes[:, :2]
        found = found.take(np.argsort(-sides.prod(axis=1), kind="stable"))
        found = found.take(_not_echoes(found.boxes, 2.5 * shot.scale + self.dilate))
        return found.take(_apart(found.boxes, self.apart_pt * shot.scale)) if self.apart_pt else found

    def _wanted(self, found: Shapes, shot: Screenshot) -> NDArray[np.bool_]:
        w, h = (found.boxes[:, 2:] - found.boxes[:, :2]).T
        least, most = (s * shot.scale for s in self.size_pt)
        big_enough = np.minimum(w, h) >= least - 0.5
        aspect = w / np.maximum(h, 1)
        icon = (np.maximum(w, h) <= most) & (aspect >= self.aspect[0]) & (aspect <= self.aspect[1])
        rectangle = (found.fill >= self.rectangle_fill) & (w * h < 0.95 * shot.width * shot.height)
        frame = np.array([0, 0, shot.width, shot.height])
        background = (np.abs(found.boxes - frame) <= 2).sum(axis=1) >= 3
        wanted: NDArray[np.bool_] = big_enough & ~background & (icon | (rectangle & self.rectangles))
        return wanted


def outlines(pixels: NDArray[np.uint8], low: int, high: int, dilate: int, *, nested: bool) -> Shapes:
    """Every outline of the edge map, holes included when ``nested``.

    Args:
        pixels: (H, W, 3) RGB.
        low: Canny's lower threshold.
        high: Canny's upper threshold.
        dilate: Side of the closing square in pixels.
        nested: Whether to look inside shapes.
    """
    edges = cv2.Canny(pixels, low, high)
    if dilate > 1:
        edges = cv2.dilate(edges, np.ones((dilate, dilate), np.uint8))
    if nested:  # a shape that the frame cuts off is closed by the frame
        edges[[0, -1]] = 255
        edges[:, [0, -1]] = 255
    mode = cv2.RETR_CCOMP if nested else cv2.RETR_EXTERNAL
    found, tree = cv2.findContours(edges, mode, cv2.CHAIN_APPROX_SIMPLE)
    if not found:
        return Shapes(np.zeros((0, 4)), np.zeros(0))
    xywh = np.array([cv2.boundingRect(c) for c in found], dtype=np.float64)
    area = np.array([cv2.contourArea(c) for c in found])
    is_hole = tree[0][:, 3] >= 0
    # Dilation moved outer outlines outwards, and the outlines of holes run on the pixels around them.
    shift = np.where(is_hole, -(dilate // 2 - 1), dilate // 2)[:, None]
    boxes = np.hstack([xywh[:, :2] + shift, xywh[:, :2] + xywh[:, 2:] - shift])
    boxes = boxes.clip(0, np.array([pixels.shape[1], pixels.shape[0]] * 2))
    fill = area / np.maximum((xywh[:, 2] - 1) * (xywh[:, 3] - 1), 1)
    sound = np.asarray((boxes[:, 2:] > boxes[:, :2]).all(axis=1))
    return Shapes(boxes, fill.clip(0, 1)).take(sound)


def _not_echoes(boxes: NDArray[np.float64], margin: float) -> NDArray[np.intp]:
    """Rows that are no inner edge of a larger row: a border drawn as a line has an outline on either side.

    Args:
        boxes: (N, 4) largest first.
        margin: Widest border in pixels.
    """
    keep: list[int] = []
    kept = np.empty_like(boxes)
    for i, box in enumerate(boxes):
        outer = kept[: len(keep)]
        gap = np.hstack([box[:2] - outer[:, :2], outer[:, 2:] - box[2:]])
        limit = min(margin, 0.3 * float(min(box[2] - box[0], box[3] - box[1])) + 1)
        if not ((gap >= -1) & (gap <= limit)).all(axis=1).any():
            kept[len(keep)] = box
            keep.append(i)
    return np.asarray(keep, dtype=np.intp)


def _apart(boxes: NDArray[np.float64], distance: float) -> NDArray[np.intp]:
    """Rows whose centre is at least ``distance`` from every earlier kept one."""
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    keep: list[int] = []
    for i, centre in enumerate(centres):
        if not keep or np.hypot(*(centres[keep] - centre).T).min() >= distance:
            keep.append(i)
    return np.asarray(keep, dtype=np.intp)
