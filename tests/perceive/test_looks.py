"""What single shapes and lines look like: marks, crosses, links, spaces, colours, canvas grids."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.perceive.colours import name_of
from cuakit.perceive.contours import Contours
from cuakit.perceive.glyphs import is_cross, mark_glyphs
from cuakit.perceive.lattice import without_canvas_grid
from cuakit.perceive.links import split_links
from cuakit.perceive.merge import coverage, merge_sources
from cuakit.perceive.ocr_spaces import respace, runs, underlines
from cuakit.perceive.text import PpOcrText
from tests.perceive.drawing import Sheet
from tests.perceive.pages import shoot


def judged(sheet, box):
    """What the contour nearest to a drawn box is taken for."""
    row = max(mark_glyphs(sheet.shot(), Contours()(sheet.shot())), key=lambda c: c.box.iou(box))
    assert row.box.iou(box) > 0.6
    return row.role, row.states, row.name


@pytest.mark.parametrize("scale", [1, 2, 3])
@pytest.mark.parametrize("ground", [255, 30])
def test_an_empty_box_and_an_empty_ring(scale, ground):
    sheet = Sheet(scale=scale, ground=ground)
    square, ring = sheet.box(20, 20, 34, 34, line=(128, 128, 128)), sheet.circle(80, 27, 7, line=(128, 128, 128))
    assert judged(sheet, square) == ("checkbox", (), "")
    assert judged(sheet, ring) == ("radio", (), "")


@pytest.mark.parametrize("scale", [2, 3])
def test_a_marked_box_and_a_ring_with_a_dot(scale):
    sheet = Sheet(scale=scale)
    square = sheet.box(20, 20, 34, 34, line=None, fill=(0, 117, 255))
    hook = np.array([[24, 27], [26, 30], [30, 24]]) * scale
    cv2.polylines(sheet.pixels, [hook], False, (255, 255, 255), 2 * scale, cv2.LINE_AA)
    ring = sheet.circle(80, 27, 7, line=(0, 117, 255), thick=2)
    sheet.circle(80, 27, 3, line=(0, 117, 255), thick=-1)
    assert judged(sheet, square) == ("checkbox", ("checked",), "")
    assert judged(sheet, ring) == ("radio", ("checked",), "")


@pytest.mark.parametrize("fill", [(200, 0, 0), (0, 0, 0), (120, 120, 120)])
def test_a_plain_swatch_is_no_mark(fill):
    sheet = Sheet(scale=2)
    assert judged(sheet, sheet.box(20, 20, 34, 34, line=None, fill=fill))[0] == "icon"


@pytest.mark.parametrize("size", [8, 40])
def test_marks_have_a_size(size):
    sheet = Sheet(scale=2)
    assert judged(sheet, sheet.box(20, 20, 20 + size, 20 + size))[0] == "icon"


def test_a_cross_is_told_from_a_plus():
    sheet = Sheet(scale=2)
    for a, b in (((40, 40), (64, 64)), ((64, 40), (40, 64)), ((152, 40), (152, 64)), ((140, 52), (164, 52))):
        cv2.line(sheet.pixels, a, b, (40, 40, 40), 3, cv2.LINE_AA)
    assert is_cross(sheet.shot(), Box(38, 38, 67, 67))
    assert not is_cross(sheet.shot(), Box(138, 38, 167, 67))


def test_the_cells_of_a_canvas_go_and_things_on_it_stay():
    sheet = Sheet(400, 300)
    for k in range(0, 400, 20):
        sheet.pixels[:, k] = 225
        sheet.pixels[min(k, 299)] = 225
    thing = sheet.box(107, 93, 171, 131, line=(0, 0, 0), fill=(200, 220, 255))
    found = Contours()(sheet.shot())
    left = without_canvas_grid(found)
    assert len(found) > 100
    assert len(left) < 6
    assert max(c.box.iou(thing) for c in left) > 0.8


def test_a_spreadsheet_is_no_canvas():
    cells = Candidates(
        Candidate(id=f"{i}.{k}", box=Box(60 * i, 20 * k, 60 * i + 60, 20 * k + 20), source="contours", role="icon")
        for i in range(8)
        for k in range(8)
    )
    assert len(without_canvas_grid(cells)) == 64


def test_spaced_tool_buttons_are_no_canvas():
    cells = Candidates(
        Candidate(id=f"{i}.{k}", box=Box(40 * i, 40 * k, 40 * i + 24, 40 * k + 24), source="contours", role="icon")
        for i in range(6)
        for k in range(6)
    )
    assert len(without_canvas_grid(cells)) == 36


@pytest.mark.browser
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_link_in_a_sentence_is_cut_out(browser, scale):
    body = "<p>Please read <a href=x>all the terms</a>, then go on.</p>"
    shot = shoot(browser, body, scale=scale)
    pieces = split_links(shot, PpOcrText().lines(shot))
    assert [(p.line.text, p.link) for p in pieces if p.link] == [("all the terms", True)]
    assert next(p.line.text for p in pieces if not p.link) == "Please read"
    boxes = [p.line.box for p in pieces]
    assert all(a.right <= b.left + 1 for a, b in pairwise(boxes))


@pytest.mark.browser
def test_blue_words_on_a_coloured_ground_are_no_link(browser):
    shot = shoot(browser, "<p style='background:#fd0;color:#00e'>A notice in blue</p>", scale=2.0)
    assert not any(p.link for p in split_links(shot, PpOcrText().lines(shot)))


def blots(*spans, width=200, height=20):
    crop = np.full((height, width, 3), 255, np.uint8)
    for a, b in spans:
        crop[4:16, a:b] = 0
    return crop


def test_a_wide_gap_ends_a_line():
    crop = blots((2, 40), (70, 110))
    parts = respace(crop, "File Edit", (5, 12, 20, 36, 55, 74, 84, 94, 106))
    assert [p.text for p in parts] == ["File", "Edit"]
    assert parts[0].stop < parts[1].start


def test_a_space_of_usual_width_does_not():
    crop = blots((2, 40), (46, 90))
    assert [p.text for p in respace(crop, "two words", (5, 15, 30, 43, 50, 60, 70, 80, 88))] == ["two words"]


def test_runs_are_half_open():
    assert runs(np.array([False, True, True, False, True])) == [(1, 3), (4, 5)]


def test_an_underline_is_longer_than_any_stroke():
    ink = np.zeros((20, 60), dtype=bool)
    ink[5:15, 10:12] = True
    assert not underlines(ink).any()
    ink[16, 5:50] = True
    assert np.flatnonzero(underlines(ink)).tolist() == [15, 16, 17]


@pytest.mark.parametrize(
    ("colour", "word"),
    [
        ((255, 255, 255), "white"),
        ((130, 126, 128), "grey"),
        ((20, 30, 160), "blue"),
        ((190, 220, 190), "green"),
        ((255, 0, 255), "magenta"),
        ((250, 240, 20), "yellow"),
    ],
)
def test_colours_have_words(colour, word):
    assert name_of(colour) == word


def test_coverage_is_a_share_of_the_inner_box():
    share = coverage(np.array([[0.0, 0, 10, 10], [5, 0, 15, 10]]), np.array([[0.0, 0, 10, 10]]))
    assert share.tolist() == [[1.0], [0.5]]


def test_three_sources_of_one_element_are_one_row():
    def table(source, dx, name=""):
        box = Box(10 + dx, 10, 60 + dx, 40)
        return Candidates([Candidate(id="a", box=box, source=source, role="button", name=name, provenance=(source,))])

    rows = merge_sources([table("contours", 1), table("dom", 0, "Save"), table("detector", 2)])
    assert [(r.source, r.name, r.provenance) for r in rows] == [("dom", "Save", ("dom", "detector", "contours"))]


def test_ten_thousand_rows_are_joined_in_little_memory():
    import tracemalloc

    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 4000, (10_000, 2))
    shapes = Candidates(
        Candidate(id=f"s{i}", box=Box(x, y, x + 14, y + 14), role="icon", source="contours")
        for i, (x, y) in enumerate(corner[:9000].tolist())
    )
    texts = Candidates(
        Candidate(id=f"t{i}", box=Box(x, y, x + 40, y + 12), role="text", text=f"w{i}", name=f"w{i}", source="ocr")
        for i, (x, y) in enumerate(corner[9000:].tolist())
    )
    tracemalloc.start()
    merged = merge_sources([shapes, texts])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(merged) == 10_000
    assert peak < 700e6
