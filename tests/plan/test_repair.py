"""What stands elsewhere is found again where there is no doubt; what is in doubt stays missing."""

import pytest
from hypothesis import given, strategies as st

from cuakit.core.geometry import Box
from cuakit.plan.repair import carry_out, relocate
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Step
from cuakit.plan.view import Seen


def view(boxes, strangers):
    scene = Scene()
    for box in boxes:
        scene, _ = scene.add("Rectangle", box=box)
    return Seen(scene=scene, missing=tuple(scene.nodes), strangers=tuple(("rectangle", b) for b in strangers), moved={})


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=8, unique=True)


@given(CELLS, st.integers(-90, 90), st.integers(-70, 70), st.randoms(use_true_random=False))
def test_a_scrolled_view_keeps_every_object(cells, dx, dy, rng):
    boxes = [Box.from_xywh(300 + 200 * c, 300 + 150 * r, 100, 60) for c, r in cells]
    shown = [b.shift(dx, dy) for b in boxes]
    rng.shuffle(shown)
    found = relocate(view(boxes, shown))
    assert [n.box for n in found.scene.nodes.values()] == [b.shift(dx, dy) for b in boxes]
    assert found.agrees


def test_one_object_that_was_moved_is_found_by_its_size():
    found = relocate(view([Box(0, 0, 100, 60)], [Box(400, 400, 500, 460), Box(0, 300, 50, 350)]))
    assert found.scene.nodes["obj_001"].box == Box(400, 400, 500, 460)
    assert len(found.strangers) == 1


def test_of_two_alike_none_is_guessed():
    seen = view([Box(0, 0, 100, 60)], [Box(400, 400, 500, 460), Box(200, 300, 300, 360)])
    assert relocate(seen) == seen


TWO = [
    Step(tool="place_and_label", args={"shape": "box", "label": "one"}),
    Step(tool="place_and_label", args={"shape": "box", "label": "two", "place": "right of one"}),
]


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_somebody_deleted_is_drawn_again_and_what_is_done_stays(drawio, runner):
    gone = "void ((g) => g.removeCells(g.getChildVertices()))(__cuakit_drawio.editor.graph)"
    struck = []

    def delete_once(result):
        if not struck:
            struck.append(result)
            drawio.surface.evaluate(gone)
        return True

    done = carry_out(runner, TWO, on_step=delete_once)
    assert done.ok, done.results[-1]
    assert sorted(c.label for c in drawio.document().vertices) == ["one", "two"]
    assert (done.repairs >= 1, len(runner.scene.nodes)) == (True, 2)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_plan_that_cannot_be_repaired_ends_with_the_error_after_the_limit(drawio, runner):
    wrong = {"assert": [{"kind": "objects_count", "value": 7}]}
    step = Step(tool="place_shape", args={"shape": "box"}, checkpoint=wrong)
    done = carry_out(runner, [step], limit=1)
    assert (done.ok, done.repairs, done.results[-1].code) == (False, 1, "checkpoint_failed")
    assert len(drawio.document().vertices) == 1
