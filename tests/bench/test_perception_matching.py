from hypothesis import given, settings, strategies as st

from cuakit.bench.matching import centred, errors_within, match, parts, plain
from cuakit.core.geometry import Box

WORDS = st.text("abcd ", max_size=12)
sides = st.integers(1, 30)
boxes = st.lists(st.builds(Box.from_xywh, st.integers(0, 40), st.integers(0, 40), sides, sides), max_size=8)


@settings(deadline=None)
@given(boxes, boxes)
def test_matching_is_one_to_one_and_never_below_the_threshold(truth, found):
    pairs = match([(t,) for t in truth], found)
    assert len(set(pairs.values())) == len(pairs)
    assert all(truth[t].iou(found[f]) >= 0.5 for t, f in pairs.items())


@settings(deadline=None)
@given(boxes)
def test_a_screen_matches_itself(truth):
    assert len(match([(t,) for t in truth], truth)) == len(truth)


def test_two_boxes_on_one_control_count_once():
    control = Box(0, 0, 100, 20)
    assert match([(control,)], [Box(0, 0, 100, 20), Box(1, 0, 100, 20)]) == {0: 0}


def test_either_extent_of_a_control_is_right():
    ink, padded = Box(10, 10, 40, 20), Box(0, 0, 80, 40)
    assert match([(ink, padded)], [padded]) == {0: 0}
    assert match([(ink, padded)], [ink]) == {0: 0}
    assert match([(ink,)], [padded]) == {}


def test_extents_of_one_thing_are_no_two_things():
    assert match([(Box(0, 0, 9, 9), Box(50, 0, 59, 9))], [Box(0, 0, 9, 9), Box(50, 0, 59, 9)]) == {0: 0}


def test_a_label_in_its_control_is_a_part_but_what_surrounds_it_is_not():
    control = Box(0, 0, 100, 20)
    assert parts([Box(10, 5, 50, 15), Box(0, 0, 300, 20), control], [control]).tolist() == [True, False, False]


def test_a_centre_counts_unless_the_box_is_far_too_large():
    assert centred([(Box(10, 10, 20, 20),)], [Box(12, 8, 22, 18)]).tolist() == [True]
    assert centred([(Box(10, 10, 20, 20),)], [Box(0, 0, 30, 30)]).tolist() == [False]


def test_nothing_matches_nothing():
    assert match([], [Box(0, 0, 1, 1)]) == {}
    assert parts([], []).tolist() == []
    assert centred([], []).tolist() == []


@settings(deadline=None)
@given(WORDS, WORDS, WORDS)
def test_what_stands_around_a_text_costs_nothing(before, text, after):
    assert errors_within(text, before + text + after) == 0


@settings(deadline=None)
@given(WORDS, WORDS)
def test_errors_never_exceed_the_text_and_agree_with_the_plain_recurrence(text, said):
    rows = [[0] * (len(said) + 1)]
    for i, c in enumerate(text, 1):
        row = [i]
        for k, d in enumerate(said, 1):
            row.append(min(rows[-1][k] + 1, row[-1] + 1, rows[-1][k - 1] + (c != d)))
        rows.append(row)
    assert errors_within(text, said) == min(rows[-1]) <= len(text)


def test_case_and_white_space_do_not_count():
    assert plain(" Straße  5\n") == plain("STRASSE5")
