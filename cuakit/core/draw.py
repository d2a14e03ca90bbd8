"""Numbered boxes burnt into a picture, placed so that one can read them."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from cuakit.core.candidate import Candidate, Candidates
    from cuakit.core.screenshot import Screenshot

MAX_DRAWN: Final = 2000
"""Boxes drawn at most; more would only hide the picture."""

TAG_PT: Final = 10
"""Height of the numbers in logical points."""

SMALL_PT: Final = 120
"""Side of a square in logical points; what is smaller should not be covered by another's number."""

_NEVER: Final = 10**6
"""Cost of a pixel where a number stands already: more than any place can cost otherwise."""

RGB = tuple[int, int, int]


@lru_cache(maxsize=256)
def role_color(role: str) -> RGB:
    """A steady colour for a role word, RGB, dark enough that white text on it has a contrast of 4.5 (WCAG 2 AA)."""
    hue = (sum(ord(c) * (i + 7) for i, c in enumerate(role)) * 0.618034) % 1
    lightness = 0.5
    while True:
        r, g, b = colorsys.hls_to_rgb(hue, lightness, 0.85)
        if 1.05 / (_luminance(r, g, b) + 0.05) >= 4.5:
            return int(r * 255), int(g * 255), int(b * 255)
        lightness -= 0.01


def _luminance(*rgb: float) -> float:
    """Relative luminance of sRGB in [0, 1], as WCAG 2 defines it."""
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def tag(c: Candidate) -> str:
    """Short form of an id for the picture: ``c07`` is 7."""
    return c.id.lstrip("c0") or c.id


def draw(shot: Screenshot, candidates: Candidates) -> Image.Image:
    """The screenshot with numbered boxes, as a picture of the same size.

    What one can act on has a thick frame and first choice of a place for its number; each frame has a white rim, so
    that it also shows on a dark screen.
    """
    picture = shot.image().convert("RGB")
    pen = ImageDraw.Draw(picture)
    shown = sorted(candidates[:MAX_DRAWN], key=lambda c: (not c.interactive, -c.box.area))
    for c in reversed(shown):
        _frame(pen, c, shot.scale)
    font = ImageFont.load_default(max(TAG_PT, round(TAG_PT * shot.scale)))
    cover = _worth(shown, shot)
    for c in shown:
        _number(pen, c, font, cover)
    return picture


def _worth(shown: Sequence[Candidate], shot: Screenshot) -> NDArray[np.int32]:
    """What it costs to cover each pixel: (H, W) int32; 1 inside something small that one can act on, else 0."""
    cover = np.zeros((shot.height, shot.width), dtype=np.int32)
    small = (SMALL_PT * shot.scale) ** 2
    for c in shown:
        if c.interactive and c.box.area <= small:
            left, top, right, bottom = c.box.clip(shot.width, shot.height).rounded()
            cover[top:bottom, left:right] = 1
    return cover


def _frame(pen: ImageDraw.ImageDraw, c: Candidate, scale: float) -> None:
    unit = max(1, round(scale))
    left, top, right, bottom = c.box.rounded()
    right, bottom = max(left, right - 1), max(top, bottom - 1)
    outside = unit if c.interactive else 0  # thick frames grow outwards: what is inside stays readable
    for grown, color, width in ((outside + unit, "white", unit), (outside, role_color(c.role), outside + unit)):
        pen.rectangle((left - grown, top - grown, right + grown, bottom + grown), outline=color, width=width)


def _number(
    pen: ImageDraw.ImageDraw, c: Candidate, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, cover: NDArray[np.int32]
) -> None:
    text = tag(c)
    _, up, across, down = (round(v) for v in pen.textbbox((0, 0), text, font=font))
    width, height = across + 4, down - up + 4
    x, y = _place(c, width, height, cover)
    cover[y : y + height, x : x + width] = _NEVER
    pen.rectangle((x, y, x + width - 1, y + height - 1), fill=role_color(c.role))
    pen.text((x + 2, y + 2 - up), text, fill="white", font=font)


def _place(c: Candidate, width: int, height: int, cover: NDArray[np.int32]) -> tuple[int, int]:
    """The place around the box that covers least; of equal ones, the first."""
    rows, columns = cover.shape
    inside = ((max(0, min(x, columns - width)), max(0, min(y, rows - height))) for x, y in _places(c, width, height))
    return min(inside, key=lambda at: int(cover[at[1] : at[1] + height, at[0] : at[0] + width].sum()))


def _places(c: Candidate, width: int, height: int) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = c.box.rounded()
    yield left, top - height
    yield left - width, top
    yield right - width, top - height
    yield left, bottom
    yield right, top
    yield right - width, bottom
    yield left, top
    yield right - width, bottom - height
