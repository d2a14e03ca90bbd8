"""Medians of times with exact intervals, and how noisy the machine was. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

SPREAD: Final = 0.10
"""Interquartile range of the yardstick over its median above which a run is too noisy: ratios of 1.1 are then no news."""

DRIFT: Final = 0.05
"""Change of the yardstick from the first half of a run to the second above which the machine was not the same one."""

WAITING: Final = 0.05
"""Share of the yardstick's time off the processors above which others had them: longer pieces waited more often than it."""

LEAST: Final = 6
"""Least values whose range is a 95 % interval of the median: 1 − 2·2⁻⁶ = 0.97."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median with an interval that holds whatever the distribution.

    Args:
        value: The median.
        low: Lower end.
        high: Upper end.
        n: Number of values.
        coverage: Confidence of the interval, in [0, 1]; below 0.95 when there are fewer than six values.
    """

    value: float
    low: float
    high: float
    n: int
    coverage: float

    def row(self, unit: str = "") -> dict[str, Any]:
        """As plain data, rounded to five digits: ``value``, ``low``, ``high``, ``n``, ``coverage``, and the unit if any."""
        made = {k: _digits(v) if isinstance(v, float) else v for k, v in asdict(self).items()}
        return made | ({"unit": unit} if unit else {})


def median_interval(values: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """Median with the narrowest symmetric pair of order statistics that covers it with the confidence asked for.

    The number of values below the true median is binomial with one half, so no distribution is assumed. With fewer
    than six values no pair covers 95 %; the range is given then, with the confidence that it has.

    Args:
        values: At least one; independent, which laps on a busy machine are only roughly.
        confidence: In (0, 1).

    Raises:
        ValueError: No values.

    >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8])
    Estimate(value=4.5, low=1, high=8, n=8, coverage=0.9921875)
    """
    if not values:
        raise ValueError("need at least one value")
    ranked, n = sorted(values), len(values)
    below, cut, coverage = 0.0, 0, 0.0
    for k in range(n // 2 + 1):
        below += math.comb(n, k) / 2**n
        if k and 1 - 2 * below < confidence:
            break
        cut, coverage = k, max(0.0, 1 - 2 * below)
    return Estimate(median(ranked), ranked[cut], ranked[n - 1 - cut], n, coverage)


def ratio_interval(over: Sequence[float], under: Sequence[float]) -> Estimate:
    """Median of pairwise ratios: the i-th of one over the i-th of the other, measured next to each other.

    Raises:
        ValueError: Lengths differ, or no values.
    """
    return median_interval([a / b for a, b in zip(over, under, strict=True)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How steady the machine was, by a fixed piece of pure Python run between all the others.

    Args:
        n: Runs of the yardstick.
        yardstick_ms: Its median time in milliseconds.
        spread: Its interquartile range over its median.
        drift: Its median in the second half over that in the first, minus one.
        waiting: Share of its time in which it was not on a processor.
    """

    n: int
    yardstick_ms: float
    spread: float
    drift: float
    waiting: float

    @classmethod
    def of(cls, wall_ms: Sequence[float], cpu_ms: Sequence[float]) -> Noise:
        """From the yardstick's times, in the order in which they were taken.

        Raises:
            ValueError: Fewer than two.
        """
        n = len(wall_ms)
        if n < 2:
            raise ValueError("need at least two runs of the yardstick")
        ranked, middle = sorted(wall_ms), median(wall_ms)
        quartiles = ranked[n // 4], ranked[min(n - 1, (3 * n) // 4)]
        return cls(
            n=n,
            yardstick_ms=middle,
            spread=(quartiles[1] - quartiles[0]) / middle,
            drift=median(wall_ms[n // 2 :]) / median(wall_ms[: n // 2]) - 1,
            waiting=max(0.0, 1 - sum(cpu_ms) / sum(wall_ms)),
        )

    @property
    def too_noisy(self) -> bool:
        """Whether absolute times of this run should not be quoted."""
        return self.spread > SPREAD or abs(self.drift) > DRIFT or self.waiting > WAITING

    def row(self) -> dict[str, Any]:
        """As plain data, with ``too_noisy`` and a sentence in ``says``."""
        made: dict[str, Any] = {k: _digits(v) for k, v in asdict(self).items()}
        return made | {"too_noisy": self.too_noisy, "says": str(self)}

    def __str__(self) -> str:
        state = "too noisy: quote no time of this run" if self.too_noisy else "steady"
        return (
            f"{state} (yardstick n={self.n}: spread {100 * self.spread:.0f} %, drift {100 * self.drift:+.0f} %, "
            f"waiting {100 * self.waiting:.0f} %; limits {100 * SPREAD:.0f}, {100 * DRIFT:.0f} and {100 * WAITING:.0f} %)"
        )


def verdict(ratio: Estimate, yardstick: Estimate | None = None) -> str:
    """What a ratio of times says: ``slower``, ``faster``, ``no difference seen``, ``too few`` or ``too noisy``.

    Args:
        ratio: Time over the time compared with.
        yardstick: The same ratio of a piece that cannot differ; what it differs by is noise.
    """
    low, high = (yardstick.low, yardstick.high) if yardstick else (1.0, 1.0)
    if ratio.n < LEAST:
        return "too few"
    if yardstick and high / low > 1 + 2 * SPREAD and ratio.high >= low and ratio.low <= high:
        return "too noisy"
    if ratio.low > max(1.0, high):
        return "slower"
    return "faster" if ratio.high < min(1.0, low) else "no difference seen"


def rows_by_name(rows: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Rows by their ``name``, which is unique within a part of a profile."""
    return {str(r["name"]): r for r in rows}


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
