"""Comparing two agents on the same instances. Pure functions; exact tests, because the samples are small."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuakit.bench.stats import wilson

RESAMPLES = 10_000
"""Bootstrap resamples; the ends of a 95 % interval then move by about one point of their last digit."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval.

    Args:
        value: The estimate.
        low: Lower end.
        high: Upper end.
    """

    value: float
    low: float
    high: float


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided McNemar test: how surprising this split of the discordant pairs is if both are equally good.

    Args:
        only_a: Pairs where A alone succeeded.
        only_b: Pairs where B alone succeeded.

    Returns:
        p value; 1 without discordant pairs.
    """
    n, fewer = only_a + only_b, min(only_a, only_b)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def wilcoxon(differences: Sequence[float]) -> float:
    """Exact two-sided Wilcoxon signed-rank test, with mid-ranks for ties and without the zero differences.

    The null distribution is that of the given ranks with random signs, so ties need no correction.

    Args:
        differences: Score of A minus score of B, per pair.

    Returns:
        p value; 1 when all differences are zero.
    """
    given = np.asarray([d for d in differences if d != 0], dtype=np.float64)
    if not given.size:
        return 1.0
    doubled = _doubled_midranks(np.abs(given))
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    positive = int(doubled[given > 0].sum())
    tail = min(float(chances[: positive + 1].sum()), float(chances[positive:].sum()))
    return min(1.0, 2 * tail)


def _doubled_midranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Twice the rank of each value from 1, ties sharing the middle: whole numbers."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1)[inverse].astype(np.int64)


def cluster_bootstrap(
    values: Sequence[float], clusters: Sequence[Hashable], *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Mean with a 95 % percentile interval from resampling whole clusters.

    Instances of one task resemble each other, so tasks are drawn, not trials (Miller, arXiv 2411.00640, section 2.2).
    Where every cluster has the same mean, resampling sees no spread; then the interval reaches as far as a Wilson
    interval for none in that many clusters, scaled to the range of success differences, because few clusters prove
    little.

    Args:
        values: One per trial or pair, at least one.
        clusters: The task of each.
        resamples: Number of bootstrap samples.
        seed: Of the resampling; equal seeds give equal intervals.

    Raises:
        ValueError: No values, or lengths differ.
    """
    if not values or len(values) != len(clusters):
        raise ValueError(f"need one cluster per value and at least one, got {len(values)} and {len(clusters)}")
    sums: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums.setdefault(cluster, []).append(value)
    totals = np.array([sum(v) for v in sums.values()])
    sizes = np.array([len(v) for v in sums.values()])
    drawn = np.random.default_rng(seed).integers(0, len(totals), (resamples, len(totals)))
    means = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = map(float, np.quantile(means, (0.025, 0.975)))
    value = float(totals.sum() / sizes.sum())
    if np.ptp(totals / sizes) == 0:
        reach = wilson(0, len(totals)).high
        low, high = value - reach, value + reach
    return Interval(value, low, high)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down adjustment of p values for several comparisons; order of the input is kept."""
    ranked = sorted(p_values.items(), key=lambda kv: kv[1])
    adjusted: dict[str, float] = {}
    worst = 0.0
    for i, (name, p) in enumerate(ranked):
        worst = max(worst, min(1.0, (len(ranked) - i) * p))
        adjusted[name] = worst
    return {name: adjusted[name] for name in p_values}


def pass_at_k(n: int, successes: int, k: int) -> float:
    """Chance that at least one of ``k`` attempts succeeds, unbiased from ``n`` (Chen et al., arXiv 2107.03374).

    Raises:
        ValueError: Not 1 ≤ k ≤ n, or not 0 ≤ successes ≤ n.
    """
    _check(n, successes, k)
    return 1.0 - math.comb(n - successes, k) / math.comb(n, k)


def pass_hat_k(n: int, successes: int, k: int) -> float:
    """Chance that all of ``k`` attempts succeed, unbiased from ``n`` (Yao et al., arXiv 2406.12045).

    Raises:
        ValueError: As :func:`pass_at_k`.
    """
    _check(n, successes, k)
    return math.comb(successes, k) / math.comb(n, k)


def _check(n: int, successes: int, k: int) -> None:
    if not (1 <= k <= n and 0 <= successes <= n):
        raise ValueError(f"need 1 ≤ k ≤ n and 0 ≤ successes ≤ n, got n={n}, successes={successes}, k={k}")
