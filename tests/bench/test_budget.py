"""What a trial may spend: counted, kept to, recorded, and never a reason to call a trial invalid."""

import math

import pytest
from hypothesis import given, strategies as st

from cuakit.bench.budget import Budget, Metered
from cuakit.bench.runner import Limits
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError

AMOUNTS = st.floats(0, 1e6, allow_nan=False)


def asks(usage: dict[str, float]):
    def decide(*_: object) -> Decision:
        return Decision(outcome="reobserve", usage=usage)

    return decide


@given(limit=st.integers(1, 5000), each=st.integers(1, 999))
def test_the_model_is_asked_until_its_tokens_are_used_up_and_not_once_more(limit, each):
    meter = Metered.of(asks({"input_tokens": float(each)}), Budget(tokens=limit))
    asked = 0
    while meter(None, None, ()).outcome == "reobserve":
        asked += 1
    assert asked == math.ceil(limit / each)
    assert meter.told() == {"input_tokens": asked * each}
    assert meter(None, None, ()).reason == f"out of tokens: {asked * each} of {limit}"


@given(read=AMOUNTS, written=AMOUNTS)
def test_money_is_tokens_times_price(read, written):
    budget = Budget(usd=1.0, usd_per_million_in=3.0, usd_per_million_out=15.0)
    used = {"input_tokens": read, "output_tokens": written}
    cost = read * 3e-6 + written * 15e-6
    assert budget.price(used) == pytest.approx(cost)
    assert bool(budget.exhausted(used)) == (budget.price(used) >= 1.0)
    assert Budget(**budget.to_dict()) == budget


def test_without_limits_nothing_ends():
    assert Budget().exhausted({"input_tokens": 1e12}) == ""


@pytest.mark.parametrize(
    "given",
    [{"tokens": 0}, {"usd": -1.0, "usd_per_million_in": 1.0}, {"usd": 1.0}, {"usd_per_million_in": -1.0}],
)
def test_a_budget_that_makes_no_sense_is_refused(given):
    with pytest.raises(UsageError):
        Budget(**given)


@pytest.mark.processes
def test_a_run_keeps_to_the_budget_and_records_what_was_used(toy):
    budget = Budget(tokens=120, usd=9.0, usd_per_million_in=1.0, usd_per_million_out=100.0)
    run = toy("spend", "ok", workers=1, limits=Limits(budget=budget))
    spent, free = run.trials
    assert (spent.outcome, spent.status, spent.steps) == ("scored", "NEEDS_AGENT", 4)
    assert spent.extra["reason"] == "out of tokens: 150 of 120"
    assert spent.extra["usage"] == {"input_tokens": 120.0, "output_tokens": 30.0, "usd": 0.00312}
    assert spent.extra["budget"] == budget.to_dict()
    assert "usage" not in free.extra
    assert free.score == 1.0
