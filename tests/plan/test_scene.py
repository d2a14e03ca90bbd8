"""The scene graph: rules that hold after any sequence of changes, and mistakes that are never silent."""

import json
from dataclasses import replace

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point
from cuakit.plan.history import History, dumps, loads
from cuakit.plan.scene import Edge, Scene, check

boxes = st.builds(Box.from_xywh, st.integers(0, 900), st.integers(0, 700), st.integers(0, 200), st.integers(0, 200))
labels = st.sampled_from(["", "A", "B", "GRÖSSE", "日本語"])


class Canvas(RuleBasedStateMachine):
    """Any sequence of changes, mirrored by plain sets."""

    nodes = Bundle("nodes")
    edges = Bundle("edges")

    def __init__(self):
        super().__init__()
        self.history = History(present=Scene())
        self.given = set()
        self.trail = []

    @property
    def scene(self):
        return self.history.present

    def put(self, scene, what):
        self.trail.append(self.scene)
        self.history = self.history.record(scene, what)

    @rule(target=nodes, kind=st.sampled_from(["rectangle", "ellipse"]), label=labels, box=st.none() | boxes)
    def add(self, kind, label, box):
        scene, id = self.scene.add(kind, label=label, box=box)
        assert id not in self.given
        self.given.add(id)
        self.put(scene, "add")
        return id

    @rule(target=edges, a=nodes, b=nodes)
    def connect(self, a, b):
        if {a, b} - set(self.scene.nodes):
            with pytest.raises(UsageError):
                self.scene.connect(a, b)
            return "edge_none"
        scene, id = self.scene.connect(a, b, source_anchor="e", target_anchor="w")
        assert id not in self.given
        self.given.add(id)
        self.put(scene, "connect")
        return id

    @rule(node=nodes, label=labels, box=boxes, angle=st.floats(-720, 720))
    def change(self, node, label, box, angle):
        if node in self.scene.nodes:
            self.put(self.scene.change(node, label=label, box=box, angle=angle, by="pixels"), "change")
            changed = self.scene.nodes[node]
            assert (changed.label, changed.box, changed.origin["box"]) == (label, box, "pixels")

    @rule(node=consumes(nodes))
    def remove(self, node):
        if node in self.scene.nodes:
            gone = {node, *(e.id for e in self.scene.touching(node))}
            before = set(self.scene.nodes) | set(self.scene.edges)
            inner = any(n.group == node for n in self.scene.nodes.values())
            self.put(self.scene.remove([node]), "remove")
            after = set(self.scene.nodes) | set(self.scene.edges)
            assert after == before - gone if not inner else after < before - gone

    @rule(edge=consumes(edges))
    def cut(self, edge):
        if edge in self.scene.edges:
            self.put(self.scene.remove([edge]), "cut")
            assert edge not in self.scene.edges

    @rule(a=nodes, b=nodes)
    def group(self, a, b):
        if {a, b} <= set(self.scene.nodes):
            outer, chain = b, []
            while outer:
                chain.append(outer)
                outer = self.scene.nodes[outer].group
            if a in chain:
                with pytest.raises(UsageError, match="corrupt"):
                    self.scene.regroup([a], b)
            else:
                self.put(self.scene.regroup([a], b), "group")

    @rule(node=nodes)
    def select(self, node):
        if node in self.scene.nodes:
            self.put(self.scene.select([node]), "select")

    @precondition(lambda self: self.trail)
    @rule()
    def undo(self):
        before, now = self.trail[-1], self.scene
        self.history = self.history.undo()
        assert (self.scene.nodes, self.scene.edges, self.scene.selected) == (
            before.nodes,
            before.edges,
            before.selected,
        )
        redone = self.history.redo().present
        assert (redone.nodes, redone.edges, redone.selected) == (now.nodes, now.edges, now.selected)
        self.trail.pop()

    @invariant()
    def rules_hold(self):
        check(self.scene)

    @invariant()
    def a_file_keeps_everything(self):
        kept = loads(dumps(self.scene))
        assert kept == self.scene
        assert list(kept.nodes) == list(self.scene.nodes)


TestCanvas = Canvas.TestCase
TestCanvas.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


def two():
    scene, a = Scene().add("rectangle", label="A", box=Box(0, 0, 100, 50))
    scene, b = scene.add("ellipse", label="B", box=Box(50, 20, 150, 70))
    scene, e = scene.connect("A", "B", label="yes")
    return scene, a, b, e


def test_edges_keep_ids_whatever_names_came_in():
    scene, a, b, e = two()
    assert (scene.edges[e].source, scene.edges[e].target) == (a, b)
    assert scene.change("A", label="C").edges[e].source == a


def test_a_shared_label_names_nobody():
    scene, a, _, _ = two()
    scene, other = scene.add("rectangle", label="A")
    with pytest.raises(UsageError) as caught:
        scene.find("A")
    assert caught.value.error_code == "ambiguous_object"
    assert a in str(caught.value)
    assert other in str(caught.value)
    assert scene.find(a) == a


def test_an_unknown_name_lists_what_is_there():
    scene, *_ = two()
    with pytest.raises(UsageError, match="Z") as caught:
        scene.find("Z")
    assert caught.value.error_code == "unknown_object"
    assert "'A'" in caught.value.hint


@pytest.mark.parametrize("ref", ["yes", "A -> B", "edge_001", "obj_001->B"])
def test_edges_are_found_by_id_label_or_ends(ref):
    scene, _, _, e = two()
    assert scene.find_edge(ref) == e


def test_two_edges_of_one_name_are_ambiguous_and_a_missing_one_unknown():
    scene, *_ = two()
    scene, _ = scene.connect("A", "B", label="yes")
    for ref, code in (("yes", "ambiguous_edge"), ("A -> B", "ambiguous_edge"), ("no", "unknown_edge")):
        with pytest.raises(UsageError) as caught:
            scene.find_edge(ref)
        assert caught.value.error_code == code


def test_removing_takes_loose_edges_members_and_selection_along():
    scene, a, b, e = two()
    scene, g = scene.add("group")
    scene = scene.regroup([a], g).select([a, b, e])
    left = scene.remove([g])
    assert (set(left.nodes), set(left.edges), left.selected) == ({b}, set(), {b})


def test_the_topmost_object_is_under_a_point():
    scene, a, b, _ = two()
    assert scene.at(Point(75, 30)).id == b
    assert scene.at(Point(10, 10)).id == a
    assert scene.at(Point(500, 500)) is None


def test_a_group_cannot_hold_itself():
    scene, a, b, _ = two()
    for move in (lambda: scene.regroup([a], a), lambda: scene.regroup([a], b).regroup([b], a)):
        with pytest.raises(UsageError) as caught:
            move()
        assert caught.value.error_code == "corrupt_scene"


def test_what_cannot_be_changed_is_refused():
    scene, a, _, e = two()
    with pytest.raises(UsageError, match="id"):
        scene.change(a, id="obj_009")
    with pytest.raises(UsageError, match="shape"):
        scene.change_edge(e, shape="x")
    assert scene.change_edge(e, target="A").edges[e].target == a


def test_ids_are_not_given_again_after_an_undo():
    history = History(present=Scene())
    scene, first = history.present.add("rectangle")
    history = history.record(scene, "add").undo()
    _, second = history.present.add("rectangle")
    assert first != second


def test_versions_only_grow_and_an_amended_view_is_no_step():
    history = History(present=Scene())
    scene, a = history.present.add("rectangle")
    history = history.record(scene, "add")
    seen = history.amend(history.present.change(a, box=Box(1, 1, 2, 2), by="pixels"))
    assert (history.version, seen.version, seen.undo().version) == (1, 2, 3)
    assert seen.undo().present.nodes == {}
    for wrong in (History(present=Scene()).undo, History(present=Scene()).redo):
        with pytest.raises(UsageError):
            wrong()


GOOD = json.loads(dumps(two()[0]))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda d: d.update(format="other"),
        lambda d: d.pop("nodes"),
        lambda d: d["nodes"].pop("obj_001"),
        lambda d: d["nodes"]["obj_001"].update(id="obj_002"),
        lambda d: d["nodes"]["obj_001"].update(group="obj_077"),
        lambda d: d["nodes"]["obj_001"].update(label=7),
        lambda d: d["nodes"]["obj_001"].update(angle=float("nan")),
        lambda d: d["nodes"]["obj_001"]["box"].update(left=1000),
        lambda d: d["edges"]["edge_001"].update(source="A"),
        lambda d: d["edges"]["edge_001"].update(source_anchor="x"),
        lambda d: d["edges"]["edge_001"].update(extra="x"),
        lambda d: d.update(next_node=1),
        lambda d: d.update(next_node="3"),
        lambda d: d.update(selected=["obj_099"]),
        lambda d: d["nodes"].update({"../x": d["nodes"]["obj_001"]}),
    ],
)
def test_a_corrupt_file_raises_and_never_becomes_an_empty_scene(break_it):
    data = json.loads(json.dumps(GOOD))
    break_it(data)
    with pytest.raises(UsageError) as caught:
        loads(json.dumps(data))
    assert caught.value.error_code == "corrupt_scene"


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"format": "cuakit.scene_v1"}'])
def test_what_is_no_scene_raises(text):
    with pytest.raises(UsageError):
        loads(text)


def test_a_dangling_edge_cannot_be_made_by_hand():
    scene, *_ = two()
    with pytest.raises(UsageError, match="does not exist"):
        replace(scene, edges={"edge_001": Edge(id="edge_001", source="obj_001", target="obj_099")})
