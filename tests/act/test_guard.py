import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from cuakit.act.guard import Limits, compare, densest, patch_box
from cuakit.core.geometry import Box, Point
from tests.strategies import SCALES, fractions, solid_boxes

LIMITS = Limits()


def drawn(text: str, *, scale: float = 1.0, dx: int = 0, back: int = 255, ink: int = 20, cover: bool = False):
    """A labelled field as pixels, 160 × 28 points."""
    picture = Image.new("RGB", (round(160 * scale), round(28 * scale)), (back,) * 3)
    pen = ImageDraw.Draw(picture)
    pen.text((8 * scale + dx, 6 * scale), text, fill=(ink,) * 3, font=ImageFont.load_default(13 * scale))
    if cover:
        pen.rectangle((40 * scale, 0, 120 * scale, 28 * scale), fill=(240, 240, 240))
    return np.asarray(picture)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("was", "now"),
    [("Row 1", "Row 2"), ("Accept", "Reject"), ("Save draft", "Save final"), ("Row 8", "Row 6"), ("Delete", "")],
)
def test_another_text_of_the_same_style_at_the_same_place_is_seen(was, now, scale):
    assert not compare(drawn(was, scale=scale), drawn(now, scale=scale), LIMITS, scale=scale).same


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("dx", [1, 2, 5, 20])
def test_an_element_that_moved_is_seen(dx, scale):
    assert not compare(
        drawn("Save", scale=scale), drawn("Save", scale=scale, dx=round(dx * scale)), LIMITS, scale=scale
    ).same


def test_what_is_drawn_over_it_is_seen():
    assert not compare(drawn("Save a copy now"), drawn("Save a copy now", cover=True), LIMITS).same


@pytest.mark.parametrize("dim", [0.5, 0.7])
def test_a_page_dimmed_by_a_dialog_is_seen_although_the_shift_is_uniform(dim):
    was = drawn("Save")
    now = (was * dim).astype(np.uint8)
    assert not compare(was, now, LIMITS, element=Box(0, 0, 160, 28)).same


@pytest.mark.parametrize("shift", [-40, -12, 8, 40])
def test_a_highlight_of_the_element_is_forgiven_and_its_surroundings_are_not(shift):
    was = drawn("Save", back=200, ink=60)
    now = was.copy()
    now[4:-4, 4:-4] = np.clip(now[4:-4, 4:-4].astype(int) + shift, 0, 255)
    assert compare(was, now, LIMITS, element=Box(4, 4, 156, 24)).same
    assert compare(was, now, LIMITS).same is (abs(shift) <= LIMITS.level)


def test_a_highlight_does_not_hide_another_text():
    was = drawn("Row 1", back=240)
    now = drawn("Row 2", back=220)
    assert not compare(was, now, LIMITS, element=Box(0, 0, 160, 28)).same


def _button_in_a_row(row: int, shade: float = 0.0) -> NDArray[np.uint8]:
    """A black button with a white mark on a row of a grey, perhaps under a black sheet."""
    pixels = np.full((36, 80, 3), row, np.uint8)
    pixels[6:30, 10:70] = 0
    pixels[14:22, 30:50] = 255
    return (pixels * (1 - shade)).astype(np.uint8)


BUTTON = Box(10, 6, 70, 30)


def test_a_row_that_lights_up_behind_its_button_is_a_highlight():
    assert compare(_button_in_a_row(255), _button_in_a_row(238), LIMITS, element=BUTTON).same


@pytest.mark.parametrize("shade", [0.1, 0.25, 0.5])
def test_a_sheet_over_a_black_button_is_told_by_the_buttons_own_mark(shade):
    assert not compare(_button_in_a_row(255), _button_in_a_row(255, shade), LIMITS, element=BUTTON).same


def test_a_row_that_lights_up_does_not_hide_another_mark_on_its_button():
    now = _button_in_a_row(238)
    now[14:22, 30:50] = 0
    assert not compare(_button_in_a_row(255), now, LIMITS, element=BUTTON).same


@pytest.mark.parametrize("scale", SCALES)
def test_a_blinking_caret_is_forgiven_in_a_field_and_nowhere_else(scale):
    was = drawn("Ada", scale=scale)
    now = was.copy()
    x, wide = round(60 * scale), max(1, round(scale))
    now[round(5 * scale) : round(23 * scale), x : x + wide] = 0
    assert compare(was, now, LIMITS, scale=scale, role="textbox").same
    assert not compare(was, now, LIMITS, scale=scale, role="button").same


def test_a_caret_that_moved_is_forgiven():
    was, now = drawn("Ada").copy(), drawn("Ada").copy()
    was[5:23, 60:61] = 0
    now[5:23, 90:91] = 0
    assert compare(was, now, LIMITS, role="textbox").same


@pytest.mark.parametrize("now", ["Adal", "Ada1", "AdaI", "Ad"])
def test_a_letter_typed_into_a_field_is_no_caret(now):
    assert not compare(drawn("Ada"), drawn(now), LIMITS, role="textbox").same


@given(arrays(np.uint8, (12, 20, 3)), st.data())
def test_noise_below_the_level_is_never_a_change(was, data):
    noise = data.draw(arrays(np.int16, was.shape, elements=st.integers(-LIMITS.level, LIMITS.level)))
    now = np.clip(was.astype(np.int16) + noise, 0, 255).astype(np.uint8)
    assert compare(was, now, LIMITS).same


@given(arrays(np.uint8, (16, 24, 3)))
def test_comparing_is_symmetric_and_sure_of_equality(pixels):
    other = pixels[:, ::-1].copy()
    assert compare(pixels, pixels.copy(), LIMITS).density == 0
    assert compare(pixels, other, LIMITS) == compare(other, pixels, LIMITS)


@pytest.mark.parametrize("shape", [(0, 0, 3), (10, 0, 3), (9, 20, 3)])
def test_patches_of_different_or_no_size_are_never_the_same(shape):
    assert not compare(np.zeros(shape, np.uint8), np.zeros((10, 20, 3), np.uint8), LIMITS).same
    assert not compare(np.zeros(shape, np.uint8), np.zeros(shape, np.uint8), LIMITS).same or shape == (9, 20, 3)


@given(arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 9))), st.integers(1, 12))
def test_the_densest_window_is_what_a_slow_search_finds(mask, side):
    h, w = min(side, mask.shape[0]), min(side, mask.shape[1])
    slow = max(
        mask[y : y + h, x : x + w].mean() for y in range(mask.shape[0] - h + 1) for x in range(mask.shape[1] - w + 1)
    )
    assert densest(mask, side) == pytest.approx(slow)


@given(solid_boxes, fractions, fractions, st.sampled_from(SCALES), st.tuples(*[st.integers(1, 900)] * 2))
def test_what_is_looked_at_is_whole_pixels_of_the_frame_and_holds_the_point(box, fx, fy, scale, frame):
    width, height = frame
    hit = Point(fx * (width - 0.01), fy * (height - 0.01))
    where = patch_box(box, hit, frame, scale, LIMITS)
    assert Box(0, 0, width, height).contains(where)
    assert where.xyxy == where.rounded()
    assert where.contains(hit)


@pytest.mark.parametrize("scale", SCALES)
def test_a_row_is_looked_at_over_its_whole_width_and_a_canvas_around_the_point(scale):
    frame = (round(1280 * scale), round(800 * scale))
    row = Box(0, 0, 1200 * scale, 30 * scale)
    assert patch_box(row, row.center, frame, scale, LIMITS).width >= row.width
    canvas = Box(0, 0, 1200 * scale, 700 * scale)
    near = patch_box(canvas, Point(100 * scale, 100 * scale), frame, scale, LIMITS)
    assert near.width <= 340 * scale
    assert near.height <= 180 * scale
