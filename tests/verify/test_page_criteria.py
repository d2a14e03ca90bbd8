from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cuakit.core import registry
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.verify.criteria import Absent, Object, Text, Title, Url, criterion
from cuakit.verify.page import PageCriteria
from tests.strategies import shot, tables

BOX = Box(0, 0, 10, 10)


def row(id: str, **more) -> Candidate:
    return Candidate(id=id, box=BOX, source=more.pop("source", "dom"), **more)


PAGE = Observation(
    screenshot=shot(),
    candidates=Candidates(
        [
            row("c01", role="textbox", name="Name", value="Ada", states=("focused",)),
            row("c02", role="checkbox", name="I agree", states=("checked",)),
            row("c03", role="checkbox", name="News"),
            row("c04", role="textbox", name="Password", states=("secret",)),
            row("c05", role="text", text="Saved  to"),
            row("c06", role="text", text="disk", reading_order=1),
        ]
    ),
    title="Form – Saved",
    context={"url": "http://127.0.0.1/form?step=2"},
)
PIXELS = replace(PAGE, candidates=Candidates(replace(c, source="ocr", states=(), value="") for c in PAGE.candidates))
NOTHING = replace(PAGE, candidates=Candidates(), title="", context={})


@pytest.mark.parametrize(
    ("wanted", "page", "pixels"),
    [
        (Object(role="textbox", name="name"), "passed", "passed"),
        (Object(role="button", name="Save"), "failed", "unknown"),
        (Object(name="Name", value="Ada"), "passed", "unknown"),
        (Object(name="Name", value="Eve"), "failed", "unknown"),
        (Object(role="checkbox", name="I agree", states=("checked",)), "passed", "unknown"),
        (Object(role="checkbox", name="News", states=("checked",)), "failed", "unknown"),
        (Object(role="checkbox", name="News", absent_states=("checked",)), "passed", "unknown"),
        (Object(role="checkbox", name="I agree", absent_states=("checked",)), "failed", "unknown"),
        (Object(role="checkbox", states=("checked",)), "passed", "unknown"),
        (Object(name="Password", value="hunter2"), "unknown", "unknown"),
        (Absent(name="Error"), "passed", "unknown"),
        (Absent(name="News"), "failed", "failed"),
        (Text(text="saved to"), "passed", "passed"),
        (Text(text="Saved to DISK"), "passed", "passed"),
        (Text(text="Ada"), "passed", "unknown"),
        (Text(text="Lost"), "failed", "unknown"),
        (Title(contains="saved"), "passed", "passed"),
        (Title(contains="draft"), "failed", "failed"),
        (Url(contains="step=2"), "passed", "passed"),
        (Url(contains="step=3"), "failed", "failed"),
    ],
)
def test_three_answers_from_the_page_and_from_pixels(wanted, page, pixels):
    assert wanted.check(PAGE).result == page
    assert wanted.check(PIXELS).result == pixels
    assert wanted.check(NOTHING).result == "unknown"


def test_evidence_names_the_object():
    assert Object(name="Name", value="Ada").check(PAGE).evidence == ("c01",)


@pytest.mark.parametrize(
    ("criteria", "result"),
    [
        ((), "unknown"),
        ((Text(text="disk"), Title(contains="saved")), "passed"),
        ((Text(text="disk"), Object(name="Password", value="x")), "unknown"),
        ((Object(name="Password", value="x"), Text(text="Lost")), "failed"),
    ],
)
def test_all_must_hold_and_nothing_asked_is_nothing_proven(criteria, result):
    verdict = PageCriteria(criteria=criteria)(NOTHING, PAGE, Decision(outcome="complete"))
    assert verdict.result == result
    assert verdict.reason


def test_only_what_was_seen_afterwards_counts():
    stage = PageCriteria(criteria=(Text(text="disk"),))
    assert stage(PAGE, replace(PAGE, candidates=PAGE.candidates[:1]), Decision(outcome="complete")).result == "failed"


@given(tables)
def test_absence_is_the_opposite_of_presence_and_never_a_pass_by_ignorance(table):
    seen = replace(PAGE, candidates=table)
    there, gone = Object(role="button").check(seen).result, Absent(role="button").check(seen).result
    assert (there, gone) in {("passed", "failed"), ("failed", "passed"), ("unknown", "unknown")}


@given(tables, st.text(min_size=1).filter(str.strip))
def test_more_criteria_never_turn_a_failure_into_a_pass(table, text):
    seen = replace(PAGE, candidates=table)
    alone = PageCriteria(criteria=(Text(text=text),)).check(seen)
    both = PageCriteria(criteria=(Text(text=text), Title(contains="saved"))).check(seen)
    assert both.result == alone.result


def test_plain_data_makes_the_same_criteria():
    data = ({"kind": "object", "role": "checkbox", "states": ["checked"]}, {"kind": "text", "text": "disk"})
    assert PageCriteria(criteria=data).check(PAGE).passed
    assert criterion(data[0]) == Object(role="checkbox", states=("checked",))
    assert registry.spec(registry.build("verify", "page-criteria-v1", criteria=data)).args["criteria"] == data


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"kind": "smell"}, "smell"),
        ({}, "None"),
        ({"kind": "text"}, "text"),
        ({"kind": "text", "text": " "}, "text"),
        ({"kind": "object"}, "role or a name"),
        ({"kind": "absent"}, "role or a name"),
        ({"kind": "title", "contains": "x", "exact": True}, "exact"),
    ],
)
def test_a_malformed_criterion_is_refused_when_it_is_made(data, why):
    with pytest.raises(UsageError, match=why):
        PageCriteria(criteria=(data,))
