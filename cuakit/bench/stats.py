"""Numbers with their uncertainty. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Z95: Final = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

SUCCESS: Final = 1.0 - 1e-9
"""Least score that counts as a success; partial credit is kept in the mean score."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of successes with its 95 % Wilson interval.

    Args:
        successes: How many succeeded.
        n: Out of how many.
        low: Lower end, in [0, 1].
        high: Upper end, in [0, 1].
    """

    successes: int
    n: int
    low: float
    high: float

    @property
    def rate(self) -> float | None:
        """Share, or None when nothing was counted."""
        return self.successes / self.n if self.n else None

    def __str__(self) -> str:
        if not self.n:
            return "–"
        return f"{100 * self.successes / self.n:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}] n={self.n}"


def wilson(k: int, n: int, *, z: float = Z95) -> Rate:
    """Wilson score interval for ``k`` successes in ``n`` trials (Wilson, JASA 22, 1927).

    It stays inside [0, 1] and is honest at 0 and 1, where the normal approximation has no width. Nothing counted
    means anything is possible: [0, 1].

    Raises:
        ValueError: Not 0 ≤ k ≤ n.

    >>> str(wilson(8, 10))
    '80 % [49, 94] n=10'
    """
    if not 0 <= k <= n:
        raise ValueError(f"need 0 ≤ successes ≤ trials, got {k} of {n}")
    if n == 0:
        return Rate(0, 0, 0.0, 1.0)
    p, zz = k / n, z * z
    middle = (p + zz / (2 * n)) / (1 + zz / n)
    half = z / (1 + zz / n) * math.sqrt(p * (1 - p) / n + zz / (4 * n * n))
    return Rate(k, n, 0.0 if k == 0 else max(0.0, middle - half), 1.0 if k == n else min(1.0, middle + half))


def success_rate(scores: Sequence[float]) -> Rate:
    """Share of full successes among scores in [0, 1]."""
    return wilson(sum(s >= SUCCESS for s in scores), len(scores))


def median(values: Sequence[float]) -> float | None:
    """Middle value, the mean of the two middle ones for an even count, None for none."""
    ranked = sorted(values)
    n = len(ranked)
    return None if not n else (ranked[(n - 1) // 2] + ranked[n // 2]) / 2
