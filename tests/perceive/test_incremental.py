import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cuakit.core import registry
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.difference import TILE, changed
from cuakit.perceive.incremental import Incremental
from cuakit.perceive.pipeline import Pixels
from cuakit.perceive.text import PpOcrText
from cuakit.perceive.track import shift_of, track
from tests.perceive.pages import shoot

PAGE = """<button>Save</button> <button>Cancel</button><p id=a>First paragraph of text</p>
<label><input type=checkbox> Remember me</label><p id=b>{}</p><div style='height:300px'></div>"""


def rows(found):
    return sorted((c.role, c.label, c.states) for c in found)


@pytest.mark.browser
def test_after_a_local_change_all_is_as_if_read_anew(browser):
    before = shoot(browser, PAGE.format("Nothing happened yet"))
    after = shoot(browser, PAGE.format("Saved twice"))
    stage = Incremental()
    stage(before)
    assert rows(stage(after)) == rows(Pixels()(after))


@pytest.mark.browser
def test_only_what_changed_is_read(browser, monkeypatch):
    before, after = (shoot(browser, PAGE.format(words)) for words in ("Nothing happened yet", "Saved twice"))
    stage, sizes = Incremental(), []
    stage(before)
    original = PpOcrText.lines
    monkeypatch.setattr(
        PpOcrText, "lines", lambda self, shot, **more: sizes.append(shot.size) or original(self, shot, **more)
    )
    stage(after)
    assert len(sizes) == 1
    assert sizes[0][0] * sizes[0][1] < 0.4 * after.width * after.height


@pytest.mark.browser
def test_an_equal_frame_is_not_looked_at(browser, monkeypatch):
    stage = Incremental()
    first = stage(shoot(browser, PAGE.format("x")))
    monkeypatch.setattr(Pixels, "assemble", lambda *_: pytest.fail("looked again"))
    assert stage(shoot(browser, PAGE.format("x"))) is first


@pytest.mark.browser
def test_ids_stay_when_the_page_scrolls(browser):
    stage = Incremental()
    before = stage(shoot(browser, PAGE.format("End")))
    after = stage(shoot(browser, "<div style='height:40px'></div>" + PAGE.format("End")))
    for label in ("Save", "Cancel", "Remember me", "First paragraph of text", "End"):
        assert after.where(name=label)[0].id == before.where(name=label)[0].id


@pytest.mark.browser
def test_the_id_of_what_is_gone_is_not_given_again(browser):
    stage = Incremental()
    gone = stage(shoot(browser, PAGE.format("Old message"))).where(name="Old message")[0].id
    after = stage(shoot(browser, PAGE.format("Fresh words")))
    assert gone not in after
    assert after.where(name="Fresh words")[0].id not in stage(shoot(browser, PAGE.format("Old message"))).ids


@pytest.mark.browser
def test_another_size_starts_anew(browser):
    stage = Incremental()
    stage(shoot(browser, PAGE.format("x")))
    found = stage(shoot(browser, PAGE.format("x"), width=500))
    assert found.ids[0] == "c01"
    assert found.where(name="Save")


def test_options_may_be_written_as_tables():
    made = registry.build("perceive", "incremental-v1", pixels={"remember": 0}, most=0.2)
    assert made.pixels == Pixels(remember=0)


def test_equal_frames_have_no_difference():
    frame = np.zeros((130, 200, 3), np.uint8)
    assert changed(frame, frame.copy()) == []


def test_frames_of_different_size_are_refused():
    with pytest.raises(ValueError, match="different size"):
        changed(np.zeros((2, 3, 3), np.uint8), np.zeros((3, 3, 3), np.uint8))


@settings(max_examples=60, deadline=None)
@given(spots=st.lists(st.tuples(st.integers(0, 299), st.integers(0, 199)), min_size=1, max_size=8))
def test_every_changed_pixel_lies_in_a_region_and_regions_are_tight(spots):
    before = np.zeros((200, 300, 3), np.uint8)
    after = before.copy()
    for x, y in spots:
        after[y, x, 1] = 9
    regions = changed(before, after)
    for x, y in spots:
        assert any(r.contains(Box(x, y, x + 1, y + 1)) for r in regions)
    for r in regions:
        left, top, right, bottom = r.rounded()
        assert after[top, left:right].any()
        assert after[top:bottom, left].any()


def test_far_changes_are_two_regions():
    before = np.zeros((600, 800, 3), np.uint8)
    after = before.copy()
    after[10, 10] = after[590, 790] = 1
    assert changed(before, after) == [Box(10, 10, 11, 11), Box(790, 590, 791, 591)]
    assert TILE[0] < 300


def candidate(id, name, left, top, *, role="button", size=40):
    return Candidate(id=id, box=Box(left, top, left + size, top + size), role=role, name=name)


def test_equal_labels_are_told_apart_by_place():
    before = Candidates([candidate("c01", "Delete", 0, 0), candidate("c02", "Delete", 0, 100)])
    after = Candidates([candidate("x", "Delete", 0, 102), candidate("y", "Delete", 0, 1)])
    found, free = track(before, after, 3)
    assert found.ids == ("c02", "c01")
    assert free == 3


def test_a_list_that_scrolled_keeps_its_ids():
    labels = [f"Item {i}" for i in range(8)]
    before = Candidates([candidate(f"c{i:02d}", n, 0, 50 * i, size=45) for i, n in enumerate(labels)])
    icons = [candidate("i1", "", 200, 100, role="icon", size=20), candidate("i2", "", 200, 150, role="icon", size=20)]
    moved = [candidate("j1", "", 200, 63, role="icon", size=20), candidate("j2", "", 200, 113, role="icon", size=20)]
    after = Candidates([candidate(f"n{i}", n, 0, 50 * i - 37, size=45) for i, n in enumerate(labels) if i])
    found, _ = track(Candidates([*before, *icons]), Candidates([*after, *moved]), 50)
    assert shift_of(before, after) == (0.0, -37.0)
    assert [found.where(name=n)[0].id for n in labels[1:]] == [f"c{i:02d}" for i in range(1, 8)]
    assert [c.id for c in found if c.role == "icon"] == ["i1", "i2"]


def test_what_is_new_gets_a_number_that_no_one_had():
    found, free = track(Candidates([candidate("c01", "A", 0, 0)]), Candidates([candidate("c01", "B", 300, 300)]), 2)
    assert found.ids == ("c02",)
    assert free == 3


def test_parents_are_renamed_along():
    before = Candidates([candidate("c01", "", 0, 0, role="group", size=200), candidate("c02", "OK", 10, 10)])
    fresh = [candidate("p", "", 0, 0, role="group", size=200), candidate("q", "OK", 10, 10)]
    after = Candidates([fresh[0], Candidate(id="q", box=fresh[1].box, role="button", name="OK", parent="p")])
    found, _ = track(before, after, 3)
    assert found["c02"].parent == "c01"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 300), st.integers(0, 300)), max_size=12),
    st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 300), st.integers(0, 300)), max_size=12),
)
def test_ids_stay_unique_whatever_moves(old, new):
    before = Candidates([candidate(f"c{i:02d}", n, x, y) for i, (n, x, y) in enumerate(old)])
    after = Candidates([candidate(f"n{i}", n, x, y) for i, (n, x, y) in enumerate(new)])
    found, free = track(before, after, 100)
    assert len(found) == len(after)
    assert [c.box for c in found] == [c.box for c in after]
    fresh = [i for i in found.ids if i not in before]
    assert len(fresh) == free - 100


def test_a_blank_frame_is_remembered_too():
    stage = Incremental()
    blank = Screenshot(pixels=np.full((50, 60, 3), 255, np.uint8))
    assert len(stage(blank)) == 0
    assert stage(blank) is stage(blank)
