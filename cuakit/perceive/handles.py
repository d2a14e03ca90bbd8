"""Selection handles of drawing programs: dots to resize, signs to turn, arrows to extend, and the shape they belong to.

Handles have one colour that nothing else on the canvas has, and a size in points that does not follow the zoom.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.handle_groups import Frame, group
from cuakit.perceive.handle_masks import HandleColour, Mask, dots, faint, largest, rings

DRAWIO: Final = (41, 182, 242)
"""#29b6f2, the colour of draw.io's handles in both of its themes."""

_PLACES: Final = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
_WINDS: Final = ("nw", "n", "ne", "e", "se", "s", "sw", "w")


@dataclass(frozen=True, slots=True, eq=False)
class _Marks:
    """All that is drawn in the colour of the handles: pixels, dots and signs."""

    mask: Mask
    dots: NDArray[np.float64]
    signs: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Handles:
    """Handles by colour and geometry.

    Each selected shape is a candidate of role ``group`` with the state ``selected``; its handles are its children,
    named ``resize nw`` … ``resize w`` by the direction on the screen, ``rotate`` and ``extend up`` … ``extend left``.
    Dots that form no rectangle, such as the ends of a connector, are named ``handle``.

    Args:
        rgb: Colour of the handles; :meth:`learn` takes it from an example.
        hue: How far the hue may be off, in degrees.
        dot_pt: Smallest and largest diameter of a dot in points.
    """

    stage_id: ClassVar[str] = "handles-v1"
    rgb: tuple[int, int, int] = DRAWIO
    hue: float = 12.0
    dot_pt: tuple[float, float] = (6.5, 14.0)

    def learn(self, shot: Screenshot, point: Point) -> Self:
        """The same stage for the colour of the handle under a point, as one clicks it in a picture.

        Raises:
            ValueError: There is nothing coloured there.
        """
        return replace(self, rgb=HandleColour.at(shot, point).rgb)

    def __call__(self, shot: Screenshot) -> Candidates:
        """Shapes and handles in reading order; empty when nothing is selected."""
        mask = HandleColour(rgb=self.rgb, hue=self.hue).mask(shot.pixels)
        found = dots(mask, shot.scale, self.dot_pt)
        if not len(found):
            return Candidates()
        # Thin strokes are mostly soft edge, so signs are looked for in paler pixels too.
        pale = HandleColour(rgb=self.rgb, hue=self.hue, saturation=0.3, value=0.4).mask(shot.pixels)
        marks = _Marks(mask, found, rings(pale, found, shot.scale))
        frames = group((found[:, :2] + found[:, 2:]) / 2, 1.6 * shot.scale + 0.5)
        rows: list[Candidate] = []
        for k, frame in enumerate(frames):
            rows += self._selection(shot, marks, frame, f"s{k}")
        used = {i for f in frames for i in f.dots.values()}
        rows += [
            _row(f"d{i}", "handle", Box(*map(float, b)), score=0.5, actions=("drag",))
            for i, b in enumerate(found)
            if i not in used
        ]
        return Candidates.numbered(rows)

    def _selection(self, shot: Screenshot, marks: _Marks, frame: Frame, id: str) -> Iterator[Candidate]:
        sign, frame = _turning_sign(frame, marks.signs, shot.scale)
        box = _shape_box(marks, frame, shot.scale)
        yield _row(id, "selection", box.clip(shot.width, shot.height), role="group", states=("selected",))
        step = round(frame.angle / 45)
        for k, place in enumerate(_PLACES):
            if place in frame.dots:
                dot = Box(*map(float, marks.dots[frame.dots[place]]))
                yield _row(f"{id}.{k}", f"resize {_WINDS[(k + step) % 8]}", dot, parent=id, actions=("drag",))
        if sign is not None:
            yield _row(f"{id}.r", "rotate", sign, parent=id, actions=("drag", "click"))
        for name, arrow in _arrows(shot, box, self.rgb):
            yield _row(f"{id}.{name}", f"extend {name}", arrow, parent=id, actions=("click", "drag"))


def _row(
    id: str,
    name: str,
    box: Box,
    *,
    role: str = "icon",
    parent: str = "",
    score: float = 1.0,
    states: tuple[str, ...] = (),
    actions: tuple[str, ...] = (),
) -> Candidate:
    return Candidate(
        id=id,
        box=box,
        role=role,
        name=name,
        source="contours",
        score=score,
        states=states,
        actions=actions,
        parent=parent,
        provenance=(f"handles:{id}",),
    )


def _turning_sign(frame: Frame, signs: NDArray[np.float64], scale: float) -> tuple[Box | None, Frame]:
    """The sign near a corner, and the frame read so that this corner is its top right one."""
    best: tuple[float, int, Box] | None = None
    for sign in signs:
        box = Box(*map(float, sign))
        for quarters in range(4):
            x, y = frame.turned(quarters).at(1, -1)
            out = box.center.x - frame.center[0], box.center.y - frame.center[1]
            corner = x - frame.center[0], y - frame.center[1]
            outside = math.hypot(*out) > math.hypot(*corner)
            distance = math.hypot(box.center.x - x, box.center.y - y)
            if outside and distance < 34 * scale and (best is None or distance < best[0]):
                best = distance, quarters, box
    return (None, frame) if best is None else (best[2], frame.turned(best[1]))


def _shape_box(marks: _Marks, frame: Frame, scale: float) -> Box:
    """Bounding box of the shape on the screen.

    Around a small shape the handles stand away from its border; then the border itself is looked for.
    """
    corners = np.array([frame.at(x, y) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    hull = Box(*map(float, (*corners.min(axis=0), *corners.max(axis=0))))
    if abs(frame.angle) % 90 > 0.5:
        return hull
    lines = marks.mask.copy()
    for left, top, right, bottom in marks.dots.round().astype(int) + np.array([-1, -1, 1, 1]):
        lines[max(0, top) : bottom, max(0, left) : right] = False
    left, top, right, bottom = hull.pad(scale).clip(lines.shape[1], lines.shape[0]).rounded()
    inside = lines[top:bottom, left:right]
    columns, rows = np.flatnonzero(inside.any(axis=0)), np.flatnonzero(inside.any(axis=1))
    if len(columns) < 3 * scale or len(rows) < 3 * scale:
        return hull
    border = Box(left + columns[0], top + rows[0], left + columns[-1] + 1.0, top + rows[-1] + 1.0).pad(-0.5 * scale)
    away = min(border.left - hull.left, border.top - hull.top, hull.right - border.right, hull.bottom - border.bottom)
    return border if away > 3 * scale else hull


def _arrows(shot: Screenshot, box: Box, rgb: tuple[int, int, int]) -> Iterator[tuple[str, Box]]:
    """Faint arrows that point away from the middles of the sides."""
    s = shot.scale
    x, y = box.center.x, box.center.y
    near, far, half = 4 * s, 44 * s, 14 * s
    places: Sequence[tuple[str, Box]] = (
        ("up", Box(x - half, box.top - far, x + half, box.top - near)),
        ("right", Box(box.right + near, y - half, box.right + far, y + half)),
        ("down", Box(x - half, box.bottom + near, x + half, box.bottom + far)),
        ("left", Box(box.left - far, y - half, box.left - near, y + half)),
    )
    for name, place in places:
        cut = place.clip(shot.width, shot.height)
        crop = shot.crop(cut)
        if min(crop.shape[:2]) < 12 * s:
            continue
        blob = largest(faint(crop, rgb), max(2, round(s)))
        long, wide = (blob.height, blob.width) if name in ("up", "down") else (blob.width, blob.height)
        if 16 * s <= long <= 34 * s and 9 * s <= wide <= 22 * s:
            left, top, _, _ = cut.rounded()
            yield name, blob.shift(left, top)
