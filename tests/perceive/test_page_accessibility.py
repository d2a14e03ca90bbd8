"""A page as the browser tells assistive technology, on real pages."""

import pytest

from cuakit.agent import Agent
from cuakit.core.registry import Spec
from cuakit.core.screenshot import Screenshot
from cuakit.envs.miniwob import MiniWob
from cuakit.loop import run_subtask
from cuakit.perceive.page_accessibility import PageAccessibility, candidates

pytestmark = pytest.mark.browser

FORM = """<body style="margin:0;font:16px sans-serif">
<h1>Trip</h1><label for=n>Name</label> <input id=n value=Kim>
<label>Code <input type=password value=hunter2></label>
<label><input type=checkbox checked> Window seat</label>
<select aria-label=Colour><option>Red<option selected>Blue</select>
<button disabled>Book</button> <button aria-pressed=true>Bold</button>
<div role=tablist><div role=tab aria-selected=true tabindex=0>One</div></div>
<span onclick="1">a span</span><p style="display:none">hidden</p><p aria-hidden=true>not told</p>
<div style="position:absolute;top:9000px"><button>far below</button></div>"""


def read(page, html: str, **options):
    page.evaluate(f"document.open(); document.write({html!r}); document.close()")
    return PageAccessibility(**options).bind(page)(page.grab())


@pytest.fixture
def form(page):
    return {(c.role, c.label): c for c in read(page, FORM)}


@pytest.mark.parametrize(
    ("role", "label", "more"),
    [
        ("heading", "Trip", {"actions": ()}),
        ("textbox", "Name", {"value": "Kim", "actions": ("click", "type", "set_value")}),
        ("textbox", "Code", {"value": "", "states": ("secret",)}),
        ("checkbox", "Window seat", {"states": ("checked",)}),
        ("combobox", "Colour", {"value": "Blue", "actions": ("click", "set_value")}),
        ("button", "Book", {"states": ("disabled",), "actions": ()}),
        ("button", "Bold", {"states": ("checked",)}),
        ("tab", "One", {"states": ("selected",)}),
        ("text", "a span", {"actions": ()}),
    ],
)
def test_role_name_value_states_and_what_it_offers(form, role, label, more):
    found = form[role, label]
    assert {k: getattr(found, k) for k in more} == more
    assert found.source == "accessibility"


def test_options_of_a_closed_list_are_known_and_offer_nothing(form):
    red, blue = form["option", "Red"], form["option", "Blue"]
    assert red.parent == blue.parent == form["combobox", "Colour"].id
    assert (red.states, blue.states) == (("offscreen",), ("selected", "offscreen"))
    assert red.actions == ()


def test_what_is_hidden_out_of_view_or_the_name_of_a_control_is_not_listed(form):
    told = " ".join(label for _, label in form)
    assert "hidden" not in told
    assert "not told" not in told
    assert "far below" not in told
    assert ("text", "Book") not in form


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_boxes_are_those_of_the_layout_at_every_scale_and_scroll(browser, scale):
    page = browser.new_page(width=400, height=300, scale=scale)
    try:
        html = "<body style='margin:0;height:2000px'><button style='position:absolute;left:40px;top:700px;width:90px;height:30px'>Go</button>"
        page.evaluate(f"document.write({html!r}); scrollTo(0, 600)")
        (go,) = PageAccessibility(text=False).bind(page)(page.grab())
        assert go.box.xyxy == tuple(scale * v for v in (40, 100, 130, 130))
    finally:
        page.close()


def test_an_empty_tree_is_an_empty_table():
    import numpy as np

    empty = {
        "documents": [
            {"nodes": {"attributes": [], "backendNodeId": []}, "layout": {"nodeIndex": [], "bounds": []}, "scrollOffsetX": 0, "scrollOffsetY": 0}
        ],
        "strings": [],
    }  # fmt: skip
    assert candidates([], empty, Screenshot(pixels=np.zeros((9, 9, 3), np.uint8))) == []


@pytest.mark.parametrize("family", ["click-button", "login-user", "click-checkboxes", "choose-list"])
def test_tasks_are_solved_from_it(browser, family):
    agent = Agent(name="a", observe="accessibility", perceive=Spec("page-accessibility-v1"))
    with MiniWob(browser) as world:
        task = world.reset(family, 3)
        run = run_subtask(agent, world.surface, task, done=world.done, deadline_s=60)
        assert world.score() == 1, run
