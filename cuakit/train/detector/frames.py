"""Screens as arrays that can be cropped quickly: pixels mapped from files, boxes with classes and states."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cuakit.core.errors import UsageError
from cuakit.data.annotations import Screen
from cuakit.perceive.detector_classes import CLASSES, STATES, class_of

DENSEST: Final = 1.5
"""Most pixels per point that are kept; a denser picture is halved."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One screen.

    Args:
        pixels: (H, W, 3) uint8 RGB, mapped from a file.
        scale: Pixels per point.
        boxes: (N, 4) float32, corners in pixels.
        classes: (N,) int64, index in ``CLASSES``.
        states: (N, S) float32, 1 where a state holds.
        blind: (M, 4) float32, areas of which nothing is known.
    """

    pixels: NDArray[np.uint8]
    scale: float
    boxes: NDArray[np.float32]
    classes: NDArray[np.int64]
    states: NDArray[np.float32]
    blind: NDArray[np.float32]


def load_frames(screens: Iterable[Screen], cache: Path) -> Iterator[Frame]:
    """Frames of screens, unpacked once into a folder.

    Args:
        screens: With truth.
        cache: Folder for unpacked pixels.

    Raises:
        UsageError: A picture is missing.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for screen in screens:
        zoom = 0.5 if screen.scale > DENSEST else 1.0
        yield _frame(screen, _unpacked(screen.image, cache, zoom), zoom)


def _frame(screen: Screen, pixels: NDArray[np.uint8], zoom: float) -> Frame:
    known = [(e, class_of(e.role, e.text)) for e in screen.elements]
    elements = [(e, CLASSES.index(c)) for e, c in known if c]
    unknown = [*screen.blind, *(e.box for e, c in known if not c)]
    return Frame(
        pixels=pixels,
        scale=screen.scale * zoom,
        boxes=np.array([e.box.xyxy for e, _ in elements], np.float32).reshape(-1, 4) * zoom,
        classes=np.array([c for _, c in elements], np.int64),
        states=np.array([[s in e.states for s in STATES] for e, _ in elements], np.float32).reshape(-1, len(STATES)),
        blind=np.array([b.xyxy for b in unknown], np.float32).reshape(-1, 4) * zoom,
    )


def _unpacked(image: Path, cache: Path, zoom: float) -> NDArray[np.uint8]:
    mark = hashlib.sha256(f"{image.resolve()} {image.stat().st_mtime_ns if image.exists() else 0}".encode()).hexdigest()
    path = cache / f"{mark[:20]}.npy"
    if not path.exists():
        try:
            with Image.open(image) as picture:
                pixels = np.asarray(picture.convert("RGB"))
        except OSError as lost:
            raise UsageError(f"cannot read {image}: {lost}", hint="build the screens again") from lost
        if zoom != 1:
            size = round(pixels.shape[1] * zoom), round(pixels.shape[0] * zoom)
            pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
        unfinished = path.with_suffix(".part.npy")
        np.save(unfinished, pixels)
        unfinished.rename(path)
    mapped: NDArray[np.uint8] = np.load(path, mmap_mode="r")
    return mapped
