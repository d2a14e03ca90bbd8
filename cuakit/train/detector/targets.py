"""Which place of the network answers for which box, by the shorter side and the middle of the box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.perceive.detector_classes import STRIDES
from cuakit.train.detector.crops import Crop

SIDES: Final = ((0.0, 44.0), (26.0, 110.0), (72.0, math.inf))
"""Shorter sides, in pixels, that each level answers for; they overlap, so that no size falls between two levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """Truth of a batch in the layout of the network's answers.

    Args:
        pixels: (B, H, W, 3) uint8.
        owner: Per level, (B, H / stride, W / stride) int64: 1 + row of ``boxes``, or 0 for nothing.
        ignored: Per level, the same shape, bool: places that teach nothing.
        boxes: (N, 4) float32 of the whole batch.
        classes: (N,) int64.
        states: (N, S) float32.
    """

    pixels: NDArray[np.uint8]
    owner: tuple[NDArray[np.int64], ...]
    ignored: tuple[NDArray[np.bool_], ...]
    boxes: NDArray[np.float32]
    classes: NDArray[np.int64]
    states: NDArray[np.float32]


def assign(crops: Sequence[Crop]) -> Targets:
    """Targets of a batch. Where two boxes claim a place, the smaller one has it."""
    pixels = np.stack([c.pixels for c in crops])
    height, width = pixels.shape[1:3]
    owner = tuple(np.zeros((len(crops), height // s, width // s), np.int64) for s in STRIDES)
    ignored = tuple(np.zeros(o.shape, np.bool_) for o in owner)
    first = 1
    for k, c in enumerate(crops):
        for level, stride in enumerate(STRIDES):
            for box in c.blind:
                ignored[level][k][_inside(box, stride, owner[level].shape[1:])] = True
        area = (c.boxes[:, 2:] - c.boxes[:, :2]).prod(axis=1)
        for i in np.argsort(-area, kind="stable"):
            _claim([o[k] for o in owner], c.boxes[i], first + int(i))
        first += len(c.boxes)
    return Targets(
        pixels=pixels,
        owner=owner,
        ignored=ignored,
        boxes=np.concatenate([c.boxes for c in crops]),
        classes=np.concatenate([c.classes for c in crops]),
        states=np.concatenate([c.states for c in crops]),
    )


def _inside(box: NDArray[np.float32], stride: int, shape: Sequence[int]) -> tuple[slice, slice]:
    """Places whose middle lies in a box."""
    x1, y1, x2, y2 = (float(v) / stride - 0.5 for v in box)
    return slice(max(0, math.ceil(y1)), min(shape[0], math.floor(y2) + 1)), slice(
        max(0, math.ceil(x1)), min(shape[1], math.floor(x2) + 1)
    )


def _claim(owner: Sequence[NDArray[np.int64]], box: NDArray[np.float32], number: int) -> None:
    x1, y1, x2, y2 = map(float, box)
    w, h = x2 - x1, y2 - y1
    cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
    for level, stride in enumerate(STRIDES):
        low, high = SIDES[level]
        if not low <= min(w, h) < high:
            continue
        # Around the middle: at least the nearest place, a fifth of the box to each side, never far.
        rx, ry = (min(max(0.72 * stride, 0.22 * side), 2.5 * stride) for side in (w, h))
        near = np.array([cx - rx, cy - ry, cx + rx, cy + ry], np.float32)
        owner[level][_inside(near, stride, owner[level].shape)] = number
