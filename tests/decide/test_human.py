"""A person is a decider like any other: finite options, the action that was named, secrets by their names."""

import builtins

import pytest

from cuakit.core.errors import DecisionError
from cuakit.core.subtask import Subtask
from cuakit.decide.human import Human, in_terminal

LOGIN = Subtask(goal="log in as kim with hunter2", inputs={"user": "kim", "pw": "hunter2"}, secret_inputs={"pw"})


@pytest.fixture
def form(scene):
    return scene.screen(
        scene.row(1, "textbox", "Password"), scene.row(2, "button", "Log in"), scene.row(3, "button", "Delete all")
    )


@pytest.fixture
def answers(monkeypatch):
    """Lines that are typed, and what was asked."""
    asked: list[str] = []
    lines: list[str] = []

    def line(prompt: str) -> str:
        asked.append(prompt)
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr(builtins, "input", line)
    return lines, asked


def test_the_option_that_was_named_is_the_action(form):
    typed = Human(ask=lambda *_: "type input 'pw' into textbox 'Password'")(LOGIN, form, []).action
    assert (typed.kind, typed.target, typed.text, typed.input_key) == ("type_text", "c01", "hunter2", "pw")


@pytest.mark.parametrize("word", ["complete", "needs_agent", "reobserve", "abstain"])
def test_the_words_that_end_or_wait_are_always_on_offer(form, word):
    assert Human(ask=lambda *_: word)(LOGIN, form, []).outcome == word


def test_what_the_subtask_does_not_consent_to_is_not_offered_to_a_person_either(form):
    offered = []
    Human(ask=lambda _s, _o, options: offered.extend(options) or "abstain")(LOGIN, form, [])
    assert any("Log in" in option for option in offered)
    assert not any("Delete all" in option for option in offered)


def test_an_answer_that_was_not_on_offer_does_nothing(form):
    with pytest.raises(DecisionError, match="none of the"):
        Human(ask=lambda *_: "click the moon")(LOGIN, form, [])


def test_a_terminal_asks_by_number_until_one_is_given_and_shows_no_secret(form, answers):
    lines, asked = answers
    lines += ["", "99", "-1", "1"]
    decision = Human()(LOGIN, form, [])
    assert decision.outcome == "act"
    assert len(asked) == 4
    assert "hunter2" not in "".join(asked)
    assert "none of them" in asked[1]


def test_a_closed_terminal_is_said(form, answers):
    with pytest.raises(DecisionError, match="input is closed") as told:
        in_terminal(LOGIN, form, {"abstain": "None"})
    assert told.value.error_code == "no_person"
