"""The grammar: what a sentence becomes, and sentences that are not understood."""

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.planner import plan
from cuakit.plan.scene import Scene

DOMAIN = DrawIoDomain()
BOARD = DOMAIN.board(Box(224, 68, 1024, 760))


def steps(task, scene=None):
    return plan(task, scene or Scene(), DOMAIN.words, BOARD)


def short(task, scene=None):
    return [(s.tool, *(v for k, v in s.args.items() if k != "place")) for s in steps(task, scene)]


def test_a_chain_places_labels_and_connects():
    assert short("Flowchart: Start (ellipse) -> Check? (decision) -yes-> Ende Ü") == [
        ("place_and_label", "Ellipse", "Start"),
        ("place_and_label", "Diamond", "Check?"),
        ("place_and_label", "Rectangle", "Ende Ü"),
        ("connect", "Start", "Check?"),
        ("connect_and_label", "Check?", "Ende Ü", "yes"),
    ]


def test_a_tree_and_a_second_statement_share_objects():
    made = short("org chart: CEO > CTO, CFO; CTO > Dev")
    assert [m[2] for m in made if m[0] == "place_and_label"] == ["CEO", "CTO", "CFO", "Dev"]
    assert [m[1:] for m in made if m[0] == "connect"] == [("CEO", "CTO"), ("CEO", "CFO"), ("CTO", "Dev")]


def test_a_ring_closes_and_a_star_does_not():
    assert [m[1:] for m in short("ring of A, B, C") if m[0] == "connect"] == [("A", "B"), ("B", "C"), ("C", "A")]
    star = short("star with hub H and A, B, C")
    assert [m[1:] for m in star if m[0] == "connect"] == [("H", "A"), ("H", "B"), ("H", "C")]


@pytest.mark.parametrize(
    ("task", "made"),
    [
        ('add an ellipse "X; -> Y"', [("place_and_label", "Ellipse", "X; -> Y")]),
        ('place a rounded box labelled "GRÖSSE" right of A', [("place_and_label", "Rounded Rectangle", "GRÖSSE")]),
        ("insert a cloud", [("place_shape", "Cloud")]),
        ("connect A to B", [("connect", "A", "B")]),
        ('connect A to B as "yes"', [("connect_and_label", "A", "B", "yes")]),
        ('rename A to "日本語"', [("write_label", "A", "日本語")]),
        ("move A below B", [("move_object", "A")]),
        ("resize A to 160 x 80", [("resize_object", "A", 160.0, 80.0)]),
        ("delete A", [("delete_object", "A")]),
        ("delete the connector from A to B", [("delete_edge", "A -> B")]),
        ("duplicate A", [("duplicate_object", "A")]),
        ("undo. redo", [("undo",), ("redo",)]),
    ],
)
def test_single_orders(task, made):
    assert short(task) == made


def test_what_is_there_already_is_not_drawn_again():
    scene, _ = Scene().add("Rectangle", label="A", box=Box(300, 200, 420, 260))
    assert short("A -> B", scene) == [("place_and_label", "Rectangle", "B"), ("connect", "A", "B")]


@pytest.mark.parametrize("task", ["", "  ", ";;", "do something nice", "connect", "-> B", "add an owl", "A (owl) -> B"])
def test_what_is_not_understood_is_quoted_and_nothing_is_planned(task):
    with pytest.raises(UsageError):
        steps(task)


@given(st.text(max_size=60))
def test_any_text_gives_a_plan_or_a_usage_error(task):
    try:
        made = steps(task)
    except UsageError:
        return
    assert all(DOMAIN.catalogue.get(s.tool) for s in made)


@given(st.text(min_size=1, max_size=20).filter(lambda t: not set(t) & set('"“”') and t.strip()))
def test_quoted_labels_arrive_exactly(label):
    assert steps(f'add a box "{label}"')[0].args["label"] == label
