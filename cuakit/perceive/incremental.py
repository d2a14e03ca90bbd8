"""Perception with a memory of one frame: what did not change is not read again, and keeps its id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import ClassVar, Final

import numpy as np

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.difference import changed
from cuakit.perceive.pipeline import Pixels
from cuakit.perceive.text import Line
from cuakit.perceive.track import track

GRID_PT: Final = 32
"""Points between the places of the detector's coarsest level; see ``STRIDES`` in its classes."""


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    shot: Screenshot
    lines: tuple[Line, ...]
    seen: Candidates
    found: Candidates
    next_id: int


@dataclass(frozen=True, kw_only=True)
class Incremental:
    """:class:`Pixels` for a sequence of frames of one target.

    An equal frame costs a comparison. After a local change only the lines of text that touch it are read again, and the detector
    is asked about its surroundings; shapes are found anew, because they are cheap and depend on their surroundings. Ids are those of the frame before.

    Args:
        pixels: What is done with each frame; a mapping of options will do.
        margin_pt: Room around a changed region, so that what is read there is not cut.
        context_pt: Room around a changed region, for the detector: what a control is depends on its surroundings.
        most: Share of the frame from which all of it is read again.
    """

    stage_id: ClassVar[str] = "incremental-v1"
    pixels: Pixels = field(default_factory=Pixels)
    margin_pt: float = 24.0
    context_pt: float = 160.0
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
                lines, seen = tuple(self.pixels.text.lines(shot)), self._see(shot)
                found = self.pixels.assemble(shot, lines, seen=seen)
                memory = _Memory(shot, lines, seen, found, len(found) + 1)
            elif last.shot.pixels is shot.pixels or np.array_equal(last.shot.pixels, shot.pixels):
                return last.found
            else:
                regions = changed(last.shot.pixels, shot.pixels)
                lines, seen = self._lines(last, shot, regions), self._seen(last, shot, regions)
                found, free = track(last.found, self.pixels.assemble(shot, lines, seen=seen), last.next_id)
                memory = _Memory(shot, lines, seen, found, free)
            self._last[:] = [memory]
            return memory.found

    def _see(self, shot: Screenshot) -> Candidates:
        return self.pixels.detector.see(shot) if self.pixels.detector else Candidates()

    def _seen(self, last: _Memory, shot: Screenshot, regions: Sequence[Box]) -> Candidates:
        """What the detector sees, asked again only around what changed."""
        rows = tuple(last.seen)
        touched = _merged([_with_all(r.pad(2), rows) for r in regions], self.context_pt * shot.scale)
        if not self.pixels.detector or self._is_most(touched, shot):
            return self._see(shot)
        for region in touched:
            part, left, top = _part(shot, region, self.context_pt, step=GRID_PT)
            again = (replace(c, box=c.box.shift(left, top)) for c in self._see(part))
            rows = (*(c for c in rows if not _meets(c.box, region)), *(c for c in again if _meets(c.box, region)))
        return Candidates(replace(c, id=f"d{i}", provenance=(f"detector:d{i}",)) for i, c in enumerate(rows))

    def _is_most(self, touched: Sequence[Box], shot: Screenshot) -> bool:
        return sum(r.area for r in touched) > self.most * shot.width * shot.height

    def _lines(self, last: _Memory, shot: Screenshot, regions: Sequence[Box]) -> tuple[Line, ...]:
        lines = last.lines
        touched = _merged([_with_all(r.pad(2), lines) for r in regions], self.margin_pt * shot.scale)
        if self._is_most(touched, shot):
            return tuple(self.pixels.text.lines(shot))
        for region in touched:
            lines = (
                *(line for line in lines if not _meets(line.box, region)),
                *self._read(shot, region, [line for line in lines if not _meets(line.box, region)]),
            )
        return lines

    def _read(self, shot: Screenshot, region: Box, kept: Sequence[Line]) -> list[Line]:
        """Lines that touch a region, in the coordinates of the frame."""
        part, left, top = _part(shot, region, self.margin_pt)
        found = (_moved(line, left, top) for line in self.pixels.text.lines(part, zoom=self.pixels.text.zoom(shot)))
        return [line for line in found if _meets(line.box, region) and all(line.box.iou(old.box) < 0.3 for old in kept)]


def _meets(a: Box, b: Box) -> bool:
    return a.intersect(b).area > 0


def _part(shot: Screenshot, region: Box, margin_pt: float, *, step: int = 1) -> tuple[Screenshot, int, int]:
    """A region with room around it, and where it begins: at a multiple of some points, so that a grid stays the same."""
    left, top, right, bottom = region.pad(margin_pt * shot.scale).clip(shot.width, shot.height).rounded()
    pitch = max(1, round(step * shot.scale))
    left, top = left - left % pitch, top - top % pitch
    return Screenshot(pixels=shot.pixels[top:bottom, left:right], scale=shot.scale), left, top


def _with_all(region: Box, things: Sequence[Line] | Sequence[Candidate]) -> Box:
    """The region grown until nothing lies across its edge."""
    while True:
        grown = region
        for thing in things:
            if _meets(thing.box, grown):
                grown = grown.union(thing.box)
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
