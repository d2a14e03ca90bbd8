"""A pixels-only agent operates a page with pointer and keys alone, and learns nothing from its receipts."""

import numpy as np
import pytest

from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import LeasedActor
from cuakit.agent import Agent
from cuakit.core.action import Click, PressKey, SetValue, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.registry import Spec

pytestmark = pytest.mark.browser

FORM = """<body style="margin:0"><input id=n value=old style="position:absolute;left:10px;top:10px;width:200px;height:24px">
<select id=s style="position:absolute;left:10px;top:60px;width:200px;height:24px"><option>Red<option>Green<option>Blue</select>
<button style="position:absolute;left:10px;top:110px;width:200px;height:30px" onclick="window.hit=1">Go</button>"""


@pytest.fixture
def form(page):
    page.call("Page.setDocumentContent", frameId=page.call("Page.getFrameTree")["frameTree"]["frame"]["id"], html=FORM)
    return page


def seen():
    rows = (("c01", 10, "textbox"), ("c02", 60, "combobox"), ("c03", 110, "button"))
    return Candidates(Candidate(id=i, box=Box(10, y, 210, y + 24), role=r, source="fused") for i, y, r in rows)


class Deaf:
    """A page that may be looked at and given input, and says so when it is asked anything else."""

    def __init__(self, page):
        self._page = page
        self.asked = []

    def __getattr__(self, name):
        return getattr(self._page, name)

    def evaluate(self, expression, **more):
        self.asked.append(expression)
        return self._page.evaluate(expression, **more)


def act(page, action):
    broker = CaptureBroker()
    surface = Deaf(page)
    actor = LeasedActor(blind=True).bind(surface, broker)
    capture = broker.issue(page, page.grab(), seen())
    receipt = actor.perform(action, capture.id)
    assert surface.asked == []
    assert receipt.evidence == ()
    assert receipt.route in ("trusted_input", "none")
    return receipt


def test_text_replaces_what_was_there(form):
    assert act(form, TypeText(target="c01", text="Ünï 漢")).effect == "unverifiable"
    assert form.evaluate("n.value") == "Ünï 漢"


def test_text_can_be_added_at_the_end(form):
    act(form, TypeText(target="c01", text="er", replace=False))
    assert form.evaluate("n.value") == "older"


def test_an_option_is_chosen_by_typing_its_name(form):
    act(form, SetValue(target="c02", value="Green"))
    assert form.evaluate("s.value") == "Green"


@pytest.mark.parametrize("action", [Click(target="c03"), PressKey(target="c03", key="ENTER")])
def test_a_button_is_pressed(form, action):
    act(form, action)
    assert form.evaluate("window.hit") == 1


@pytest.mark.parametrize(("observe", "blind", "title"), [("pixels", True, ""), ("dom", False, "Secret")])
def test_a_pixels_agent_cannot_be_given_more(page, observe, blind, title):
    page.evaluate("document.title = 'Secret'")
    perceive = Spec("contours-v1" if observe == "pixels" else "dom-v1")
    agent = Agent(name="a", observe=observe, perceive=perceive, act=Spec("leased-v1", args={}), settle=Spec("fixed-v1"))
    stages = agent.assemble(page, CaptureBroker())
    assert stages.title() == title
    assert (type(stages.act.injector).__name__ == "BlindInput") is blind
    assert (stages.act.still_there is None) is blind
    assert isinstance(page.grab().pixels, np.ndarray)
