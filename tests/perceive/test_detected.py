"""A detector adds what shapes and text do not tell, and takes nothing away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.perceive.detected import unclaimed, with_told_roles

boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h),
    st.integers(0, 300),
    st.integers(0, 300),
    st.integers(4, 120),
    st.integers(4, 120),
)


def row(box: Box, role: str = "icon", source: str = "contours", score: float = 0.9, text: str = "") -> Candidate:
    return Candidate(id="r", box=box, role=role, source=source, score=score, text=text)


def table(*rows: Candidate) -> Candidates:
    return Candidates.numbered(replace(r, id=f"r{i}") for i, r in enumerate(rows))


AT = Box(100, 100, 200, 130)


@given(shapes=st.lists(boxes, max_size=12), controls=st.lists(boxes, max_size=8))
def test_only_controls_without_an_outline_are_added(shapes: list[Box], controls: list[Box]) -> None:
    found = table(*(row(b, "button", "detector") for b in controls))
    added = unclaimed(table(*(row(b) for b in shapes)), table(), found, scale=1.0)
    assert {c.box for c in added} == {c for c in controls if all(c.iou(s) < 0.4 for s in shapes)}


def test_a_label_with_its_mark_is_no_second_control() -> None:
    mark = row(Box(102, 107, 118, 123), "radio")
    for label in (AT, Box(124, 104, 180, 126), Box(110, 104, 180, 126)):
        assert len(unclaimed(table(mark), table(), table(row(label, "button", "detector")), scale=1.0)) == 0


def test_what_holds_a_link_that_is_known_to_the_letter_is_no_control() -> None:
    link = row(Box(110, 105, 150, 125), "link", "ocr")
    assert len(unclaimed(table(), table(link), table(row(AT, "link", "detector")), scale=1.0)) == 0


def test_lines_of_text_are_left_to_the_reader() -> None:
    found = table(row(AT, "text", "detector"), row(AT.shift(0, 60), "link", "detector"))
    assert [c.role for c in unclaimed(table(), table(), found, scale=1.0)] == ["link"]


@pytest.mark.parametrize(
    ("told", "said", "score", "wanted"),
    [
        ("text", "link", 0.4, "link"),
        ("text", "link", 0.3, "text"),
        ("text", "textbox", 0.9, "text"),
        ("button", "textbox", 0.7, "textbox"),
        ("button", "combobox", 0.7, "combobox"),
        ("button", "tab", 0.9, "button"),
        ("checkbox", "textbox", 0.9, "checkbox"),
    ],
)
def test_the_detector_corrects_what_geometry_cannot_tell(told: str, said: str, score: float, wanted: str) -> None:
    (out,) = with_told_roles(table(row(AT, told, "fused", text="kiwi")), table(row(AT, said, "detector", score)))
    assert out.role == wanted
    if wanted != told:
        assert "click" in out.actions
        assert ("type" in out.actions) == (wanted == "textbox")
        assert (out.value == "kiwi") == (wanted != "link")


def test_a_word_about_something_else_changes_nothing() -> None:
    rows = table(row(AT, "text", "ocr"))
    assert with_told_roles(rows, table(row(AT.shift(0, 25), "link", "detector"))) == rows
