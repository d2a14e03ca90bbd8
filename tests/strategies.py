"""Hypothesis strategies for core values, shared by the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cuakit.core.action import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
    Wait,
)
from cuakit.core.candidate import ROLES, SOURCES, Candidate, Candidates
from cuakit.core.geometry import Affine, Box, Point
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 3.0)
"""Display scales that every conversion is swept over."""

coordinates = st.floats(-4096, 4096, allow_nan=False, width=32).map(float)
lengths = st.floats(0, 4096, allow_nan=False, width=32).map(float)
fractions = st.floats(0, 1, allow_nan=False)
words = st.text(max_size=12)
ids = st.integers(1, 999).map(lambda n: f"c{n:02d}")

points = st.builds(Point, coordinates, coordinates)
boxes = st.builds(Box.from_xywh, coordinates, coordinates, lengths, lengths)
solid_boxes = st.builds(Box.from_xywh, coordinates, coordinates, *[st.floats(1, 500, width=32).map(float)] * 2)
pixel_boxes = st.builds(Box.from_xywh, *[st.integers(0, 400).map(float)] * 2, *[st.integers(1, 200).map(float)] * 2)

_terms = st.floats(-8, 8, allow_nan=False)


def _well_conditioned(m: tuple[float, ...]) -> bool:
    return abs(m[0] * m[3] - m[1] * m[2]) > 0.1


affines = (
    st.tuples(_terms, _terms, _terms, _terms, st.floats(-500, 500), st.floats(-500, 500))
    .filter(_well_conditioned)
    .map(lambda m: Affine(*m))
)

_states = st.lists(st.sampled_from(["checked", "selected", "focused", "expanded"]), unique=True, max_size=3).map(tuple)
_actions = st.lists(st.sampled_from(["click", "type", "set_value", "scroll"]), unique=True, max_size=3).map(tuple)


def rows(id: st.SearchStrategy[str] = ids, box: st.SearchStrategy[Box] = pixel_boxes) -> st.SearchStrategy[Candidate]:
    """Single candidates without a parent."""
    return st.builds(
        Candidate,
        id=id,
        box=box,
        role=st.sampled_from(sorted(ROLES)),
        name=words,
        text=words,
        value=words,
        source=st.sampled_from(sorted(SOURCES)),
        score=fractions,
        actions=_actions,
        states=_states,
        reading_order=st.integers(0, 99),
        hit=st.none() | points,
        provenance=st.lists(words, max_size=2).map(tuple),
    )


tables = st.lists(rows(), max_size=12, unique_by=lambda r: r.id).map(Candidates)

_at = st.none() | st.tuples(fractions, fractions)
_modifiers = st.lists(st.sampled_from(["MOD", "ALT", "SHIFT"]), unique=True, max_size=3).map(tuple)

actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, target=ids, at=_at, modifiers=_modifiers),
    st.builds(DoubleClick, target=ids, at=_at),
    st.builds(RightClick, target=ids, at=_at),
    st.builds(Drag, target=ids, to=ids, at=_at, to_at=_at),
    st.builds(Scroll, target=ids, direction=st.sampled_from(["up", "down", "left", "right"]), amount=st.integers(1, 9)),
    st.builds(TypeText, target=ids, text=st.text(), then=st.sampled_from(["", "ENTER", "TAB"]), replace=st.booleans()),
    st.builds(SetValue, target=ids, value=st.text(), input_key=words),
    st.builds(PressKey, key=st.sampled_from(["ENTER", "A", "F5"]), target=st.just("") | ids),
    st.builds(Hotkey, keys=st.just(("MOD", "S")), target=st.just("") | ids),
    st.builds(Wait, seconds=st.floats(0, 10)),
)

targets = st.builds(
    Target,
    st.sampled_from(["page", "window", "desktop"]),
    st.sampled_from(["1", "2"]),
    st.sampled_from(["g0", "g1"]),
)


def shot(width: int = 40, height: int = 30, *, scale: float = 1.0, value: int = 255) -> Screenshot:
    """A plain screenshot that maps to input like a page's."""
    pixels = np.full((height, width, 3), value, np.uint8)
    return Screenshot(pixels=pixels, scale=scale, to_input=Affine.scaling(1 / scale))
