"""The lease on real pages. That nothing was injected is proven by the page's own event log."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest

from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import LeasedActor
from cuakit.core.action import (
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
    Wait,
)
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, LeaseError, PageCrashed, UsageError
from cuakit.core.geometry import Box
from cuakit.core.lease import LIFETIME_NS
from cuakit.core.stages import Actor
from tests.act.conftest import Desk, named, without_identity

pytestmark = pytest.mark.browser

FORM = """
<button id=save style="position:absolute;left:20px;top:20px;width:120px;height:30px">Save</button>
<label style="position:absolute;left:20px;top:70px">Name <input id=name></label>
<ul style="position:absolute;left:20px;top:110px;width:200px;margin:0;padding:0;list-style:none">
  <li role=option tabindex=0 id=r1 style="height:24px">Row 1<li role=option tabindex=0 id=r2 style="height:24px">Row 2</ul>
"""


def spent(desk: Desk, capture_id: str) -> bool:
    try:
        desk.broker.check(capture_id)
    except LeaseError:
        return True
    return False


def every_action(id: str):
    return [
        Click(target=id),
        DoubleClick(target=id),
        RightClick(target=id),
        Drag(target=id, to=id, to_at=(0.9, 0.5)),
        Scroll(target=id),
        TypeText(target=id, text="x"),
        SetValue(target=id, value="x"),
        PressKey(key="A", target=id),
        Hotkey(keys=("MOD", "A"), target=id),
    ]


def test_a_click_lands_on_the_object_at_every_display_scale(scaled_desk):
    receipt = scaled_desk.open(FORM).do(lambda of: Click(target=of("Save")))
    assert receipt.effect == "unverifiable"
    assert (receipt.route, receipt.delivery) == ("trusted_input", "background")
    (click,) = scaled_desk.log("click")
    assert click["id"] == "save"
    assert click["trusted"]
    assert (click["x"], click["y"]) == (80, 35)


def test_a_fraction_names_a_place_inside_the_box_at_every_display_scale(scaled_desk):
    scaled_desk.open(FORM).do(lambda of: Click(target=of("Save"), at=(1.0, 1.0)))
    (click,) = scaled_desk.log("click")
    assert click["id"] == "save"
    assert 138 <= click["x"] < 140
    assert 48 <= click["y"] < 50


def test_the_bound_actor_is_an_actor_and_reads_the_decision(desk):
    seen = desk.open(FORM).observe()
    actor: Actor = desk.actor
    receipt = actor(Decision(outcome="act", action=Click(target=named(seen.candidates, "Save").id)), seen)
    assert receipt.injected
    assert receipt.capture_id == seen.capture_id
    with pytest.raises(UsageError):
        actor(Decision(outcome="abstain"), seen)


def test_a_capture_pays_once(desk):
    capture, found = desk.open(FORM).look()
    assert desk.actor.click_candidate(capture.id, named(found, "Save").id).injected
    again = desk.actor.click_candidate(capture.id, named(found, "Save").id)
    assert (again.effect, again.code, again.retryable) == ("refused", "capture_not_found", True)
    assert again.escalation.target == "reobserve"
    assert len(desk.log("click")) == 1


def test_an_action_retires_the_captures_that_were_taken_beside_it(desk):
    desk.open(FORM)
    (first, found), (second, _) = desk.look(), desk.look()
    assert desk.actor.click_candidate(first.id, named(found, "Save").id).injected
    assert desk.actor.click_candidate(second.id, named(found, "Save").id).code == "capture_not_found"
    assert len(desk.log("click")) == 1


@pytest.mark.parametrize("kind", range(9))
def test_every_action_is_under_the_lease(desk, kind):
    capture, found = desk.open(FORM).look()
    action = every_action(named(found, "Name").id)[kind]
    kinds = ("click", "wheel", "keydown", "input", "contextmenu", "mousedown")
    assert desk.actor.perform(action, capture.id).injected
    end = time.monotonic() + 5
    while not (before := len(desk.log(*kinds))) and time.monotonic() < end:
        desk.page.evaluate("new Promise(requestAnimationFrame)")  # a wheel turn arrives with the next frame
    assert desk.actor.perform(action, capture.id).code == "capture_not_found"
    assert len(desk.log(*kinds)) == before


@pytest.mark.parametrize(
    ("id", "code"),
    [
        ("cap_" + "0" * 24, "capture_not_found"),
        ("c01", "capture_id_invalid"),
        ("", "capture_id_invalid"),
        (None, "capture_id_invalid"),
    ],
)
def test_a_forged_capture_is_refused(desk, id, code):
    _, found = desk.open(FORM).look()
    for action in every_action(named(found, "Name").id):
        assert desk.actor.perform(action, id).code == code
    assert desk.nothing_reached_it()


def test_a_candidate_of_another_capture_is_refused_and_costs_nothing(desk):
    capture, _ = desk.open(FORM).look()
    for action in every_action("c99"):
        assert desk.actor.perform(action, capture.id).code == "candidate_not_found"
    assert desk.nothing_reached_it()
    assert not spent(desk, capture.id)


def test_an_expired_capture_is_refused(page):
    now = [0]
    desk = Desk(page, CaptureBroker(clock=lambda: now[0])).open(FORM)
    capture, found = desk.look()
    now[0] = LIFETIME_NS
    assert desk.actor.click_candidate(capture.id, named(found, "Save").id).code == "capture_expired"
    assert desk.nothing_reached_it()


def test_a_capture_of_another_page_is_refused_on_both(desk, browser):
    other_page = browser.new_page(width=400, height=300)
    try:
        other = Desk(other_page, desk.broker).open(FORM)
        capture, found = desk.open(FORM).look()
        assert other.actor.click_candidate(capture.id, named(found, "Save").id).code == "capture_target_mismatch"
        assert desk.nothing_reached_it()
        assert other.nothing_reached_it()
        assert not spent(desk, capture.id)
    finally:
        other_page.close()


def test_a_page_that_navigated_meanwhile_is_refused(desk):
    capture, found = desk.open(FORM).look()
    desk.open(FORM)
    for action in [*every_action(named(found, "Name").id), PressKey(key="ENTER"), Hotkey(keys=("MOD", "S"))]:
        assert desk.actor.perform(action, capture.id).code == "capture_generation_mismatch"
    assert desk.nothing_reached_it()


def test_a_page_that_was_resized_meanwhile_is_refused(desk):
    capture, found = desk.open(FORM).look()
    desk.page.resize(420, 300)
    assert desk.actor.click_candidate(capture.id, named(found, "Save").id).code == "capture_frame_mismatch"
    assert desk.nothing_reached_it()


def test_a_point_outside_the_frame_is_refused_never_clamped(desk):
    desk.open(FORM)
    shot = desk.page.grab()
    table = Candidates([Candidate(id="c01", role="button", box=Box(390, 290, 500, 400))])
    capture = desk.broker.issue(desk.page, shot, table)
    assert desk.actor.click_candidate(capture.id, "c01").code == "capture_coordinate_invalid"
    assert desk.actor.perform(Click(target="c01", at=(0.0, 0.0)), capture.id).injected


def test_an_object_out_of_view_is_refused(desk):
    desk.open("<div style='height:900px'></div><button>Below</button>")
    receipt = desk.do(lambda of: Click(target=of("Below")))
    assert receipt.code == "capture_coordinate_invalid"
    assert desk.nothing_reached_it()


def test_an_object_that_was_covered_when_seen_is_refused(desk):
    desk.open(FORM + "<div style='position:fixed;left:0;top:0;width:200px;height:60px;background:#fff9'>sheet</div>")
    receipt = desk.do(lambda of: Click(target=of("Save")))
    assert (receipt.code, receipt.retryable) == ("candidate_occluded", True)
    assert desk.nothing_reached_it()


CHANGES = {
    "dialog over it": "document.body.insertAdjacentHTML('beforeend', '<dialog open style=\"inset:0;margin:0;width:380px;height:280px\">Sure?</dialog>')",
    "modal with backdrop": "document.body.insertAdjacentHTML('beforeend', '<dialog id=d style=\"top:200px\">Sure?</dialog>'); d.showModal()",
    "list re-sorted": "r1.before(r2)",
    "text replaced in place": "r1.textContent = 'Row 3'",
    "moved by three pixels": "document.querySelector('ul').style.top = '113px'",
    "removed": "r1.remove()",
    "scrolled": "document.body.style.height = '2000px'; scrollTo(0, 24)",
    "look-alike swapped in": "r1.outerHTML = '<li role=option tabindex=0 id=r1 style=\"height:24px\">Bow 1'",
    "disabled style": "r1.style.opacity = 0.4",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("eyes", ["page", "pixels"])
def test_what_changed_between_look_and_act_is_not_clicked(desk, change, eyes):
    capture, found = desk.open(FORM).look()
    row = named(found, "Row 1")
    if eyes == "pixels":
        shot, _ = desk.broker.recall(capture.id)
        capture = desk.broker.issue(desk.page, shot, without_identity(found))
    desk.page.evaluate(f"{{{CHANGES[change]}; log.length = 0; undefined}}")
    for action in every_action(row.id):
        receipt = desk.actor.perform(action, capture.id)
        assert receipt.code in ("capture_stale", "candidate_occluded"), receipt
        assert receipt.retryable
    assert not desk.log()
    assert not spent(desk, capture.id)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>')",
            "candidate_occluded",
        ),
        ("const n = r1.cloneNode(true); n.dataset.row = '7'; r1.replaceWith(n)", "capture_stale"),
        ("r1.setAttribute('aria-disabled', 'true')", "capture_stale"),
    ],
    ids=["transparent sheet", "look-alike", "disabled without a look"],
)
def test_what_pixels_cannot_show_the_page_tells(desk, change, code):
    capture, found = desk.open(FORM).look()
    desk.page.evaluate(f"{{{change}; log.length = 0; undefined}}")
    assert desk.actor.click_candidate(capture.id, named(found, "Row 1").id).code == code
    assert not desk.log()


@pytest.mark.parametrize("end", ["target", "to"])
def test_both_ends_of_a_drag_are_guarded(desk, end):
    capture, found = desk.open(FORM).look()
    ids = {"target": named(found, "Row 1").id, "to": named(found, "Save").id}
    desk.page.evaluate({"target": "r1.textContent = 'Row 9'", "to": "save.textContent = 'Send'"}[end])
    assert desk.actor.perform(Drag(**ids), capture.id).code == "capture_stale"
    assert desk.nothing_reached_it()


KEYBOARD = {
    "focus moved": "save.focus()",
    "field replaced": "{ const twin = document.querySelector('input'); const other = twin.cloneNode(true); twin.replaceWith(other); other.focus() }",
    "modal opened": "document.body.insertAdjacentHTML('beforeend', '<dialog id=d>Sure? <button autofocus>Yes</button></dialog>'); d.showModal()",
}


@pytest.mark.parametrize("change", KEYBOARD)
@pytest.mark.parametrize("action", [PressKey(key="ENTER"), Hotkey(keys=("MOD", "A"))], ids=["key", "chord"])
def test_keys_without_a_target_go_where_the_keyboard_was_seen_or_nowhere(desk, change, action):
    desk.open(FORM)
    desk.page.evaluate("document.querySelector('input').focus()")
    capture, found = desk.look()
    assert "focused" in named(found, "Name").states
    desk.page.evaluate(f"{{{KEYBOARD[change]}; log.length = 0; undefined}}")
    assert desk.actor.perform(action, capture.id).code in ("capture_stale", "candidate_occluded")
    assert not desk.log("keydown", "keyup")


def test_keys_without_a_target_pass_while_the_keyboard_stays(desk):
    desk.open(FORM)
    desk.page.evaluate("document.querySelector('input').focus()")
    capture, _ = desk.look()
    assert desk.actor.perform(PressKey(key="X"), capture.id).injected
    assert desk.page.evaluate("document.querySelector('input').value") == "x"


HARMLESS = {
    "change elsewhere": "document.querySelector('ul').textContent = 'gone'",
    "hover highlight": "save.style.filter = 'brightness(0.92)'",
    "clock ticking elsewhere": "document.body.insertAdjacentHTML('beforeend', '<p style=\"position:absolute;left:300px;top:250px\">10:42')",
}


@pytest.mark.parametrize("change", HARMLESS)
def test_what_does_not_touch_the_target_does_not_refuse(desk, change):
    capture, found = desk.open(FORM).look()
    desk.page.evaluate(f"{{{HARMLESS[change]}; undefined}}")
    assert desk.actor.click_candidate(capture.id, named(found, "Save").id).injected
    assert [e["id"] for e in desk.log("click")] == ["save"]


def test_a_blinking_caret_never_refuses(desk):
    desk.open(FORM)
    desk.page.evaluate("document.querySelector('input').focus()")
    capture, found = desk.look()
    shown = {desk.page.patch(Box(60, 60, 260, 100)).tobytes()}
    while len(shown) == 1:  # until the caret has changed sides
        desk.page.evaluate("new Promise(go => setTimeout(go, 40))")
        shown.add(desk.page.patch(Box(60, 60, 260, 100)).tobytes())
    assert desk.actor.perform(TypeText(target=named(found, "Name").id, text="Ada"), capture.id).effect == "confirmed"


def test_without_the_guard_the_ghost_click_happens(page):
    desk = Desk(page, options=LeasedActor(guard=False, identity=False)).open(FORM)
    capture, found = desk.look()
    desk.page.evaluate("r1.before(r2)")
    assert desk.actor.click_candidate(capture.id, named(found, "Row 1").id).injected
    assert [e["id"] for e in desk.log("click")] == ["r2"]


@pytest.mark.parametrize(
    ("action", "word"),
    [
        (PressKey(key="ANY"), "ANY"),
        (PressKey(key="a"), "'a'"),
        (Hotkey(keys=("HYPER", "S")), "HYPER"),
        (Hotkey(keys=("MOD", "CTRL", "S")), "twice"),
    ],
)
def test_an_unknown_key_is_refused_before_the_lease_is_spent(desk, action, word):
    capture, _ = desk.open(FORM).look()
    receipt = desk.actor.perform(action, capture.id)
    assert receipt.code == "invalid_arguments"
    assert word in receipt.message
    assert not spent(desk, capture.id)
    assert desk.nothing_reached_it()


def test_of_many_threads_with_one_capture_exactly_one_clicks(desk):
    capture, found = desk.open(FORM).look()
    save = named(found, "Save").id
    start = Barrier(8)

    def race(_):
        start.wait()
        return desk.actor.click_candidate(capture.id, save)

    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(race, range(8)))
    assert sum(r.injected for r in receipts) == 1
    assert {r.code for r in receipts if not r.injected} <= {"capture_not_found"}
    assert len(desk.log("click")) == 1


def test_waiting_needs_no_lease(desk):
    naps = []
    actor = replace(desk.actor, sleep=naps.append)
    assert actor.perform(Wait(seconds=0.25), "").effect == "unverifiable"
    actor.perform(Wait(seconds=1e9), "")
    assert naps == [0.25, 60.0]


def test_a_page_that_crashes_between_look_and_act_is_a_refusal(browser):
    page = browser.new_page(width=400, height=300)
    try:
        desk = Desk(page).open(FORM)
        capture, found = desk.look()
        crash(page)
        receipt = desk.actor.click_candidate(capture.id, named(found, "Save").id)
        assert (receipt.effect, receipt.code) == ("refused", "page_crashed")
        assert receipt.escalation.target == "session"
        assert not spent(desk, capture.id)
    finally:
        page.close()


def test_a_page_that_crashes_between_admission_and_injection_is_not_called_a_refusal(browser):
    page = browser.new_page(width=400, height=300)
    try:
        desk = Desk(page).open(FORM)
        capture, found = desk.look()
        receipt = replace(desk.actor, injector=CrashFirst(page, desk.actor.injector)).click_candidate(
            capture.id, named(found, "Save").id
        )
        assert (receipt.effect, receipt.delivery) == ("unverifiable", "unknown")
        assert "page_crashed" in receipt.message
        assert receipt.escalation.target == "reobserve"
        assert spent(desk, capture.id)
    finally:
        page.close()


def crash(page) -> None:
    with pytest.raises(BackendError):
        page.call("Page.crash", timeout_s=5.0)
    with pytest.raises(PageCrashed):
        evaluate_until_refused(page)


def evaluate_until_refused(page) -> None:
    while True:  # the crash is reported by an event of its own
        page.evaluate("1", timeout_s=1.0)


class CrashFirst:
    """An injector whose page dies at the moment of injection."""

    def __init__(self, page, injector):
        self.page, self.injector = page, injector

    def click(self, at, **how):
        crash(self.page)
        self.injector.click(at, **how)


def test_the_audit_log_names_every_attempt_and_no_text(desk):
    desk.open(FORM)
    desk.do(lambda of: TypeText(target=of("Name"), text="hunter2"))
    desk.actor.click_candidate("cap_" + "0" * 24, "c01")
    events = [e.event for e in desk.broker.audit()]
    assert events == ["issued", "admitted", "injected", "refused"]
    assert "hunter2" not in repr(desk.broker.audit())


def test_receipts_do_not_repeat_what_was_typed(desk):
    desk.open("<label>Password <input type=password></label><label>Name <input maxlength=3></label>")
    for name in ("Password", "Name"):
        receipt = desk.do(lambda of, name=name: TypeText(target=of(name), text="hunter2"))
        assert "hunter2" not in repr(receipt)
        assert receipt.effect == ("confirmed" if name == "Password" else "partial")


def test_a_surface_without_a_way_in_says_so():
    class Picture:
        def target(self): ...
        def size(self): ...
        def grab(self): ...
        def patch(self, box): ...
        def title(self): ...

    with pytest.raises(UsageError, match="Picture"):
        LeasedActor().bind(Picture(), CaptureBroker())


def test_a_guard_sees_fresh_pixels_not_the_remembered_ones(desk):
    capture, _ = desk.open(FORM).look()
    shot, _ = desk.broker.recall(capture.id)
    desk.page.evaluate("document.body.style.background = '#123'")
    assert not np.array_equal(desk.page.patch(Box(0, 0, 400, 300)), shot.pixels)
