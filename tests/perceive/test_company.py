"""Menu bars and navigation columns are told by what stands together."""

import pytest

from cuakit.core.candidate import Candidate
from cuakit.core.geometry import Box
from cuakit.perceive.company import with_menubars, with_navigation


def words(*labels, top=8, gap=12, left=10, role="text"):
    out = []
    for i, label in enumerate(labels):
        out.append(Candidate(id=f"w{i}", role=role, text=label, box=Box(left, top, left + 7 * len(label), top + 14)))
        left += 7 * len(label) + gap
    return out


@pytest.mark.parametrize(
    "labels", [("File", "Edit", "View", "Help"), ("Datei", "Bearbeiten", "Ansicht", "Extras", "Hilfe")]
)
def test_the_words_of_a_menu_bar_are_menu_items(labels):
    assert {c.role for c in with_menubars(words(*labels), 1.0)} == {"menuitem"}


def test_a_word_that_is_not_usual_belongs_to_the_bar_it_stands_in():
    assert {c.role for c in with_menubars(words("File", "Edit", "Arrange", "Macros"), 1.0)} == {"menuitem"}


@pytest.mark.parametrize(
    "rows",
    [
        words("File", "Edit"),
        words("Save", "the", "file", "now"),
        words("File", "Edit", "View", gap=200),
        [c for i, w in enumerate(("File", "Edit", "View")) for c in words(w, top=8 + 30 * i)],
        words("File", "Edit", "View", role="checkbox"),
        [],
    ],
)
def test_other_words_stay_what_they_are(rows):
    assert with_menubars(rows, 1.0) == rows


def entries(count, *, step=30, indent=0):
    return [
        Candidate(
            id=f"e{i}",
            role="icon",
            text=f"Entry {i}",
            box=Box(20 + indent * i, step * i, 140 + indent * i, step * i + 18),
        )
        for i in range(count)
    ]


def test_icons_with_names_in_a_column_are_links():
    assert {c.role for c in with_navigation(entries(3), 1.0)} == {"link"}


@pytest.mark.parametrize("rows", [entries(2), entries(5, indent=20), []])
def test_few_or_scattered_ones_are_not(rows):
    assert with_navigation(rows, 1.0) == rows
