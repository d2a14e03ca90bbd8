"""Sliders move a stage, and what is found moves with them."""

import tomllib

import pytest

import cuakit as ck
from cuakit.agent import Agent
from cuakit.core.errors import UnknownName, UsageError
from cuakit.viz.tuner import Tuner


@pytest.fixture(scope="module")
def shot():
    return ck.data.form()


def test_there_is_a_control_for_every_number_and_it_begins_at_the_default(shot):
    tuner = Tuner("contours-v1", shot)
    kinds = {c.description: type(c).__name__ for c in tuner._controls.values()}
    assert kinds == {
        "low": "IntSlider", "high": "IntSlider", "dilate": "IntSlider", "size_pt": "FloatRangeSlider",
        "aspect": "FloatRangeSlider", "rectangles": "Checkbox", "rectangle_fill": "FloatSlider", "nested": "Checkbox",
        "apart_pt": "FloatSlider",
    }  # fmt: skip
    assert tuner.options == {}
    assert tuner.found == tuner.stage(shot)


def test_a_moved_slider_changes_what_is_found_and_shown(shot):
    tuner = Tuner("contours-v1", shot)
    before, picture = len(tuner.found), tuner._picture.value
    tuner._controls["size_pt"].value = (30.0, 64.0)
    assert len(tuner.found) < before
    assert tuner._picture.value != picture
    assert f"{len(tuner.found)} candidates" in tuner._said.value


def test_what_was_tuned_can_be_written_into_an_agents_file(shot):
    tuner = Tuner("contours-v1", shot)
    tuner.set(low=35, size_pt=(8.0, 40.0), nested=False)
    agent = Agent.from_dict({"name": "mine", "observe": "pixels"} | tomllib.loads(tuner.toml))
    assert agent.perceive == tuner.spec
    assert ck.build("perceive", agent.perceive.name, **agent.perceive.args)(shot) == tuner.found


@pytest.mark.parametrize("stage", ["handles-v1", "contours-v1"])
def test_it_can_begin_elsewhere(stage, shot):
    assert Tuner(stage, shot).found is not None
    assert Tuner("contours-v1", shot, low=60).options == {"low": 60}


def test_what_is_unknown_is_said(shot):
    with pytest.raises(UnknownName):
        Tuner("nothing-v1", shot)
    with pytest.raises(UsageError):
        Tuner("contours-v1", shot).set(colour=3)
