"""A recording is repeated on what is there now, never on a place."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cuakit.core.action import Click, Drag, SetValue, TypeText
from cuakit.core.candidate import Candidates
from cuakit.core.subtask import Subtask
from cuakit.decide.replay import Replay, again

GO = Subtask(goal="go", inputs={"pw": "new"}, secret_inputs={"pw"})


def moved(scene, *rows):
    """The same things elsewhere, with other ids."""
    return scene.screen(*(replace(r, id=f"n{i}", box=r.box.shift(7, 31)) for i, r in enumerate(reversed(rows))))


def test_targets_are_found_by_what_they_are(scene):
    rows = [scene.row(1, "button", "Save"), scene.row(2, "button", "Send"), scene.row(3, "textbox", "Save")]
    steps = scene.did(scene.screen(*rows), Click(target="c02"), Drag(target="c01", to="c03"))
    now = moved(scene, *rows)
    by_name = {(c.role, c.label): c.id for c in now.candidates}
    assert Replay(steps=steps)(GO, now, []).action.target == by_name["button", "Send"]
    drag = Replay(steps=steps)(GO, now, steps[:1]).action
    assert (drag.target, drag.to) == (by_name["button", "Save"], by_name["textbox", "Save"])


@given(count=st.integers(1, 6), which=st.integers(0, 5), gone=st.booleans())
def test_among_look_alikes_the_same_number_or_none(scene, count, which, gone):
    rows = [scene.row(i + 1, "button", "+") for i in range(count)]
    which %= count
    later = [replace(r, id=f"n{i}", box=r.box.shift(200, 300)) for i, r in enumerate(rows[gone:])]
    found = again(rows[which].id, Candidates(rows), Candidates(later))
    assert (found and found.id) == (None if gone else f"n{which}")


@pytest.mark.parametrize(
    "action",
    [TypeText(target="c01", text="[secret]", input_key="pw"), SetValue(target="c01", value="old", input_key="pw")],
)
def test_texts_are_those_of_the_subtask_at_hand(scene, action):
    seen = scene.screen(scene.row(1, "textbox", "Password"))
    again = Replay(steps=scene.did(seen, action))(GO, seen, []).action
    assert getattr(again, "text", getattr(again, "value", "")) == "new"


def test_what_is_gone_is_said_and_not_clicked(scene):
    steps = scene.did(scene.screen(scene.row(1, "button", "Save")), Click(target="c01"))
    told = Replay(steps=steps)(GO, scene.screen(scene.row(1, "button", "Delete")), [])
    assert (told.outcome, told.action) == ("needs_agent", None)
    assert "button 'Save' is not on the screen" in told.reason


def test_after_the_end_it_abstains(scene):
    assert Replay()(GO, scene.screen(), []).outcome == "abstain"
