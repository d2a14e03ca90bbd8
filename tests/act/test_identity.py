"""The page's own word on a candidate, in shadow roots and frames as well."""

import json

import pytest

from cuakit.core.action import Click, PressKey
from cuakit.core.geometry import Box
from tests.act.conftest import named

pytestmark = pytest.mark.browser

INNER = "<style>button{width:90px;height:30px}</style><button id=a>Inside</button><button id=z>Other</button>"
PLACES = {
    "document": (INNER, "document"),
    "shadow root": (
        f"<div id=host></div><script>host.attachShadow({{mode:'open'}}).innerHTML = `{INNER}`</script>",
        "host.shadowRoot",
    ),
    "frame": (
        f'<iframe style="margin:7px;border:5px solid;padding:9px" srcdoc="{INNER}"></iframe>',
        "document.querySelector('iframe').contentDocument",
    ),
}


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_what_is_unchanged_passes_wherever_it_lives(desk, place):
    body, root = place
    desk.open(body)
    desk.page.evaluate(f"{root}.querySelector('#a').onclick = () => {{ window.hit = true }}; 0")
    assert desk.do(lambda of: Click(target=of("Inside"))).injected
    assert desk.page.evaluate("window.hit") is True


def test_a_part_that_is_drawn_again_as_it_was_passes_wherever_it_lives(desk, place):
    body, root = place
    capture, found = desk.open(body).look()
    desk.page.evaluate(f"{{const a = {root}.querySelector('#a'); a.replaceWith(a.cloneNode(true)); undefined}}")
    assert desk.actor.click_candidate(capture.id, named(found, "Inside").id).injected


def test_an_equal_button_in_another_row_is_another_button(desk):
    row = '<p title="{}" style="margin:0"><button>Remove</button></p>'
    capture, found = desk.open(f"<div id=rows>{row.format('Ada')}</div>").look()
    desk.page.evaluate(f"document.getElementById('rows').innerHTML = {json.dumps(row.format('Grace'))}; 0")
    refusal = desk.actor.click_candidate(capture.id, named(found, "Remove").id)
    assert (refusal.effect, refusal.code) == ("refused", "capture_stale")
    assert desk.nothing_reached_it()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("const n = a.cloneNode(true); n.dataset.id = '7'; a.replaceWith(n)", "capture_stale"),
        ("a.remove()", "capture_stale"),
        ("a.disabled = true", "capture_stale"),
        (
            "a.style.position = 'relative'; const s = a.ownerDocument.createElement('div'); s.style = 'position:fixed;inset:0;z-index:9'; a.after(s)",
            "candidate_occluded",
        ),
    ],
    ids=["twin", "removed", "disabled", "sheet"],
)
def test_what_changed_is_told_wherever_it_lives(desk, place, change, code):
    body, root = place
    capture, found = desk.open(body).look()
    desk.page.evaluate(f"{{const a = {root}.querySelector('#a'); {change}; undefined}}")
    inside = named(found, "Inside")
    shot, _ = desk.broker.recall(capture.id)
    refusal = desk.actor.click_candidate(capture.id, inside.id)
    same_pixels = (desk.page.patch(inside.box) == shot.crop(inside.box)).all()
    assert refusal.code == (code if same_pixels else "capture_stale")


def test_keys_follow_the_keyboard_wherever_it_is(desk, place):
    body, root = place
    desk.open(body)
    desk.page.evaluate(f"{root}.querySelector('#a').focus()")
    capture, _ = desk.look()
    assert desk.actor.perform(PressKey(key="F2"), capture.id).injected
    capture, _ = desk.look()
    desk.page.evaluate(f"{root}.querySelector('#z').focus()")
    assert desk.actor.perform(PressKey(key="F2"), capture.id).code == "capture_stale"


def test_a_candidate_that_the_page_did_not_name_is_not_asked_about(desk):
    from tests.act.conftest import without_identity

    desk.open(INNER)
    shot = desk.page.grab()
    found = without_identity(desk.read(shot))
    capture = desk.broker.issue(desk.page, shot, found)
    desk.page.evaluate("a.replaceWith(a.cloneNode(true))")
    assert (desk.page.patch(Box(0, 0, 400, 300)) == shot.pixels).all()
    assert desk.actor.click_candidate(capture.id, named(found, "Inside").id).injected
