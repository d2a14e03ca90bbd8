import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cuakit.core import registry
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.handle_groups import group
from cuakit.perceive.handles import Handles
from tests.perceive.pages import shoot

BLUE = "#29b6f2"
TURN = (  # draw.io's own sign, Apache-2.0
    "M15.55 5.55L11 1v3.07C7.06 4.56 4 7.92 4 12s3.05 7.44 7 7.93v-2.02c-2.84-.48-5-2.94-5-5.91s2.16-5.43 5-5.91V10l4.55"
    "-4.45zM19.93 11c-.17-1.39-.72-2.73-1.62-3.89l-1.42 1.42c.54.75.88 1.6 1.02 2.47h2.02zM13 17.9v2.02c1.39-.17 2.74-.71"
    " 3.9-1.61l-1.44-1.44c-.75.54-1.59.89-2.46 1.03zm3.89-2.42l1.42 1.41c.9-1.16 1.45-2.5 1.62-3.89h-2.02c-.14.87-.48"
    " 1.72-1.02 2.48z"
)
WINDS = {
    (-1, -1): "nw",
    (0, -1): "n",
    (1, -1): "ne",
    (1, 0): "e",
    (1, 1): "se",
    (0, 1): "s",
    (-1, 1): "sw",
    (-1, 0): "w",
}


def selection(x, y, w, h, *, fill="#dae8fc", turn=0, color=BLUE, arrows=False):
    """A selected shape as draw.io draws it."""
    cx, cy = x + w / 2, y + h / 2
    dots = "".join(
        f'<circle cx="{cx + i * w / 2}" cy="{cy + j * h / 2}" r="5" stroke="#fff" fill="{color}"/>' for i, j in WINDS
    )
    sign = f'<g transform="translate({x + w + 4} {y - 20}) scale(.6667)"><path d="{TURN}" fill="{color}"/></g>'
    up = f'<path opacity=".15" transform="translate({cx - 9} {y - 34})" d="m6 26 12 26 12 12 18 12 9 1 1 12 6 12z" fill="{color}"/>'
    up = up.replace("m6 26 12 26 12 12 18 12 9 1 1 12 6 12z", "M6 26L12 26L12 12L18 12L9 1L1 12L6 12z")
    return (
        f'<g transform="rotate({turn} {cx} {cy})"><rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="#000"/>'
        f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="none" stroke="#00a8ff" stroke-dasharray="3 3"/>{dots}{sign}</g>'
        + (up if arrows else "")
    )


def canvas(browser, *parts, scale=1.0, dark=False):
    ground, line = ("#2a2a2a", "#464646") if dark else ("#fff", "#d0d0d0")
    grid = "".join(f'<path d="M{k} 0V400M0 {k}H400" stroke="{line}" stroke-width=".7"/>' for k in range(7, 400, 40))
    body = f"<body style='margin:0;background:{ground}'><svg width=400 height=400 style='display:block'>{grid}{''.join(parts)}</svg>"
    return shoot(browser, body, scale=scale, width=400, height=400)


@pytest.mark.browser
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("dark", [False, True])
def test_every_handle_has_its_name_at_every_scale_and_theme(browser, scale, dark):
    shot = canvas(browser, selection(120, 140, 120, 60, arrows=True), scale=scale, dark=dark)
    found = Handles()(shot)
    (shape,) = found.where(name="selection")
    assert max(abs(a - b * scale) for a, b in zip(shape.box.xyxy, (120, 140, 240, 200), strict=True)) <= 2 * scale
    assert shape.states == ("selected",)
    for (i, j), wind in WINDS.items():
        (handle,) = found.where(name=f"resize {wind}")
        assert (
            math.hypot(handle.box.center.x - (180 + 60 * i) * scale, handle.box.center.y - (170 + 30 * j) * scale)
            <= scale
        )
        assert handle.parent == shape.id
        assert handle.actions == ("drag",)
    assert {c.name for c in found} == {"selection", "rotate", "extend up", *(f"resize {w}" for w in WINDS.values())}


@pytest.mark.browser
@pytest.mark.parametrize("fill", [BLUE, "#00a8ff", "#ffffff", "#fff2cc"])
def test_the_fill_of_a_shape_does_not_matter(browser, fill):
    found = Handles()(canvas(browser, selection(120, 140, 120, 80, fill=fill)))
    assert len(found.where(lambda c: c.name.startswith("resize "))) == 8


@pytest.mark.browser
def test_two_selected_shapes_keep_their_own_handles(browser):
    found = Handles()(canvas(browser, selection(60, 100, 90, 60), selection(220, 220, 90, 60)))
    shapes = found.where(name="selection")
    assert len(shapes) == 2
    for shape in shapes:
        mine = found.where(lambda c, s=shape: c.parent == s.id and c.name.startswith("resize "))
        assert len(mine) == 8
        assert all(shape.box.pad(2).contains(c.box.center) for c in mine)


@pytest.mark.browser
@pytest.mark.parametrize(("turn", "first"), [(30, "n"), (90, "ne"), (180, "se"), (270, "sw"), (-20, "nw")])
def test_handles_of_a_turned_shape_are_named_by_direction(browser, turn, first):
    found = Handles()(canvas(browser, selection(140, 160, 120, 60, turn=turn), scale=2.0))
    t = math.radians(turn)
    x, y = 200 - 60 * math.cos(t) + 30 * math.sin(t), 190 - 60 * math.sin(t) - 30 * math.cos(t)
    (handle,) = found.where(name=f"resize {first}")
    assert math.hypot(handle.box.center.x - 2 * x, handle.box.center.y - 2 * y) <= 3


@pytest.mark.browser
def test_a_colour_is_learnt_from_one_click(browser):
    shot = canvas(browser, selection(120, 140, 120, 60, color="#e0218a"))
    assert not Handles()(shot).where(name="selection")
    learnt = Handles().learn(shot, Point(120, 140))
    assert len(learnt(shot).where(lambda c: c.name.startswith("resize "))) == 8
    assert registry.build("perceive", "handles-v1", rgb=learnt.rgb) == learnt


@pytest.mark.browser
def test_nothing_is_learnt_from_a_blank_place(browser):
    with pytest.raises(ValueError, match="nothing coloured"):
        Handles().learn(canvas(browser), Point(30, 30))


@pytest.mark.browser
def test_the_ends_of_a_connector_are_handles_without_a_shape(browser):
    ends = "".join(f'<circle cx="{x}" cy="200" r="5" stroke="#fff" fill="{BLUE}"/>' for x in (100, 300))
    assert [c.name for c in Handles()(canvas(browser, ends))] == ["handle", "handle"]


@pytest.mark.parametrize("shape", [(1, 1), (60, 80)])
def test_nothing_selected_nothing_found(shape):
    assert len(Handles()(Screenshot(pixels=np.full((*shape, 3), 255, np.uint8)))) == 0


def eight(x, y, w, h, turn=0.0):
    t = math.radians(turn)
    u, v = np.array([math.cos(t), math.sin(t)]) * w / 2, np.array([-math.sin(t), math.cos(t)]) * h / 2
    return [np.array([x, y]) + i * u + j * v for i, j in WINDS]


@settings(max_examples=60, deadline=None)
@given(
    w=st.floats(30, 300), h=st.floats(30, 300), turn=st.floats(-180, 180), seed=st.integers(0, 99), other=st.booleans()
)
def test_eight_dots_are_one_rectangle_in_any_order(w, h, turn, seed, other):
    points = eight(0, 0, w, h, turn) + (eight(900, 70, h, w) if other else [])
    order = np.random.default_rng(seed).permutation(len(points))
    frames = group(np.array(points)[order], 2.0)
    assert len(frames) == 1 + other
    assert all(len(f.dots) == 8 for f in frames)
    sides = sorted((2 * math.hypot(*frames[0].across), 2 * math.hypot(*frames[0].down)))
    assert sides == pytest.approx(sorted((w, h)), abs=1)


def test_of_a_cut_off_rectangle_the_visible_part_is_enough():
    points = [p for p in eight(0, 0, 200, 100) if p[0] < 50]
    (frame,) = group(np.array(points), 2.0)
    assert len(frame.dots) == 5
    assert Box(-100, -50, 100, 50).contains(Point(*frame.at(0.9, 0.9)))


def test_stray_dots_are_no_rectangle():
    assert group(np.array([[0, 0], [37, 5], [90, 64], [13, 71], [55, 40]], dtype=float), 2.0) == []
