"""From a task's sentence to the literals that may be typed. The rules know language, not task families.

1. A quoted string is an input. The word before it names it (``username "kim"`` gives ``username``) when that word is a
   noun for a value; otherwise it is ``text``.
2. Dates (``05/21/2014``), times (``8:24 AM``) and numbers are ``date``, ``time`` and ``number``; a date or time is there
   a second time as ``…_iso``, the form that a browser's own date and time fields take.
3. Where nothing is quoted, the parts that the page sets in bold are inputs, because that is how it marks literals.
4. *Upper case* and *lower case* in the sentence are carried out on the quoted strings.

A repeated name gets ``_2``, ``_3``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_NOUNS: Final = frozenset(
    "username password name user email phrase comment message title tag year genre director directed city".split()
)
_QUOTED = re.compile(r"(\w+)?[:,]?\s*\"([^\"]+)\"")
_PATTERNS: Final = (
    ("date", re.compile(r"\b\d{1,2}/\d{1,2}/\d{4}\b")),
    ("time", re.compile(r"\b\d{1,2}:\d{2}(?:\s*[AP]M)?\b", re.IGNORECASE)),
    ("number", re.compile(r"(?<![\w/:.#-])-?\d+(?:\.\d+)?(?![\w/:]|\.\d)")),
)


def inputs_of(utterance: str, bold: Iterable[str] = ()) -> dict[str, str]:
    """Inputs of a task sentence, in order of mention.

    Args:
        utterance: The sentence.
        bold: Parts of it that the page sets in bold.

    >>> inputs_of('Enter the username "kim" and the password "Xy1" and press login.')
    {'username': 'kim', 'password': 'Xy1'}
    >>> inputs_of("Enter 05/21/2014 as the date and hit submit.")
    {'date': '05/21/2014', 'date_iso': '2014-05-21'}
    >>> inputs_of('Type "Kim" in all upper case letters.')
    {'text': 'KIM'}
    """
    found: dict[str, str] = {}
    literals = _literals(utterance, [b.strip() for b in bold])
    for name, value in sorted(literals, key=lambda pair: utterance.casefold().find(pair[1].casefold())):
        if value and value not in found.values():
            key = _free(name, found)
            found[key] = value
            iso = _iso(value)
            if iso:
                found[f"{key}_iso"] = iso
    return found


def _iso(value: str) -> str:
    """A date (month first) or a time in the form of ISO 8601; empty for anything else."""
    date = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", value)
    if date:
        return f"{date[3]}-{int(date[1]):02d}-{int(date[2]):02d}"
    time = re.fullmatch(r"(\d{1,2}):(\d{2})(?:\s*([AP])M)?", value, re.IGNORECASE)
    if not time:
        return ""
    hour = int(time[1]) % 12 + (12 if time[3].upper() == "P" else 0) if time[3] else int(time[1])
    return f"{hour:02d}:{time[2]}"


def _literals(utterance: str, bold: list[str]) -> Iterator[tuple[str, str]]:
    rest = utterance
    for before, value in _QUOTED.findall(utterance):
        yield (before.lower() if before.lower() in _NOUNS else "text"), _cased(value, utterance)
        rest = rest.replace(f'"{value}"', " ")
    for name, pattern in _PATTERNS:
        for match in pattern.findall(rest):
            word = _before(match, utterance)
            yield (name if word == "text" else word), match
        rest = pattern.sub(" ", rest)
    if rest.find('"') < 0 and not _QUOTED.search(utterance):
        for value in bold:
            if not any(pattern.fullmatch(value) for _, pattern in _PATTERNS):
                yield _before(value, utterance), value


def _cased(value: str, utterance: str) -> str:
    lowered = utterance.lower()
    if re.search(r"\bupper\s?case\b", lowered):
        return value.upper()
    if re.search(r"\blower\s?case\b", lowered):
        return value.lower()
    return value


def _before(value: str, utterance: str) -> str:
    """The noun that stands before a value, with one small word between them at most."""
    match = re.search(rf"(\w+)\s+(?:(?:by|of|is|as)\s+)?{re.escape(value)}", utterance)
    word = match.group(1).lower() if match else ""
    return word if word in _NOUNS else "text"


def _free(name: str, taken: dict[str, str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}_{i}" for i in range(2, len(taken) + 3) if f"{name}_{i}" not in taken)
