"""Dots, rings and faint arrows of one colour: what a selection is drawn with, before anyone asks what belongs together."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleColour:
    """A window in hue, saturation and value.

    Args:
        rgb: The colour itself.
        hue: How far the hue may be off, in degrees.
        saturation: Least saturation, in [0, 1].
        value: Least value, in [0, 1].
    """

    rgb: tuple[int, int, int]
    hue: float = 12.0
    saturation: float = 0.5
    value: float = 0.5

    def mask(self, pixels: NDArray[np.uint8]) -> Mask:
        """(H, W) pixels inside the window."""
        hsv = cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV)
        own = cv2.cvtColor(np.array([[self.rgb]], np.uint8), cv2.COLOR_RGB2HSV)
        off = np.abs(hsv[..., 0].astype(np.int16) - int(own[0, 0, 0]))
        near = np.minimum(off, 180 - off) <= self.hue / 2
        inside: Mask = near & (hsv[..., 1] >= self.saturation * 255) & (hsv[..., 2] >= self.value * 255)
        return inside

    @classmethod
    def at(cls, shot: Screenshot, point: Point) -> HandleColour:
        """The colour of the thing under a point: the commonest one within 3 points of it that is not grey."""
        reach = 3 * shot.scale
        crop = shot.crop(Box(point.x - reach, point.y - reach, point.x + reach, point.y + reach)).reshape(-1, 3)
        chroma = np.ptp(crop.astype(np.int16), axis=1)
        vivid = crop[chroma >= max(40, float(np.quantile(chroma, 0.5)))] if len(crop) else crop
        if not len(vivid):
            raise ValueError("there is nothing coloured under the point; click the middle of a handle")
        red, green, blue = np.median(vivid, axis=0)
        return cls(rgb=(round(float(red)), round(float(green)), round(float(blue))))


def dots(mask: Mask, scale: float, size_pt: tuple[float, float]) -> NDArray[np.float64]:
    """(N, 4) xyxy of filled discs in a mask; lines and frames are opened away first."""
    side = max(3, round(0.4 * size_pt[0] * scale) | 1)
    opened = cv2.morphologyEx(
        mask.astype(np.uint8), cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    )
    count, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    x, y, w, h, area = (stats[1:count, k].astype(np.float64) for k in range(5))
    low, high = size_pt[0] * scale, size_pt[1] * scale
    fine = (np.minimum(w, h) >= low) & (np.maximum(w, h) <= high) & (np.abs(w - h) <= 0.2 * np.maximum(w, h) + 1)
    fine &= area >= 0.66 * w * h
    return np.stack([x, y, x + w, y + h], axis=1)[fine]


def rings(mask: Mask, taken: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """(N, 4) xyxy of open round signs, 8 to 17 points, that are no dots: the sign for turning."""
    rest = mask.astype(np.uint8)
    for left, top, right, bottom in taken.round().astype(int) + np.array([-2, -2, 2, 2]):
        rest[max(0, top) : bottom, max(0, left) : right] = 0
    grown = round(3 * scale) | 1  # the sign is drawn with gaps
    joined = cv2.morphologyEx(rest, cv2.MORPH_CLOSE, np.ones((grown, grown), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    out = []
    for k in range(1, count):
        x, y, w, h, _ = (int(v) for v in stats[k])
        round_ = 8 * scale <= min(w, h) and max(w, h) <= 17 * scale and abs(w - h) <= 0.3 * max(w, h)
        if round_:
            fill = float(((labels[y : y + h, x : x + w] == k) & mask[y : y + h, x : x + w]).mean())
            if 0.15 <= fill <= 0.65:
                out.append((x, y, x + w, y + h))
    return np.array(out, dtype=np.float64).reshape(-1, 4)


def faint(pixels: NDArray[np.uint8], rgb: tuple[int, int, int]) -> Mask:
    """(h, w) pixels of a patch in which a little of a colour is mixed, 6 to 60 %.

    Brightness is left out, so that the grey lines of a canvas grid neither count nor interrupt.
    """
    tint = _tint(pixels.astype(np.float32))
    tint -= np.median(tint.reshape(-1, 3), axis=0)
    toward = _tint(np.array(rgb, np.float32))
    length = float(toward @ toward)
    if length < 400:
        return np.zeros(pixels.shape[:2], dtype=np.bool_)
    share = tint @ toward / length
    rest = np.abs(tint - share[..., None] * toward).max(axis=2)
    mixed: Mask = (share > 0.06) & (share < 0.6) & (rest < 12)
    return mixed


def _tint(colours: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(colours - colours.mean(axis=-1, keepdims=True), dtype=np.float32)


def largest(mask: Mask, bridge: int) -> Box:
    """Box of the largest connected part of a mask; empty when there is none.

    Args:
        mask: (h, w).
        bridge: Widest gap that does not part it, in pixels: soft edges are lost.
    """
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((bridge, bridge), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=4)
    if count < 2:
        return Box(0, 0, 0, 0)
    x, y, w, h, _ = (int(v) for v in stats[1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())])
    return Box.from_xywh(x, y, w, h)
