"""Words for colours: the CSS keyword where one is near, else the family that the hue belongs to."""

from __future__ import annotations

import colorsys
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box

KEYWORDS: Final = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "red": (255, 0, 0),
    "maroon": (128, 0, 0),
    "lime": (0, 255, 0),
    "green": (0, 128, 0),
    "olive": (128, 128, 0),
    "blue": (0, 0, 255),
    "navy": (0, 0, 128),
    "teal": (0, 128, 128),
    "yellow": (255, 255, 0),
    "cyan": (0, 255, 255),
    "magenta": (255, 0, 255),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
    "pink": (255, 192, 203),
    "brown": (165, 42, 42),
}
"""CSS basic colour keywords and a few extended ones, sRGB."""

FAMILIES: Final = (
    (15, "red"),
    (45, "orange"),
    (70, "yellow"),
    (165, "green"),
    (195, "cyan"),
    (260, "blue"),
    (290, "purple"),
    (335, "magenta"),
    (360, "red"),
)
"""Upper bound of the hue in degrees and the word for it."""

NEAR: Final = 24
"""Largest channel difference at which a keyword is exact enough."""


def name_of(colour: tuple[float, float, float]) -> str:
    """Word for an sRGB colour, 0 to 255 per channel.

    >>> [name_of(c) for c in ((255, 0, 0), (0, 0, 120), (150, 170, 240), (90, 90, 92))]
    ['red', 'navy', 'blue', 'grey']
    """
    word, off = min(
        ((w, max(abs(a - b) for a, b in zip(colour, k, strict=True))) for w, k in KEYWORDS.items()), key=lambda p: p[1]
    )
    if off <= NEAR:
        return word
    hue, lightness, _ = colorsys.rgb_to_hls(*(c / 255 for c in colour))
    if max(colour) - min(colour) < 24:
        return "black" if lightness < 0.2 else "white" if lightness > 0.85 else "grey"
    return next(word for bound, word in FAMILIES if hue * 360 <= bound)


def colour_word(pixels: NDArray[np.uint8], box: Box) -> str:
    """Word for the colour in the middle of a plain box.

    Args:
        pixels: (H, W, 3) RGB frame.
        box: The swatch, in pixels of the frame.
    """
    left, top, right, bottom = box.pad(-0.25 * min(box.width, box.height)).rounded()
    middle = pixels[top : max(bottom, top + 1), left : max(right, left + 1)].reshape(-1, 3)
    red, green, blue = np.median(middle, axis=0)
    return name_of((float(red), float(green), float(blue)))
