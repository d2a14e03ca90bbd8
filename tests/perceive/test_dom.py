"""The DOM reader lists what a person could see and use, names it, and never lists a secret."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cuakit.backends.cdp import Browser, Page
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Point
from cuakit.core.registry import get, spec
from cuakit.perceive.dom import HANDLE, DomElements, to_candidates

pytestmark = pytest.mark.browser

Read = Callable[..., Candidates]


@pytest.fixture
def read(page: Page) -> Read:
    def read(html: str, script: str = "", **options: object) -> Candidates:
        page.evaluate(f"document.documentElement.innerHTML = {json.dumps(html)}; 0")
        if script:
            page.evaluate(f"(() => {{ {script} }})(); 0")
        return DomElements(**options).bind(page)(page.grab())

    return read


def only(found: Candidates, **what: str) -> Candidate:
    rows = found.where(**what)
    assert len(rows) == 1, found
    return rows[0]


def click(page: Page, at: Point) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=at.x, y=at.y, button="left", clickCount=1)


def clicked(page: Page, selector: str, at: Point) -> bool:
    """Whether a real click at a point reaches an element."""
    page.evaluate(
        f"globalThis.got = false; document.querySelector({selector!r})"
        ".addEventListener('click', e => { globalThis.got = true; e.preventDefault() }); 0"
    )
    click(page, at)
    return bool(page.evaluate("globalThis.got"))


@pytest.mark.parametrize(
    ("html", "role", "name", "actions"),
    [
        ("<button>Save</button>", "button", "Save", ("click",)),
        ("<a href='#x'>Read <b>more</b></a>", "link", "Read more", ("click",)),
        ("<input type=submit value=Go>", "button", "Go", ("click",)),
        ("<input type=submit>", "button", "Submit", ("click",)),
        ("<input aria-label=Mail>", "textbox", "Mail", ("click", "type", "set_value")),
        ("<input type=search placeholder=Find>", "searchbox", "Find", ("click", "type", "set_value")),
        ("<input type=number title=Age>", "spinbutton", "Age", ("click", "type", "set_value")),
        ("<textarea aria-label=Note></textarea>", "textbox", "Note", ("click", "type", "set_value")),
        ("<label><input type=checkbox> Agree</label>", "checkbox", "Agree", ("click", "set_value")),
        ("<input type=radio id=r><label for=r>Red</label>", "radio", "Red", ("click", "set_value")),
        ("<input type=checkbox> Loose words", "checkbox", "Loose words", ("click", "set_value")),
        ("<p>City: <input></p>", "textbox", "City:", ("click", "type", "set_value")),
        ("<input type=range aria-label=Volume>", "slider", "Volume", ("click", "set_value", "drag")),
        ("<select aria-label=Size><option>S</select>", "combobox", "Size", ("click", "set_value")),
        ("<div role=tab tabindex=0>Home</div>", "tab", "Home", ("click",)),
        ("<div role='menuitemcheckbox'>Wrap</div>", "menuitem", "Wrap", ("click",)),
        ("<div role=switch aria-checked=true>Wifi</div>", "switch", "Wifi", ("click",)),
        ("<div contenteditable aria-label=Body>hi</div>", "textbox", "Body", ("click", "type", "set_value")),
        ("<details><summary>More</summary>x</details>", "button", "More", ("click",)),
        ("<div onclick='1'>Bare</div>", "button", "Bare", ("click",)),
        ("<div style='cursor:pointer'>Hand</div>", "button", "Hand", ("click",)),
        ("<ul><li onclick='1'>Item</ul>", "listitem", "Item", ("click",)),
        (
            "<button aria-labelledby='a b'>x</button><i id=a>First</i> <i id=b>Last</i>",
            "button",
            "First Last",
            ("click",),
        ),
        ("<button><img alt=Print width=20 height=20></button>", "button", "Print", ("click",)),
        ("<button><svg width=20 height=20><title>Undo</title></svg></button>", "button", "Undo", ("click",)),
        ("<div draggable=true>Card</div>", "button", "Card", ("click", "drag")),
    ],
)
def test_roles_names_and_actions(read: Read, html: str, role: str, name: str, actions: tuple[str, ...]):
    row = only(read(f"<body>{html}"), role=role)
    assert (row.name, row.actions) == (name, actions)
    assert row.source == "dom"
    assert row.states in ((), ("checked",))


def test_a_listener_makes_an_element_operable(read: Read):
    html = "<body><div id=a>Alpha</div><div id=b>Beta</div>"
    found = read(html, "document.getElementById('a').addEventListener('click', () => 0)")
    assert only(found, name="Alpha").actions == ("click",)
    assert only(found, name="Beta").role == "text"
    assert not only(found, name="Beta").actions


def test_a_listener_is_seen_after_the_reader_was_installed(read: Read):
    read("<body><div id=a>Alpha</div>")
    found = read("<body><div id=a>Alpha</div>", "document.getElementById('a').onpointerdown = () => 0")
    assert only(found, name="Alpha").actions == ("click", "drag")


def test_drop_targets_are_seen(read: Read):
    found = read(
        "<body><div id=a style='width:50px;height:50px'>Bin</div>",
        "document.getElementById('a').addEventListener('dragover', e => e.preventDefault())",
    )
    assert only(found, name="Bin").actions == ("drop",)


def test_bare_coloured_boxes_and_shapes_are_named_by_their_looks(read: Read):
    found = read(
        "<body><div style='width:30px;height:30px;background:red'></div>"
        "<svg width=100 height=50><circle cx=20 cy=20 r=10 fill='blue'/><polygon points='50,5 60,30 40,30' fill='#0f0'/>"
        "</svg>"
    )
    assert {"red", "blue circle", "lime triangle"} <= {c.name for c in found}
    assert all(c.actions == ("click",) for c in found if c.name in ("red", "blue circle", "lime triangle"))


def test_a_hollow_shape_is_hit_on_its_outline(read: Read, page: Page):
    found = read(
        "<body><svg width=200 height=200><circle cx=100 cy=100 r=80 fill='none' stroke='red' stroke-width=6 /></svg>"
    )
    row = only(found, name="red circle")
    assert clicked(page, "circle", row.point)
    assert not clicked(page, "circle", row.box.center)


@pytest.mark.parametrize(
    ("html", "states"),
    [
        ("<input type=checkbox checked>", {"checked"}),
        ("<input type=radio checked disabled>", {"checked", "disabled"}),
        ("<button disabled>x</button>", {"disabled"}),
        ("<fieldset disabled><button>x</button></fieldset>", {"disabled"}),
        ("<button aria-disabled=true>x</button>", {"disabled"}),
        ("<button aria-pressed=true>x</button>", {"checked"}),
        ("<button aria-expanded=true>x</button>", {"expanded"}),
        ("<button role=tab aria-selected=true>x</button>", {"selected"}),
        ("<button autofocus id=f>x</button>", {"focused"}),
        ("<input type=password value=hunter2>", {"secret"}),
    ],
)
def test_states(read: Read, html: str, states: set[str]):
    found = read(f"<body>{html}", "document.getElementById('f')?.focus()")
    row = next(c for c in found if c.role in ("checkbox", "radio", "button", "tab", "textbox"))
    assert set(row.states) == states
    assert bool(row.actions) == ("disabled" not in states)


def test_values(read: Read):
    found = read(
        "<body><input aria-label=a value=one><textarea aria-label=b>two\nlines</textarea>"
        "<input type=range aria-label=c value=30><select aria-label=d><option>x<option selected>y</select>"
        "<div contenteditable aria-label=e>free <b>text</b></div><input type=checkbox aria-label=f value=no>"
    )
    values = {c.name: c.value for c in found if c.role not in ("option", "text")}
    assert values == {"a": "one", "b": "two\nlines", "c": "30", "d": "y", "e": "free text", "f": ""}


SECRETS = [
    "<input type=password value=hunter2>",
    "<input autocomplete='section-a one-time-code' value=hunter2>",
    "<input autocomplete=cc-csc value=hunter2>",
    "<input style='-webkit-text-security:disc' value=hunter2>",
    "<div contenteditable style='-webkit-text-security:disc'>hunter2</div>",
    "<label>Code <input type=password value=hunter2></label>",
    "<button>Send <input type=password value=hunter2></button>",
    "<div onclick='1'>Card <input type=password value=hunter2></div>",
]


@pytest.mark.parametrize("html", SECRETS)
def test_a_secret_value_never_leaves_the_page(page: Page, read: Read, html: str):
    found = read(f"<body>{html}")
    assert "secret" in {s for c in found for s in c.states} or "button" in {c.role for c in found}
    assert "hunter2" not in json.dumps(page.evaluate(f"{HANDLE}.read({{text: true, offscreen: 100, limit: 100}})"))


def test_a_secret_that_was_shown_stays_one(page: Page, read: Read):
    read("<body><input type=password value=hunter2>")
    page.evaluate("document.querySelector('input').type = 'text'; 0")
    found = DomElements().bind(page)(page.grab())
    row = only(found, role="textbox")
    assert row.states == ("secret",)
    assert row.value == ""


def test_a_wrapped_link_is_hit_on_the_link(page: Page, read: Read):
    html = (
        "<body style='font:16px monospace;width:200px;margin:0'>xxxxxxxxxxxxxxxxx "
        "<a href='#x' onclick='return false'>ab cd</a> yyyyyyyyyyyyyyyyy"
    )
    row = only(read(html), role="link")
    assert row.box.height > 30
    assert not clicked(page, "a", row.box.center)
    assert clicked(page, "a", row.point)


def test_what_is_covered_offers_nothing(page: Page, read: Read):
    html = (
        "<body><button id=a>Under</button><p id=p>Words</p><div style='position:fixed;inset:0;background:#fffd'></div>"
    )
    found = read(html)
    under = only(found, name="Under")
    assert under.states == ("occluded",)
    assert under.actions == ()
    assert under.hit is None
    assert only(found, name="Words").states == ("occluded",)


def test_what_is_partly_covered_is_hit_where_it_shows(page: Page, read: Read):
    html = (
        "<body style='margin:0'><button style='position:absolute;left:0;top:0;width:200px;height:100px'>Big</button>"
        "<div style='position:absolute;left:40px;top:0;width:160px;height:100px;background:red'></div>"
    )
    row = only(read(html), name="Big")
    assert row.states == ()
    assert row.box.center.x == 100
    assert clicked(page, "button", row.point)


def test_a_transparent_cover_that_lets_clicks_through_covers_nothing(page: Page, read: Read):
    row = only(
        read("<body><button>Reach</button><div style='position:fixed;inset:0;pointer-events:none'></div>"),
        role="button",
    )
    assert row.actions == ("click",)
    assert clicked(page, "button", row.point)


def test_a_button_inside_a_clickable_box_keeps_both_apart(page: Page, read: Read):
    html = (
        "<body><div onclick='1' style='width:200px;height:100px;display:flex;align-items:center;justify-content:center'>"
        "Row <button>In</button></div>"
    )
    found = read(html)
    box, button = only(found, role="group"), only(found, role="button")
    assert button.parent == box.id
    assert clicked(page, "button", button.point)
    assert not clicked(page, "button", box.point)


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "width:0;height:0;padding:0;border:0",
        "content-visibility:hidden",
    ],
)
def test_what_cannot_be_seen_is_not_listed(read: Read, style: str):
    hidden = f"<div style='{style};overflow:hidden'><span>Text</span><button style='{style}'>No</button></div>"
    found = read(f"<body>{hidden}<button>Yes</button>")
    assert [c.name for c in found] == ["Yes"]


def test_a_visible_child_of_a_hidden_parent_is_listed(read: Read):
    found = read("<body><div style='visibility:hidden'>No <b style='visibility:visible'>Yes</b></div>")
    assert [c.name for c in found] == ["Yes"]


def test_a_box_is_cut_where_a_scroller_cuts_it(read: Read):
    html = (
        "<body style='margin:0'><div style='width:100px;height:50px;overflow:auto'>"
        "<button style='width:80px;height:300px'>Tall</button><button>Below</button></div>"
    )
    found = read(html)
    assert only(found, name="Tall").box.bottom == 50
    below = only(found, name="Below")
    assert below.states == ("offscreen",)
    assert below.actions == ()
    assert "scroll" in only(found, role="group").actions


def test_an_absolute_box_escapes_a_scroller_that_does_not_hold_it(read: Read):
    html = (
        "<body style='margin:0'><div style='width:100px;height:20px;overflow:hidden'>"
        "<button style='position:absolute;left:0;top:40px;width:90px;height:30px'>Out</button></div>"
    )
    row = only(read(html), name="Out")
    assert row.box.xyxy == (0, 40, 90, 70)
    assert row.states == ()


def test_below_the_fold_is_offscreen_and_the_page_scrolls(read: Read):
    html = "<body><button>Near</button>" + "<p>x</p>" * 60 + "<div><i></i><i></i><i></i><button>Far</button></div>"
    found = read(html)
    assert only(found, name="Near").states == ()
    assert only(found, name="Far").states == ("offscreen",)
    assert only(found, role="document").actions == ("scroll",)


def test_a_fixed_box_inside_a_far_block_is_in_view(page: Page, read: Read):
    html = (
        "<body><div style='height:2000px'></div><footer><i></i><i></i><i></i>"
        "<div style='position:fixed;left:10px;top:10px'><button>Chat</button></div></footer>"
    )
    row = only(read(html), name="Chat")
    assert row.states == ()
    assert clicked(page, "button", row.point)


def test_offscreen_elements_are_limited(read: Read):
    found = read("<body><div style='height:2000px'></div>" + "<button>b</button>" * 30, offscreen=5)
    assert len(found.where(role="button")) == 5


def test_open_shadow_roots_are_read_and_hit(page: Page, read: Read):
    found = read(
        "<body><x-card><b slot=title>Light</b></x-card>",
        "document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML ="
        " '<slot name=title></slot><p>Shade</p><button onclick=\"globalThis.got = 1\">Deep</button>'",
    )
    assert {"Light", "Shade"} <= {c.name for c in found.where(role="text")}
    row = only(found, name="Deep")
    assert row.states == ()
    click(page, row.point)
    assert page.evaluate("globalThis.got") == 1


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_frames_are_read_in_the_pixels_of_the_screenshot(browser: Browser, scale: float):
    page = browser.new_page(width=400, height=300, scale=scale)
    try:
        inner = "<body style='margin:0'><button style='position:absolute;left:20px;top:10px;width:60px;height:30px'>In</button>"
        page.evaluate(
            f"document.body.innerHTML = `<iframe style='position:absolute;left:100px;top:50px;border:5px solid;"
            f"padding:3px;width:200px;height:100px'></iframe>`;"
            f"new Promise(r => {{ const f = document.querySelector('iframe'); f.onload = () => r(0);"
            f" f.srcdoc = {json.dumps(inner)} }})"
        )
        shot = page.grab()
        row = only(DomElements().bind(page)(shot), name="In")
        assert row.box.xyxy == pytest.approx(tuple(scale * v for v in (128, 68, 188, 98)))
        page.evaluate(
            "document.querySelector('iframe').contentDocument.querySelector('button').onclick ="
            " () => { globalThis.got = true }; 0"
        )
        click(page, shot.to_input.apply(row.point))
        assert page.evaluate("globalThis.got") is True
    finally:
        page.close()


def test_a_frame_cuts_what_it_holds(read: Read, page: Page):
    read(
        "<body style='margin:0'><iframe style='border:0;width:100px;height:50px'></iframe>",
        "document.querySelector('iframe').contentDocument.body.innerHTML ="
        " '<button style=\"position:absolute;left:0;top:30px;height:100px\">Cut</button>'",
    )
    row = only(DomElements().bind(page)(page.grab()), name="Cut")
    assert row.box.bottom == 50


def test_lines_of_text_are_one_candidate_each(read: Read):
    found = read("<body style='font:16px monospace;width:100px'><p>aaaa bbbb cccc dddd")
    lines = found.where(role="text")
    assert [c.name for c in lines] == ["aaaa bbbb", "cccc dddd"]
    assert lines[0].box.bottom <= lines[1].box.top + 1
    assert lines[0].provenance != lines[1].provenance


def test_text_that_names_a_control_is_not_listed_again(read: Read):
    found = read("<body><button>Save</button><label><input type=checkbox>Agree</label><a href='#'>Link</a><p>Prose")
    assert [c.name for c in found.where(role="text")] == ["Prose"]


def test_text_can_be_left_out(read: Read):
    assert [c.name for c in read("<body><p>Prose</p><button>Go</button>", text=False)] == ["Go"]


def test_headings_are_headings(read: Read):
    assert only(read("<body><h2>Part <i>two</i></h2>"), name="Part").role == "heading"


def test_options_of_a_closed_list_can_be_chosen_by_name(read: Read):
    found = read("<body><select aria-label=Size><option>S<option selected>M<option disabled>L</select>")
    box = only(found, role="combobox")
    options = found.where(role="option")
    assert [(o.name, o.parent) for o in options] == [("S", box.id), ("M", box.id), ("L", box.id)]
    assert [o.states for o in options] == [("offscreen",), ("selected", "offscreen"), ("offscreen", "disabled")]
    assert box.value == "M"


def test_options_of_an_open_list_are_clicked(page: Page, read: Read):
    row = only(read("<body><select multiple size=3><option>S<option>M<option>L</select>"), name="M")
    assert row.actions == ("click", "set_value")[:1] or "click" in row.actions
    click(page, row.point)
    assert page.evaluate("document.querySelector('select').value") == "M"


def test_a_drawn_checkbox_stands_for_the_real_one(page: Page, read: Read):
    html = "<body><label><input type=checkbox style='display:none' checked><span>Fancy</span></label>"
    row = only(read(html), role="checkbox")
    assert (row.name, row.states) == ("Fancy", ("checked",))
    click(page, row.point)
    assert page.evaluate("document.querySelector('input').checked") is False


def test_a_nameless_icon_is_called_what_its_author_calls_it(read: Read):
    row = only(
        read("<body><span class='icon ui-icon-trash' onclick='1' style='display:block;width:9px;height:9px'>"),
        role="image",
    )
    assert row.name == "trash"
    assert row.score < 1


def test_an_icon_is_one_candidate_named_by_its_title_or_its_drawing(read: Read):
    drawing = "<svg width=20 height=20><rect width=20 height=20 fill=blue /><path d='M0 0L9 9' stroke=red /></svg>"
    found = read(
        f"<body><div title=Undo onclick='1' style='width:30px'><div>{drawing}</div></div>"
        f"<div onclick='1' style='width:30px'>{drawing}</div>"
    )
    assert [(c.role, c.name) for c in found] == [("button", "Undo"), ("icon", "blue rectangle")]


def test_a_bar_of_buttons_does_not_repeat_their_names(read: Read):
    script = "for (const e of document.querySelectorAll('div, a')) e.addEventListener('mousedown', () => 0)"
    found = read("<body><div style='width:300px'><a>File</a><a>Edit</a></div>", script)
    assert [(c.role, c.name) for c in found] == [("group", ""), ("button", "File"), ("button", "Edit")]


def test_a_large_surface_keeps_its_words_apart(read: Read):
    html = "<body style='margin:0'><div tabindex=0 style='height:290px'><p>Alpha</p><p>Beta</p></div>"
    found = read(html)
    assert {(c.role, c.name) for c in found} == {("group", ""), ("text", "Alpha"), ("text", "Beta")}


def test_what_lies_under_a_scroll_bar_is_not_in_view(read: Read):
    html = (
        "<body style='margin:0'><div style='width:100px;height:60px;overflow:scroll'>"
        "<div style='height:50px;width:300px'></div><button>Under</button></div>"
    )
    assert only(read(html), name="Under").states == ("offscreen",)


def test_parents_are_what_holds_an_element(read: Read):
    found = read("<body><div role=dialog aria-label=Sure><p>Really?</p><button>Yes</button></div><button>No</button>")
    dialog = only(found, role="dialog")
    assert dialog.name == "Sure"
    assert only(found, name="Yes").parent == dialog.id == only(found, name="Really?").parent
    assert only(found, name="No").parent == ""


def test_keys_stay_with_their_node_and_lead_back_to_it(page: Page, read: Read):
    first = only(read("<body><button>Stay</button>"), role="button")
    page.evaluate("document.body.prepend(document.createElement('hr')); 0")
    second = only(DomElements().bind(page)(page.grab()), role="button")
    assert first.provenance == second.provenance
    key = first.provenance[0].removeprefix("dom:")
    assert page.evaluate(f"{HANDLE}.element({key!r}).textContent") == "Stay"
    assert page.evaluate(f"{HANDLE}.element('none')") is None


def test_a_new_document_has_new_keys(page: Page):
    read = DomElements().bind(page)
    keys = set()
    for _ in range(2):
        page.navigate("data:text/html,<button>Same</button>")
        keys.add(only(read(page.grab()), role="button").provenance)
    assert len(keys) == 2


def test_text_that_looks_like_code_is_only_text(page: Page, read: Read):
    words = "</script><img/src=x/onerror='got=1'>${got=1}"
    found = read(
        "<body><button></button><p></p>", f"for (const e of document.body.children) e.textContent = {json.dumps(words)}"
    )
    assert {c.name for c in found} == {words}
    assert page.evaluate("globalThis.got") is None


@pytest.mark.parametrize(
    "sabotage",
    [
        "Array.prototype.toJSON = () => 'x'; Object.prototype.extra = 1",
        "Array.prototype.extra = () => 0; globalThis.options = 1; globalThis.name = 'x'",
    ],
)
def test_a_page_that_bends_the_builtins_is_still_read(read: Read, sabotage: str):
    assert only(read("<body><button>Go</button>", sabotage), role="button").actions == ("click",)


@pytest.mark.parametrize(
    "html", ["", "<body>", "<body><svg></svg>", "<frameset><frame></frameset>", "<body><object data=x></object>"]
)
def test_an_odd_page_is_an_empty_table(read: Read, html: str):
    assert len(read(html)) == 0


def test_a_very_deep_page_is_read(read: Read):
    found = read(
        "<body>",
        "let e = document.body; for (let i = 0; i < 1500; i++) e = e.appendChild(document.createElement('div')); e.innerHTML = '<button>Deep</button>'",
    )
    assert [c.name for c in found] == ["Deep"]


def test_rows_beyond_the_limit_are_left_out(read: Read):
    assert len(read("<body>" + "<button>x</button>" * 20, limit=7)) == 7


def test_the_stage_is_registered_under_its_id():
    assert get("perceive", "dom-v1") is DomElements
    assert spec(DomElements(text=False)).args == {"text": False}


def test_a_parent_that_was_cut_off_is_no_parent():
    row = ["k", "button", "n", "", "", 0, 0, 1, 1, None, None, "click", "", 5, 1]
    assert to_candidates([row], 2.0)[0].parent == ""


def test_a_number_field_reads_its_value(page):
    page.evaluate("document.body.innerHTML = '<input type=number value=42 aria-label=Count>'")
    found = DomElements().bind(page)(page.grab())
    assert [(c.role, c.value) for c in found if c.name == "Count"] == [("spinbutton", "42")]
