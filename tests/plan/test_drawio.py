"""Plans on the real draw.io: what was done, the scene graph and the application's own document agree."""

import pytest

from cuakit.core.errors import UsageError
from cuakit.plan.planner import plan
from cuakit.plan.tools import Step
from cuakit.plan.view import points

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]


def planned(runner, task):
    shot = runner.surface.grab()
    board = runner.domain.board(points(runner.domain.see(shot).canvas, shot.scale))
    return plan(task, runner.scene, runner.domain.words, board)


def agrees(scene, document):
    """Whether labels, places and connections are the same; places up to where the page lies in the window."""
    names = {c.id: c.label for c in document.vertices}
    links = sorted((names[c.source], names[c.target], c.label) for c in document.edges)
    ours = sorted((scene.nodes[e.source].label, scene.nodes[e.target].label, e.label) for e in scene.edges.values())
    boxes = {c.label: c.box for c in document.vertices}
    labels = sorted(n.label for n in scene.nodes.values())
    if links != ours or labels != sorted(c.label for c in document.vertices):
        return False
    first = next(iter(scene.nodes.values()))
    dx, dy = first.box.left - boxes[first.label].left, first.box.top - boxes[first.label].top
    moved = [(n.box, boxes[n.label].shift(dx, dy)) for n in scene.nodes.values() if n.kind == first.kind]
    return all(max(abs(a - b) for a, b in zip(x.xyxy, y.xyxy, strict=True)) <= 3 for x, y in moved)


def test_one_sentence_draws_a_flowchart_with_exact_labels(drawio, runner):
    steps = planned(runner, "Flowchart: Start (ellipse) -> PRÜFEN? (decision) -ja-> ENDE")
    expected = runner.check(steps)
    trace = runner.run(steps)
    assert trace.ok, trace.results[-1]
    assert {n.label for n in expected.nodes.values()} == {"Start", "PRÜFEN?", "ENDE"}
    assert agrees(runner.scene, drawio.document())
    (down, yes) = sorted(drawio.document().edges, key=lambda c: c.label)
    assert (yes.label, down.style["exitY"], down.style["entryY"]) == ("ja", "1", "0")


def test_the_scene_follows_moves_sizes_deletions_and_undo(drawio, runner):
    args = [
        Step(tool="place_and_label", args={"shape": "box", "label": "ÄÖÜ <b>"}, save="a"),
        Step(tool="place_and_label", args={"shape": "box", "label": "two", "place": "right of $a"}, save="b"),
        Step(tool="connect", args={"source": "$a", "target": "$b"}),
        Step(tool="move_object", args={"object": "$b", "place": "300,300"}),
        Step(tool="resize_object", args={"object": "two", "width": 160, "height": 100}),
        Step(tool="delete_object", args={"object": "$a"}),
        Step(tool="undo"),
    ]
    trace = runner.run(args)
    assert trace.ok, trace.results[-1]
    assert agrees(runner.scene, drawio.document())
    assert len(drawio.document().edges) == 1


def test_a_missed_drag_is_noticed_and_the_scene_is_not_fooled(drawio, runner):
    runner.run([Step(tool="place_shape", args={"shape": "box"})])
    drawio.surface.evaluate("void (__cuakit_drawio.editor.graph.setCellsMovable(false))")
    before = runner.scene
    trace = runner.run([Step(tool="move_object", args={"object": "obj_001", "place": "400,400"})])
    assert (trace.ok, trace.results[0].code) == (False, "effect_not_seen")
    assert runner.scene.nodes["obj_001"].box.iou(before.nodes["obj_001"].box) > 0.95


def test_what_somebody_else_changed_is_seen(drawio, runner):
    runner.run([Step(tool="place_shape", args={"shape": "box"})])
    drawio.surface.evaluate("void __cuakit_drawio.editor.graph.insertVertex(null, null, '', 400, 400, 100, 50)")
    drawio.surface.evaluate(
        "void __cuakit_drawio.editor.graph.removeCells([__cuakit_drawio.editor.graph.getChildVertices()[0]])"
    )
    seen = runner.look()
    assert seen.missing == ("obj_001",)
    assert len(seen.strangers) == 1


def test_a_plan_is_checked_as_a_whole_before_anything_moves(drawio, runner):
    good, bad = Step(tool="place_shape", args={"shape": "box"}), Step(tool="delete_object", args={"object": "nobody"})
    with pytest.raises(UsageError, match="step 2") as caught:
        runner.check([good, bad])
    assert caught.value.error_code == "unknown_object"
    assert drawio.document().cells == ()


def test_a_failed_checkpoint_stops_the_plan(drawio, runner):
    wrong = {"assert": [{"kind": "objects_count", "value": 2}]}
    steps = [Step(tool="place_shape", args={"shape": "box"}, checkpoint=wrong), Step(tool="undo")]
    trace = runner.run(steps)
    assert (trace.results[0].code, len(trace.rest)) == ("checkpoint_failed", 2)
    assert len(drawio.document().vertices) == 1
