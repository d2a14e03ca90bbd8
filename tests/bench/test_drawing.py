"""The judge of drawings: exactly the goal counts, and every figure says what it counted."""

import pytest

from cuakit.bench.drawing import DISTURBANCES, Drawn, arms_of, f1, graph, solved, summary, trial
from cuakit.bench.drawing_tasks import DRAWINGS, Drawing
from cuakit.core.errors import UnknownName
from cuakit.core.geometry import Box
from cuakit.envs.drawio import Cell, Document

BY_NAME = {d.name: d for d in DRAWINGS}


def shape(id, label, left=0, top=0, *, kind="rectangle", size=(120, 60)):
    return Cell(id=id, kind="vertex", label=label, shape=kind, box=Box.from_xywh(left, top, *size))


def line(source, target, label=""):
    return Cell(id=f"{source}{target}", kind="edge", source=source, target=target, label=label)


def document(*cells):
    return Document(settings={}, cells=cells)


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda d: d.name)
def test_a_goal_names_only_objects_that_it_holds(drawing):
    names = {n for n, _ in drawing.nodes}
    ends = {e for a, b, _ in drawing.links for e in (a, b)}
    placed = {e for a, _, b in drawing.order for e in (a, b)} | {n for n, _, _ in drawing.sizes}
    assert ends | placed <= names
    assert len(names) == len(drawing.nodes)
    assert {word for _, word, _ in drawing.order} <= {"left of", "above"}


def test_names_of_tasks_are_distinct_and_every_group_that_was_described_is_there():
    assert len(BY_NAME) == len(DRAWINGS) >= 20
    groups = {d.group for d in DRAWINGS}
    assert {"place", "label", "connect", "move", "resize", "extend", "delete", "undo"} <= groups
    assert {"flowchart", "org chart", "ring", "star", "ER diagram", "edit"} <= groups


LINKED = Drawing(
    name="x", group="x", say=("x",), nodes=(("A", "rectangle"), ("B", "rectangle")), links=(("A", "B", "y"),)
)
RIGHT = (shape("a", "A"), shape("b", "B", left=200), line("a", "b", "y"))


@pytest.mark.parametrize(
    ("cells", "ok"),
    [
        (RIGHT, True),
        (RIGHT[:2], False),
        ((*RIGHT, shape("c", "")), False),
        ((*RIGHT[:2], line("b", "a", "y")), False),
        ((*RIGHT[:2], line("a", "", "y")), False),
        ((*RIGHT[:2], line("a", "b", "Y")), False),
        ((*RIGHT, line("a", "b", "y")), False),
        ((shape("a", "A", kind="ellipse"), *RIGHT[1:]), False),
    ],
)
def test_only_exactly_the_goal_is_success(cells, ok):
    assert solved(LINKED, document(*cells)) is ok


@pytest.mark.parametrize(("left", "top", "ok"), [(180, 0, True), (100, 0, False), (0, 200, False)])
def test_places_are_judged(left, top, ok):
    beside = BY_NAME["place-beside"]
    assert solved(beside, document(shape("a", "HOME"), shape("b", "SHOP", left, top))) is ok


@pytest.mark.parametrize(
    ("size", "ok"), [((200, 100), True), ((203, 98), True), ((204, 100), False), ((120, 60), False)]
)
def test_sizes_are_judged_within_three_units(size, ok):
    assert solved(BY_NAME["resize"], document(shape("a", "BIG", size=size))) is ok


def test_f1_of_a_graph_counts_what_agrees():
    nodes, links = graph(document(*RIGHT))
    wanted = graph(document(shape("a", "A"), shape("c", "C"), line("a", "c")))
    assert f1(nodes, wanted[0]) == 0.5
    assert f1(links, wanted[1]) == 0.0
    assert f1(links - links, links - links) == 1.0


def drawn(arm, ok, **more):
    given = {"object_f1": 1.0, "edge_f1": 1.0, "same_graph": ok, "actions": 3, "seconds": 1.0, "repairs": 0}
    return Drawn(task="t", arm=arm, ok=ok, planning_calls=1, **given | more)


def test_the_summary_keeps_the_arms_apart_and_says_n():
    found = summary(
        [drawn("undisturbed", ok=True), drawn("undisturbed", ok=False), drawn("repair", ok=True, repairs=2)]
    )
    assert (found["undisturbed"]["rate"], found["undisturbed"]["n"]) == (0.5, 2)
    assert (found["disturbed"]["repair"]["rate"], found["disturbed"]["repair"]["repairs"]) == (1.0, 2)
    assert found["disturbed"]["no_repair"] == {"rate": None, "low": None, "high": None, "n": 0}
    assert found["scene_drift"] == {"differ": 1, "n": 2}
    assert set(found) == {"tasks", "undisturbed", "disturbed", "baseline_preset", "scene_drift", "planning_calls"}


def test_an_unknown_arm_is_refused_with_the_list():
    with pytest.raises(UnknownName, match="no arm 'often'") as caught:
        arms_of(["often"])
    assert "no_repair" in caught.value.hint


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_drawing_on_the_real_application_is_judged_by_its_document(drawio):
    found = trial(drawio, BY_NAME["connect-label"])
    assert (found.ok, found.same_graph, found.stopped) == (True, True, "")
    assert (found.object_f1, found.edge_f1, found.planning_calls) == (1.0, 1.0, 2)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["dialog"])
def test_a_disturbed_plan_ends_without_repair_and_is_finished_with_it(drawio, kind):
    assert kind in DISTURBANCES
    without = trial(drawio, BY_NAME["place-three"], arm="no_repair", disturbance=kind)
    assert not without.ok
    assert without.stopped
    repaired = trial(drawio, BY_NAME["place-three"], arm="repair", disturbance=kind)
    assert repaired.ok, repaired
    assert repaired.repairs >= 1
