"""Roles from pixels, and boxes as tight as the ink."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.roles import assign_roles


def told(pixels: np.ndarray, box: Box, **more) -> Candidate:
    row = Candidate(id="c01", box=box, **({"role": "text", "text": "word", "source": "ocr"} | more))
    shot = Screenshot(pixels=pixels)
    (found,) = assign_roles(shot, Candidates([row]), lambda c: c.box)
    return found


@given(
    left=st.integers(0, 60),
    top=st.integers(0, 20),
    width=st.integers(6, 80),
    height=st.integers(5, 20),
    room=st.integers(0, 12),
)
def test_text_is_as_large_as_its_ink_and_a_margin_and_never_larger_than_it_was_found(left, top, width, height, room):
    pixels = np.full((60, 200, 3), 250, np.uint8)
    x, y = left + 14, top + 14
    pixels[y : y + height : 2, x : x + width] = 20
    ink = Box(x, y, x + width, y + height - (height + 1) % 2)
    found = Box(x - room, y - room, x + width + room, y + height + room)
    box = told(pixels, found).box
    assert found.contains(box)
    assert box.pad(1).contains(ink.intersect(found))
    margin = 0.15 * ink.height + 1
    assert ink.pad(margin + 1).contains(box)


@pytest.mark.parametrize("pixels", [np.full((40, 90, 3), 200, np.uint8), np.zeros((40, 90, 3), np.uint8)])
def test_text_without_ink_keeps_its_box(pixels):
    assert told(pixels, Box(10, 10, 60, 30)).box == Box(10, 10, 60, 30)


def test_a_control_keeps_its_box():
    pixels = np.full((60, 200, 3), 250, np.uint8)
    pixels[20:30, 40:60] = 0
    found = told(pixels, Box(10, 10, 120, 44), role="unknown", text="", source="contours")
    assert found.box == Box(10, 10, 120, 44)
