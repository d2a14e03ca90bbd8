"""Gold paths: moves as data become actions on candidates, wait for what is not there yet, and give up in the end."""

import numpy as np
import pytest

from cuakit.core.action import Click, Hotkey, PressKey, SetValue, TypeText, Wait
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import InvalidTask
from cuakit.core.geometry import Box
from cuakit.core.lease import Target
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step
from cuakit.envs.desktop.gold import PATIENCE, GoldPath, find

SUBTASK = Subtask(goal="anything")


def seen(*candidates: Candidate, title: str = "Editor") -> Observation:
    shot = Screenshot(pixels=np.zeros((200, 400, 3), np.uint8), source="test")
    return Observation(
        screenshot=shot,
        candidates=Candidates(candidates),
        target=Target("window", "w", "1"),
        capture_id="cap",
        title=title,
    )


def thing(id: str, role: str, name: str = "", box: tuple[int, int, int, int] = (0, 0, 10, 10), **more) -> Candidate:
    return Candidate(id=id, role=role, name=name, box=Box(*box), **more)


def after(decision, observation, effect: str = "unverifiable") -> Step:
    receipt = Receipt(effect=effect, code="" if effect != "refused" else "capture_stale")
    return Step(index=0, observation=observation, decision=decision, receipt=receipt)


SAVE = thing("c1", "button", "Save")
FIELD = thing("c2", "textbox", box=(100, 50, 200, 70))
LABEL = thing("c3", "text", "Name:", box=(10, 52, 60, 68))


@pytest.mark.parametrize(
    ("move", "action"),
    [
        ({"click": "button:Save"}, Click(target="c1")),
        ({"click": "sa*"}, Click(target="c1")),
        ({"type": "a", "on": "textbox", "then": "ENTER"}, TypeText(target="c2", text="a", then="ENTER", replace=False)),
        ({"set": "4", "on": "textbox@Name:"}, SetValue(target="c2", value="4")),
        ({"keys": "CTRL+S"}, Hotkey(keys=("CTRL", "S"))),
        ({"keys": "ENTER"}, PressKey(key="ENTER")),
    ],
)
def test_a_move_becomes_an_action(move, action):
    assert GoldPath([move])(SUBTASK, seen(SAVE, FIELD, LABEL), ()).action == action


def test_the_next_move_comes_when_the_last_one_was_injected_and_not_before():
    path, now = GoldPath([{"click": "Save"}, {"keys": "ENTER"}]), seen(SAVE)
    first = path(SUBTASK, now, ())
    again = path(SUBTASK, now, (after(first, now, "refused"),))
    assert again.action == first.action == Click(target="c1")
    assert path(SUBTASK, now, (after(again, now),)).action == PressKey(key="ENTER")


def test_a_path_waits_for_window_focus_and_evidence():
    path = GoldPath([{"keys": "CTRL+S", "window": "dialog", "focus": "textbox"}, {"see": "text:Done"}])
    focused = thing("c9", "textbox", states=("focused",))
    assert path(SUBTASK, seen(focused), ()).outcome == "reobserve"
    assert isinstance(path(SUBTASK, seen(FIELD, title="A dialog"), ()).action, Wait)
    here = seen(focused, title="A dialog")
    made = path(SUBTASK, here, ())
    assert made.action == Hotkey(keys=("CTRL", "S"))
    assert path(SUBTASK, here, (after(made, here),)).outcome == "reobserve"
    assert path(SUBTASK, seen(thing("c5", "text", "Done")), ()).outcome == "complete"


def test_a_wait_counts_as_no_move():
    path, now = GoldPath([{"click": "Save"}]), seen(FIELD)
    path(SUBTASK, now, ())
    wait = path(SUBTASK, now, ())
    assert path(SUBTASK, seen(SAVE), (after(wait, now),)).action == Click(target="c1")


def test_a_path_without_hope_gives_up():
    path = GoldPath([{"click": "Nothing"}])
    outcomes = [path(SUBTASK, seen(SAVE), ()).outcome for _ in range(PATIENCE + 1)]
    assert outcomes[-1] == "blocked"
    assert "blocked" not in outcomes[:-1]


def test_what_cannot_be_used_is_not_found_and_of_several_the_focused_one_is():
    small, focused = thing("c7", "textbox"), thing("c8", "textbox", box=(0, 0, 300, 100), states=("focused",))
    assert find(seen(thing("c6", "button", "Save", states=("disabled",))), "button:Save") is None
    assert find(seen(small, focused), "textbox") == focused
    assert find(seen(small, FIELD), "textbox") == small
    assert find(seen(FIELD), "textbox@Nobody") is None
    assert find(seen(thing("c4", "textbox", value="1591 ")), "textbox:1591").id == "c4"


@pytest.mark.parametrize("move", [{}, "click", {"click": "a", "keys": "B"}, {"clack": "a"}, {"click": "a", "x": 5}])
def test_what_is_no_move_is_refused(move):
    with pytest.raises(InvalidTask, match=r"cuakit.gold\[0\]"):
        GoldPath([move])
