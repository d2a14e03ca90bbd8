"""Intervals agree with an independent implementation, and say nothing they cannot know."""

import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest

from cuakit.bench.stats import median, success_rate, wilson

counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None)  # the first call imports scipy
@given(counts.filter(lambda kn: kn[1] > 0))
def test_wilson_is_scipys(kn):
    k, n = kn
    theirs = binomtest(k, n).proportion_ci(0.95, method="wilson")
    ours = wilson(k, n)
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)


@given(counts)
def test_the_interval_holds_the_rate_and_stays_in_bounds(kn):
    rate = wilson(*kn)
    assert 0 <= rate.low <= rate.high <= 1
    assert rate.rate is None or rate.low <= rate.rate <= rate.high


@given(counts)
def test_failures_mirror_successes(kn):
    k, n = kn
    assert wilson(n - k, n).low == pytest.approx(1 - wilson(k, n).high)


def test_more_trials_narrow_it_and_none_leave_it_open():
    widths = [wilson(n // 2, n).high - wilson(n // 2, n).low for n in (2, 10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert (wilson(0, 0).low, wilson(0, 0).high, wilson(0, 0).rate) == (0, 1, None)
    assert (wilson(0, 5).low, wilson(5, 5).high) == (0, 1)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(k, n)


def test_partial_credit_is_no_success():
    assert success_rate([1.0, 0.999, 0.5, 0.0]).successes == 1


@pytest.mark.parametrize(("values", "middle"), [([], None), ([3], 3), ([4, 1], 2.5), ([9, 1, 2], 2)])
def test_median(values, middle):
    assert median(values) == middle
