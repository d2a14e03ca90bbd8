"""Comparisons agree with independent implementations, refuse what does not match, and do not overstate."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest, wilcoxon as scipy_wilcoxon

from cuakit.bench.compare import Comparison, compare, compare_all, comparisons_html
from cuakit.bench.paired import Interval, cluster_bootstrap, holm, mcnemar, pass_at_k, pass_hat_k, wilcoxon
from cuakit.core.errors import UnknownName, UsageError
from cuakit.record.ledger import Ledger
from cuakit.suites.spec import Suite


@settings(deadline=None)  # the first call imports scipy
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_on_discordant_pairs(b, c):
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected)


@settings(deadline=None)
@given(st.lists(st.integers(-500, 500), min_size=1, max_size=20, unique_by=abs).filter(lambda d: 0 not in d))
def test_wilcoxon_without_ties_is_scipys_exact_test(differences):
    assert wilcoxon(differences) == pytest.approx(scipy_wilcoxon(differences, method="exact").pvalue)


@settings(deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=9))
def test_wilcoxon_with_ties_is_the_count_over_all_signs(differences):
    given_ones = np.array([d for d in differences if d])
    if not given_ones.size:
        assert wilcoxon(differences) == 1.0
        return
    size = np.abs(given_ones)
    ranks = np.array([(size < s).sum() + ((size == s).sum() + 1) / 2 for s in size])
    seen = ranks[given_ones > 0].sum()
    sums = np.array([ranks[np.array(signs) > 0].sum() for signs in product((-1, 1), repeat=len(ranks))])
    expected = min(1.0, 2 * min((sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()))
    assert wilcoxon(differences) == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=40))
def test_the_bootstrap_interval_holds_the_mean_and_repeats_itself(pairs):
    values, clusters = zip(*pairs, strict=True)
    made = cluster_bootstrap(values, clusters, resamples=400)
    assert made.value == pytest.approx(np.mean(values))
    assert made == cluster_bootstrap(values, clusters, resamples=400)
    assert made.low <= made.high


def test_clustered_values_are_less_certain_than_independent_ones():
    values = [1.0] * 50 + [0.0] * 50
    independent = cluster_bootstrap(values, range(100))
    clustered = cluster_bootstrap(values, [i // 10 for i in range(100)])
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)


def test_values_without_spread_prove_little_when_clusters_are_few():
    few, many = (cluster_bootstrap([0.0] * n, range(n)) for n in (3, 300))
    assert few.high > 0.5
    assert many.high < 0.02


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([1.0], [])])
def test_the_bootstrap_needs_values_and_their_clusters(values, clusters):
    with pytest.raises(ValueError, match="one cluster per value"):
        cluster_bootstrap(values, clusters)


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({}) == {}
    assert holm({"a": 0.7, "b": 0.9}) == {"a": 1.0, "b": 1.0}


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_and_pass_hat_k_are_what_drawing_gives(nck):
    n, c, k = nck
    from itertools import combinations

    draws = [sum(d) for d in combinations([1] * c + [0] * (n - c), k)]
    assert pass_at_k(n, c, k) == pytest.approx(np.mean([d > 0 for d in draws]))
    assert pass_hat_k(n, c, k) == pytest.approx(np.mean([d == k for d in draws]))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, 1, 0), (3, 1, 4), (0, 0, 1)])
def test_impossible_attempts_are_refused(n, c, k):
    with pytest.raises(ValueError, match="need 1 ≤ k"):
        pass_at_k(n, c, k)


def made(**changes) -> Comparison:
    base = Comparison(
        a="x",
        b="y",
        both=5,
        only_a=1,
        only_b=9,
        neither=0,
        unpaired=0,
        difference=Interval(-0.53, -0.8, -0.2),
        p=0.02,
        p_scores=0.02,
        tasks=5,
    )
    return replace(base, **changes)


def test_the_verdict_names_the_better_one_with_its_lead_and_never_claims_equality():
    assert made().verdict.startswith("y succeeds more often than x: +53.0 points [+20.0, +80.0]")
    assert made(only_a=9, only_b=1, difference=Interval(0.5, 0.2, 0.8)).verdict.startswith("x succeeds more often")
    assert made(p=0.3).verdict.startswith("no evidence that x and y differ: -53.0 points [-80.0, -20.0]")
    assert "2 trials without a counterpart" in repr(made(unpaired=2))
    assert "differing: machine" in repr(made(allowed=("machine",)))


def test_a_run_is_compared_pair_by_pair(toy, toy_agent):
    run = toy("ok", "fail", "half", seeds=2, agents=[toy_agent("a"), toy_agent("b"), toy_agent("c")])
    found = compare_all(run)
    assert [(c.a, c.b) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for c in found:
        assert (c.both, c.only_a, c.only_b, c.neither, c.unpaired, c.p) == (2, 0, 0, 4, 0, 1.0)
        assert c.verdict.startswith("no evidence")
    assert comparisons_html(found).count("<li>") == 3
    with pytest.raises(UnknownName, match="no scored trial of agent 'z'"):
        compare(run, "a", "z")


def test_two_runs_are_compared_only_where_they_match(toy, toy_agent, tmp_path):
    one = toy("ok", "fail", seeds=2, out=tmp_path / "one", agents=[toy_agent("a")])
    same = toy("ok", "fail", seeds=2, out=tmp_path / "same", agents=[toy_agent("b")])
    assert compare(one, "a", "b", other=same).n == 4
    more = toy("ok", "fail", seeds=3, out=tmp_path / "more", agents=[toy_agent("b")])
    with pytest.raises(UsageError, match="2 instances are in one of them only") as told:
        compare(one, "a", "b", other=more)
    assert "--allow seeds" in told.value.hint
    allowed = compare(one, "a", "b", other=more, allow=("seeds",))
    assert (allowed.n, allowed.unpaired, allowed.allowed) == (4, 2, ("seeds",))
    version = toy("ok", "fail", seeds=2, version=2, out=tmp_path / "version", agents=[toy_agent("b")])
    with pytest.raises(UsageError, match="suites toy v1"):
        compare(one, "a", "b", other=version)
    with pytest.raises(UnknownName, match="cannot allow weather"):
        compare(one, "a", "b", other=same, allow=("weather",))


def test_another_machine_is_another_comparison(toy, toy_agent, tmp_path):
    one = toy("ok", out=tmp_path / "one", agents=[toy_agent("a")])
    far = toy("ok", out=tmp_path / "far", agents=[toy_agent("b")])
    rows = list(far.record.rows())
    for row in rows:
        if row["kind"] == "run":
            row["machine"]["cpu"] = "abacus"
            row["packages"]["numpy"] = "0.1"
    (far.folder / "ledger.jsonl").unlink()
    with Ledger(far.folder / "ledger.jsonl") as ledger:
        for row in rows:
            ledger.append(row)
    far = type(far)(far.folder)
    with pytest.raises(UsageError, match=r"and abacus; packages differ: numpy"):
        compare(one, "a", "b", other=far)
    assert compare(one, "a", "b", other=far, allow=("machine", "packages")).n == 1


def test_a_suite_is_known_by_its_content():
    assert Suite(id="s", version=1, tasks=()).digest != Suite(id="s", version=2, tasks=()).digest
