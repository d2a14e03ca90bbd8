"""Gold paths about figures: shapes, grids of points or boxes, cards."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from cuakit.core.action import Action
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.reading import answer
from cuakit.envs.miniwob.gold.view import Script, View, click, submit

_DIGITS: Final = (
    "0110 1001 1001 1001 1001 1001 0110",
    "0010 0110 0010 0010 0010 0010 0010",
    "0110 1001 1001 0010 0100 1000 1111",
    "0110 1001 0001 0110 0001 1001 0110",
    "1000 1010 1010 1111 0010 0010 0010",
    "1111 1000 1000 1110 0001 1001 0110",
    "0110 1001 1000 1110 1001 1001 0110",
    "1111 1001 0001 0010 0010 0100 0100",
    "0110 1001 1001 0110 1001 1001 0110",
    "0110 1001 1001 0111 0001 1001 0110",
)
"""How the family draws each digit; the page shows it as a picture."""

_PALETTE: Final = MappingProxyType(
    {
        "red": (255, 0, 0),
        "green": (0, 128, 0),
        "blue": (0, 0, 255),
        "aqua": (0, 255, 255),
        "black": (0, 0, 0),
        "magenta": (255, 0, 255),
        "yellow": (255, 255, 0),
    }
)
"""Colours that shapes are drawn in."""


def digit(view: View) -> Action | None:
    """A digit drawn in boxes, then Submit."""
    wanted = _DIGITS[int(view.parse(r'number "(\d)"')[0])].replace(" ", "")
    boxes = view.all("checkbox")
    for box, on in zip(boxes, wanted, strict=False):
        if (on == "1") != ("checked" in box.states):
            return click(box)
    return submit(view)


def coordinate(view: View) -> Action | None:
    """A point of a five by five grid."""
    x, y = map(int, view.parse(r"\((-?\d),(-?\d)\)"))
    points = sorted(view.all("image", has="circle"), key=lambda c: (round(c.box.center.y / 20), c.box.center.x))
    return click(points[5 * (2 - y) + x + 2])


def ascending(view: View) -> Action | None:
    """Numbers in order; after the first click they are covered, so the first look has to be remembered."""
    first = view.history[0].observation if view.history else view.observation
    numbers = sorted((int(c.label), c.box.center) for c in first.candidates if c.label.strip().isdigit())
    place = numbers[len(view.actions)][1]
    return click(view.first(test=lambda c: c.interactive and c.box.contains(place) and c.box.width < 100))


def blocks(view: View) -> Action | None:
    """The number of blocks, then Submit."""
    return answer(view, str(len(view.all("image"))))


def greatest(view: View) -> Action | None:
    """The card with the greatest number, then Submit."""
    cards = view.all("button", test=lambda c: c.label.strip().isdigit())
    if view.actions or not cards:
        return submit(view)
    return click(max(cards, key=lambda c: int(c.label)))


def shape(view: View) -> Action | None:
    """A shape, digit or letter of a given size and colour."""
    words = view.parse(r"Click on a (.+)")[0].split()
    found = view.all(test=lambda c: c.interactive and c.box.width < 100 * view.observation.screenshot.scale)
    return click(next((c for c in found if all(_is(view, c, w) for w in words)), None))


def _is(view: View, candidate: Candidate, word: str) -> bool:
    name = candidate.label.strip()
    drawn = len(name) > 1  # shapes are named by colour and kind; digits and letters by themselves
    if word in ("large", "small"):
        limit = (15 if drawn else 20) * view.observation.screenshot.scale
        return (candidate.box.height > limit) == (word == "large")
    if word in _PALETTE:
        return _colour(view, candidate) == word
    kinds = {"item": True, "shape": drawn, "digit": name.isdigit(), "letter": not drawn and name.isalpha()}
    return kinds.get(word, name == word or (drawn and word in name))


def _colour(view: View, candidate: Candidate) -> str:
    """Name of the colour that most pixels have which are not white."""
    left, top, right, bottom = candidate.box.clip(*view.observation.screenshot.size).rounded()
    pixels = view.observation.screenshot.pixels[top:bottom, left:right].reshape(-1, 3).astype(int)
    inked = pixels[(255 - pixels).max(axis=1) > 200] if pixels.size else pixels
    if not inked.size:
        return ""
    names, values = list(_PALETTE), np.array(list(_PALETTE.values()))
    nearest = ((inked[:, None] - values) ** 2).sum(axis=2).argmin(axis=1)
    return names[int(np.bincount(nearest, minlength=len(names)).argmax())]


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "ascending-numbers": ascending,
        "click-shape": shape,
        "find-greatest": greatest,
        "grid-coordinate": coordinate,
        "number-checkboxes": digit,
        "visual-addition": blocks,
    }
)
