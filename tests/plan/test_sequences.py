"""Any valid sequence of tools on the scene in memory keeps the scene's rules, and can be undone, done again and replayed."""

from hypothesis import given, settings, strategies as st

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.history import History, dumps, loads
from cuakit.plan.rehearse import rehearse
from cuakit.plan.scene import Scene, check
from cuakit.plan.tools import Step

DOMAIN = DrawIoDomain()
BOARD = DOMAIN.board(Box(220, 70, 1820, 1070))
EMPTY = History(present=Scene())
TOOLS = (
    "place_shape place_and_label write_label move_object resize_object duplicate_object connect connect_and_label label_edge "
    "delete_object delete_edge click_object select_all undo redo"
).split()


def step(draw, tool, scene):
    """A call of a tool with arguments that fit the scene, or none where the scene has nothing to call it on."""
    values = {
        "shape": st.sampled_from(DOMAIN.words.shapes),
        "text": st.text(max_size=8),
        "number": st.integers(20, 300),
        "place": st.just("auto"),
        "anchor": st.sampled_from(["auto", "n", "e", "s", "w"]),
    }
    if scene.nodes:
        values["object"] = st.sampled_from(list(scene.nodes))
        values["place"] = st.just("auto") | st.sampled_from(
            [f"{w} {n}" for n in scene.nodes for w in ("below", "left of")]
        )
    if scene.edges:
        values["edge"] = st.sampled_from(list(scene.edges))
    params = DOMAIN.catalogue.get(tool).params
    if any(p.type not in values for p in params):
        return None
    return Step(tool=tool, args={p.name: draw(values[p.type], label=f"{tool}.{p.name}") for p in params})


def content(scene):
    return scene.nodes, scene.edges


def undone(history):
    while history.past:
        history = history.undo()
        check(history.present)
    return history


def redone(history):
    while history.future:
        history = history.redo()
        check(history.present)
    return history


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_valid_sequence_keeps_the_rules_and_can_be_undone_and_replayed(data):
    history, done, given_ids = EMPTY, [], set()
    for tool in data.draw(st.lists(st.sampled_from(TOOLS), min_size=1, max_size=12)):
        call = step(data.draw, tool, history.present)
        if call is None:
            continue
        before = history.present
        try:
            history = rehearse([call], history, DOMAIN, BOARD)
        except UsageError as wrong:
            if wrong.error_code not in {"no_room", "nothing_to_undo", "nothing_to_redo"}:
                raise
            continue
        done.append(call)
        scene = history.present
        check(scene)
        fresh = (set(scene.nodes) | set(scene.edges)) - set(before.nodes) - set(before.edges)
        assert tool in {"undo", "redo"} or not fresh & given_ids
        given_ids |= fresh
        assert loads(dumps(scene)) == scene
    if done:
        assert rehearse(done, EMPTY, DOMAIN, BOARD) == history
    start = undone(history)
    assert content(start.present) == content(Scene())
    assert start.present.next_node == history.present.next_node
    last = redone(history)
    assert content(redone(start).present) == content(last.present)
    assert loads(dumps(last.present)) == last.present
