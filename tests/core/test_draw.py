import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.candidate import ROLES, Candidate, Candidates
from cuakit.core.draw import draw, role_color
from cuakit.core.geometry import Box
from cuakit.core.html import overlay
from cuakit.core.screenshot import Screenshot


def screen(width=200, height=120, color=255, scale=1.0):
    return Screenshot(pixels=np.full((height, width, 3), color, np.uint8), scale=scale)


def row(id, *box, role="button", **more):
    return Candidate(id=id, box=Box(*box), role=role, **more)


def luminance(rgb):
    r, g, b = ((c / 255) / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("role", sorted(ROLES))
def test_white_numbers_are_readable_on_every_roles_colour(role):
    assert 1.05 / (luminance(role_color(role)) + 0.05) >= 4.5


def test_the_screen_itself_stays_as_it_was():
    shot = screen()
    before = shot.digest
    picture = draw(shot, Candidates([row("c01", 20, 30, 60, 50)]))
    assert picture.size == shot.size
    assert np.asarray(picture).min() < 255
    assert Screenshot(pixels=shot.pixels).digest == before


def test_what_is_inside_a_box_is_not_drawn_over():
    inside = np.asarray(draw(screen(), Candidates([row("c01", 40, 40, 90, 80)])))[40 + 1 : 80 - 1, 40 + 1 : 90 - 1]
    assert (inside == 255).all()


@pytest.mark.parametrize("color", [0, 255])
def test_frames_show_on_black_and_on_white(color):
    picture = np.asarray(draw(screen(color=color), Candidates([row("c01", 40, 40, 90, 80)]))).astype(int)
    assert (np.abs(picture[60, 36:42] - color).max(axis=1) > 60).any()


def numbers(picture, color):
    """Connected rows of tag colour tell where numbers are; count pixels of the fill."""
    return int((np.asarray(picture) == color).all(axis=2).sum())


def test_numbers_of_stacked_boxes_do_not_hide_each_other():
    alone = numbers(draw(screen(), Candidates([row("c01", 60, 40, 120, 60, role="text")])), role_color("text"))
    both = Candidates([row("c01", 60, 40, 120, 60, role="text"), row("c02", 60, 40, 120, 60, role="text")])
    more = numbers(draw(screen(), both), role_color("text"))
    assert more > alone + 40  # a second tag of about 10 × 14 pixels, less its white digit


@given(st.data(), st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_any_boxes_can_be_drawn_even_outside_the_frame(data, scale):
    edge = st.integers(-50, 300)
    boxes = [sorted(data.draw(st.tuples(edge, edge))) + sorted(data.draw(st.tuples(edge, edge))) for _ in range(5)]
    rows = [row(f"c{i:02d}", a, c, b, d) for i, (a, b, c, d) in enumerate(boxes, 1)]
    shot = screen(scale=scale)
    assert draw(shot, Candidates(rows)).size == shot.size


def test_a_one_pixel_screen_can_be_drawn():
    assert draw(screen(1, 1), Candidates([row("c01", 0, 0, 1, 1)])).size == (1, 1)


def test_hover_tells_role_name_source_and_score_and_escapes_them():
    page = overlay(screen(), Candidates([row("c01", 1, 2, 3, 4, name="<b>&", source="ocr", score=0.5)]))
    assert "c01 button &#x27;&lt;b&gt;&amp;&#x27; · ocr 0.50" in page
    assert "<b>&" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def test_a_number_does_not_cover_a_small_control_that_is_not_its_own():
    """Stacked check boxes: above each stands another one, so the numbers go to their left."""
    rows = [row(f"c{i:02d}", 60, 20 + 25 * i, 140, 40 + 25 * i, role="checkbox") for i in range(1, 4)]
    inside = np.asarray(draw(screen(), Candidates(rows)))[47:113, 62:138]
    gaps = [65 - 47, 90 - 47]  # rows between two boxes hold frames and rims, never a number
    assert (np.delete(inside, [g + d for g in gaps for d in range(-2, 7)], axis=0) == 255).all()
