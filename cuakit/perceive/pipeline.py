"""Everything that pixels alone can tell: shapes and text, joined, with roles and names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import ClassVar

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.regions import Model
from cuakit.core.screenshot import Screenshot
from cuakit.core.timing import Stopwatch
from cuakit.perceive.contours import Contours
from cuakit.perceive.detected import unclaimed, with_told_roles
from cuakit.perceive.detector import Detector
from cuakit.perceive.fuse import FuseOptions, fuse
from cuakit.perceive.glyphs import mark_glyphs, without_marks
from cuakit.perceive.lattice import without_canvas_grid
from cuakit.perceive.links import Piece, split_links
from cuakit.perceive.omniparser import OmniParser
from cuakit.perceive.roles import assign_roles
from cuakit.perceive.text import Line, PpOcrText


@dataclass(frozen=True, kw_only=True)
class Pixels:
    """Contours, detected controls and text lines, fused into controls with roles and names. Sees the frame and nothing else.

    The same frame (same pixels and scale) costs a hash: results are kept by digest.

    Args:
        contours: How shapes are found; a mapping of options will do.
        text: How text is read; a mapping of options will do.
        fuse: Distances for joining the two; a mapping of options will do.
        icons: Icons from the OmniParser extension as well, when it is installed; a mapping of options will do.
        detector: Controls that have no outline, and roles; None for none; a mapping of options will do.
        remember: Frames whose result is kept; 0 for none.
    """

    stage_id: ClassVar[str] = "pixels-v1"
    contours: Contours = field(default_factory=Contours)
    text: PpOcrText = field(default_factory=PpOcrText)
    fuse: FuseOptions = field(default_factory=FuseOptions)
    icons: OmniParser | None = None
    detector: Detector | None = field(default_factory=Detector)
    remember: int = 8
    _seen: OrderedDict[tuple[str, float], Candidates] = field(
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (
            ("contours", Contours),
            ("text", PpOcrText),
            ("fuse", FuseOptions),
            ("icons", OmniParser),
            ("detector", Detector),
        ):
            options = getattr(self, name)
            if isinstance(options, Mapping):  # as written in an agent's file
                object.__setattr__(self, name, kind(**options))

    def __call__(self, shot: Screenshot) -> Candidates:
        """Candidates in reading order, ids ``c01``….

        Raises:
            MissingExtra: A package of the extra ``vision`` is not installed.
            ModelError: Weights are damaged or cannot run.
        """
        key = (shot.digest, shot.scale)
        with self._lock:
            if key in self._seen:
                self._seen.move_to_end(key)
                return self._seen[key]
        found = self.parse(shot)
        with self._lock:
            self._seen[key] = found
            while len(self._seen) > self.remember:
                self._seen.popitem(last=False)
        return found

    def parse(self, shot: Screenshot, *, watch: Stopwatch | None = None) -> Candidates:
        """The same without looking at earlier results.

        Args:
            shot: The frame.
            watch: Takes the time of each part, and stops the parse at its deadline.

        Raises:
            OutOfTime: The deadline is over.
        """
        watch = watch or Stopwatch()
        return self.assemble(shot, self.text.lines(shot, watch=watch), watch=watch)

    def models(self) -> tuple[Model, ...]:
        """The networks that take part, loaded if they were not."""
        return tuple(m for part in (self.text, self.detector, self.icons) if part for m in part.models())

    def notes(self) -> tuple[str, ...]:
        """What a person should know about how it runs."""
        return tuple(dict.fromkeys(n for part in (self.text, self.detector, self.icons) if part for n in part.notes()))

    def assemble(
        self,
        shot: Screenshot,
        lines: Sequence[Line],
        *,
        seen: Candidates | None = None,
        watch: Stopwatch | None = None,
    ) -> Candidates:
        """Everything but reading: candidates from a frame whose lines of text are known.

        Args:
            shot: The frame.
            lines: Its text.
            seen: What the detector sees on it, where that is known.
            watch: Takes the time of each part, and stops at its deadline.
        """
        watch = watch or Stopwatch()
        with watch.span("contours"):
            shapes = mark_glyphs(shot, without_canvas_grid(self.contours(shot)))
        with watch.span("detector"):
            if seen is None:
                seen = self.detector.see(shot) if self.detector else Candidates()
            sure = self.detector.sure(seen) if self.detector else Candidates()
        with watch.span("icons"):
            icons = self.icons(shot) if self.icons else Candidates()
        with watch.span("links"):
            pieces = split_links(shot, without_marks(shot, lines, shapes))
        texts = _rows(pieces)
        where = {p: r.box for r in texts for p in r.provenance}

        def text_box(c: Candidate) -> Box | None:
            boxes = [where[p] for p in c.provenance if p in where]
            return None if not boxes else _hull(boxes)

        with watch.span("fuse"):
            fused = fuse(
                unclaimed((*shapes, *icons), texts, sure, scale=shot.scale),
                shapes,
                icons,
                texts,
                scale=shot.scale,
                options=self.fuse,
            )
        with watch.span("roles"):
            return with_told_roles(assign_roles(shot, fused, text_box), seen)


def _hull(boxes: list[Box]) -> Box:
    hull = boxes[0]
    for box in boxes[1:]:
        hull = hull.union(box)
    return hull


def _rows(pieces: list[Piece]) -> Candidates:
    return Candidates(
        Candidate(
            id=f"t{i}",
            box=p.line.box,
            role="link" if p.link else "text",
            name=p.line.text,
            text=p.line.text,
            source="ocr",
            score=p.line.score,
            provenance=(f"ocr:t{i}",),
        )
        for i, p in enumerate(pieces)
    )
