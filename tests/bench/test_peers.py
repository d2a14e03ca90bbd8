"""Peers keep their own rules, and one that cannot run says why."""

import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.bench.matching import Found
from cuakit.bench.peers import KIRA, Kira, join, peers
from cuakit.core.errors import ModelError
from cuakit.core.geometry import Box


def icons(*rows):
    return np.array([(*r, 0.5) for r in rows], float).reshape(-1, 5)


def line(*box, text="word"):
    return Found(box=Box(*box), role="text", text=text)


@pytest.mark.parametrize(
    ("boxes", "lines", "kept"),
    [
        ([(0, 0, 100, 30)], [line(10, 5, 60, 25)], [("icon", "word")]),  # a text inside an icon is what it says
        ([(10, 5, 30, 25)], [line(0, 0, 100, 30)], [("text", "word")]),  # an icon inside a text goes
        ([(0, 0, 100, 30)], [line(90, 0, 190, 30)], [("text", "word"), ("icon", "")]),  # a touch is nothing
        ([(0, 0, 10, 10), (0, 0, 11, 10)], [], [("icon", "")]),  # of two that are nearly the same, the smaller stays
        ([(0, 0, 10, 10), (0, 0, 100, 100)], [], [("icon", "")]),  # also when it lies in the larger
        ([(0, 0, 40, 30)], [line(2, 5, 20, 25, text="a"), line(22, 5, 38, 25, text="b")], [("icon", "a b")]),
        ([], [line(0, 0, 5, 5)], [("text", "word")]),
        ([(0, 0, 5, 5)], [], [("icon", "")]),
        ([], [], []),
    ],
)
def test_icons_and_texts_are_joined_as_omniparser_joins_them(boxes, lines, kept):
    assert [(f.role, f.text) for f in join(icons(*boxes), lines)] == kept


spots = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 30), st.integers(1, 30))


@given(st.lists(spots, max_size=8), st.lists(spots, max_size=8))
def test_no_text_is_lost_when_they_are_joined(boxes, lines):
    found = join(
        icons(*((x, y, x + w, y + h) for x, y, w, h in boxes)),
        [line(x, y, x + w, y + h, text=f"t{i}") for i, (x, y, w, h) in enumerate(lines)],
    )
    said = {word for f in found for word in f.text.split()}
    assert said == {f"t{i}" for i in range(len(lines))}


def test_what_is_not_installed_is_said_with_its_code(monkeypatch, tmp_path):
    monkeypatch.setenv("CUAKIT_EXTENSIONS", str(tmp_path))
    monkeypatch.delenv(KIRA, raising=False)
    made, missing = peers()
    assert set(made) == {"seed_contours", "rapidocr"}
    assert set(missing) == {"omniparser", "kira"}
    assert all(why.startswith("not_installed") for why in missing.values())


@pytest.mark.processes
def test_a_python_without_kira_is_said():
    with pytest.raises(ModelError, match="ended with status"):
        Kira(sys.executable)
