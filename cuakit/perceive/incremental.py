"""Perception with a memory of one frame: what did not change is not read again, and keeps its id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import ClassVar

import numpy as np

from cuakit.core.candidate import Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.difference import changed
from cuakit.perceive.pipeline import Pixels
from cuakit.perceive.text import Line
from cuakit.perceive.track import track


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    shot: Screenshot
    lines: tuple[Line, ...]
    found: Candidates
    next_id: int


@dataclass(frozen=True, kw_only=True)
class Incremental:
    """:class:`Pixels` for a sequence of frames of one target.

    An equal frame costs a comparison. After a local change only the lines of text that touch it are read again; shapes
    are found anew, because they are cheap and depend on their surroundings. Ids are those of the frame before.

    Args:
        pixels: What is done with each frame; a mapping of options will do.
        margin_pt: Room around a changed region, so that what is read there is not cut.
        most: Share of the frame from which all of it is read again.
    """

    stage_id: ClassVar[str] = "incremental-v1"
    pixels: Pixels = field(default_factory=Pixels)
    margin_pt: float = 24.0
    most: float = 0.5
    _last: list[_Memory] = field(default_factory=list, init=False, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.pixels, Mapping):  # as written in an agent's file
            object.__setattr__(self, "pixels", Pixels(**self.pixels))

    def __call__(self, shot: Screenshot) -> Candidates:
        """Candidates in reading order; ids carry over from the frame before.

        Raises:
            MissingExtra: A package of the extra ``vision`` is not installed.
            ModelError: Weights are damaged or cannot run.
        """
        with self._lock:  # frames have an order
            last = self._last[0] if self._last else None
            if last is None or last.shot.size != shot.size or last.shot.scale != shot.scale:
                lines = tuple(self.pixels.text.lines(shot))
                found = self.pixels.assemble(shot, lines)
                memory = _Memory(shot, lines, found, len(found) + 1)
            elif last.shot.pixels is shot.pixels or np.array_equal(last.shot.pixels, shot.pixels):
                return last.found
            else:
                lines = self._lines(last, shot)
                found, free = track(last.found, self.pixels.assemble(shot, lines), last.next_id)
                memory = _Memory(shot, lines, found, free)
            self._last[:] = [memory]
            return memory.found

    def _lines(self, last: _Memory, shot: Screenshot) -> tuple[Line, ...]:
        lines, regions = last.lines, changed(last.shot.pixels, shot.pixels)
        touched = [_with_lines(r.pad(2), lines) for r in regions]
        touched = _merged(touched, self.margin_pt * shot.scale)
        if sum(r.area for r in touched) > self.most * shot.width * shot.height:
            return tuple(self.pixels.text.lines(shot))
        for region in touched:
            lines = (
                *(line for line in lines if not _meets(line.box, region)),
                *self._read(shot, region, [line for line in lines if not _meets(line.box, region)]),
            )
        return lines

    def _read(self, shot: Screenshot, region: Box, kept: Sequence[Line]) -> list[Line]:
        """Lines that touch a region, in the coordinates of the frame."""
        left, top, right, bottom = region.pad(self.margin_pt * shot.scale).clip(shot.width, shot.height).rounded()
        part = Screenshot(pixels=shot.pixels[top:bottom, left:right], scale=shot.scale)
        found = (_moved(line, left, top) for line in self.pixels.text.lines(part, zoom=self.pixels.text.zoom(shot)))
        return [line for line in found if _meets(line.box, region) and all(line.box.iou(old.box) < 0.3 for old in kept)]


def _meets(a: Box, b: Box) -> bool:
    return a.intersect(b).area > 0


def _with_lines(region: Box, lines: Sequence[Line]) -> Box:
    """The region grown until no line lies across its edge."""
    while True:
        grown = region
        for line in lines:
            if _meets(line.box, grown):
                grown = grown.union(line.box)
        if grown == region:
            return region
        region = grown


def _merged(regions: Sequence[Box], margin: float) -> list[Box]:
    """Regions whose surroundings meet become one: reading them apart would read the overlap twice."""
    out: list[Box] = []
    for region in regions:
        joined = region
        while near := [r for r in out if _meets(r.pad(margin), joined.pad(margin))]:
            for r in near:
                out.remove(r)
                joined = joined.union(r)
        out.append(joined)
    return out


def _moved(line: Line, dx: float, dy: float) -> Line:
    return replace(line, box=line.box.shift(dx, dy), places=tuple(x + dx for x in line.places))
