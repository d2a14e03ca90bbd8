"""A person decides: the widget in a real browser, and its clicks in a real run."""

import json

import numpy as np
import pytest

from cuakit.agent import Agent
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import DecisionError, UsageError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.decide.human import Human
from cuakit.envs.miniwob import MiniWob
from cuakit.viz.chooser import SCRIPT, Chooser
from tests.waiting import wait_for

AGENT = Agent(name="person")
HOST = """
<body><div id=el></div><script type=module>
const heard = {};
globalThis.state = STATE;
globalThis.sent = [];
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => sent.push(state.choice),
  on: (what, go) => { heard[what] = go; },
};
globalThis.fire = (what) => heard[what]();
const source = SCRIPT;
const widget = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
widget.default.render({model, el: document.getElementById('el')});
globalThis.drawn = true;
</script>"""
"""The part of a notebook that the widget asks for, by anywidget's documented interface."""

STATE = {
    "goal": "Buy a <b>ticket</b>", "picture": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "size": [200, 100],
    "items": [
        {"label": "button 'Go'", "box": [0.1, 0.2, 0.3, 0.2], "options": [["click button 'Go'"] * 2]},
        {"label": "textbox 'To'", "box": [0.5, 0.2, 0.3, 0.2], "options": [["click it"] * 2, ["type input 'name' into it"] * 2]},
    ],
    "loose": [["press the ENTER key"] * 2], "words": [["abstain", "abstain: None is right"]],
    "asking": True, "turn": 3, "choice": [0, ""],
}  # fmt: skip


@pytest.fixture
def shown(page):
    text = HOST.replace("STATE", json.dumps(STATE)).replace("SCRIPT", json.dumps(SCRIPT.read_text("utf-8")))
    page.evaluate(f"document.open(); document.write({json.dumps(text)}); document.close()")
    wait_for(lambda: page.evaluate("globalThis.drawn === true"))
    return page


def press(page, label: str) -> None:
    assert page.evaluate(
        "(label => { const b = [...document.querySelectorAll('button')].find(b => (b.ariaLabel || b.textContent) === label);"
        f" b?.click(); return !!b }})({json.dumps(label)})"
    ), label


@pytest.mark.browser
@pytest.mark.parametrize(
    ("clicks", "sent"),
    [
        (["button 'Go'"], "click button 'Go'"),
        (["textbox 'To'", "type input 'name' into it"], "type input 'name' into it"),
        (["press the ENTER key"], "press the ENTER key"),
        (["abstain: None is right"], "abstain"),
    ],
)
def test_a_click_on_the_picture_or_a_word_is_the_answer(shown, clicks, sent):
    for label in clicks:
        press(shown, label)
    assert shown.evaluate("sent") == [[3, sent]]


@pytest.mark.browser
def test_screen_text_is_shown_as_text_and_a_closed_question_takes_no_answer(shown):
    assert shown.evaluate("document.querySelector('.goal').textContent") == STATE["goal"]
    assert shown.evaluate("document.querySelectorAll('b').length") == 0
    shown.evaluate("state.asking = false; fire('change:asking')")
    assert shown.evaluate("document.querySelectorAll('button').length") == 0


@pytest.mark.browser
def test_a_person_solves_a_task_by_clicking(browser):
    with MiniWob(browser) as world:
        task = world.reset("click-test-2", 1)
        chooser = Chooser(timeout_s=60)
        run = chooser.run(AGENT, world.surface, task, done=world.done)
        wait_for(lambda: chooser.options)
        assert "abstain" in chooser.options
        with pytest.raises(UsageError, match="not on offer"):
            chooser.choose("click button 'Nowhere'")
        chooser.choose("click button 'ONE'")
        assert chooser.options == ()  # a second click on the same question finds nothing
        assert run.result(60).status == "SUBTASK_COMPLETE"
        assert world.score() == 1
        assert chooser.options == ()


def test_a_notebook_thread_that_would_wait_for_itself_is_told_so():
    shot = Screenshot(pixels=np.zeros((20, 20, 3), np.uint8))
    button = Candidate(id="c01", role="button", name="Go", box=Box(0, 0, 9, 9), source="dom", actions=("click",))
    with pytest.raises(UsageError, match="own thread") as told:
        Human(ask=Chooser())(Subtask(goal="go"), Observation(screenshot=shot, candidates=Candidates([button])), [])
    assert "chooser.run" in told.value.hint


@pytest.mark.browser
def test_nobody_answering_is_an_error_not_an_action(browser):
    with MiniWob(browser) as world:
        task = world.reset("click-test", 1)
        run = Chooser(timeout_s=0.2).run(AGENT, world.surface, task, done=world.done)
        with pytest.raises(DecisionError, match="nobody chose") as told:
            run.result(60)
        assert told.value.error_code == "no_person"
        assert not world.done()
