"""Running pieces of work in turn, lap after lap, so that a busy moment hits all of them. Knows nothing about what they do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cuakit.bench.lab.samples import Estimate, Noise, median_interval

YARDSTICK: Final = "yardstick"
"""Name of the piece that depends on nothing that is measured."""

COARSE_S: Final = 1e-4
"""A processor clock that ticks slower than this is not used; the one of Windows does."""

Work = Callable[[], object]


def yardstick() -> int:
    """A fixed stretch of pure Python, some two milliseconds: no library, no instruction set, no memory to speak of."""
    state = 1
    for _ in range(20_000):
        state = (state * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF
    return state


@dataclass(frozen=True)
class Laps:
    """Times of every piece, lap by lap.

    Args:
        wall_ms: Name → milliseconds by the clock on the wall.
        cpu_ms: Name → milliseconds on processors, all threads together; equal to ``wall_ms`` where the clock is too coarse.
    """

    wall_ms: Mapping[str, Sequence[float]] = field(repr=False)
    cpu_ms: Mapping[str, Sequence[float]] = field(repr=False)

    def noise(self) -> Noise:
        """What the yardstick says about the machine."""
        return Noise.of(self.wall_ms[YARDSTICK], self.cpu_ms[YARDSTICK])

    def wall(self, name: str) -> Estimate:
        """Median time of a piece in milliseconds."""
        return median_interval(self.wall_ms[name])

    def cpu(self, name: str) -> Estimate:
        """Median processor time of a piece in milliseconds."""
        return median_interval(self.cpu_ms[name])


def run_laps(
    pieces: Mapping[str, Work],
    *,
    laps: int,
    warmup: int = 2,
    progress: Callable[[], object] = lambda: None,
) -> Laps:
    """Run every piece once per lap; every second lap backwards, the yardstick before and after each lap.

    Args:
        pieces: Name → what to run.
        laps: Laps that count, at least 1.
        warmup: Laps before them that do not.
        progress: Called after each lap.
    """
    wall: dict[str, list[float]] = {name: [] for name in (*pieces, YARDSTICK)}
    cpu: dict[str, list[float]] = {name: [] for name in wall}
    fine = time.get_clock_info("process_time").resolution <= COARSE_S

    def take(name: str, work: Work, *, counts: bool) -> None:
        on_wall, on_cpu = time.perf_counter_ns(), time.process_time_ns()
        work()
        cpu_ns, wall_ns = time.process_time_ns() - on_cpu, time.perf_counter_ns() - on_wall
        if counts:
            wall[name].append(wall_ns / 1e6)
            cpu[name].append((cpu_ns if fine else wall_ns) / 1e6)

    for lap in range(-warmup, laps):
        order = list(pieces.items())
        take(YARDSTICK, yardstick, counts=lap >= 0)
        for name, work in order if lap % 2 else order[::-1]:
            take(name, work, counts=lap >= 0)
        take(YARDSTICK, yardstick, counts=lap >= 0)
        progress()
    return Laps(wall, cpu)
