"""``cuakit tune``: which runtime, threads and workers read a screen fastest here, at no other result.

All settings read the same pictures in turn, round after round, so that a busy moment hits each of them; what counts is the
ratio to the defaults within a round. A setting is chosen only when it reads the same text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from cuakit.bench.paired import Interval
from cuakit.core.errors import CuakitError
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.pipeline import Pixels
from cuakit.perceive.tuned import here

ROUNDS: Final = 6
"""Least and largest of six ratios enclose their median with 97 %, whatever their distribution."""

AGREE: Final = 0.98
"""Share of the lines of the default setting that another one must read alike."""

WORTH: Final = 1.05
"""Least gain for which the defaults are left: within it, another setting is noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One way to run, and how it did.

    Args:
        options: Of the text stage.
        ms: Median time of a parse in milliseconds; None when it cannot run here.
        gain: Time of the default over its own within a round, with an interval over rounds; None likewise.
        agrees: Share of the default's lines that it reads alike.
        why_not: Why it cannot run here.
    """

    options: Mapping[str, Any]
    ms: float | None = None
    gain: Interval | None = None
    agrees: float = 0.0
    why_not: str = ""

    @property
    def fit(self) -> bool:
        """Whether it may be chosen."""
        return self.gain is not None and self.agrees >= AGREE

    def row(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **self.options,
            "ms": None if self.ms is None else round(self.ms, 1),
            "gain": None if self.gain is None else round(self.gain.value, 3),
            "gain_95": None if self.gain is None else [round(self.gain.low, 3), round(self.gain.high, 3)],
            "agrees": round(self.agrees, 4),
            "why_not": self.why_not,
        }


def choices(cores: int) -> Iterator[dict[str, Any]]:
    """The settings that are tried, the defaults first."""
    seen: list[dict[str, Any]] = []
    for runtime in ("onnxruntime", "openvino"):
        for threads, workers in ((1, 1), (1, cores), (cores, 1)):
            options = {"runtime": runtime, "threads": threads, "workers": workers}
            if options not in seen:
                seen.append(options)
                yield options


def tune(
    shots: Sequence[Screenshot], *, rounds: int = ROUNDS, progress: Callable[[str], object] = lambda _: None
) -> tuple[Setting, tuple[Setting, ...]]:
    """Measure every setting.

    Args:
        shots: Pictures to read.
        rounds: Times that each is read, after one that warms.
        progress: Called with a word after each round.

    Returns:
        The setting to use, and all of them, the defaults first.
    """
    ready: list[tuple[dict[str, Any], Pixels]] = []
    failed: list[Setting] = []
    said: list[set[str]] = []
    for options in choices(int(here()["cores"] or 1)):
        stage = Pixels(remember=0, text=options)  # type: ignore[arg-type] # a mapping of options will do
        try:
            said.append({line for shot in shots for line in _said(stage, shot)})
        except CuakitError as wrong:
            failed.append(Setting(options=options, why_not=f"{wrong.error_code}: {wrong.message}"))
            continue
        ready.append((options, stage))
        progress("warmed")
    times: list[list[float]] = [[] for _ in ready]
    for lap in range(rounds):
        turn = range(len(ready)) if lap % 2 == 0 else reversed(range(len(ready)))
        for i in turn:
            times[i].append(sum(_ms(ready[i][1], shot) for shot in shots))
        progress("round")
    made = tuple(
        Setting(
            options=options,
            ms=median(times[i]) / len(shots),
            gain=_gain([a / b for a, b in zip(times[0], times[i], strict=True)]),
            agrees=len(said[0] & said[i]) / max(1, len(said[0])),
        )
        for i, (options, _) in enumerate(ready)
    )
    best = max((s for s in made if s.fit), key=lambda s: s.gain.value if s.gain else 0.0)
    sure = best.gain is not None and best.gain.low >= WORTH
    return (best if sure else made[0]), (*made, *failed)


def _gain(ratios: Sequence[float]) -> Interval:
    return Interval(median(ratios), min(ratios), max(ratios))


def _said(stage: Pixels, shot: Screenshot) -> Iterator[str]:
    return (c.text for c in stage(shot) if c.text)


def _ms(stage: Pixels, shot: Screenshot) -> float:
    start = time.perf_counter()
    stage(shot)
    return (time.perf_counter() - start) * 1e3
