"""Medians carry an interval that is true for any distribution, and noise is said."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from cuakit.bench.lab.samples import Estimate, Noise, median_interval, ratio_interval, verdict

times = st.lists(st.floats(0.01, 1e4), min_size=1, max_size=40)


@given(times)
@settings(deadline=None)
def test_an_interval_holds_the_median_and_is_made_of_values(values):
    found = median_interval(values)
    assert found.low <= found.value <= found.high
    assert {found.low, found.high} <= set(values)
    assert found.n == len(values)


@pytest.mark.parametrize("n", range(1, 60))
def test_the_coverage_is_the_binomial_one_and_no_narrower_pair_would_do(n):
    found = median_interval(range(n))
    cut = int(found.low)
    assert found.high == n - 1 - cut

    def covered(k):
        return 1 - 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n

    assert found.coverage == pytest.approx(max(0, covered(cut)))
    assert (found.coverage >= 0.95) == (n >= 6)
    if n >= 6:
        assert covered(cut + 1) < 0.95
    else:
        assert cut == 0


def test_nothing_has_no_median():
    with pytest.raises(ValueError, match="at least one"):
        median_interval([])


@given(st.lists(st.tuples(st.floats(0.1, 100), st.floats(0.1, 100)), min_size=1, max_size=20))
@settings(deadline=None)
def test_a_ratio_is_of_pairs(pairs):
    over, under = zip(*pairs, strict=True)
    assert ratio_interval(over, under) == median_interval([a / b for a, b in pairs])
    assert ratio_interval(over, over).value == 1


def test_a_row_is_plain_data_of_five_digits():
    row = Estimate(1.23456789, 1.0, 2.0, 7, 0.984375).row("ms")
    assert row == {"value": 1.2346, "low": 1.0, "high": 2.0, "n": 7, "coverage": 0.98438, "unit": "ms"}


def test_an_even_yardstick_means_a_steady_machine():
    found = Noise.of([2.0] * 20, [2.0] * 20)
    assert not found.too_noisy
    assert found.waiting == 0
    assert found.row()["says"].startswith("steady")


@pytest.mark.parametrize(
    ("wall", "cpu"),
    [
        ([2.0] * 10 + [2.2] * 10, [2.0] * 20),  # it became slower
        ([2.0, 3.0] * 10, [2.0] * 20),  # it swings
        ([2.2] * 20, [2.0] * 20),  # others had the processor
    ],
)
def test_a_restless_yardstick_means_too_noisy(wall, cpu):
    found = Noise.of(wall, cpu)
    assert found.too_noisy
    assert "quote no time" in str(found)
    assert found.row()["too_noisy"]


def test_one_run_of_the_yardstick_says_nothing():
    with pytest.raises(ValueError, match="two runs"):
        Noise.of([1.0], [1.0])


@pytest.mark.parametrize(
    ("low", "high", "n", "yardstick", "says"),
    [
        (1.2, 1.4, 6, (1, 1), "slower"),
        (0.5, 0.9, 6, (1, 1), "faster"),
        (0.9, 1.1, 6, (1, 1), "no difference seen"),
        (1.02, 1.04, 6, (0.95, 1.05), "no difference seen"),
        (1.2, 1.4, 5, (1, 1), "too few"),
        (0.9, 1.4, 6, (0.8, 1.3), "too noisy"),
        (5.0, 6.0, 6, (0.8, 1.3), "slower"),  # far beyond what the machine swings
    ],
)
def test_a_ratio_is_believed_where_the_yardstick_does_not_reach(low, high, n, yardstick, says):
    ratio = Estimate((low + high) / 2, low, high, n, 0.97)
    assert verdict(ratio, Estimate(1.0, *map(float, yardstick), 6, 0.97)) == says
