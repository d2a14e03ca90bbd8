"""Lines of text with what they say, by PP-OCR on ONNX Runtime with the weights of the ``rapidocr`` wheel."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Final, Literal

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.regions import Model
from cuakit.core.screenshot import Screenshot
from cuakit.core.timing import Stopwatch
from cuakit.models.catalogue import model
from cuakit.models.load import Runtime, load
from cuakit.models.session import Session
from cuakit.perceive.ocr_detect import DetectOptions, Quad, detect
from cuakit.perceive.ocr_read import Alphabet, Reading, read
from cuakit.perceive.ocr_spaces import respace

_DETECTOR: Final = "ppocr-v6-small-det"
_READER: Final = "ppocr-v6-small-rec"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text on a frame.

    Args:
        box: Extent in pixels of the frame.
        text: What it says, with single spaces and none at its ends.
        score: Detection times recognition confidence, in [0, 1].
        places: Horizontal centre of each character in pixels of the frame, as the recogniser saw it; empty for lines
            that are not level.
        angle: Degrees clockwise against the x axis.
    """

    box: Box
    text: str
    score: float
    places: tuple[float, ...] = ()
    angle: float = 0.0

    def words(self) -> tuple[tuple[str, Box], ...]:
        """Each word with its box, which reaches to the middle of the spaces around it; empty without ``places``."""
        if not self.places:
            return ()
        spans = [(m.start(), m.end() - 1) for m in re.finditer(r"\S+", self.text)]
        edges = [(self.places[a[1]] + self.places[b[0]]) / 2 for a, b in pairwise(spans)]
        edges = [self.box.left, *(min(max(e, self.box.left), self.box.right) for e in edges), self.box.right]
        return tuple(
            (self.text[a : z + 1], Box(left, self.box.top, max(left, right), self.box.bottom))
            for (a, z), left, right in zip(spans, edges[:-1], edges[1:], strict=True)
        )


@dataclass(frozen=True, kw_only=True)
class PpOcrText:
    """Text lines by PP-OCRv6 small: one detection pass, then recognition in batches of like widths.

    The detector's input is chosen in points, so that a 200 % display costs what a 100 % display costs, and small
    pictures are enlarged until their text is of a size that the network knows.

    Args:
        threads: Threads of one call of a network.
        workers: Recognition batches that run at once, each with its ``threads``.
        runtime: ``onnxruntime``, ``openvino`` or ``auto``; see :func:`cuakit.models.load.load`.
        zoom_pt: Network pixels per logical point for the detector, before the limits on the longer side.
        long_side: Bounds of the detector's longer side in network pixels.
        min_score: Lines below it are dropped, in [0, 1].
        batch: Most lines per recognition call.
        script: ``auto`` keeps a line of another script only when the network is sure of it, because icons are often
            read as one ideograph; ``latin`` reads nothing else; ``any`` takes the network's word.
        detect: Thresholds of the detector.
    """

    stage_id: ClassVar[str] = "text-ppocr-v1"
    threads: int = 1
    workers: int = 1
    runtime: Runtime = "onnxruntime"
    zoom_pt: float = 1.0
    long_side: tuple[int, int] = (640, 1280)
    min_score: float = 0.5
    batch: int = 8
    script: Literal["auto", "latin", "any"] = "auto"
    detect: DetectOptions = field(default_factory=DetectOptions)

    def __call__(self, shot: Screenshot) -> Candidates:
        """Lines as candidates of role ``text`` and source ``ocr``, in reading order.

        Raises:
            MissingExtra: onnxruntime or rapidocr is not installed.
            ModelError: The weights are damaged or cannot run.
        """
        return Candidates.numbered(
            Candidate(
                id=f"t{i}",
                box=line.box,
                role="text",
                name=line.text,
                text=line.text,
                source="ocr",
                score=line.score,
                provenance=(f"ocr:t{i}",),
            )
            for i, line in enumerate(self.lines(shot))
        )

    def lines(self, shot: Screenshot, *, zoom: float | None = None, watch: Stopwatch | None = None) -> list[Line]:
        """Lines with their words, in no particular order. Lines of white space alone are dropped.

        Args:
            shot: The frame, or a part of one.
            zoom: Network pixels per frame pixel for the detector; for a part, that of its whole frame.
            watch: Takes the time of detection and recognition, and stops them at its deadline.

        Raises:
            OutOfTime: The deadline is over.
        """
        watch = watch or Stopwatch()
        with watch.span("text detection"):
            quads = detect(self._detector, shot.pixels, zoom or self.zoom(shot), self.detect)
        with watch.span("text recognition"):
            readings = read(
                self._reader,
                self._alphabet,
                shot.pixels,
                quads,
                batch=self.batch,
                workers=self.workers,
                check=watch.check,
            )
        lines = (
            part
            for quad, reading in zip(quads, readings, strict=True)
            if reading.text.strip() and reading.score >= self.min_score
            for part in _pieces(shot, _line(shot.size, quad, reading))
        )
        return [line for line in lines if line.box.area > 0 and not _is_picture(line, shot)]

    def zoom(self, shot: Screenshot) -> float:
        """Network pixels per frame pixel for the detector, after the limits on the longer side."""
        side = max(shot.size)
        low, high = self.long_side
        return min(max(self.zoom_pt / shot.scale, low / side), high / side)

    def models(self) -> tuple[Model, ...]:
        """The networks that take part, loaded if they were not."""
        used = ((_DETECTOR, self._detector), (_READER, self._reader))
        return tuple(
            Model(id=id, sha256=model(id).sha256, runtime=s.runtime, precision=s.precision, threads=s.threads)
            for id, s in used
        )

    def notes(self) -> tuple[str, ...]:
        """Why another runtime than the wanted one is used, in sentences."""
        return tuple(dict.fromkeys(s.note for s in (self._detector, self._reader) if s.note))

    @property
    def _detector(self) -> Session:
        return load(_DETECTOR, self.threads * self.workers, self.runtime)

    @property
    def _reader(self) -> Session:
        return load(_READER, self.threads, self.runtime)

    @cached_property
    def _alphabet(self) -> Alphabet:
        return Alphabet.of(self._reader, self.script)


def _pieces(shot: Screenshot, line: Line) -> list[Line]:
    """The line with its spaces mended, cut where the gap is too wide for a space: menu titles are no sentence."""
    if not line.places:
        return [line]
    left = int(line.box.left)
    parts = respace(shot.crop(line.box), line.text, [x - left for x in line.places])
    return [
        replace(
            line,
            box=Box(
                line.box.left if p.start is None else left + p.start,
                line.box.top,
                line.box.right if p.stop is None else left + p.stop,
                line.box.bottom,
            ),
            text=p.text,
            places=tuple(x + left for x in p.places),
        )
        for p in parts
    ]


def _is_picture(line: Line, shot: Screenshot) -> bool:
    """Whether a reading is a picture taken for a letter: very tall for so few characters."""
    return line.angle == 0.0 and line.box.height > max(72 * shot.scale, 0.2 * shot.height) and len(line.text) <= 2


def _line(size: tuple[int, int], quad: Quad, reading: Reading) -> Line:
    corners = quad.corners()
    box = Box(*map(float, (*corners.min(axis=0), *corners.max(axis=0)))).clip(*size)
    level = quad.angle == 0.0 and bool(reading.places)
    at = [box.left + p * box.width for p in reading.places] if level else [0.0] * len(reading.text)
    kept = [
        (c if not c.isspace() else " ", x)
        for i, (c, x) in enumerate(zip(reading.text, at, strict=True))
        if not c.isspace() or (i and not reading.text[i - 1].isspace())
    ]
    while kept and kept[-1][0] == " ":
        kept.pop()
    text = "".join(c for c, _ in kept)
    score = min(1.0, max(0.0, quad.score * reading.score))
    return Line(box, text, score, tuple(x for _, x in kept) if level else (), quad.angle)
