"""Words, fragments and quotations: what texts have in common, without a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)")


def normal(text: str) -> str:
    """Compatibility form, case folded, runs of white space as one blank."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> tuple[str, ...]:
    """Words of a text in order, case folded.

    >>> words("Click on Tab #2, then OK.")
    ('click', 'on', 'tab', '2', 'then', 'ok')
    """
    return tuple(_WORD.findall(normal(text)))


def quoted(text: str) -> tuple[str, ...]:
    """Quoted strings of a text in order, as written.

    >>> quoted('Enter "Ann" and press "OK".')
    ('Ann', 'OK')
    """
    return tuple("".join(groups) for groups in _QUOTED.findall(text))


def find(needle: Sequence[str], hay: Sequence[str], start: int = 0) -> int:
    """Index of a word sequence within another from ``start`` on, or -1.

    >>> find(("tab", "2"), words("click on tab 2"))
    2
    """
    n = len(needle)
    if not n:
        return -1
    return next((i for i in range(start, len(hay) - n + 1) if tuple(hay[i : i + n]) == tuple(needle)), -1)


def trigrams(text: str) -> frozenset[str]:
    """Letter triples of the padded, normalised text."""
    padded = f"  {normal(text)} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


def similarity(a: str, b: str) -> float:
    """Dice overlap of letter triples, in [0, 1].

    >>> similarity("colour", "color") > similarity("colour", "shape")
    True
    """
    one, two = trigrams(a), trigrams(b)
    return 2 * len(one & two) / (len(one) + len(two))
