import pytest
from hypothesis import given, settings, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.perceive.fuse import fuse


def shape(id, *box, role="icon", score=1.0, source="contours", **more):
    return Candidate(
        id=id, box=Box(*box), role=role, score=score, source=source, provenance=(f"{source}:{id}",), **more
    )


def text(id, words, *box, role="text"):
    return Candidate(
        id=id, box=Box(*box), role=role, name=words, text=words, source="ocr", score=0.9, provenance=(f"ocr:{id}",)
    )


def names(found):
    return sorted(c.label for c in found if c.label)


def test_text_inside_a_control_becomes_its_name():
    found = fuse(Candidates([shape("s", 10, 10, 90, 34)]), Candidates([text("t", "Save", 30, 14, 60, 30)]))
    assert len(found) == 1
    assert (found[0].name, found[0].source) == ("Save", "fused")
    assert found[0].box == Box(10, 10, 90, 34)
    assert set(found[0].provenance) == {"contours:s", "ocr:t"}


def test_two_lines_are_read_from_top_to_bottom():
    lines = Candidates([text("b", "Me!", 14, 30, 40, 44), text("a", "Click", 14, 14, 44, 28)])
    assert fuse(Candidates([shape("s", 10, 10, 50, 48)]), lines)[0].name == "Click Me!"


def test_letters_are_no_icons():
    letters = Candidates([shape("a", 31, 16, 38, 28, score=0.5), shape("b", 40, 16, 47, 28, score=0.5)])
    found = fuse(letters, Candidates([text("t", "Save", 30, 14, 60, 30)]))
    assert [c.role for c in found] == ["text"]


def test_a_button_drawn_closely_around_its_text_stays():
    found = fuse(Candidates([shape("s", 29, 15, 62, 30, score=0.99)]), Candidates([text("t", "okay", 30, 14, 60, 30)]))
    assert [(c.name, c.source) for c in found] == [("okay", "fused")]


def test_a_close_button_inside_a_tab_survives():
    tab, close = shape("tab", 10, 10, 110, 34), shape("x", 94, 17, 104, 27)
    found = fuse(Candidates([tab, close]), Candidates([text("t", "Report", 20, 14, 70, 30)]))
    assert names(found) == ["Report"]
    kept = found.where(lambda c: c.provenance == ("contours:x",))
    assert len(kept) == 1
    assert found[kept[0].parent].name == "Report"


def test_an_icon_before_the_label_of_a_button_belongs_to_it():
    found = fuse(
        Candidates([shape("s", 10, 10, 110, 34), shape("i", 16, 15, 30, 29)]),
        Candidates([text("t", "Open", 36, 14, 70, 30)]),
    )
    assert len(found) == 1


def test_an_icon_takes_the_text_beside_it_and_is_hit_itself():
    found = fuse(Candidates([shape("i", 10, 10, 26, 26)]), Candidates([text("t", "Downloads", 30, 10, 100, 26)]))
    assert len(found) == 1
    assert found[0].name == "Downloads"
    assert found[0].box == Box(10, 10, 100, 26)
    assert Box(10, 10, 26, 26).contains(found[0].point)


def test_an_icon_takes_the_text_below_it():
    found = fuse(Candidates([shape("i", 30, 10, 62, 42)]), Candidates([text("t", "Trash", 28, 44, 64, 58)]))
    assert [(c.name, c.role) for c in found] == [("Trash", "icon")]


def test_a_far_text_is_no_label():
    found = fuse(Candidates([shape("i", 10, 10, 26, 26)]), Candidates([text("t", "Elsewhere", 90, 10, 150, 26)]))
    assert len(found) == 2


def test_each_check_box_takes_its_own_label():
    marks = Candidates([shape(f"m{k}", 10, 10 + 20 * k, 24, 24 + 20 * k, role="checkbox") for k in range(3)])
    labels = Candidates([text(f"t{k}", f"Item {k}", 30, 9 + 20 * k, 80, 25 + 20 * k) for k in range(3)])
    found = fuse(marks, labels)
    assert [(c.role, c.name) for c in found] == [("checkbox", f"Item {k}") for k in range(3)]


def test_a_panel_with_controls_is_a_group_and_their_parent():
    found = fuse(
        Candidates([shape("p", 0, 0, 300, 200, role="unknown"), shape("a", 20, 150, 90, 174)]),
        Candidates([text("t", "OK", 40, 154, 70, 170), text("h", "Really?", 20, 20, 100, 36)]),
    )
    panel = found.where(role="group")[0]
    assert {c.label for c in found if c.parent == panel.id} == {"OK", "Really?"}


def test_two_sources_of_one_element_are_one_row_with_both_origins():
    dom = Candidates([shape("d", 10, 10, 90, 34, role="button", source="dom", name="Save", actions=("click",))])
    found = fuse(dom, Candidates([shape("s", 11, 10, 91, 35)]))
    assert len(found) == 1
    assert (found[0].role, found[0].name, found[0].source) == ("button", "Save", "dom")
    assert found[0].provenance == ("dom:d", "contours:s")


def test_what_the_application_named_is_not_renamed_nor_repeated():
    dom = Candidates([shape("d", 10, 10, 90, 34, role="button", source="dom", name="Save file")])
    found = fuse(dom, Candidates([text("t", "Save", 30, 14, 60, 30)]))
    assert [(c.role, c.name) for c in found] == [("button", "Save file")]


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_distances_are_in_points(factor):
    def grown(c):
        return Candidate(
            id=c.id, box=Box(*(v * factor for v in c.box.xyxy)), role=c.role, name=c.name, text=c.text, source=c.source
        )

    icon, label = grown(shape("i", 10, 10, 26, 26)), grown(text("t", "Downloads", 33, 10, 100, 26))
    assert len(fuse(Candidates([icon]), Candidates([label]), scale=factor)) == 1


def test_nothing_in_nothing_out():
    assert len(fuse()) == 0
    assert len(fuse(Candidates(), Candidates())) == 0


boxes = st.tuples(st.integers(0, 300), st.integers(0, 200), st.integers(1, 150), st.integers(1, 90)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@settings(max_examples=60, deadline=None)
@given(shapes=st.lists(boxes, max_size=12), lines=st.lists(boxes, max_size=12))
def test_no_word_is_lost_and_no_parent_dangles(shapes, lines):
    s = Candidates([shape(f"s{i}", *b) for i, b in enumerate(shapes)])
    t = Candidates([text(f"t{i}", f"word{i}", *b) for i, b in enumerate(lines)])
    found = fuse(s, t)
    said = " ".join(c.text for c in found).split()
    assert sorted(said) == sorted(f"word{i}" for i in range(len(lines)))
    assert all(not c.parent or c.parent in found for c in found)
    for c in found:
        seen, at = {c.id}, c.parent
        while at:
            assert at not in seen, "a parent chain ends"
            seen.add(at)
            at = found[at].parent
