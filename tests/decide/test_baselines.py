from collections import Counter

import pytest

from cuakit.core.action import Click
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.registry import build, spec
from cuakit.core.subtask import Subtask
from cuakit.decide.constant import Constant
from cuakit.decide.noop import Noop
from cuakit.decide.random import Random
from cuakit.decide.scripted import Scripted

GO = Subtask(goal="go", inputs={"text": "hi", "name": "kim"})


def test_noop_never_acts_whatever_is_on_the_screen(scene):
    decision = Noop()(GO, scene.screen(scene.row(1, "button", "go")), [])
    assert decision.outcome == "abstain"
    assert decision.action is None


def test_random_repeats_itself_for_a_seed_and_a_step_and_differs_between_them(scene):
    seen = scene.screen(*(scene.row(i, "button", str(i)) for i in range(1, 30)))

    def play(seed):
        return [Random(seed=seed)(GO, seen, [None] * n).action.target for n in range(20)]

    assert play(7) == play(7)
    assert play(7) != play(8)
    assert len(set(play(7))) > 5


def test_random_is_uniform_over_actions(scene):
    seen = scene.screen(scene.row(1, "textbox", "Name"), scene.row(2, "button", "Go"))
    kinds = Counter(Random(seed=s)(GO, seen, []).action.kind for s in range(2000))
    # two inputs to type, one click on the field, one on the button: 2 of 4 each; five standard deviations
    assert abs(kinds["type_text"] - 1000) < 5 * (2000 * 0.25) ** 0.5


def test_random_types_inputs_only(scene):
    seen = scene.screen(scene.row(1, "textbox", "Name", actions=("type",)))
    for s in range(20):
        action = Random(seed=s)(GO, seen, []).action
        assert GO.inputs[action.input_key] == action.text


def test_random_abstains_on_an_empty_screen(scene):
    assert Random()(GO, scene.screen(), []).outcome == "abstain"


@pytest.mark.parametrize(("place", "target"), [(0, "c01"), (1, "c02"), (9, "c03")])
def test_constant_takes_the_same_place_whatever_the_goal_and_the_past(scene, place, target):
    seen = scene.screen(*(scene.row(i, "button", str(i)) for i in (1, 2, 3)))
    for goal, past in (("click 1", []), ("click 3", [None])):
        assert Constant(place=place)(Subtask(goal=goal), seen, past).action.target == target
    assert Constant()(GO, scene.screen(), []).outcome == "abstain"


@pytest.mark.parametrize("place", [-1, True, "0"])
def test_constant_refuses_a_place_that_is_none(place):
    with pytest.raises(UsageError, match="place"):
        Constant(place=place)


def test_scripted_returns_what_its_policy_says(scene):
    wanted = Decision(outcome="act", action=Click(target="c01"))
    assert Scripted(policy=lambda *_: wanted)(GO, scene.screen(), []) is wanted
    assert Scripted()(GO, scene.screen(), []).outcome == "abstain"


@pytest.mark.parametrize("name", ["lexical-v1", "random-v1", "noop-v1", "scripted-v1", "constant-v1"])
def test_every_decider_is_found_by_name_and_can_be_written_down(name):
    assert spec(build("decide", name)).name == name
