import math

import pytest
from hypothesis import given, strategies as st

from cuakit.core.action import Click
from cuakit.core.decision import Answer, Decision, Question
from cuakit.core.errors import DecisionError

QUESTION = Question(name="click_target", options={"c01": "Save", "c02": "Cancel", "abstain": "none of them"})


@pytest.mark.parametrize(
    ("choice", "probabilities", "why"),
    [
        ("c09", None, "not among"),
        (None, None, "not among"),
        ("c01", {"c01": 1.0}, "exactly"),
        ("c01", {"c01": 0.5, "c02": 0.3, "abstain": 0.1, "c09": 0.1}, "exactly"),
        ("c01", [0.5, 0.3, 0.2], "exactly"),
        ("c01", {"c01": 0.9, "c02": 0.9, "abstain": 0.0}, "sum"),
        ("c01", {"c01": 1.5, "c02": -0.5, "abstain": 0.0}, "finite"),
        ("c01", {"c01": math.nan, "c02": 0.5, "abstain": 0.5}, "finite"),
        ("c01", {"c01": True, "c02": 0.0, "abstain": 0.0}, "finite"),
        ("c01", {"c01": "0.9", "c02": 0.1, "abstain": 0.0}, "finite"),
        ("c02", {"c01": 0.6, "c02": 0.3, "abstain": 0.1}, "most probable"),
        ("c01", {"c01": 0.4, "c02": 0.4, "abstain": 0.2}, "tie"),
    ],
)
def test_an_answer_that_breaks_a_rule_names_its_question(choice, probabilities, why):
    with pytest.raises(DecisionError, match=f"click_target.*{why}"):
        Answer.check(QUESTION, choice, probabilities)


@pytest.mark.parametrize("confidence", [1.5, -0.1, math.nan, "sure", True])
def test_a_confidence_that_is_no_share_is_an_error(confidence):
    with pytest.raises(DecisionError, match="confidence"):
        Answer.check(QUESTION, "c01", None, confidence)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=12, unique=True))
def test_any_normalised_distribution_with_one_best_option_passes(weights):
    ranked = sorted(weights)
    if ranked[-1] - ranked[-2] < 1e-6:
        return
    options = {f"c{i:02d}": "" for i in range(len(weights))}
    shares = {k: w / sum(weights) for k, w in zip(options, weights, strict=True)}
    best = max(shares, key=shares.__getitem__)
    answer = Answer.check(Question(name="q", options=options), best, shares)
    assert answer.top == max(shares.values())
    assert answer.margin == pytest.approx((ranked[-1] - ranked[-2]) / sum(weights))


def test_sums_are_held_to_two_hundredths():
    def check(extra):
        return Answer.check(QUESTION, "c01", {"c01": 0.7 + extra, "c02": 0.2, "abstain": 0.1})

    assert check(0.019).top == pytest.approx(0.719)
    with pytest.raises(DecisionError, match="sum"):
        check(0.021)


def test_without_a_distribution_there_is_no_margin():
    answer = Answer.check(QUESTION, "c01", confidence=0.8)
    assert answer.top is None
    assert answer.margin is None
    assert Decision(outcome="reobserve", answers={"q": answer}).confidence is None


def test_a_decision_is_as_sure_as_its_least_sure_answer():
    sure = Answer(choice="a", probabilities={"a": 0.9, "b": 0.1})
    unsure = Answer(choice="a", probabilities={"a": 0.6, "b": 0.4})
    decision = Decision(outcome="act", action=Click(target="c01"), answers={"x": sure, "y": unsure})
    assert decision.confidence == 0.6
    assert decision.margin == pytest.approx(0.2)
    assert "p=0.60" in repr(decision)


@pytest.mark.parametrize("wrong", [{"outcome": "act"}, {"outcome": "abstain", "action": Click(target="c01")}])
def test_only_acting_has_an_action(wrong):
    with pytest.raises(ValueError, match="outcome"):
        Decision(**wrong)
