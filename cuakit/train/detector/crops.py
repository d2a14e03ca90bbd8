"""Random parts of frames as the network sees them while it learns, at other sizes, in other colours, compressed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.train.detector.frames import Frame

WIDTH: Final = 640
HEIGHT: Final = 448
LEAST_SIDE: Final = 5
"""A box whose visible part is thinner, in pixels, teaches nothing."""

LEAST_SHARE: Final = 0.4
"""A control of which less is inside the crop is of unknown extent."""


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """A part of a frame.

    Args:
        pixels: (HEIGHT, WIDTH, 3) uint8 RGB.
        boxes: (N, 4) float32 in its pixels.
        classes: (N,) int64.
        states: (N, S) float32.
        blind: (M, 4) float32, areas that teach nothing.
    """

    pixels: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    classes: NDArray[np.int64]
    states: NDArray[np.float32]
    blind: NDArray[np.float32]


def crop(frame: Frame, rng: Random, *, scale: float | None = None) -> Crop:
    """A random crop of a frame.

    Args:
        frame: Where it is taken from.
        rng: Draws.
        scale: Pixels of the crop per point; drawn when None, one half of the time near 1.
    """
    wanted = scale or (rng.uniform(0.92, 1.1) if rng.random() < 0.5 else 2 ** rng.uniform(-0.5, 0.9))
    height, width = frame.pixels.shape[:2]
    zoom = wanted / frame.scale
    w, h = min(width, round(WIDTH / zoom)), min(height, round(HEIGHT / zoom))
    left, top = _place(frame, rng, w, h)
    part = frame.pixels[top : top + h, left : left + w]
    size = min(WIDTH, max(1, round(w * zoom))), min(HEIGHT, max(1, round(h * zoom)))
    how = cv2.INTER_AREA if zoom < 1 else rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))
    inner = np.array(part) if (w, h) == size else cv2.resize(part, size, interpolation=how)
    pixels = np.full((HEIGHT, WIDTH, 3), rng.choice((0, 128, 255)), np.uint8)
    pixels[: size[1], : size[0]] = inner
    ratio = np.array([size[0] / w, size[1] / h] * 2, np.float32)
    moved = (frame.boxes - np.array([left, top] * 2, np.float32)) * ratio
    boxes = moved.clip(0, np.array([*size, *size], np.float32))
    sides = boxes[:, 2:] - boxes[:, :2]
    seen = sides.prod(axis=1) / np.maximum((moved[:, 2:] - moved[:, :2]).prod(axis=1), 1e-6)
    there = (sides > 0).all(axis=1)
    kept = there & (sides >= LEAST_SIDE).all(axis=1) & (seen >= LEAST_SHARE)
    blind = (frame.blind - np.array([left, top] * 2, np.float32)) * ratio
    blind = blind.clip(0, np.array([*size, *size], np.float32))
    return Crop(
        pixels=recoloured(pixels, rng),
        boxes=boxes[kept],
        classes=frame.classes[kept],
        states=frame.states[kept],
        blind=np.concatenate([blind[(blind[:, 2:] > blind[:, :2]).all(axis=1)], boxes[there & ~kept]]),
    )


def _place(frame: Frame, rng: Random, w: int, h: int) -> tuple[int, int]:
    """Left and top: around some element three times of four, else anywhere."""
    height, width = frame.pixels.shape[:2]
    most = width - w, height - h
    if not len(frame.boxes) or rng.random() < 0.25:
        return rng.randint(0, most[0]), rng.randint(0, most[1])
    x1, y1, x2, y2 = frame.boxes[rng.randrange(len(frame.boxes))]
    left, top = (x1 + x2) / 2 - rng.random() * w, (y1 + y2) / 2 - rng.random() * h
    return int(min(max(left, 0), most[0])), int(min(max(top, 0), most[1]))


def recoloured(pixels: NDArray[np.uint8], rng: Random) -> NDArray[np.uint8]:
    """Other brightness and tint, channels swapped, inverted, grey, blurred, compressed; often nothing of it."""
    out: Any = pixels
    if rng.random() < 0.5:
        gain = np.array([rng.uniform(0.9, 1.1) for _ in range(3)]) * rng.uniform(0.75, 1.2)
        table = (np.arange(256)[:, None] * gain + rng.uniform(-15, 25)).clip(0, 255).astype(np.uint8)
        out = cv2.LUT(out, table.reshape(256, 1, 3))
    draw = rng.random()
    if draw < 0.07:
        out = 255 - out
    elif draw < 0.15:
        out = np.ascontiguousarray(out[:, :, rng.choice(((2, 1, 0), (1, 0, 2), (0, 2, 1)))])
    elif draw < 0.2:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    if rng.random() < 0.1:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 0.9))
    if rng.random() < 0.2:
        done, packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(40, 92)])
        out = cv2.imdecode(packed, cv2.IMREAD_COLOR) if done else out
    return np.asarray(out, np.uint8)
