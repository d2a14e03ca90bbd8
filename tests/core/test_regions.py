"""The rich projection: nothing is clamped, nothing is lost on the way to JSON and back."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.regions import SCHEMA, VisualRegions, visual_regions
from cuakit.core.screenshot import Screenshot

SHOT = Screenshot(pixels=np.zeros((100, 200, 3), np.uint8))


def row(id, role="button", box=(10, 10, 50, 30), **more):
    return Candidate(id=id, role=role, box=Box(*box), **more)


def seen(*rows):
    return Observation(screenshot=SHOT, candidates=Candidates(rows, check_parents=False))


@st.composite
def tables(draw):
    rows = []
    for i in range(draw(st.integers(0, 12))):
        x, y = draw(st.integers(0, 190)), draw(st.integers(0, 90))
        box = (x, y, x + draw(st.floats(0.1, 40)), y + draw(st.floats(0.1, 40)))
        role = draw(st.sampled_from(["text", "button", "listbox", "listitem", "icon", "heading"]))
        parent = draw(st.sampled_from(["", *(f"c{j}" for j in range(i))]))
        text = draw(st.text(max_size=8))
        rows.append(row(f"c{i}", role, box, parent=parent, text=text, name=text, score=draw(st.floats(0, 1))))
    return seen(*rows)


@given(tables(), st.floats(0, 1), st.integers(1, 12), st.sampled_from([("text",), ("icon",), ("text", "icon")]))
def test_every_projection_is_sound_and_survives_json(observation, confidence, most, kinds):
    made = visual_regions(observation, kinds=kinds, min_confidence=confidence, max_regions=most)
    assert len(made.regions) <= most
    assert all(r.kind in kinds and r.confidence >= confidence for r in made.regions)
    for r in made.regions:
        box = observation.candidates[r.id].box
        assert abs(r.bounds.x - box.left) <= 1
        assert r.bounds.x + r.bounds.width <= 200
    data = json.loads(json.dumps(made.as_dict(), allow_nan=False))
    assert data["schema"] == SCHEMA
    assert VisualRegions.from_dict(data).as_dict() == data


def test_kinds_parents_and_groups():
    made = visual_regions(
        seen(
            row("c1", "listbox", (0, 0, 100, 90)),
            row("c2", "listitem", (0, 0, 100, 40), parent="c1"),
            row("c3", "text", (2, 2, 60, 20), parent="c2", text="Ann", source="ocr"),
        )
    )
    assert [(r.kind, r.parent_id, r.group_id) for r in made.regions] == [
        ("icon", None, None),
        ("icon", "c1", "c1"),
        ("text", "c2", "c1"),
    ]
    only = visual_regions(made.observation, kinds=("text",))
    assert [(r.id, r.parent_id, r.group_id) for r in only.regions] == [("c3", None, None)]


def test_what_is_left_out_is_said():
    made = visual_regions(seen(*(row(f"c{i}", score=i / 10) for i in range(5))), max_regions=2)
    assert [r.id for r in made.regions] == ["c3", "c4"]
    assert made.warnings == ("3 of 5 regions were left out: max_regions is 2",)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"kinds": ()}, "kinds"),
        ({"kinds": ("text", "video")}, "kinds"),
        ({"min_confidence": 1.5}, "min_confidence"),
        ({"min_confidence": float("nan")}, "min_confidence"),
        ({"max_regions": 0}, "max_regions"),
    ],
)
def test_options_out_of_range_are_refused(options, match):
    with pytest.raises(UsageError, match=match):
        visual_regions(seen(row("c1")), **options)


def broken(change):
    data = visual_regions(seen(row("c1"), row("c2"))).as_dict()
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda d: d.update(schema="cua.visual_regions_v2"), "schema"),
        (lambda d: d["regions"][0]["bounds"].update(width=0), "does not lie inside"),
        (lambda d: d["regions"][0]["bounds"].update(x=-1), "does not lie inside"),
        (lambda d: d["regions"][0]["bounds"].update(height=91), "does not lie inside"),
        (lambda d: d["regions"][0].update(id="c2"), "share an id"),
        (lambda d: d["regions"][0].update(parent_id="c9"), "not there"),
        (lambda d: [r.update(parent_id=p) for r, p in zip(d["regions"], ("c2", "c1"), strict=True)], "own ancestor"),
        (lambda d: d["regions"][0].update(parent_id="c1"), "own ancestor"),
        (lambda d: d["regions"][0].update(confidence=1.2), "confidence"),
        (lambda d: d["regions"][0].update(kind="video"), "kind"),
        (lambda d: d["timing"]["stages"].update(text=1e9), "longer than the whole"),
        (lambda d: d.pop("parser"), "parser"),
    ],
)
def test_data_that_breaks_a_rule_is_refused_not_mended(change, match):
    with pytest.raises(UsageError, match=match):
        VisualRegions.from_dict(broken(change))


def test_the_schema_describes_what_is_written():
    schema = VisualRegions.json_schema()
    written = visual_regions(seen(row("c1"))).as_dict()
    assert set(schema["required"]) == set(written) == set(schema["properties"])
    assert set(schema["$defs"]["Region"]["required"]) == set(written["regions"][0])


def test_ten_thousand_regions_are_projected():
    rows = [
        row(f"c{i}", box=(i % 190, i % 90, i % 190 + 5, i % 90 + 5), parent=f"c{i - 1}" if i % 50 else "")
        for i in range(10_000)
    ]
    assert len(visual_regions(seen(*rows)).regions) == 10_000
