"""Confidence against truth, on made-up deciders whose calibration is known, and on the real oracle's way."""

import math
import random

import pytest
from hypothesis import given, strategies as st

from cuakit.bench.calibration import (
    Sample,
    calibrate,
    expected_calibration_error,
    fit_temperature,
    measure,
    reliability,
)
from cuakit.core.registry import Spec


def made(n, *, heat=1.0, seed=0):
    """Samples of a decider whose stated log-odds are the true ones times ``heat``."""
    rng = random.Random(seed)
    out = []
    for i in range(n):
        odds = rng.uniform(0, 3)
        true, said = (1 / (1 + math.exp(-odds * h)) for h in (1, heat))
        out.append(Sample(f"f{i % 40}", ((said, 1 - said),), rng.random() < true))
    return out


@pytest.mark.parametrize("heat", [0.5, 1.0, 2.0, 4.0])
def test_the_temperature_that_a_decider_was_heated_by_is_found(heat):
    assert fit_temperature(made(4_000, heat=heat)) == pytest.approx(heat, rel=0.2)


def test_a_calibrated_decider_has_no_error_and_an_overconfident_one_loses_it():
    assert expected_calibration_error(made(20_000)) < 0.02
    hot = calibrate("hot", made(3_000, heat=4.0))
    assert hot.ece.value > 0.08
    assert hot.ece_after.value < 0.05
    assert hot.ece_after.high < hot.ece.low


@pytest.mark.parametrize("right", [True, False])
def test_nothing_is_fitted_where_every_answer_is_alike(right):
    assert fit_temperature([Sample("f", ((0.7, 0.3),), right)] * 5) == 1.0


def test_no_samples_are_said_as_such():
    nothing = calibrate("none", [])
    assert (nothing.right.n, nothing.ece.value, nothing.temperature) == (0, 0.0, 1.0)


@given(
    st.lists(st.floats(0.001, 1), min_size=2, max_size=6).map(
        lambda w: tuple(sorted((x / sum(w) for x in w), reverse=True))
    ),
    st.floats(0.1, 10),
)
def test_heat_flattens_and_never_changes_the_order(distribution, temperature):
    sample = Sample("f", (distribution,), True)
    cold, warm = sample.confidence(temperature), sample.confidence(temperature * 2)
    assert 1 / len(distribution) - 1e-9 <= warm <= cold + 1e-9 <= 1 + 2e-9


@given(st.lists(st.tuples(st.floats(0.5, 1), st.booleans()), min_size=1, max_size=50))
def test_every_decision_is_in_exactly_one_bin(decisions):
    samples = [Sample("f", ((p, 1 - p),), right) for p, right in decisions]
    bins = reliability(samples)
    assert sum(b.right.n for b in bins) == len(samples)
    for b in bins:
        assert b.confidence is None or b.low - 1e-9 <= b.confidence <= b.high + 1e-9


@pytest.mark.browser
def test_deciders_are_asked_on_the_oracles_way_and_change_nothing():
    lexical, noop = measure({"lexical": Spec("lexical-v1"), "noop": Spec("noop-v1")}, families=4, seeds=1)
    assert lexical.decider == "lexical"
    assert lexical.right.n + lexical.unsure == noop.unsure >= 4
    assert lexical.right.rate > 0
    assert noop.right.n == 0
