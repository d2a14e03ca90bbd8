"""Where text is: the PP-OCR detection network and its differentiable-binarization post-processing.

The post-processing follows Liao et al., "Real-time Scene Text Detection with Differentiable Binarization" (AAAI 2020):
threshold, outline, minimum-area rectangle, mean score, unclip. Offsetting a rectangle with round joins and taking its
minimum-area rectangle again adds the offset to each side, so no polygon clipper is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.models.session import Session

STRIDE: Final = 32
"""The network wants sides that are multiples of this."""


@dataclass(frozen=True, slots=True)
class Quad:
    """A rotated rectangle in pixels of the frame.

    Args:
        cx: Centre.
        cy: Centre.
        width: Extent along the text.
        height: Extent across the text.
        angle: Degrees clockwise of the text direction against the x axis, in (-45, 45] for horizontal text.
        score: Mean text probability inside, in [0, 1].
    """

    cx: float
    cy: float
    width: float
    height: float
    angle: float
    score: float

    def corners(self) -> NDArray[np.float32]:
        """(4, 2) corners: top-left, top-right, bottom-right, bottom-left along the text."""
        t = math.radians(self.angle)
        u = np.array([math.cos(t), math.sin(t)]) * self.width / 2
        v = np.array([-math.sin(t), math.cos(t)]) * self.height / 2
        c = np.array([self.cx, self.cy])
        return np.asarray([c - u - v, c + u - v, c + u + v, c - u + v], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectOptions:
    """Knobs of the detector. Defaults are those of PP-OCR's own configuration, except the input size.

    Args:
        pixel: Probability above which a pixel is text.
        box: Mean probability below which a region is dropped.
        unclip: How far a region grows, as area over perimeter.
        max_lines: Most regions looked at.
        min_side: Regions thinner than this many network pixels are dropped.
    """

    pixel: float = 0.3
    box: float = 0.5
    unclip: float = 1.6
    max_lines: int = 3000
    min_side: float = 3.0


def network_size(width: int, height: int, zoom: float) -> tuple[int, int]:
    """Input size for a frame: its sides times ``zoom``, rounded to the stride."""
    return tuple(max(STRIDE, round(side * zoom / STRIDE) * STRIDE) for side in (width, height))  # type: ignore[return-value]


def detect(session: Session, pixels: NDArray[np.uint8], zoom: float, options: DetectOptions) -> list[Quad]:
    """Text regions of a frame.

    Args:
        session: The detection network.
        pixels: (H, W, 3) RGB.
        zoom: Network pixels per frame pixel.
        options: Thresholds.
    """
    height, width = pixels.shape[:2]
    size = network_size(width, height, zoom)
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if zoom < 0.6 else cv2.INTER_LINEAR)
    probability = session(_normal(small))[0, 0]
    return regions(probability, (width, height), options)


def _normal(rgb: NDArray[Any]) -> NDArray[np.float32]:
    # Trained on BGR with mean and deviation 0.5.
    x = rgb[:, :, ::-1].astype(np.float32)
    x *= 2 / 255
    x -= 1
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None])


def regions(probability: NDArray[np.float32], size: tuple[int, int], options: DetectOptions) -> list[Quad]:
    """Rectangles from a probability map.

    Args:
        probability: (h, w) text probability per network pixel.
        size: Frame size, ``(width, height)``.
        options: Thresholds.

    Returns:
        Rectangles in frame pixels, in the order in which outlines were met.
    """
    text = (probability > options.pixel).astype(np.uint8)
    mask = cv2.dilate(text, np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    sx, sy = size[0] / probability.shape[1], size[1] / probability.shape[0]
    found = (_region(outline, probability, options) for outline in outlines[: options.max_lines])
    return [_to_frame(q, sx, sy) for q in found if q is not None]


def _region(outline: NDArray[Any], probability: NDArray[np.float32], options: DetectOptions) -> Quad | None:
    if len(outline) < 3:
        return None
    (cx, cy), (w, h), angle = cv2.minAreaRect(outline)
    if min(w, h) < options.min_side:
        return None
    score = _mean_inside(outline, probability)
    if score < options.box:
        return None
    grow = 2 * (w * h * options.unclip / (2 * (w + h)))
    return _along(Quad(float(cx), float(cy), w + grow, h + grow, float(angle), score))


def _along(q: Quad) -> Quad:
    """Turn the rectangle so that its width runs along horizontal text, and drop angles that are only jitter."""
    w, h, angle = q.width, q.height, q.angle
    while angle > 45:
        angle, w, h = angle - 90, h, w
    while angle <= -45:
        angle, w, h = angle + 90, h, w
    # A line of screen text is level; the outline of a short word is not. Half a character's height over the width is
    # the angle that jitter can fake.
    if abs(math.radians(angle)) * w < 0.5 * h or min(w, h) * 2 > max(w, h):
        t = math.radians(abs(angle))
        cos, sin = math.cos(t), math.sin(t)
        # The level box must hold the text, not the corners of the tilted rectangle.
        w, h, angle = max(w * cos, h * sin), h * cos + 0.5 * w * sin, 0.0
    return Quad(q.cx, q.cy, w, h, angle, q.score)


def _mean_inside(outline: NDArray[Any], probability: NDArray[np.float32]) -> float:
    x, y, w, h = cv2.boundingRect(outline)
    inside = np.zeros((h, w), np.uint8)
    cv2.fillPoly(inside, [outline - (x, y)], 1)
    return float(cv2.mean(probability[y : y + h, x : x + w], inside)[0])


def _to_frame(q: Quad, sx: float, sy: float) -> Quad:
    return Quad(q.cx * sx, q.cy * sy, q.width * sx, q.height * sy, q.angle, q.score)
