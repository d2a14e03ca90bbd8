import json

import pytest
from hypothesis import given

from cuakit.core.action import ACTIONS, Click, Drag, Hotkey, Scroll, SetValue, TypeText, action_dict, action_from_dict
from tests.strategies import actions


@given(actions)
def test_every_action_survives_json(action):
    assert action_from_dict(json.loads(json.dumps(action_dict(action)))) == action


def test_no_action_holds_a_coordinate():
    names = {f for kind in ACTIONS.values() for f in kind.__dataclass_fields__}
    assert not names & {"x", "y", "point", "coordinates", "position"}


@pytest.mark.parametrize("at", [(-0.1, 0), (0, 1.01), (float("nan"), 0)])
@pytest.mark.parametrize("make", [lambda at: Click(target="c01", at=at), lambda at: Drag(target="a", to="b", to_at=at)])
def test_a_place_outside_its_candidate_cannot_be_named(make, at):
    with pytest.raises(ValueError, match="fractions"):
        make(at)


def test_scrolling_by_nothing_and_a_chord_of_one_key_are_refused():
    with pytest.raises(ValueError, match="amount"):
        Scroll(target="c01", amount=0)
    with pytest.raises(ValueError, match="PressKey"):
        Hotkey(keys=("S",))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"kind": "poke", "target": "c01"}, "unknown action kind"),
        ({"target": "c01"}, "unknown action kind None"),
        ({"kind": "click"}, "click"),
        ({"kind": "click", "target": "c01", "x": 3}, "'x'"),
    ],
)
def test_malformed_actions_say_what_is_wrong(data, why):
    with pytest.raises(ValueError, match=why):
        action_from_dict(data)


@pytest.mark.parametrize(
    "action",
    [TypeText(target="c", text="hunter2", input_key="pw"), SetValue(target="c", value="hunter2", input_key="pw")],
)
def test_secret_text_is_redacted_and_other_text_is_not(action):
    assert "hunter2" not in json.dumps(action_dict(action, redact=frozenset({"pw"})))
    assert "hunter2" in json.dumps(action_dict(action, redact=frozenset({"other"})))
