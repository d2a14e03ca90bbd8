import shutil
import time

import numpy as np
import pytest

from cuakit.backends.atspi import Ref
from cuakit.backends.atspi_tree import Node, Tree
from cuakit.backends.atspi_words import ROLES
from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import list_windows
from cuakit.capture.window import Window
from cuakit.core import registry
from cuakit.core.candidate import ROLES as ARIA, Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.accessibility import candidates
from cuakit.perceive.accessibility_roles import ROLE, aria_role, aria_states

SHOT = Screenshot(pixels=np.zeros((200, 300, 3), np.uint8))
USABLE = frozenset({"enabled", "sensitive", "showing", "visible"})


def node(role, name="", box=(10, 10, 60, 30), *, parent=0, states=USABLE, **kwargs):
    defaults = {
        "ref": Ref(":1.5", f"/n/{role}/{name}".replace(" ", "_")),
        "parent": parent,
        "depth": 1,
        "role": role,
        "name": name,
        "states": states,
        "interfaces": frozenset({"Accessible"}),
        "box": Box(*box) if box else None,
        "children": 0,
    }
    return Node(**(defaults | kwargs))


FRAME = node("frame", "window", (0, 0, 300, 200), parent=-1, depth=0, children=9)


def read(*nodes):
    return candidates(Tree(nodes=(FRAME, *nodes)), SHOT)


def test_every_role_of_the_map_is_one_of_at_spi_and_leads_to_one_of_ours():
    assert set(ROLE) <= set(ROLES)
    assert set(ROLE.values()) <= ARIA


@pytest.mark.parametrize(
    ("atspi", "aria"),
    [
        ("push button", "button"),
        ("entry", "textbox"),
        ("page tab", "tab"),
        ("check box", "checkbox"),
        ("ruler", "unknown"),
    ],
)
def test_roles_are_aria_words(atspi, aria):
    assert aria_role(atspi) == aria


def test_states_are_candidate_words():
    assert aria_states(USABLE | {"checked", "focused", "visible"}, "check box") == ("checked", "focused")
    assert aria_states(frozenset({"showing"}), "push button") == ("disabled",)
    assert aria_states(frozenset({"showing"}), "label") == ()
    assert "secret" in aria_states(USABLE, "password text")


def test_an_object_becomes_a_candidate_with_its_reference():
    (found,) = read(node("push button", "OK"))
    assert (found.role, found.name, found.box, found.source) == ("button", "OK", Box(10, 10, 60, 30), "accessibility")
    assert found.provenance == ("atspi::1.5/n/push_button/OK",)
    assert "click" in found.actions


def test_the_frame_itself_and_what_lies_outside_are_left_out():
    assert len(read(node("push button", "far", (400, 10, 420, 20)), node("push button", "none", None))) == 0


def test_what_sticks_out_is_cut_and_hit_where_it_shows():
    (found,) = read(node("push button", "edge", (280, 10, 340, 30)))
    assert found.box == Box(280, 10, 300, 30)
    assert found.point == Point(290, 20)


def test_a_disabled_button_offers_nothing():
    (found,) = read(node("push button", "OK", states=frozenset({"showing", "visible"})))
    assert found.states == ("disabled",)
    assert found.actions == ()
    assert not found.interactive


def test_a_nameless_button_is_called_by_the_labels_inside_it():
    table = read(node("push button", children=2), node("label", "Save", parent=1), node("label", "all", parent=1))
    assert table.where(role="button")[0].name == "Save all"


def test_a_secret_is_never_kept():
    (found,) = read(node("password text", "Password", value="hunter2", interfaces=frozenset({"EditableText", "Text"})))
    assert found.value == ""
    assert "hunter2" not in repr(found)
    assert "secret" in found.states


def test_a_field_offers_to_be_written():
    (found,) = read(node("text", "Name", value="Ada\ufffc", interfaces=frozenset({"EditableText", "Text"})))
    assert found.value == "Ada"
    assert {"type", "set_value", "click"} <= set(found.actions)


def test_a_slider_offers_its_number():
    (found,) = read(node("slider", value="10", interfaces=frozenset({"Value"})))
    assert (found.value, "set_value" in found.actions) == ("10", True)


def test_silent_boxes_are_dropped_and_their_children_keep_an_ancestor():
    table = read(
        node("panel", "group", (0, 0, 200, 100), children=1),
        node("filler", "", (0, 0, 190, 90), parent=1, children=1),
        node("push button", "OK", parent=2),
    )
    assert sorted(c.role for c in table) == ["button", "group"]
    assert table.where(role="button")[0].parent == table.where(role="group")[0].id


def test_a_large_nameless_leaf_is_kept_because_one_can_point_at_it():
    assert [c.role for c in read(node("filler", "", (0, 0, 100, 100)))] == ["group"]
    assert len(read(node("filler", "", (0, 0, 100, 20)))) == 0
    assert len(read(node("label", "", (0, 0, 100, 20)))) == 0


def test_a_program_that_does_not_answer_is_an_error():
    with pytest.raises(BackendError) as raised:
        candidates(Tree(truncated="not_answering"), SHOT)
    assert raised.value.error_code == "not_answering"


@pytest.mark.x11
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
@pytest.mark.skipif(shutil.which("galculator") is None, reason="needs apt-get install galculator")
def test_a_real_window_is_read_by_the_stage_and_its_boxes_lie_on_its_pixels():
    with Desktop.launch(width=800, height=600) as desktop, X11.open(desktop.display) as x:
        desktop.spawn(["galculator"])
        end = time.monotonic() + 20
        while not (windows := [w for w in list_windows(x) if w.app == "Galculator" and w.on_screen]):
            assert time.monotonic() < end
            time.sleep(0.02)
        with Window.open(windows[0].id, x=x) as window:
            stage = registry.get("perceive", "accessibility-v1")(session=desktop.env["DBUS_SESSION_BUS_ADDRESS"])
            perceive = stage.bind(window)
            while True:
                shot = window.grab()
                try:
                    table = perceive(shot)
                    if len(table) > 30 and _is_drawn(shot, table):
                        break
                except BackendError:
                    pass
                assert time.monotonic() < end
                time.sleep(0.02)
            assert table.where(role="button", name="0")[0].box.top > table.where(role="button", name="9")[0].box.top


def _is_drawn(shot: Screenshot, table: Candidates) -> bool:
    """Whether a glyph lies under every digit of a calculator; a window is listed before it has painted."""
    keys = [table.where(role="button", name=digit) for digit in "0123456789"]
    return all(len(key) == 1 and shot.crop(key[0].box).std() > 1 for key in keys)
