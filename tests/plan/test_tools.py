"""Tools as data: what is refused before anything runs, and what arguments become."""

import json

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.arguments import Words, resolve
from cuakit.plan.atoms import ATOMS
from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.effects import Board, apply
from cuakit.plan.history import History
from cuakit.plan.place import layered, place, ring
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Catalogue, Param, Step, Tool, fill, from_dict, load, step_from_dict, to_dict

CATALOGUE = DrawIoDomain().catalogue
CANVAS = Box(220, 70, 1020, 750)
WORDS = Words(shapes=("Rectangle", "Ellipse"), aliases={"box": "Rectangle"})


def refused(code, action):
    with pytest.raises(UsageError) as caught:
        action()
    assert caught.value.error_code == code
    return caught.value


@pytest.mark.parametrize("name", CATALOGUE.tools)
def test_every_shipped_tool_is_described_and_survives_a_file(name):
    tool = CATALOGUE.get(name)
    assert tool.about
    assert from_dict(json.loads(json.dumps(to_dict(tool)))) == tool


def test_levels_are_computed():
    assert {CATALOGUE.level(t.name) for t in ATOMS} == {0}
    assert CATALOGUE.level("place_shape") == 1
    assert CATALOGUE.level("place_and_label") == 1 + CATALOGUE.level("write_label")


@pytest.mark.parametrize("name", ["../../x", "", "A", "1a", "a b", "a/b", "a" * 49, "ünï", "a\n"])
def test_a_name_is_never_a_path(name):
    refused("bad_tool", lambda: Tool(name=name))


@pytest.mark.parametrize(
    "tools",
    [
        [Tool(name="a", steps=(Step(tool="a"),))],
        [Tool(name="a", steps=(Step(tool="b"),)), Tool(name="b", steps=(Step(tool="a"),))],
        [Tool(name="a", steps=(Step(tool="nothing"),))],
        [Tool(name="a"), Tool(name="a")],
        [Tool(name="a", params=(Param(name="x", type="text"),)), Tool(name="b", steps=(Step(tool="a"),))],
        [Tool(name="a"), Tool(name="b", steps=(Step(tool="a", args={"extra": 1}),))],
    ],
    ids=["itself", "in a circle", "unknown", "twice", "missing argument", "extra argument"],
)
def test_tools_that_do_not_fit_together_are_refused(tools):
    refused("bad_tool", lambda: Catalogue.of(tools))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tool(name="a", steps=(Step(tool="b", args={"x": "$lost"}),)),
        lambda: Tool(name="a", params=(Param(name="x", type="text"), Param(name="x", type="text"))),
        lambda: Tool(name="a", steps=tuple(Step(tool="b") for _ in range(201))),
        lambda: Param(name="x", type="colour"),
        lambda: Param(name="X", type="text"),
        lambda: Param(name="x", type="choice"),
        lambda: from_dict([]),
        lambda: from_dict({"name": "a", "steps": [{"args": {}}]}),
        lambda: from_dict({"name": "a", "steps": ["press"]}),
        lambda: from_dict({"name": "a", "python": "import os"}),
        lambda: from_dict({"name": "a", "params": [{"name": "x", "type": "text", "eval": "1"}]}),
        lambda: from_dict({"name": "a", "params": "x"}),
        lambda: step_from_dict({"tool": "a", "args": []}),
        lambda: step_from_dict({"tool": "a", "save": "../x"}),
        lambda: step_from_dict({"tool": "a", "checkpoint": "ok"}),
        lambda: step_from_dict({"tool": "a", "more": 1}),
    ],
)
def test_malformed_definitions_are_refused(make):
    refused("bad_tool", make)


def test_a_file_that_is_no_catalogue_is_refused(tmp_path):
    for text in ("", "{", "7", '["a"]'):
        (tmp_path / "t.json").write_text(text)
        refused("bad_tool", lambda: load(tmp_path / "t.json"))
    refused("bad_tool", lambda: load(tmp_path / "none.json"))


def test_an_added_tool_is_usable_at_once_and_does_not_overwrite():
    mine = Tool(name="mine", steps=(Step(tool="press_escape"),))
    more = CATALOGUE.with_tool(mine)
    assert more.level("mine") == 2
    assert "mine" not in CATALOGUE.tools
    refused("bad_tool", lambda: more.with_tool(mine))
    assert more.with_tool(mine, replace=True).get("mine") == mine
    assert "place_shape" in refused("unknown_tool", lambda: more.get("place_shap")).hint


def scene():
    made, a = Scene().add("Rectangle", label="A", box=Box(300, 200, 420, 260))
    made, b = made.add("Ellipse", label="B", box=Box(600, 200, 720, 280))
    made, _ = made.connect(a, b)
    return made


def test_arguments_become_ids_compass_points_and_numbers():
    got = resolve(CATALOGUE.get("connect"), {"source": "A", "target": "B", "source_side": "right"}, scene(), WORDS)
    assert got == {"source": "obj_001", "target": "obj_002", "source_side": "e", "target_side": "auto"}
    assert resolve(CATALOGUE.get("place_shape"), {"shape": "BOX"}, scene(), WORDS)["shape"] == "Rectangle"
    assert resolve(CATALOGUE.get("delete_edge"), {"edge": "A -> B"}, scene(), WORDS)["edge"] == "edge_001"
    assert resolve(CATALOGUE.get("press"), {"keys": "MOD+Z"}, scene(), WORDS)["keys"] == "MOD+Z"


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("connect", {"source": "A"}, "bad_arguments"),
        ("connect", {"source": "A", "target": "Z"}, "unknown_object"),
        ("connect", {"source": "A", "target": "B", "source_side": "north-north"}, "bad_arguments"),
        ("connect", {"source": "A", "target": "B", "source_side": "ne"}, "bad_arguments"),
        ("place_shape", {"shape": "owl"}, "bad_arguments"),
        ("place_shape", {"shape": 7}, "bad_arguments"),
        ("resize_object", {"object": "A", "width": "wide", "height": 50}, "bad_arguments"),
        ("resize_object", {"object": "A", "width": 1e9, "height": 50}, "bad_arguments"),
        ("resize_object", {"object": "A", "width": float("nan"), "height": 50}, "bad_arguments"),
        ("resize_object", {"object": "A", "width": True, "height": 50}, "bad_arguments"),
        ("write_label", {"object": "A", "text": None}, "bad_arguments"),
        ("delete_edge", {"edge": "B -> A"}, "unknown_edge"),
        ("press", {"keys": "MOD+"}, "bad_arguments"),
        ("scroll", {"direction": "sideways"}, "bad_arguments"),
    ],
)
def test_wrong_arguments_name_the_tool_and_the_parameter(tool, args, code):
    error = refused(code, lambda: resolve(CATALOGUE.get(tool), args, scene(), WORDS))
    assert tool in error.message


@given(st.text(max_size=30))
def test_texts_pass_through_exactly(text):
    tool = CATALOGUE.get("write_label")
    values = resolve(tool, {"object": "A", "text": text}, scene(), WORDS)
    inner = [fill(s.args, values) for s in tool.steps if s.tool == "type_text"]
    assert inner[0]["text"] == text


def test_a_dollar_sign_that_names_nothing_stays():
    assert fill("costs $five and $x", {"x": 1}) == "costs $five and 1"
    assert fill({"a": ["$x", "$y"]}, {"x": 3}) == {"a": [3, "$y"]}


@given(st.lists(st.sampled_from(["Rectangle", "Ellipse"]), min_size=1, max_size=14))
def test_new_shapes_never_stack(kinds):
    board, history = Board(canvas=CANVAS, sizes={"Ellipse": (120, 80)}), History(present=Scene())
    for kind in kinds:
        history, _ = apply(history, {"op": "add", "kind": kind}, board)
    boxes = [n.box for n in history.present.nodes.values()]
    assert all(CANVAS.contains(b) for b in boxes)
    assert all(a.intersect(b).area == 0 for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("where", ["right of A", "below A", "under obj_001", "left of B", "Next To A", "40,400"])
def test_places_by_words_are_free_and_inside(where):
    box = place(where, (100, 50), scene(), CANVAS)
    assert CANVAS.contains(box)
    assert all(box.intersect(n.box).area == 0 for n in scene().nodes.values())


@pytest.mark.parametrize(
    ("where", "code"),
    [("somewhere", "bad_arguments"), ("right of Z", "unknown_object"), ("9999,0", "no_room"), ("left of A", "no_room")],
)
def test_places_that_cannot_be(where, code):
    refused(code, lambda: place(where, (100, 50), scene(), CANVAS))


def test_a_full_canvas_says_so():
    full, _ = Scene().add("Rectangle", box=CANVAS)
    assert "scroll" in refused("no_room", lambda: place("auto", (50, 50), full, CANVAS)).hint


def overlap(made, sizes):
    boxes = [Box.from_xywh(*made[n], *sizes[n]) for n in made]
    return any(a.intersect(b).area for i, a in enumerate(boxes) for b in boxes[:i])


def test_layers_follow_the_links_and_a_circle_does_not_matter():
    sizes = dict.fromkeys("abcd", (120.0, 60.0))
    made = layered("abcd", [("a", "b"), ("a", "c"), ("b", "d"), ("d", "a")], sizes, CANVAS)
    assert made["a"][1] < made["b"][1] == made["c"][1] < made["d"][1]
    across = layered("abcd", [("a", "b"), ("b", "c")], sizes, CANVAS, across=True)
    assert across["a"][0] < across["b"][0] < across["c"][0]
    assert not overlap(made, sizes)
    assert not overlap(across, sizes)


@pytest.mark.parametrize("count", [3, 5, 8])
def test_a_ring_has_room_for_all_and_for_a_hub(count):
    names = [f"n{i}" for i in range(count)]
    sizes = dict.fromkeys([*names, "hub"], (80.0, 60.0))
    assert not overlap(ring([*names, "hub"], sizes, CANVAS, hub="hub"), sizes)
    refused(
        "no_room",
        lambda: ring([f"n{i}" for i in range(60)], dict.fromkeys([f"n{i}" for i in range(60)], (120.0, 60.0)), CANVAS),
    )
