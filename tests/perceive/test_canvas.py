"""The drawing area and its shapes, from pixels, against pictures with known truth."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image, ImageDraw

from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.canvas import CanvasShapes

AREA = (200, 60, 640, 420)
"""Canvas of the test picture, in points."""


def picture(shapes, *, scale=1.0, dark=False, edges=()):
    """A window with panels around a gridded canvas, drawn at a scale."""
    paper, panel, ink = (42, 60, 230) if dark else (255, 251, 0)
    minor, major = (50, 90) if dark else (248, 208)
    width, height = 800, 480
    image = Image.new("L", (round(width * scale), round(height * scale)), panel)
    draw = ImageDraw.Draw(image)
    line = max(1, round(scale))

    def at(*values):
        return [round(v * scale) for v in values]

    draw.rectangle(at(*AREA), fill=paper)
    for i, x in enumerate(range(AREA[0], AREA[2] + 1, 10)):
        draw.line(at(x, AREA[1], x, AREA[3]), fill=major if i % 4 == 0 else minor, width=line)
    for i, y in enumerate(range(AREA[1], AREA[3] + 1, 10)):
        draw.line(at(AREA[0], y, AREA[2], y), fill=major if i % 4 == 0 else minor, width=line)
    for a, b in edges:
        draw.line(at(*a, *b), fill=ink, width=line)
    for kind, box in shapes:
        x0, y0, x1, y1 = at(*box)
        if kind == "rectangle":
            draw.rectangle((x0, y0, x1, y1), fill=paper, outline=ink, width=line)
        elif kind == "ellipse":
            draw.ellipse((x0, y0, x1, y1), fill=paper, outline=ink, width=line)
        else:
            mx, my = (x0 + x1) // 2, (y0 + y1) // 2
            draw.polygon([(mx, y0), (x1, my), (mx, y1), (x0, my)], fill=paper, outline=ink, width=line)
    return Screenshot(pixels=np.stack([np.asarray(image)] * 3, axis=2), scale=scale)


def close(a, b, by):
    return all(abs(x - y) <= by for x, y in zip(a.xyxy, b, strict=True))


SCENE = [("rectangle", (230, 100, 350, 160)), ("ellipse", (420, 100, 540, 180)), ("rhombus", (240, 260, 320, 340))]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_canvas_and_shapes_are_found_at_every_scale_and_theme(scale, dark):
    found = CanvasShapes()(picture(SCENE, scale=scale, dark=dark))
    canvas, *shapes = found
    assert close(canvas.box, [v * scale for v in AREA], 3 * scale)
    assert sorted(s.name for s in shapes) == sorted(k for k, _ in SCENE)
    for kind, box in SCENE:
        seen = next(s for s in shapes if s.name == kind)
        assert close(seen.box, [v * scale for v in box], 2 * scale + 1)


def test_what_connectors_enclose_is_no_shape():
    corners = [(250, 120), (500, 120), (500, 350), (250, 350)]
    boxes = [("rectangle", (x - 20, y - 15, x + 20, y + 15)) for x, y in corners]
    ring = list(zip(corners, corners[1:] + corners[:1], strict=True))
    found = CanvasShapes()(picture(boxes, edges=ring))
    assert len(found) == 1 + 4


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=0, max_size=8, unique=True))
def test_every_shape_is_found_once(cells):
    shapes = [("rectangle", (210 + 85 * c, 70 + 85 * r, 260 + 85 * c, 110 + 85 * r)) for c, r in cells]
    found = CanvasShapes()(picture(shapes))
    assert len(found) == 1 + len(shapes)


def test_without_a_grid_there_is_no_canvas():
    blank = Screenshot(pixels=np.full((200, 300, 3), 255, np.uint8))
    assert len(CanvasShapes()(blank)) == 0
    tiny = Screenshot(pixels=np.zeros((1, 1, 3), np.uint8))
    assert len(CanvasShapes()(tiny)) == 0


def test_a_known_area_is_taken_as_it_is():
    shot = picture(SCENE)
    area = Box(210, 90, 400, 200)
    canvas, *shapes = CanvasShapes(area=area)(shot)
    assert canvas.box == area
    assert [s.name for s in shapes] == ["rectangle"]
