import pytest

from cuakit.act.dry_run import DryRun
from cuakit.act.executor import LeasedActor
from cuakit.core.action import Click, PressKey, TypeText, Wait
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from tests.act.conftest import named

pytestmark = pytest.mark.browser

FORM = "<button id=b>Save</button><label>Name <input></label>"


def test_a_dry_run_says_what_it_would_do_and_does_nothing(desk):
    capture, found = desk.open(FORM).look()
    dry = DryRun().bind(desk.page, desk.broker)
    for action in (
        Click(target=named(found, "Save").id),
        TypeText(target=named(found, "Name").id, text="hunter2"),
        PressKey(key="ENTER"),
        Wait(),
    ):
        receipt = dry.perform(action, capture.id)
        assert (receipt.effect, receipt.code) == ("refused", "dry_run")
        assert receipt.message.startswith(f"would {action.kind}")
        assert "hunter2" not in repr(receipt)
    assert desk.nothing_reached_it()
    assert desk.actor.click_candidate(capture.id, named(found, "Save").id).injected


def test_a_dry_run_refuses_what_a_real_one_would_with_the_same_code(desk):
    capture, found = desk.open(FORM).look()
    desk.page.evaluate("b.textContent = 'Send'; 0")
    for action in (Click(target=named(found, "Save").id), Click(target="c99"), PressKey(key="NO")):
        real = LeasedActor().bind(desk.page, desk.broker).perform(action, capture.id)
        assert DryRun().bind(desk.page, desk.broker).perform(action, capture.id) == real
        assert real.effect == "refused"
    assert desk.nothing_reached_it()


def test_a_dry_run_reads_the_decision(desk):
    seen = desk.open(FORM).observe()
    dry = DryRun().bind(desk.page, desk.broker)
    decision = Decision(outcome="act", action=Click(target=named(seen.candidates, "Save").id))
    assert dry(decision, seen).code == "dry_run"
    with pytest.raises(UsageError):
        dry(Decision(outcome="reobserve"), seen)
