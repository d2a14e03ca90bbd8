"""What an action would do, by whatever route it does it."""

from itertools import permutations

import pytest
from hypothesis import given

from cuakit.core.action import ACTIONS, Click, DoubleClick, Drag, Hotkey, PressKey, RightClick, Scroll, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.risk import CHORDS, consequences
from cuakit.core.subtask import RISKS
from tests.strategies import actions


def table(*rows, focused=""):
    return Candidates(
        Candidate(
            id=id, role=role, name=name, box=Box(0, 20 * i, 80, 20 * i + 16), reading_order=i,
            actions=("click", "type") if role == "textbox" else ("click",),
            states=("focused",) if id == focused else (),
        )
        for i, (id, role, name) in enumerate(rows)
    )  # fmt: skip


MAIL = (("to", "textbox", "To"), ("go", "button", "Send"), ("bin", "listitem", "Trash"), ("ok", "button", "Keep"))


@pytest.mark.parametrize(
    ("action", "focused", "kinds"),
    [
        (Click(target="go"), "", {"send"}),
        (DoubleClick(target="go"), "", {"send"}),
        (RightClick(target="go"), "", set()),  # it opens a menu, and the menu is looked at again
        (Scroll(target="go"), "", set()),
        (Click(target="to"), "", set()),
        (Click(target="ok"), "", set()),
        (Drag(target="to", to="bin"), "", {"delete"}),
        (Drag(target="bin", to="to"), "", set()),
        (Drag(target="bin", to="bin"), "", set()),
        (PressKey(key="ENTER"), "go", {"send"}),
        (PressKey(key="SPACE"), "go", {"send"}),
        (PressKey(key="ENTER"), "to", {"send"}),  # the button that follows the field
        (PressKey(key="ENTER", target="to"), "", {"send"}),
        (PressKey(key="SPACE"), "to", set()),
        (PressKey(key="ENTER"), "ok", set()),
        (PressKey(key="ENTER"), "", set()),
        (TypeText(target="to", text="x"), "", set()),
        (TypeText(target="to", text="x", then="ENTER"), "", {"send"}),
        (TypeText(target="to", text="x", then="TAB"), "", set()),
        (PressKey(key="DELETE"), "bin", {"delete"}),
        (PressKey(key="DELETE"), "", {"delete"}),
        (PressKey(key="DELETE"), "to", set()),
        (Hotkey(keys=("alt", "f4")), "", {"close"}),
        (Hotkey(keys=("MOD", "ENTER")), "", {"send"}),
        (Hotkey(keys=("MOD", "C")), "", set()),
        (Hotkey(keys=("CTRL", "ENTER")), "", {"send"}),
        (Hotkey(keys=("CTRL", "W")), "", {"close"}),
        (Hotkey(keys=("MOD", "F4")), "", {"close"}),
        (Hotkey(keys=("SHIFT", "CTRL", "DELETE")), "", {"delete"}),
        (Hotkey(keys=("SHIFT", "ENTER"), target="to"), "", {"send"}),
        (Hotkey(keys=("SHIFT", "SPACE")), "go", {"send"}),
        (Hotkey(keys=("SHIFT", "TAB")), "go", set()),
        (Hotkey(keys=("ALT", "ENTER")), "to", set()),
        (TypeText(target="to", text="x\n"), "", {"send"}),
        (TypeText(target="to", text="x\ry"), "", {"send"}),
    ],
)
def test_the_kinds_of_an_action(action, focused, kinds):
    assert consequences(action, table(*MAIL, focused=focused)) == kinds


def test_enter_in_the_last_field_of_a_form_without_a_button_submits_nothing_that_is_known():
    assert consequences(PressKey(key="ENTER", target="to"), table(MAIL[1], MAIL[0])) == frozenset()


@given(actions)
def test_every_action_has_an_answer_on_every_screen(action):
    assert type(action) in ACTIONS.values()
    for rows in ((), MAIL):
        assert consequences(action, table(*rows)) <= set(RISKS)


def test_chords_name_known_kinds():
    assert set(CHORDS.values()) <= set(RISKS)


@pytest.mark.parametrize("chord", CHORDS)
@pytest.mark.parametrize("control", ["MOD", "CTRL"])
def test_no_other_spelling_of_a_chord_is_harmless(chord, control):
    *held, key = (control if word == "MOD" else word for word in chord.split("+"))
    for order in permutations(held):
        assert consequences(Hotkey(keys=(*order, key)), table(*MAIL)) == {CHORDS[chord]}
