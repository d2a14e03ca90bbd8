import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cuakit.core import registry
from cuakit.core.errors import UnknownName
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.contours import PRESETS, Contours
from tests.perceive.drawing import Sheet


def best(found, truth):
    return max((c.box.iou(truth) for c in found), default=0.0)


@pytest.mark.parametrize("scale", [1, 2, 3])
@pytest.mark.parametrize(("ground", "line"), [(255, (90, 90, 90)), (30, (120, 120, 120)), (255, (214, 214, 214))])
def test_a_button_is_found_at_every_scale_and_on_every_theme(scale, ground, line):
    sheet = Sheet(scale=scale, ground=ground)
    truth = sheet.box(20, 30, 120, 54, line=line)
    assert best(Contours()(sheet.shot()), truth) > 0.85


@pytest.mark.parametrize("scale", [1, 2])
def test_a_flat_icon_without_a_border_is_found(scale):
    sheet = Sheet(scale=scale, ground=240)
    truth = sheet.box(40, 40, 64, 64, line=None, fill=(222, 222, 222))
    assert best(Contours()(sheet.shot()), truth) > 0.8


def test_equal_brightness_is_no_hiding_place():
    sheet = Sheet(ground=0)
    sheet.pixels[:] = (100, 100, 100)
    truth = sheet.box(40, 40, 70, 70, line=None, fill=(160, 72, 88))
    assert best(Contours()(sheet.shot()), truth) > 0.8


@pytest.mark.parametrize("scale", [1, 2])
def test_an_icon_inside_a_panel_is_kept(scale):
    sheet = Sheet(scale=scale)
    panel, icon = sheet.box(10, 10, 200, 150), sheet.box(30, 30, 50, 50)
    found = Contours()(sheet.shot())
    assert best(found, panel) > 0.85
    assert best(found, icon) > 0.75


def test_a_border_is_one_shape_not_two():
    sheet = Sheet(scale=2)
    truth = sheet.box(20, 30, 120, 54)
    assert sum(c.box.iou(truth) > 0.4 for c in Contours()(sheet.shot())) == 1


def test_touching_buttons_are_two():
    sheet = Sheet()
    a, b = sheet.box(20, 30, 80, 54), sheet.box(80, 30, 140, 54)
    found = Contours()(sheet.shot())
    assert best(found, a) > 0.75
    assert best(found, b) > 0.75


def test_what_the_frame_cuts_off_is_found():
    sheet = Sheet()
    sheet.box(20, 180, 120, 230)
    assert best(Contours()(sheet.shot()), Box(20, 180, 120, 200)) > 0.8


def test_the_seed_preset_sees_no_nested_and_no_wide_shapes():
    sheet = Sheet()
    sheet.box(10, 10, 60, 60)
    inner = sheet.box(20, 20, 45, 45)
    wide = sheet.box(100, 20, 260, 50)
    seed = Contours.preset("seed")(sheet.shot())
    assert best(seed, inner) < 0.5
    assert best(seed, wide) < 0.5
    assert best(Contours()(sheet.shot()), inner) > 0.7


def test_near_centres_are_one_when_asked():
    sheet = Sheet()
    sheet.box(20, 20, 70, 70)
    sheet.box(32, 32, 58, 58)
    assert len(Contours()(sheet.shot())) == 2
    assert len(Contours(apart_pt=15)(sheet.shot())) == 1


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_builds_and_is_rebuilt_from_its_spec(name):
    made = Contours.preset(name)
    spec = registry.spec(made)
    assert registry.build("perceive", spec.name, **spec.args) == made


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(UnknownName, match="seed"):
        Contours.preset("sed")


@pytest.mark.parametrize("shape", [(1, 1), (1, 400), (400, 1), (3, 3)])
def test_tiny_and_empty_frames_hold_nothing(shape):
    blank = Screenshot(pixels=np.full((*shape, 3), 200, np.uint8))
    assert len(Contours()(blank)) == 0


@settings(max_examples=25, deadline=None)
@given(
    left=st.integers(5, 150),
    top=st.integers(5, 100),
    width=st.integers(10, 120),
    height=st.integers(10, 60),
    level=st.integers(0, 200),
)
def test_any_clear_rectangle_is_found(left, top, width, height, level):
    sheet = Sheet()
    truth = sheet.box(left, top, left + width, top + height, line=None, fill=(level,) * 3)
    assert best(Contours()(sheet.shot()), truth) > 0.7


def test_boxes_stay_in_the_frame():
    noise = np.random.default_rng(0).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    found = Contours(size_pt=(2, 64))(Screenshot(pixels=noise))
    frame = Box(0, 0, 160, 120)
    assert all(frame.contains(c.box) for c in found)
