"""What reaches a real page, event by event."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cuakit.act import keymap
from cuakit.backends.input.cdp import KEYS_UP_TO, CdpInput
from cuakit.backends.input.pointer import arrive
from cuakit.core.action import Click, DoubleClick, Drag, Hotkey, PressKey, RightClick, Scroll, SetValue, TypeText
from cuakit.core.errors import BackendError, PageTimeout
from cuakit.core.geometry import Point

pytestmark = pytest.mark.browser

FIELDS = {
    "input": "<label>Field <input id=f value='old text'></label>",
    "textarea": "<label>Field <textarea id=f>old text</textarea></label>",
    "contenteditable": "<div id=f contenteditable role=textbox aria-label=Field>old text</div>",
    "shadow": "<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML = '<label>Field <input value=\"old text\"></label>'</script>",
    "frame": "<iframe srcdoc='<label>Field <input value=\"old text\"></label>'></iframe>",
}
VALUE = """(() => {
  const e = document.querySelector('#f') || document.querySelector('#host')?.shadowRoot.querySelector('input')
    || document.querySelector('iframe').contentDocument.querySelector('input');
  return e.isContentEditable ? e.innerText : e.value;
})()"""

TEXTS = [
    "plain",
    "UPPER and lower",
    "~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./",
    "Straße, naïve, Ωμέγα, Привет",
    "日本語 中文 한국어",
    "👍🏽 family 👨‍👩‍👧 flag 🇩🇪",
    "x" * (KEYS_UP_TO + 1),
    "long ÄÖÜ 漢字 " * 20,
]


@pytest.mark.parametrize("field", FIELDS)
def test_text_arrives_exactly_in_every_kind_of_field(desk, field):
    desk.open(FIELDS[field])
    for text in TEXTS:
        receipt = desk.do(lambda of, text=text: TypeText(target=of("Field"), text=text))
        assert desk.page.evaluate(VALUE).replace("\xa0", " ") == text
        assert receipt.effect == "confirmed", receipt


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(blacklist_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=20))
def test_any_text_is_typed_exactly_or_not_called_confirmed(desk, text):
    receipt = desk.open(FIELDS["input"]).do(lambda of: TypeText(target=of("Field"), text=text))
    assert (receipt.effect == "confirmed") is (desk.page.evaluate(VALUE) == text)
    assert receipt.effect == "confirmed"


def test_lines_stay_lines(desk):
    desk.open(FIELDS["textarea"]).do(lambda of: TypeText(target=of("Field"), text="one\ntwo\tthree"))
    assert desk.page.evaluate(VALUE) == "one\ntwo\tthree"


@pytest.mark.parametrize("field", ["input", "textarea", "contenteditable"])
@pytest.mark.parametrize(("replace", "expected"), [(True, "new"), (False, "old textnew")])
def test_old_content_is_replaced_or_kept(desk, field, replace, expected):
    receipt = desk.open(FIELDS[field]).do(lambda of: TypeText(target=of("Field"), text="new", replace=replace))
    assert desk.page.evaluate(VALUE) == expected
    assert receipt.effect == "confirmed"


def test_replacing_with_nothing_empties_the_field(desk):
    receipt = desk.open(FIELDS["input"]).do(lambda of: TypeText(target=of("Field"), text=""))
    assert desk.page.evaluate(VALUE) == ""
    assert receipt.effect == "confirmed"


def test_pages_that_listen_to_keys_hear_them(desk):
    desk.open(FIELDS["input"]).do(lambda of: TypeText(target=of("Field"), text="aB!", then="ENTER"))
    heard = [
        (e["key"], e["code"], e["keyCode"], e["mods"])
        for e in desk.log("keydown")
        if e["key"] != "Control" and e["mods"] != "C"
    ]
    assert heard == [
        ("a", "KeyA", 65, ""),
        ("B", "KeyB", 66, "S"),
        ("!", "Digit1", 49, "S"),
        ("Enter", "Enter", 13, ""),
    ]
    assert all(e["trusted"] for e in desk.log("keydown", "input"))


def test_a_field_that_rewrites_what_is_typed_is_partly_written(desk):
    desk.open("<label>Field <input id=f oninput='this.value = this.value.toUpperCase()'></label>")
    receipt = desk.do(lambda of: TypeText(target=of("Field"), text="abc"))
    assert receipt.effect == "partial"
    assert desk.page.evaluate(VALUE) == "ABC"


def test_a_field_that_takes_nothing_is_suspected_to_have_ignored_it(desk):
    desk.open("<label>Field <input id=f value=old readonly></label>")
    receipt = desk.do(lambda of: TypeText(target=of("Field"), text="abc"))
    assert receipt.effect == "suspected_noop"
    assert receipt.escalation.target == "reobserve"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("date", "2026-12-01"),
        ("time", "23:59"),
        ("month", "2026-12"),
        ("color", "#00ff7f"),
        ("range", "42"),
        ("datetime-local", "2026-12-01T23:59"),
    ],
)
@pytest.mark.parametrize(
    "act",
    [lambda target, v: TypeText(target=target, text=v), lambda target, v: SetValue(target=target, value=v)],
    ids=["typed", "set"],
)
def test_fields_without_free_text_are_set_through_their_value(desk, type_, value, act):
    desk.open(f"<label>Field <input id=f type={type_}></label>")
    receipt = desk.do(lambda of: act(of("Field"), value))
    assert desk.page.evaluate(VALUE) == value
    assert (receipt.effect, receipt.route) == ("confirmed", "dom")
    assert [e["kind"] for e in desk.log("input", "change")] == ["input", "change"]


@pytest.mark.parametrize("value", ["Two", "two", "v2"])
def test_a_native_list_takes_an_option_by_name_or_value(desk, value):
    desk.open("<label>Field <select id=f><option value=v1>One<option value=v2>Two</select></label>")
    receipt = desk.do(lambda of: SetValue(target=of("Field"), value=value))
    assert desk.page.evaluate(VALUE) == "v2"
    assert receipt.effect == "confirmed"
    assert [e["kind"] for e in desk.log("input", "change")] == ["input", "change"]


def test_a_list_without_that_option_stays_and_says_so(desk):
    desk.open("<label>Field <select id=f><option>One<option disabled>Two</select></label>")
    receipt = desk.do(lambda of: SetValue(target=of("Field"), value="Two"))
    assert desk.page.evaluate(VALUE) == "One"
    assert receipt.effect == "suspected_noop"
    assert "option" in receipt.message
    assert not desk.log("input", "change")


def test_several_options_are_given_one_a_line(desk):
    desk.open("<label>Field <select id=f multiple><option selected>One<option>Two<option>Three</select></label>")
    desk.do(lambda of: SetValue(target=of("Field"), value="Two\nThree"))
    assert desk.page.evaluate("[...f.selectedOptions].map(o => o.label)") == ["Two", "Three"]


@pytest.mark.parametrize(
    "box",
    [
        "<label>Field <input id=f type=checkbox></label>",
        "<div id=f role=checkbox tabindex=0 aria-checked=false aria-label=Field onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')\">☐</div>",
    ],
    ids=["native", "aria"],
)
def test_a_box_is_ticked_by_a_trusted_click_and_only_when_needed(desk, box):
    desk.open(box)
    for value, clicks in (("true", 1), ("true", 1), ("false", 2)):
        assert desk.do(lambda of, value=value: SetValue(target=of("Field"), value=value)).effect == "confirmed"
        assert len([e for e in desk.log("click") if e["id"] == "f"]) == clicks
    assert desk.do(lambda of: SetValue(target=of("Field"), value="maybe")).effect == "suspected_noop"


def test_set_value_types_into_text_fields(desk):
    receipt = desk.open(FIELDS["textarea"]).do(lambda of: SetValue(target=of("Field"), value="new 値"))
    assert desk.page.evaluate(VALUE) == "new 値"
    assert (receipt.effect, receipt.route) == ("confirmed", "trusted_input")


BUTTON = "<button id=b style='position:absolute;left:40px;top:40px;width:80px;height:30px'>Go</button>"


@pytest.mark.parametrize(
    ("make", "kinds"),
    [
        (lambda target: Click(target=target), ["mousedown", "mouseup", "click"]),
        (lambda target: DoubleClick(target=target), ["mousedown", "mouseup", "click"] * 2 + ["dblclick"]),
        (lambda target: RightClick(target=target), ["mousedown", "contextmenu", "mouseup"]),
    ],
)
def test_clicks_are_what_a_person_makes(desk, make, kinds):
    desk.open(BUTTON).do(lambda of: make(of("Go")))
    assert [e["kind"] for e in desk.log()] == kinds
    assert all(e["trusted"] and e["id"] == "b" for e in desk.log())


def test_a_click_hovers_first(desk):
    desk.open(BUTTON).do(lambda of: Click(target=of("Go")))
    assert desk.page.evaluate("document.querySelector('#b:hover') !== null")


@pytest.mark.parametrize(("held", "mods"), [(("SHIFT",), "S"), (("MOD",), "C"), (("ALT", "SHIFT"), "AS")])
def test_modifiers_are_held_during_a_click_and_released(desk, held, mods):
    desk.open(BUTTON).do(lambda of: Click(target=of("Go"), modifiers=held))
    (click,) = desk.log("click")
    assert click["mods"] == mods
    assert len(desk.log("keydown")) == len(desk.log("keyup")) == len(held)
    desk.do(lambda of: Click(target=of("Go")))
    assert desk.log("click")[-1]["mods"] == ""


def test_dragging_moves_in_steps_with_the_button_down(desk):
    desk.open(BUTTON + "<button style='position:absolute;left:240px;top:200px'>There</button>")
    desk.do(lambda of: Drag(target=of("Go"), to=of("There")))
    moves = [e for e in desk.log("mousemove") if e["buttons"] == 1]
    assert len(moves) >= 4
    assert [e["x"] for e in moves] == sorted(e["x"] for e in moves)
    (down,), (up,) = desk.log("mousedown"), desk.log("mouseup")
    assert (down["x"], down["y"]) == (80, 55)
    assert up["x"] >= 240
    assert up["y"] >= 200


def test_native_drag_and_drop_drops(desk):
    desk.open(
        "<div id=a draggable=true role=button tabindex=0 style='width:80px;height:30px'>Carry</div>"
        "<div id=z role=button tabindex=0 style='position:absolute;left:200px;top:150px;width:100px;height:80px' "
        "ondragover='event.preventDefault()' ondrop=\"event.preventDefault(); this.dataset.got = event.dataTransfer.getData('text')\">Basket</div>"
        "<script>a.ondragstart = e => e.dataTransfer.setData('text', 'apple')</script>"
    )
    desk.do(lambda of: Drag(target=of("Carry"), to=of("Basket")))
    assert desk.page.evaluate("z.dataset.got") == "apple"


@pytest.mark.parametrize(
    ("direction", "axis", "sign"), [("down", 1, 1), ("up", 1, -1), ("right", 0, 1), ("left", 0, -1)]
)
def test_the_wheel_turns_over_the_object(desk, direction, axis, sign):
    desk.open(
        "<div id=s role=listbox tabindex=0 aria-label=List style='width:200px;height:100px;overflow:scroll'>"
        "<div style='width:2000px;height:2000px'></div></div>"
    )
    desk.page.evaluate("s.scrollTo(500, 500)")
    desk.do(lambda of: Scroll(target=of("List"), direction=direction, amount=2))
    desk.page.evaluate(
        "new Promise(go => { let last; const look = () => { const now = s.scrollLeft + s.scrollTop; if (now === last && now !== 1000) go(); last = now; requestAnimationFrame(look) }; look() })"
    )
    moved = desk.page.evaluate("[s.scrollLeft, s.scrollTop]")
    assert (moved[axis] - 500) * sign > 100
    assert moved[1 - axis] == 500


@pytest.mark.parametrize("word", ["ENTER", "ESCAPE", "TAB", "ARROW_DOWN", "F2", "A", "0", "SEMICOLON", "SPACE"])
def test_a_key_says_its_name_and_is_released(desk, word):
    desk.open(FIELDS["input"])
    receipt = desk.do(lambda of: PressKey(key=word, target=of("Field")))
    assert receipt.injected
    expected = keymap.key(word)
    for kind in ("keydown", "keyup"):
        (event,) = desk.log(kind)
        assert (event["key"], event["code"], event["keyCode"]) == (expected.key, expected.code, expected.vk)


def test_a_key_without_a_target_goes_to_what_has_the_focus(desk):
    desk.open(FIELDS["input"])
    desk.page.evaluate("f.focus()")
    desk.do(lambda _: PressKey(key="X"))
    assert "x" in desk.page.evaluate(VALUE)


def test_a_chord_does_what_the_editor_does(desk):
    desk.open(FIELDS["input"]).do(lambda of: Hotkey(keys=("MOD", "A"), target=of("Field")))
    desk.do(lambda of: PressKey(key="DELETE", target=of("Field")))
    assert desk.page.evaluate(VALUE) == ""
    chord = [(e["kind"], e["key"], e["mods"]) for e in desk.log("keydown", "keyup")][:4]
    assert chord == [("keydown", "Control", "C"), ("keydown", "a", "C"), ("keyup", "a", "C"), ("keyup", "Control", "")]


def test_focusing_for_a_key_clicks_nothing(desk):
    desk.open("<button id=f onclick='this.dataset.clicked = 1'>Field</button>")
    desk.do(lambda of: PressKey(key="ESCAPE", target=of("Field")))
    assert not desk.log("mousedown", "click")
    assert desk.page.evaluate("document.activeElement.id") == "f"


class Failing:
    """A page that stops answering at one command, and remembers what it was told."""

    scale = 1.0

    def __init__(self, at: int):
        self.at, self.told = at, []

    def call(self, method, *, timeout_s=10.0, **params):
        self.told.append(params)
        if len(self.told) == self.at:
            raise PageTimeout("not answered")
        return {}

    def call_all(self, *calls, timeout_s=10.0):
        failed = None
        for method, params in calls:  # all are sent before the first answer is waited for
            try:
                self.call(method, timeout_s=timeout_s, **params)
            except PageTimeout as error:
                failed = failed or error
        if failed:
            raise failed
        return [{} for _ in calls]

    def evaluate(self, expression, *, timeout_s=5.0):
        return {"kind": "text", "value": "x"}


@pytest.mark.parametrize("at", range(1, 14))
@pytest.mark.parametrize(
    "act",
    [
        lambda i: i.click(Point(1, 1), held=keymap.modifiers(["MOD", "SHIFT"], mac=False)),
        lambda i: i.press(keymap.key("S"), held=keymap.modifiers(["MOD", "ALT"], mac=False)),
        lambda i: i.drag(Point(1, 1), Point(9, 9)),
        lambda i: i.type_text(Point(1, 1), "ab", replace=True),
    ],
    ids=["click", "chord", "drag", "type"],
)
def test_whatever_fails_everything_that_was_pressed_is_released(act, at):
    page = Failing(at)
    try:
        act(CdpInput(page=page))
    except PageTimeout:
        assert len(page.told) >= at
    else:
        assert len(page.told) < at or "Up" in page.told[at - 1].get("type", "")  # a lost release is not retried
    keys = {}
    buttons = 0
    for event in page.told:
        kind = event.get("type", "")
        if kind in ("keyDown", "rawKeyDown"):
            keys[event["code"]] = True
        elif kind == "keyUp":
            keys[event["code"]] = False
        elif kind == "mousePressed":
            buttons += 1
        elif kind == "mouseReleased":
            buttons = 0
    assert not any(keys.values())
    assert buttons == 0


def test_macos_chords_carry_the_editing_command():
    page = Failing(0)
    CdpInput(page=page, mac=True).press(keymap.key("A"), held=keymap.modifiers(["MOD"], mac=True))
    assert [e.get("commands") for e in page.told] == [None, ["selectAll"], None, None]
    assert [e["modifiers"] for e in page.told] == [4, 4, 4, 0]


class _Scaled:
    """A page whose browser still converts by another ratio for a few moves, as Chromium does after a navigation."""

    scale = 2.0

    def __init__(self, page, moves):
        self.page, self.moves, self.pressed = page, moves, []

    def evaluate(self, expression, *, timeout_s=5.0):
        return self.page.evaluate(expression, timeout_s=timeout_s)

    def call(self, method, *, timeout_s=10.0, **params):
        factor = 1.0
        if params["type"] == "mouseMoved":
            self.moves -= 1
        else:
            self.pressed.append((params["type"], params["x"], params["y"]))
        if self.moves >= 0:
            factor = 0.5
        sent = {**params, "x": params["x"] * factor, "y": params["y"] * factor}
        return self.page.call(method, timeout_s=timeout_s, **sent)

    def call_all(self, *calls, timeout_s=10.0):
        return [self.call(method, timeout_s=timeout_s, **params) for method, params in calls]


@pytest.mark.parametrize("moves", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("body", ["<button id=b>", "<iframe srcdoc='x'></iframe>"], ids=["plain", "frame"])
def test_nothing_is_pressed_until_the_page_has_seen_the_pointer_at_the_point(desk, moves, body):
    desk.open(
        f"<style>body {{margin: 0}} button, iframe {{position: fixed; inset: 0; width: 100%; height: 100%}}</style>{body}"
    )
    page = _Scaled(desk.page, moves)
    CdpInput(page=page).click(Point(60, 40))
    assert page.moves < 0
    assert page.pressed == [("mousePressed", 60, 40), ("mouseReleased", 60, 40)]


def test_a_pointer_that_never_arrives_is_refused_and_nothing_is_pressed(desk):
    desk.open("<button id=b style='position: fixed; inset: 0'>")
    page = _Scaled(desk.page, 10**9)
    with pytest.raises(BackendError) as raised:
        arrive(page, CdpInput(page=page)._move, Point(60, 40), timeout_s=0.2)
    assert raised.value.error_code == "pointer_off_target"
    assert page.pressed == []
    assert desk.log("mousedown") == []
