"""Whether a statement about the screen holds, judged by words alone. Three-valued, and unknown when in doubt.

Quoted strings must be on the screen as written. Without a quotation, the statement's content words must be found
together in one object or in the title; a statement that names no object of the screen stays unknown.
"""

from __future__ import annotations

from typing import Final, Literal

from cuakit.core.observation import Observation
from cuakit.decide.words import normal, quoted, words

Holds = Literal["SATISFIED", "NOT_SATISFIED", "UNKNOWN"]

_EMPTY: Final = frozenset(
    "a an the is are was be been has have had it its this that there of to in on at for from with and or not now "
    "page screen window shows show shown appears appear visible displayed reads read says say contains contain text "
    "element field box button title exactly".split()
)
_NEGATIVE: Final = frozenset({"no", "not", "never", "without", "isn't", "doesn't", "don't", "hidden", "gone"})


def holds(statement: str, observation: Observation) -> Holds:
    """Judge one statement.

    >>> from cuakit.core.candidate import Candidates
    >>> import numpy as np
    >>> from cuakit.core.screenshot import Screenshot
    >>> blank = Screenshot(pixels=np.zeros((1, 1, 3), np.uint8))
    >>> holds('The title is "Done"', Observation(screenshot=blank, candidates=Candidates(), title="Done"))
    'SATISFIED'
    """
    seen = [normal(observation.title)]
    seen += [
        normal(" ".join(dict.fromkeys((c.name, c.text, c.value, *c.states))))
        for c in observation.candidates
        if not {"offscreen", "occluded"} & set(c.states)
    ]
    said = words(statement)
    negative = bool(_NEGATIVE & set(said))
    named = [normal(q) for q in quoted(statement)]
    if named:
        found = all(any(n in text for text in seen) for n in named)
        return _answer(found, negative)
    content = frozenset(said) - _EMPTY - _NEGATIVE
    if not content:
        return "UNKNOWN"
    best = max(len(content & frozenset(words(text))) / len(content) for text in seen)
    if best >= 0.99:
        return _answer(True, negative)
    return "UNKNOWN" if best >= 0.5 or negative else "NOT_SATISFIED"


def _answer(found: bool, negative: bool) -> Holds:
    return "SATISFIED" if found != negative else "NOT_SATISFIED"
