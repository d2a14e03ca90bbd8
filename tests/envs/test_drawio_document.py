"""draw.io's document as values, and the tasks that are judged on it. Needs no browser."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.envs.drawio import TASKS, Cell, Document, parse
from cuakit.envs.drawio.document import parse_style, plain
from cuakit.envs.drawio.tasks import LABELS, OPTIONS, instance, three_shapes

MODEL = """<mxGraphModel dx="782" dy="659" grid="1" page="1"><root>
<mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="a" value="&lt;b&gt;A&lt;/b&gt; &amp;amp; B" style="ellipse;html=1;" vertex="1" parent="1">
  <mxGeometry x="10" y="20" width="80" height="60" as="geometry"/></mxCell>
<object label="C" data="x" id="b"><mxCell style="rounded=1;html=1;" vertex="1" parent="1">
  <mxGeometry x="200" width="80" height="60" as="geometry"/></mxCell></object>
<mxCell id="e" value="a&lt;b" style="edgeStyle=none;" edge="1" parent="1" source="a" target="b">
  <mxGeometry relative="1" as="geometry"/></mxCell>
</root></mxGraphModel>"""


def test_cells_are_read_with_label_shape_place_and_ends():
    document = parse(MODEL)
    assert document.settings == {"grid": "1", "page": "1"}
    a, b = document.vertices
    assert (a.label, a.shape, a.box) == ("A & B", "ellipse", Box(10, 20, 90, 80))
    assert (b.id, b.label, b.shape, b.style["rounded"], b.box.left) == ("b", "C", "rectangle", "1", 200)
    (e,) = document.edges
    assert (e.source, e.target, e.label) == ("a", "b", "a<b")
    assert document.labelled("C") == (b,)


@pytest.mark.parametrize("text", ["", "no xml", "<html/>", "<mxGraphModel/>"])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(BackendError) as caught:
        parse(text)
    assert caught.value.error_code == "bad_document"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("a&nbsp; b", "a  b"),
        ("one<br>two", "one\ntwo"),
        ("one<div>two</div><div>three<br></div>", "one\ntwo\nthree"),
        ('<font style="font-size: 18px"><b>x</b>²</font>', "x²"),
        ("A &lt; B &amp; C", "A < B & C"),
    ],
)
def test_a_label_is_what_one_reads(markup, text):
    assert plain(markup) == text


@given(st.dictionaries(st.text("abcXYZ", min_size=1), st.text("01#%.,", max_size=5), max_size=5))
def test_styles_are_read_back(pairs):
    written = "".join(f"{k}={v};" for k, v in pairs.items())
    assert parse_style(written) == ("", pairs)
    assert parse_style(f"ellipse;{written}") == ("ellipse", pairs)


@pytest.mark.parametrize("task", TASKS)
def test_a_seed_fixes_the_instance_and_seeds_differ(task):
    assert instance(task, 3).subtask == instance(task, 3).subtask
    assert instance(task, 3).start == instance(task, 3).start
    goals = {(instance(task, s).subtask.goal, str(dict(instance(task, s).subtask.inputs))) for s in range(12)}
    assert len(goals) >= 3


@pytest.mark.parametrize("task", TASKS)
@given(seed=st.integers(0, 10**6))
def test_nothing_done_is_never_a_success(task, seed):
    made = instance(task, seed)
    before = parse(made.start) if made.start else Document(settings={"grid": "1"})
    assert made.check(before, before) is False


def test_the_option_asked_for_alone_counts():
    made = instance("switch-option", 0)
    attribute, value = OPTIONS[made.subtask.metadata["option"]]
    off = {name: "1" if v == "0" else "0" for name, v in OPTIONS.values()}
    before = Document(settings=off)
    assert made.check(before, Document(settings={**off, attribute: value}))
    other = next(a for a, _ in OPTIONS.values() if a != attribute)
    assert not made.check(before, Document(settings={**off, attribute: value, other: "x"}))
    stray = Cell(id="x", kind="vertex")
    assert not made.check(before, Document(settings={**off, attribute: value}, cells=(stray,)))


@pytest.mark.parametrize("task", ["insert-shape", "label-shape"])
def test_exactly_the_one_shape_counts(task):
    made = instance(task, 1)
    shape = made.subtask.metadata["shape"].lower()
    good = Cell(id="x", kind="vertex", shape=shape, label=str(made.subtask.inputs.get("label", "")))
    empty = Document(settings={})
    assert made.check(empty, Document(settings={}, cells=(good,)))
    for bad in (
        (good, replace(good, id="y")),
        (replace(good, shape="cloud"),),
        (replace(good, label=good.label + " "),),
        (replace(good, label=good.label.swapcase() + "x"),),
        (replace(good, kind="edge"),),
        (replace(good, parent="z"),),
    ):
        assert not made.check(empty, Document(settings={}, cells=bad))


@pytest.mark.parametrize("seed", range(4))
def test_renaming_and_deleting_touch_one_shape_only(seed):
    made = instance("rename-shape", seed)
    before = parse(made.start)
    old, new = made.subtask.metadata["name"], made.subtask.inputs["label"]
    renamed = tuple(replace(c, label=new) if c.label == old else c for c in before.cells)
    moved = (replace(renamed[0], box=renamed[0].box.shift(1, 0)), *renamed[1:])
    assert made.check(before, replace(before, cells=renamed))
    assert not made.check(before, replace(before, cells=moved))

    made = instance("delete-shape", seed)
    before = parse(made.start)
    rest = tuple(c for c in before.cells if c.label != made.subtask.metadata["name"])
    assert made.check(before, replace(before, cells=rest))
    assert not made.check(before, replace(before, cells=rest[1:]))


@given(st.lists(st.sampled_from(LABELS) | st.text(min_size=1, max_size=8).filter(str.strip), min_size=3, max_size=3))
def test_a_start_diagram_holds_its_labels_exactly(names):
    clean = ["".join(c for c in n if c.isprintable()) or "x" for n in names]
    assert [c.label for c in parse(three_shapes(clean)).cells] == [n.replace("\u00a0", " ") for n in clean]


def test_labels_cover_upper_case_other_scripts_and_mark_up():
    assert any(t.isupper() for t in LABELS)
    assert any("<" in t for t in LABELS)
    assert sum(not t.isascii() for t in LABELS) >= 8
