import pytest
from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box, Point
from tests.strategies import rows, tables

BOX = Box(0, 0, 10, 10)


def row(id: str, **more) -> Candidate:
    return Candidate(id=id, box=more.pop("box", BOX), **more)


@given(tables)
def test_a_table_is_found_by_id_and_by_position(table):
    for i, candidate in enumerate(table):
        assert table[int(i)] is candidate
        assert table[candidate.id] is candidate
        assert table.get(candidate.id) is candidate
        assert candidate.id in table
    assert table.get("nobody") is None
    assert len(table.boxes) == len(table.scores) == len(table.ids) == len(table)


@given(tables)
def test_equal_tables_are_equal_and_hash_alike(table):
    again = Candidates(list(table))
    assert again == table
    assert hash(again) == hash(table)


@given(st.lists(rows(), max_size=12, unique_by=lambda r: r.id))
def test_numbering_is_a_permutation_in_reading_order_and_stable_when_repeated(found):
    table = Candidates.numbered(found)
    assert sorted(c.box.xyxy for c in table) == sorted(c.box.xyxy for c in found)
    assert [c.reading_order for c in table] == list(range(len(found)))
    assert list(table.ids) == sorted(table.ids)
    assert Candidates.numbered(table) == table


def test_numbering_renames_parents_along():
    child = row("a", parent="b", box=Box(0, 50, 5, 60))
    parent = row("b", box=Box(0, 0, 100, 20))
    table = Candidates.numbered([child, parent])
    assert table["c01"].box == parent.box
    assert table["c02"].parent == "c01"


def test_more_than_ninety_nine_rows_still_sort_by_id():
    table = Candidates.numbered([row(f"x{i}", box=Box(0, 24 * i, 10, 24 * i + 10)) for i in range(120)])
    assert list(table.ids) == sorted(table.ids)
    assert [c.box.top for c in table] == sorted(c.box.top for c in table)


@given(tables, st.integers(0, 12), st.integers(0, 12))
def test_slices_share_rows(table, a, b):
    part = table[min(a, b) : max(a, b)]
    assert isinstance(part, Candidates)
    assert all(c is table[c.id] for c in part)


def test_columns_cannot_be_written():
    table = Candidates([row("c01")])
    with pytest.raises(ValueError, match="read-only"):
        table.boxes[0, 0] = 5


@pytest.mark.parametrize(
    ("found", "why"),
    [([row("c01"), row("c01")], "unique"), ([row("c01", parent="c09")], "parents of c01")],
)
def test_tables_that_contradict_themselves_cannot_be_made(found, why):
    with pytest.raises(ValueError, match=why):
        Candidates(found)


@pytest.mark.parametrize("wrong", [{"role": "knob"}, {"source": "guess"}, {"score": 1.5}, {"score": -0.1}])
def test_rows_outside_the_vocabulary_cannot_be_made(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        row("c01", **wrong)


def test_an_unknown_id_is_a_key_error_and_a_position_out_of_range_an_index_error():
    table = Candidates([row("c01")])
    with pytest.raises(KeyError):
        table["c02"]
    with pytest.raises(IndexError):
        table[1]


def test_the_point_is_the_hit_point_where_one_is_known():
    assert row("c01").point == Point(5, 5)
    assert row("c01", hit=Point(1, 2)).point == Point(1, 2)


@pytest.mark.parametrize(
    ("candidate", "interactive"),
    [
        (row("c01", role="button"), True),
        (row("c01", role="text"), False),
        (row("c01", role="text", actions=("click",)), True),
        (row("c01", role="button", states=("disabled",)), False),
    ],
)
def test_what_can_be_acted_on(candidate, interactive):
    assert candidate.interactive is interactive


def test_filters_join_their_conditions_and_ignore_case():
    table = Candidates(
        [row("a", role="button", name="Save"), row("b", role="link", name="SAVE"), row("c", text="save")]
    )
    assert table.where(name="save").ids == ("a", "b", "c")
    assert table.where(role="button", name="save").ids == ("a",)
    assert table.where(lambda c: c.id > "a", role="link").ids == ("b",)


def test_records_are_flat():
    record = Candidates([row("c01", states=("checked", "focused"))]).to_records()[0]
    assert record["states"] == "checked focused"
    assert all(isinstance(v, str | float | int) for v in record.values())
