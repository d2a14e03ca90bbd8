"""Lines of text with what they say, by PP-OCR on ONNX Runtime with the weights of the ``rapidocr`` wheel."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.models.catalogue import model
from cuakit.models.session import Session, onnx_session
from cuakit.models.store import read as read_weights
from cuakit.perceive.ocr_detect import DetectOptions, Quad, detect
from cuakit.perceive.ocr_read import alphabet, read


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text on a frame.

    Args:
        box: Extent in pixels of the frame.
        text: What it says, without white space at its ends.
        score: Detection times recognition confidence, in [0, 1].
        words: Each word with its own box.
        angle: Degrees clockwise against the x axis.
    """

    box: Box
    text: str
    score: float
    words: tuple[tuple[str, Box], ...] = ()
    angle: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PpOcrText:
    """Text lines by PP-OCRv6 small: one detection pass, then recognition in batches of like widths.

    The detector's input is chosen in points, so that a 200 % display costs what a 100 % display costs, and small
    pictures are enlarged until their text is of a size that the network knows.

    Args:
        threads: Threads of the networks.
        zoom_pt: Network pixels per logical point for the detector, before the limits on the longer side.
        long_side: Bounds of the detector's longer side in network pixels.
        min_score: Lines below it are dropped, in [0, 1].
        batch: Most lines per recognition call.
        detect: Thresholds of the detector.
    """

    stage_id: ClassVar[str] = "text-ppocr-v1"
    threads: int = 1
    zoom_pt: float = 1.0
    long_side: tuple[int, int] = (640, 1280)
    min_score: float = 0.5
    batch: int = 8
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

    def lines(self, shot: Screenshot) -> list[Line]:
        """Lines with their words, in no particular order. Lines of white space alone are dropped."""
        quads = detect(self._detector, shot.pixels, self._zoom(shot), self.detect)
        readings = read(self._reader, self._alphabet, shot.pixels, quads, batch=self.batch)
        lines = (
            _line(shot.pixels, quad, reading.text, quad.score * reading.score, reading.places)
            for quad, reading in zip(quads, readings, strict=True)
            if reading.text.strip() and reading.score >= self.min_score
        )
        return [line for line in lines if line.box.area > 0]

    def _zoom(self, shot: Screenshot) -> float:
        side = max(shot.size)
        low, high = self.long_side
        return min(max(self.zoom_pt / shot.scale, low / side), high / side)

    @cached_property
    def _detector(self) -> Session:
        return onnx_session(read_weights(model("ppocr-v6-small-det")), threads=self.threads)

    @cached_property
    def _reader(self) -> Session:
        return onnx_session(read_weights(model("ppocr-v6-small-rec")), threads=self.threads)

    @cached_property
    def _alphabet(self) -> tuple[str, ...]:
        return alphabet(self._reader)


def _line(pixels: NDArray[np.uint8], quad: Quad, text: str, score: float, places: tuple[float, ...]) -> Line:
    height, width = pixels.shape[:2]
    corners = quad.corners()
    box = Box(*map(float, (*corners.min(axis=0), *corners.max(axis=0)))).clip(width, height)
    words = _words(text, places, box) if quad.angle == 0.0 and places else ()
    return Line(box, " ".join(text.split()), min(1.0, max(0.0, score)), words, quad.angle)


def _words(text: str, places: tuple[float, ...], box: Box) -> tuple[tuple[str, Box], ...]:
    """Split at spaces; a word reaches half a character beyond its outer characters, or to the middle of the gap."""
    spans: list[tuple[int, int]] = []
    start = None
    for i, c in enumerate((*text, " ")):
        if c.isspace():
            if start is not None:
                spans.append((start, i - 1))
            start = None
        elif start is None:
            start = i
    out: list[tuple[str, Box]] = []
    for k, (a, b) in enumerate(spans):
        left = 0.0 if k == 0 else (places[spans[k - 1][1]] + places[a]) / 2
        right = 1.0 if k == len(spans) - 1 else (places[b] + places[spans[k + 1][0]]) / 2
        edges = box.left + max(0.0, left) * box.width, box.left + max(left, min(1.0, right)) * box.width
        out.append((text[a : b + 1], Box(edges[0], box.top, edges[1], box.bottom)))
    return tuple(out)
