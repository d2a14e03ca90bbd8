"""Lines of text cut where their look changes: a link inside a sentence becomes a piece of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.ocr_spaces import runs, underlines
from cuakit.perceive.text import Line

Word = tuple[str, Box]


@dataclass(frozen=True, slots=True)
class Piece:
    """A line, or the part of a line that looks alike.

    Args:
        line: Text and box of the part.
        link: Whether it is coloured or underlined like a link.
    """

    line: Line
    link: bool


def split_links(shot: Screenshot, lines: Sequence[Line]) -> list[Piece]:
    """Cut every line at the borders of link-like words.

    A word is link-like when its ink is distinctly blue on an unsaturated ground. Neighbouring link words are one link
    when their underline runs through the space between them, or when nothing is underlined.
    """
    return [piece for line in lines for piece in _cut(shot.pixels, line)]


def _cut(pixels: NDArray[np.uint8], line: Line) -> list[Piece]:
    left, top, right, bottom = line.box.clip(pixels.shape[1], pixels.shape[0]).rounded()
    crop = pixels[top:bottom, left:right].astype(np.int16)
    if crop.size == 0 or line.angle:
        return [Piece(line, link=False)]
    if (crop[..., 2] - crop[..., 0]).max() <= 60:  # nothing is blue enough, so there is no need to find the words
        return [Piece(line, link=False)]
    ground = np.median(crop.reshape(-1, 3), axis=0)
    ink = np.abs(crop - ground).max(axis=2) > 60
    words = _snap(ink, line, left)
    blue = [_is_blue(crop, ink, ground, w, left) for w in words]
    if len(words) < 2 or not any(blue):
        return [
            Piece(
                line,
                link=(bool(words) and all(blue))
                or (not words and _is_blue(crop, ink, ground, (line.text, line.box), left)),
            )
        ]
    groups: list[list[int]] = [[0]]
    for i in range(1, len(words)):
        joined = blue[i] == blue[i - 1] and (not blue[i] or _continues(ink, words[i - 1][1], words[i][1], left))
        groups[-1].append(i) if joined else groups.append([i])
    return [_bare(Piece(_part(line, [words[i] for i in g]), link=blue[g[0]])) for g in groups]


def _part(line: Line, words: Sequence[Word]) -> Line:
    box = words[0][1].union(words[-1][1])
    return replace(line, box=box, text=" ".join(t for t, _ in words), places=())


def _bare(piece: Piece) -> Piece:
    """A link without the punctuation that follows it in the sentence."""
    text = piece.line.text.rstrip(".,;:!?") if piece.link else ""
    return replace(piece, line=replace(piece.line, text=text)) if text else piece


def _snap(ink: NDArray[np.bool_], line: Line, left: int) -> list[Word]:
    """Words with their borders moved to the nearest gap in the ink; the recogniser places them only roughly."""
    words = [(t, b) for t, b in line.words() if b.width > 0]
    if len(words) < 2:
        return words
    empty = np.asarray(~(ink & ~underlines(ink)[:, None]).any(axis=0))
    reach = round(0.7 * line.box.height)
    cuts = [_gap(empty, round(b.left) - left, reach) for _, b in words[1:]]
    starts = [words[0][1].left, *(left + stop for _, stop in cuts)]
    stops = [*(left + start for start, _ in cuts), words[-1][1].right]
    return [
        (text, Box(a, box.top, max(a, z), box.bottom)) for (text, box), a, z in zip(words, starts, stops, strict=True)
    ]


def _gap(empty: NDArray[np.bool_], near: int, reach: int) -> tuple[int, int]:
    """Widest run of empty columns that meets ``near ± reach``, as (start, stop); ``near`` itself if there is none."""
    low, high = max(0, near - reach), min(len(empty), near + reach + 1)
    found = runs(empty[low:high])
    if not found:
        return near, near
    start, stop = max(found, key=lambda r: r[1] - r[0])
    return low + start, low + stop


def _is_blue(
    crop: NDArray[np.int16], ink: NDArray[np.bool_], ground: NDArray[np.float64], word: Word, left: int
) -> bool:
    a, b = max(0, round(word[1].left) - left), max(1, round(word[1].right) - left)
    pixels = crop[:, a:b][ink[:, a:b]]
    if len(pixels) < 6 or np.ptp(ground) > 60:
        return False
    distance = np.abs(pixels - ground).max(axis=1)
    core = pixels[distance >= np.quantile(distance, 0.6)].mean(axis=0)
    return bool(core[2] - core[0] > 60 and core[2] - core[1] > 25)


def _continues(ink: NDArray[np.bool_], before: Box, after: Box, left: int) -> bool:
    """Whether an underline runs through the space between two words, or nothing is underlined."""
    lines = ink[underlines(ink)]
    if not lines.size:
        return True
    gap = lines[:, max(0, round(before.right) - left) : max(1, round(after.left) - left)]
    return bool(gap.size) and bool((gap.mean(axis=1) > 0.5).any())  # it makes room for descenders beside the gap
