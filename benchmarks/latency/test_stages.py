"""What the stages cost in units of pure Python: ``pytest benchmarks/latency/test_stages.py --benchmark-json=new.json``.

Before every round a yardstick runs, a fixed stretch of pure Python. What is kept in ``extra_info`` is the processor time of
the piece over that of the yardstick beside it, so that a busy or throttled machine changes both. ``benchmarks/gate.py``
compares such ratios with those of a baseline; times are shown and gate nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from cuakit import data
from cuakit.bench.lab.laps import yardstick
from cuakit.bench.lab.pieces import pieces
from cuakit.bench.lab.samples import ratio_interval
from cuakit.core.observation import Observation
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.decide.lexical import Lexical
from cuakit.perceive.pipeline import Pixels

ROUNDS = 21
PIECES = {p.name: p for p in pieces() if p.library != "OpenVINO"}  # an extra that not every machine has


def gauge(benchmark: Any, work: Callable[[], object]) -> None:
    """Run a piece and the yardstick in turn, and keep their ratio."""
    beside: list[float] = []

    def measure_yardstick() -> None:
        start = time.process_time_ns()
        yardstick()
        beside.append((time.process_time_ns() - start) / 1e9)

    benchmark.pedantic(work, setup=measure_yardstick, rounds=ROUNDS, warmup_rounds=2)
    taken = benchmark.stats.stats.data
    benchmark.extra_info["ratio"] = ratio_interval(taken, beside[-len(taken) :]).row("yardsticks")


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("name", PIECES)
def test_piece(benchmark: Any, name: str) -> None:
    """One piece of the latency lab, on one thread."""
    gauge(benchmark, PIECES[name].make())


@pytest.mark.benchmark(timer=time.process_time)
def test_parse(benchmark: Any) -> None:
    """Everything that pixels alone can tell of a small form."""
    parser, shot = Pixels(remember=0), data.form()
    gauge(benchmark, lambda: parser.parse(shot))


@pytest.mark.benchmark(timer=time.process_time)
def test_decide(benchmark: Any) -> None:
    """Choosing among a few objects by their words."""
    shot = data.form()
    seen = Observation(screenshot=shot, candidates=Pixels().parse(shot))
    decider, task = Lexical(), Subtask(goal="save as draft")
    gauge(benchmark, lambda: [decider(task, seen, ()) for _ in range(10)])


@pytest.mark.benchmark(timer=time.process_time)
def test_digest(benchmark: Any) -> None:
    """The identity of a frame of 1280 × 800."""
    pixels = data.drawio().pixels
    gauge(benchmark, lambda: Screenshot(pixels=pixels).digest)
