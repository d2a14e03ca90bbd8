"""The difference between two reads: nothing against itself, and mirrored when the two are exchanged."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.serve.changes import changes

STILL = {"added": [], "removed": [], "changed": [], "moved": []}


def thing(at: int, label: str, source: str, value: str = "") -> Candidate:
    where = (f"atspi::1.7/{at}",) if source == "accessibility" else ()
    return Candidate(
        id=f"n{at}",
        box=Box.from_xywh(10, 20 * at, 50, 15),
        role="button",
        name=label,
        value=value,
        source=source,
        provenance=where,
    )


reads = st.builds(
    lambda labels, source: Candidates(thing(at, label, source) for at, label in enumerate(labels)),
    st.lists(st.sampled_from(["OK", "Cancel", "Help"]), max_size=6),
    st.sampled_from(["accessibility", "detector"]),
)


@given(reads)
def test_nothing_changed_between_a_read_and_itself(found):
    assert changes(found, found) == STILL


@given(reads, reads)
def test_what_is_added_one_way_is_removed_the_other(one, two):
    there, back = changes(one, two), changes(two, one)
    assert there["added"] == back["removed"]
    assert there["removed"] == back["added"]
    assert {c["id"] for c in there["changed"]} == {c["was"] for c in back["changed"]}
    assert len(one) - len(there["removed"]) == len(two) - len(there["added"])


def test_a_value_is_told_before_and_after_though_the_id_is_another():
    before = Candidates([thing(3, "Name", "accessibility", "A")])
    after = Candidates([replace(before[0], id="n9", value="B")])
    assert changes(before, after)["changed"] == [{"id": "n9", "was": "n3", "fields": {"value": ["A", "B"]}}]


def test_a_button_that_only_moved_has_moved():
    before = Candidates([thing(0, "OK", "detector")])
    after = Candidates([replace(before[0], box=Box.from_xywh(10, 90, 50, 15))])
    assert changes(before, after) == {**STILL, "moved": ["n0"]}
