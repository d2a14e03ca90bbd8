"""What things are by the company they keep: words of a menu bar, entries of a navigation column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from cuakit.core.candidate import Candidate

MENU_WORDS: Final = frozenset(
    "file edit view insert format tools window help search document options go bookmarks history table data sheet "
    "styles form slide arrange extras settings selection run terminal image colors filters "
    "datei bearbeiten ansicht extras hilfe fichier édition affichage aide archivo editar ver ayuda".split()
)
"""Usual words of menu bars."""


def with_menubars(rows: Sequence[Candidate], scale: float) -> list[Candidate]:
    """Words that stand side by side, at least three of which menu bars usually hold, are menu items.

    Args:
        rows: Candidates whose roles are known as far as each alone tells.
        scale: Physical pixels per point.
    """
    out = list(rows)
    words = [i for i, c in enumerate(rows) if c.role in ("text", "link", "button") and _short(c.label)]
    for line in _lines([(i, rows[i].box.center.y) for i in words], 4 * scale):
        for bar in _runs(sorted(line, key=lambda i: rows[i].box.left), rows, 40 * scale):
            if sum(rows[i].label.casefold() in MENU_WORDS for i in bar) >= 3:
                for i in bar:
                    out[i] = replace(rows[i], role="menuitem", actions=("click",))
    return out


def with_navigation(rows: Sequence[Candidate], scale: float) -> list[Candidate]:
    """Icons with a name at their right that stand one below the other are links, as in the columns of web pages.

    Args:
        rows: Candidates whose roles are known as far as each alone tells.
        scale: Physical pixels per point.
    """
    out = list(rows)
    entries = [i for i, c in enumerate(rows) if c.role == "icon" and c.text and c.box.width >= 2.2 * c.box.height]
    for column in _lines([(i, rows[i].box.left) for i in entries], 3 * scale):
        if len(column) >= 3:
            for i in column:
                out[i] = replace(rows[i], role="link", actions=("click",))
    return out


def _short(label: str) -> bool:
    return 0 < len(label) <= 16 and label.count(" ") <= 1 and label[0].isalpha()


def _lines(places: Sequence[tuple[int, float]], near: float) -> list[list[int]]:
    """Indices whose places follow each other within ``near``."""
    place = dict(places)
    return _parts(sorted(place, key=place.__getitem__), lambda a, b: place[b] - place[a] <= near)


def _runs(line: Sequence[int], rows: Sequence[Candidate], gap: float) -> list[list[int]]:
    """Parts of a line whose members follow each other within a gap."""
    return _parts(line, lambda a, b: rows[b].box.left - rows[a].box.right <= gap)


def _parts(ordered: Sequence[int], together: Callable[[int, int], bool]) -> list[list[int]]:
    """A sequence cut wherever two neighbours do not belong together."""
    parts = [[i] for i in ordered[:1]]
    for a, b in pairwise(ordered):
        if together(a, b):
            parts[-1].append(b)
        else:
            parts.append([b])
    return parts
