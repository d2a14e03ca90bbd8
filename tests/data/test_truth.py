"""What counts as one control when the truth of a screen is taken."""

import importlib.util
import sys
from pathlib import Path

import pytest

from cuakit.core.geometry import Box
from cuakit.data.annotations import Element

SCRIPT = Path(__file__).parents[2] / "datasets/screens/drawn.py"


@pytest.fixture(scope="module")
def drawn():
    spec = importlib.util.spec_from_file_location("drawn", SCRIPT)
    module = sys.modules["drawn"] = importlib.util.module_from_spec(spec)  # dataclasses look for it there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["drawn"]


def element(role, *box):
    return Element(box=Box(*box), role=role)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([("radio", 0, 0, 36, 36), ("radio", 14, 14, 22, 22)], [0]),
        ([("radio", 14, 14, 22, 22), ("radio", 0, 0, 36, 36)], [1]),
        ([("radio", 0, 0, 36, 36), ("checkbox", 14, 14, 22, 22)], [0, 1]),
        ([("radio", 0, 0, 36, 36), ("radio", 30, 0, 60, 36)], [0, 1]),
        ([("button", 0, 0, 36, 36), ("button", 14, 14, 22, 22)], [0, 1]),
        ([("radio", 0, 0, 9, 9), ("radio", 0, 0, 9, 9)], [0, 1]),
        ([], []),
    ],
)
def test_a_label_and_the_mark_that_it_holds_are_one_control(drawn, rows, kept):
    found = [element(*row) for row in rows]
    assert drawn._one_each(found) == [found[i] for i in kept]
