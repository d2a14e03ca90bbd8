"""Controls by a small network of our own: one box per control, its role and its states. The weights ship in the wheel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, nms
from cuakit.core.regions import Model
from cuakit.core.screenshot import Screenshot
from cuakit.models.catalogue import model
from cuakit.models.load import Runtime, load
from cuakit.models.session import Session
from cuakit.perceive.detector_classes import CLASSES, STATES, STRIDES

_MODEL: Final = "detector-v1"

CONFIDENCE: Final[Mapping[str, float]] = MappingProxyType(
    {
        "button": 0.55,
        "icon": 0.45,
        "link": 0.5,
        "textbox": 0.7,
        "checkbox": 0.5,
        "radio": 0.4,
        "switch": 0.5,
        "tab": 0.5,
        "combobox": 0.4,
        "slider": 0.7,
        "menuitem": 0.5,
        "listitem": 0.5,
        "cell": 0.6,
        "text": 0.3,
    }
)
"""Least score of each class, chosen on the validation applications of ``datasets/screens``."""


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What the network found, the surest first.

    Args:
        boxes: (N, 4) float64, corners in pixels of the picture.
        classes: (N,) int64, index in ``CLASSES``.
        scores: (N,) float64, in [0, 1].
        states: (N, S) float64, in [0, 1], in the order of ``STATES``.
    """

    boxes: NDArray[np.float64]
    classes: NDArray[np.int64]
    scores: NDArray[np.float64]
    states: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Detector:
    """Controls with role and states, by a network that was trained on rendered screens.

    The picture is brought to one pixel per point, so a 200 % display costs what a 100 % display costs.

    Args:
        zoom_pt: Network pixels per logical point.
        long_side: Most network pixels along the longer side; larger pictures are made smaller.
        confidence: Least score, in [0, 1], for every class; by default each class has its own.
        faint: Least score of what is seen at all; see :meth:`see`.
        overlap: Largest IoU of two controls.
        state: Least probability of a state.
        most: Most controls.
        threads: Threads of one call.
        runtime: ``onnxruntime``, ``openvino`` or ``auto``; see :func:`cuakit.models.load.load`.
    """

    stage_id: ClassVar[str] = "detector-v1"
    zoom_pt: float = 1.0
    long_side: int = 2560
    confidence: float | None = None
    faint: float = 0.3
    overlap: float = 0.5
    state: float = 0.5
    most: int = 1000
    threads: int = 1
    runtime: Runtime = "onnxruntime"
    thresholds: Mapping[str, float] = field(default_factory=lambda: CONFIDENCE, repr=False)

    def __post_init__(self) -> None:
        if not 0.1 <= self.zoom_pt <= 4:
            raise UsageError(f"zoom_pt must lie in 0.1 to 4, got {self.zoom_pt}")
        if not STRIDES[-1] <= self.long_side <= 8192:
            raise UsageError(f"long_side must lie in {STRIDES[-1]} to 8192, got {self.long_side}")
        if not 0 <= self.overlap <= 1 or not 0 <= (self.confidence or 0) <= 1:
            raise UsageError(f"confidence and overlap lie in 0 to 1, got {self.confidence} and {self.overlap}")

    def __call__(self, shot: Screenshot) -> Candidates:
        """Controls in reading order, source ``detector``.

        Raises:
            MissingExtra: onnxruntime is not installed.
            ModelError: The weights are damaged or cannot run.
        """
        return Candidates.numbered(self.sure(self.see(shot)))

    def sure(self, seen: Candidates) -> Candidates:
        """Of what was seen, what has the score that its class needs."""
        least = dict(zip(CLASSES, self._least().tolist(), strict=True))
        return Candidates(c for c in seen if c.score >= least[c.role])

    def _least(self) -> NDArray[np.float32]:
        one = self.confidence
        return np.array([self.thresholds[c] if one is None else one for c in CLASSES], np.float32)

    def see(self, shot: Screenshot) -> Candidates:
        """Everything that was seen, however faintly, the surest first.

        Raises:
            MissingExtra: onnxruntime is not installed.
            ModelError: The weights are damaged or cannot run.
        """
        found = self.detect(shot)
        return Candidates(
            Candidate(
                id=f"d{i}",
                box=Box(*map(float, found.boxes[i])),
                role=CLASSES[found.classes[i]],
                source="detector",
                score=float(found.scores[i]),
                states=tuple(s for s, p in zip(STATES, found.states[i], strict=True) if p >= self.state),
                provenance=(f"detector:d{i}",),
            )
            for i in range(len(found.boxes))
        )

    def detect(self, shot: Screenshot) -> Detections:
        """Everything that was seen, as arrays."""
        zoom = min(self.zoom_pt / shot.scale, self.long_side / max(shot.size))
        fitted, ratio = fit(shot.pixels, zoom)
        table = self._session(fitted)[0]
        least = np.minimum(self._least(), self.faint)
        found = decode(table, least, overlap=self.overlap, most=self.most)
        boxes = (found.boxes / [*ratio, *ratio]).clip(0, [*shot.size, *shot.size])
        sound = (boxes[:, 2:] - boxes[:, :2] >= 1).all(axis=1)
        return Detections(boxes[sound], found.classes[sound], found.scores[sound], found.states[sound])

    def models(self) -> tuple[Model, ...]:
        """The network that takes part."""
        session = self._session
        return (
            Model(
                id=_MODEL,
                sha256=model(_MODEL).sha256,
                runtime=session.runtime,
                precision=session.precision,
                threads=session.threads,
            ),
        )

    def notes(self) -> tuple[str, ...]:
        """Why another runtime than the wanted one is used."""
        return (self._session.note,) if self._session.note else ()

    @property
    def _session(self) -> Session:
        return load(_MODEL, self.threads, self.runtime)


def fit(pixels: NDArray[np.uint8], zoom: float) -> tuple[NDArray[np.float32], tuple[float, float]]:
    """The network's input, and its pixels per pixel of the picture along x and y.

    Args:
        pixels: (H, W, 3) RGB.
        zoom: Wanted pixels of the input per pixel of the picture.

    Returns:
        (1, 3, H', W') float32 from 0 to 255, sides in multiples of 32, the picture at the upper left, its last row and
        column repeated beside it.
    """
    height, width = pixels.shape[:2]
    w, h = max(1, round(width * zoom)), max(1, round(height * zoom))
    how = cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR
    inner = pixels if (w, h) == (width, height) else cv2.resize(pixels, (w, h), interpolation=how)
    step = STRIDES[-1]
    padded = cv2.copyMakeBorder(inner, 0, -h % step, 0, -w % step, cv2.BORDER_REPLICATE)
    blob = np.asarray(cv2.dnn.blobFromImage(padded), np.float32)
    return blob, (w / width, h / height)


def decode(table: NDArray[np.float32], least: NDArray[np.float32], *, overlap: float, most: int) -> Detections:
    """Rows of the network's table that are sure enough, without duplicates.

    Args:
        table: (N, C + 4 + S): class scores, corners, states.
        least: (C,) least score of each class.
        overlap: Largest IoU of two rows.
        most: Most rows.
    """
    count = len(CLASSES)
    said = table[:, :count].copy()
    # A control of which the role is in doubt is a control all the same: its classes share their scores.
    controls = np.array([c != "text" for c in CLASSES])
    total = np.sqrt((said[:, controls] ** 2).sum(axis=1, keepdims=True))
    best = said >= said[:, controls].max(axis=1, keepdims=True)
    said = np.where(controls, np.where(best, total, 0), said)
    rows = np.flatnonzero((said >= least).any(axis=1))
    classes = said[rows].argmax(axis=1)
    scores = said[rows, classes].clip(0, 1)
    order = np.argsort(-scores, kind="stable")[: 8 * most]
    rows, classes, scores = rows[order], classes[order], scores[order]
    boxes = table[rows, count : count + 4].astype(np.float64)
    kept = nms(boxes, scores, overlap, most)
    chosen: Any = rows[kept]
    return Detections(
        boxes=boxes[kept],
        classes=classes[kept].astype(np.int64),
        scores=scores[kept].astype(np.float64),
        states=table[chosen, count + 4 :].astype(np.float64),
    )
