"""What text says: the PP-OCR recognition network, batches of like widths, and greedy CTC decoding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from cuakit.models.session import Session
from cuakit.perceive.ocr_detect import Quad

HEIGHT: Final = 48
"""Height in pixels that the network reads."""

STEP: Final = 32
"""Widths are padded to multiples of this: few distinct shapes, little padding."""

MAX_WIDTH: Final = 3200
"""Longest line read in one piece, in network pixels."""


SURE: Final = 0.8
"""Mean probability from which a line of another script is believed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A decoded line.

    Args:
        text: What it says; may be empty.
        score: Mean probability of its characters, in [0, 1].
        places: Centre of each character as a fraction of the line's width; as long as ``text``.
    """

    text: str
    score: float
    places: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Alphabet:
    """Characters of the network's classes, and which of them may be read.

    Args:
        characters: Character per class; the CTC blank is class 0.
        latin: Classes of the Latin script with digits, punctuation and signs, the blank first.
        script: ``auto``, ``latin`` or ``any``; see :class:`cuakit.perceive.text.PpOcrText`.
    """

    characters: tuple[str, ...]
    latin: NDArray[np.intp]
    script: Literal["auto", "latin", "any"] = "auto"

    @classmethod
    def of(cls, session: Session, script: Literal["auto", "latin", "any"]) -> Alphabet:
        """The list stored in a recognition model: blank, the model's own characters, a space."""
        characters = ("", *session.metadata["character"].splitlines(), " ")
        latin = [i for i, c in enumerate(characters) if all(map(is_latin, c))]
        return cls(characters, np.asarray(latin, dtype=np.intp), script)

    def decode(self, probability: NDArray[np.float32], *, used: float = 1.0) -> Reading:
        """One line from (T, C) probabilities; ``used`` is the share of the steps that saw the line, not padding."""
        if self.script != "latin":
            free = decode(probability, self.characters, used=used)
            foreign = sum(not is_latin(c) for c in free.text)
            sure = foreign > 1 and 2 * foreign >= len(free.text) and free.score >= SURE
            if not foreign or sure or self.script == "any":
                return free
        return decode(probability[:, self.latin], [self.characters[i] for i in self.latin], used=used)


def is_latin(character: str) -> bool:
    """Whether a character belongs to Latin text: letters with accents, digits, punctuation, currency and arrows.

    >>> [is_latin(c) for c in "aé€中"]
    [True, True, True, False]
    """
    code = ord(character)
    return code < 0x250 or 0x2010 <= code <= 0x2044 or 0x20A0 <= code <= 0x20C0 or code in (0x2122, 0x2212, 0x2713)


def read(
    session: Session,
    alphabet: Alphabet,
    pixels: NDArray[np.uint8],
    quads: Sequence[Quad],
    *,
    batch: int = 8,
    workers: int = 1,
    check: Callable[[], None] = lambda: None,
) -> list[Reading]:
    """Read every region of a frame.

    Args:
        session: The recognition network.
        alphabet: Characters of its classes.
        pixels: (H, W, 3) RGB frame.
        quads: Regions in frame pixels.
        batch: Most lines per call.
        workers: Batches that run at once.
        check: Called before each batch; raises to stop.

    Returns:
        One reading per region, in order.
    """
    crops = [_crop(pixels, q) for q in quads]
    best = _read_crops(session, alphabet, crops, batch, workers, check=check)
    # Upright columns may be turned lines; read those both ways and keep what the network is surer of.
    tall = [i for i, q in enumerate(quads) if q.height > 1.5 * q.width]
    for turn in (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_90_COUNTERCLOCKWISE):
        upright = [np.asarray(cv2.rotate(crops[i], turn), dtype=np.uint8) for i in tall]
        turned = _read_crops(session, alphabet, upright, batch, workers, check=check)
        for i, reading in zip(tall, turned, strict=True):
            if len(reading.text) > 1 and reading.score > best[i].score:
                best[i] = Reading(reading.text, reading.score, ())
    return best


def _read_crops(
    session: Session,
    alphabet: Alphabet,
    crops: Sequence[NDArray[np.uint8]],
    batch: int,
    workers: int,
    *,
    check: Callable[[], None],
) -> list[Reading]:
    out: list[Reading] = [Reading("", 0.0, ())] * len(crops)
    widths = [_width(c) for c in crops]

    def run(job: tuple[int, list[int]]) -> None:
        check()
        width, rows = job
        x = np.zeros((len(rows), 3, HEIGHT, width), np.float32)
        for k, i in enumerate(rows):
            x[k, :, :, : widths[i]] = _normal(crops[i], widths[i])
        probability = session(x)
        for k, i in enumerate(rows):
            out[i] = alphabet.decode(probability[k], used=widths[i] / width)

    jobs = sorted(
        _buckets(widths, batch), key=lambda j: -j[0] * len(j[1])
    )  # the longest first, so that none is waited for
    if workers > 1 and len(jobs) > 1:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(run, jobs))
    else:
        for job in jobs:
            run(job)
    return out


def _buckets(widths: Sequence[int], batch: int) -> Iterable[tuple[int, list[int]]]:
    groups: dict[int, list[int]] = {}
    for i, w in enumerate(widths):
        groups.setdefault(math.ceil(w / STEP) * STEP, []).append(i)
    for width, rows in sorted(groups.items()):
        for at in range(0, len(rows), batch):
            yield width, rows[at : at + batch]


def _width(crop: NDArray[np.uint8]) -> int:
    h, w = crop.shape[:2]
    return min(MAX_WIDTH, max(16, math.ceil(HEIGHT * int(w) / int(h))))


def _normal(crop: NDArray[np.uint8], width: int) -> NDArray[np.float32]:
    fitted = cv2.resize(crop, (width, HEIGHT), interpolation=_interpolation(crop.shape[0]))
    x = fitted[:, :, ::-1].astype(np.float32)
    x *= 2 / 255
    x -= 1
    return x.transpose(2, 0, 1)


def _interpolation(height: int) -> int:
    if height > HEIGHT * 1.3:
        return int(cv2.INTER_AREA)
    return int(cv2.INTER_CUBIC) if height < HEIGHT else int(cv2.INTER_LINEAR)


def _crop(pixels: NDArray[np.uint8], q: Quad) -> NDArray[np.uint8]:
    if q.angle == 0.0:
        h, w = pixels.shape[:2]
        left, right = max(0, round(q.cx - q.width / 2)), min(w, round(q.cx + q.width / 2))
        top, bottom = max(0, round(q.cy - q.height / 2)), min(h, round(q.cy + q.height / 2))
        return pixels[top : max(bottom, top + 1), left : max(right, left + 1)]
    w, h = max(1, round(q.width)), max(1, round(q.height))
    goal = np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(q.corners(), goal)
    flat = cv2.warpPerspective(pixels, warp, (w, h), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def decode(probability: NDArray[np.float32], characters: Sequence[str], *, used: float = 1.0) -> Reading:
    """Greedy CTC: best class per step, repeats merged, blanks dropped.

    Args:
        probability: (T, C) per time step.
        characters: Character per class; the blank is class 0.
        used: Fraction of the steps that saw the line, the rest saw padding.
    """
    best = probability.argmax(axis=1)
    first = np.ones(len(best), dtype=np.bool_)
    first[1:] = best[1:] != best[:-1]
    steps = np.flatnonzero(first & (best != 0))
    if not steps.size:
        return Reading("", 0.0, ())
    score = float(probability[steps, best[steps]].mean())
    text: list[str] = []
    places: list[float] = []
    for step in steps:
        for character in characters[best[step]]:
            text.append(character)
            places.append(min(1.0, (float(step) + 0.5) / (len(best) * used)))
    return Reading("".join(text), min(1.0, score), tuple(places))
