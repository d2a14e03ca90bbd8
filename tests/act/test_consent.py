"""What has consequences is not carried out without consent, by no route; the page's own log is the witness."""

from dataclasses import replace

import pytest

from cuakit.agent import Agent
from cuakit.core.action import Click, Drag, Hotkey, PressKey, TypeText
from cuakit.core.decision import Decision
from cuakit.core.errors import LEASE_CODES
from cuakit.core.registry import Spec
from cuakit.core.subtask import Subtask
from cuakit.loop import run_subtask

pytestmark = pytest.mark.browser

MAIL = """<form onsubmit="return false"><input aria-label=To id=to value=ann> <button>Send</button></form>
<button id=ok>Keep</button> <button aria-label=Löschen>🗑</button> <div role=listitem tabindex=0 id=bin draggable=true>Trash</div>"""

WAYS = {
    "click": (lambda of: Click(target=of("Send")), "send"),
    "icon": (lambda of: Click(target=of("Löschen")), "delete"),
    "enter in the form": (lambda of: TypeText(target=of("To"), text="bob", then="ENTER"), "send"),
    "key": (lambda of: PressKey(key="ENTER", target=of("To")), "send"),
    "delete key": (lambda of: PressKey(key="DELETE", target=of("Keep")), "delete"),
    "chord": (lambda of: Hotkey(keys=("MOD", "ENTER"), target=of("To")), "send"),
    "chord by its other name": (lambda of: Hotkey(keys=("CTRL", "ENTER"), target=of("To")), "send"),
    "chord in another order": (lambda of: Hotkey(keys=("SHIFT", "CTRL", "DELETE"), target=of("Keep")), "delete"),
    "shifted enter": (lambda of: Hotkey(keys=("SHIFT", "ENTER"), target=of("To")), "send"),
    "line break": (lambda of: TypeText(target=of("To"), text="bob\n"), "send"),
    "drop": (lambda of: Drag(target=of("Keep"), to=of("Trash")), "delete"),
}


@pytest.fixture
def guarded(desk):
    """The desk with an actor that has consent to nothing; ``consent`` gives one that has some."""
    desk.open(MAIL)

    def with_consent(*kinds: str):
        desk.actor = desk.options.bind(desk.page, desk.broker, consent=frozenset(kinds))
        return desk

    return with_consent


@pytest.mark.parametrize("way", WAYS)
def test_without_consent_nothing_reaches_the_page_and_the_capture_is_unspent(guarded, way):
    desk = guarded()
    make, kind = WAYS[way]
    told = desk.do(make)
    assert (told.effect, told.code) == ("refused", "consent_required")
    assert kind in told.message
    assert desk.nothing_reached_it()
    assert desk.broker.check(told.capture_id)


@pytest.mark.parametrize("way", ["click", "icon", "enter in the form"])
def test_with_consent_to_that_kind_it_is_done(guarded, way):
    make, kind = WAYS[way]
    desk = guarded(kind)
    assert desk.do(make).effect != "refused"
    assert not desk.nothing_reached_it()


@pytest.mark.parametrize("way", ["click", "icon"])
def test_consent_to_another_kind_is_none(guarded, way):
    make, kind = WAYS[way]
    assert guarded(*({"send", "delete", "close", "purchase"} - {kind})).do(make).code == "consent_required"


def test_what_has_no_consequences_needs_no_consent(guarded):
    assert guarded().do(lambda of: Click(target=of("Keep"))).effect != "refused"


@pytest.mark.parametrize("act", ["leased-v1", "dry-run-v1"])
def test_a_run_hands_back_when_its_decider_wants_what_the_subtask_does_not_allow(desk, act):
    desk.open(MAIL)
    agent = Agent(name="rash", act=Spec(act))

    def rash(_subtask, seen, _history):
        return Decision(outcome="act", action=Click(target=next(c.id for c in seen.candidates if c.label == "Send")))

    task = Subtask(goal="tidy up")
    run = run_subtask(agent, desk.page, task, decider=rash, deadline_s=60)
    assert (run.status, len(run.steps), run.actions_taken) == ("NEEDS_AGENT", 1, 0)
    assert "nobody consented" in run.reason
    assert desk.nothing_reached_it()
    allowed = replace(task, allowed_risks=frozenset({"send"}), max_actions=1)
    run = run_subtask(agent, desk.page, allowed, decider=rash, deadline_s=60)
    assert (run.actions_taken == 1) == (act == "leased-v1")


def test_the_code_says_what_to_do():
    retryable, hint = LEASE_CODES["consent_required"]
    assert not retryable
    assert "allowed_risks" in hint
