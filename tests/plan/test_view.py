"""A scene held against what is seen: pixels win on geometry, and a guess is never made."""

from hypothesis import given, strategies as st

from cuakit.core.candidate import Candidate
from cuakit.core.geometry import Box
from cuakit.plan.scene import Scene
from cuakit.plan.view import adopt, reconcile, table

CANVAS = Box(200, 60, 1000, 700)


def shape(i, box, name="rectangle"):
    return Candidate(id=f"s{i}", box=box, role="image", name=name, source="contours")


def scaled(box, k):
    return Box(*(v * k for v in box.xyxy))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=8, unique=True),
    st.floats(-10, 10),
    st.floats(-10, 10),
    st.sampled_from([1.0, 1.5, 2.0]),
)
def test_shifted_shapes_are_the_same_objects(cells, dx, dy, k):
    scene = Scene()
    for c, r in cells:
        scene, _ = scene.add("Rectangle", label=f"{c},{r}", box=Box.from_xywh(210 + 150 * c, 80 + 140 * r, 100, 60))
    there = [n.box.shift(dx, dy) for n in scene.nodes.values()]
    seen = reconcile(scene, [shape(i, scaled(b, k)) for i, b in enumerate(reversed(there))], CANVAS, k)
    assert seen.agrees
    for node, box in zip(seen.scene.nodes.values(), there, strict=True):
        assert max(abs(a - b) for a, b in zip(node.box.xyxy, box.xyxy, strict=True)) < 1e-6
        assert node.origin["box"] == "pixels"


def test_what_is_gone_is_missing_and_what_is_new_is_a_stranger():
    scene, a = Scene().add("Rectangle", label="A", box=Box(300, 100, 400, 160))
    seen = reconcile(scene, [shape(0, Box(700, 500, 800, 560), "ellipse")], CANVAS, 1.0)
    assert seen.missing == (a,)
    assert seen.strangers == (("ellipse", Box(700, 500, 800, 560)),)
    assert seen.scene.nodes[a].box == scene.nodes[a].box
    assert {n.label for n in adopt(seen, {Box(700, 500, 800, 560): "NEW"}).nodes.values()} == {"A", "NEW"}


def test_out_of_view_or_covered_is_not_missing():
    scene, _ = Scene().add("Rectangle", label="A", box=Box(300, 900, 400, 960))
    scene, _ = scene.add("Rectangle", label="B", box=Box(300, 100, 400, 160))
    scene, _ = scene.add("Rectangle", label="C", box=Box(310, 110, 410, 170))
    assert reconcile(scene, [shape(0, Box(310, 110, 410, 170))], CANVAS, 1.0).missing == ()


def test_an_object_of_unknown_place_is_matched_only_if_there_is_one_choice():
    scene, a = Scene().add("Rectangle", label="A")
    one = [shape(0, Box(300, 100, 400, 160))]
    assert reconcile(scene, one, CANVAS, 1.0).scene.nodes[a].box == Box(300, 100, 400, 160)
    two = [*one, shape(1, Box(600, 100, 700, 160))]
    assert reconcile(scene, two, CANVAS, 1.0).scene.nodes[a].box is None


def test_the_table_holds_objects_by_id_and_connectors_by_their_middle():
    scene, a = Scene().add("Rectangle", label="A", box=Box(300, 100, 400, 160))
    scene, b = scene.add("Rectangle", box=Box(600, 100, 700, 160))
    scene, e = scene.connect(a, b)
    canvas = Candidate(id="canvas", box=scaled(CANVAS, 2), role="group", name="canvas", source="contours")
    found = table(scene, canvas, (), 2.0)
    assert found[a].box == Box(600, 200, 800, 320)
    assert (found[e].box.center.x, found[e].box.center.y) == (1000, 260)
    assert found[b].name == "Rectangle"
    assert table(scene, canvas, (), 2.0, editing=True)[a].role == "textbox"
