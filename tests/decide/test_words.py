import pytest
from hypothesis import given, settings, strategies as st

from cuakit.decide.words import find, normal, quoted, similarity, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("Click Tab #2.", ("click", "tab", "2")),
        ("don't stop", ("don't", "stop")),
        ("ＯＫ", ("ok",)),
        ("Löschen – sofort", ("löschen", "sofort")),
        ("送信する", ("送信する",)),
    ],
)
def test_words_are_folded_and_in_order(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('the "x" and “y z”', ("x", "y z")),
        ("it's a dog's life", ()),
        ("press 'OK'", ("OK",)),
        ('an "unfinished', ()),
    ],
)
def test_quotations_are_found_as_written(text, expected):
    assert quoted(text) == expected


@settings(deadline=None)  # time says nothing on a shared machine
@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_bounded_and_one_for_equal_texts(a, b):
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, a) == 1


@settings(deadline=None)  # time says nothing on a shared machine
@given(st.lists(st.sampled_from("abc")), st.integers(0, 5), st.integers(1, 3))
def test_a_found_sequence_is_really_there(hay, start, n):
    needle = tuple(hay[start : start + n])
    at = find(needle, hay)
    if needle:
        assert 0 <= at <= start
        assert tuple(hay[at : at + len(needle)]) == needle
    else:
        assert at == -1


@settings(deadline=None)  # time says nothing on a shared machine
@given(st.text(max_size=30))
def test_normal_form_is_stable(text):
    assert normal(normal(text)) == normal(text)
