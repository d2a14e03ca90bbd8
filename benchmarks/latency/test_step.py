"""One whole MiniWoB++ step without a model, in DOM mode, and where its time goes.

Run with ``pytest benchmarks/latency/test_step.py --benchmark-only``. The step is grab, read the page, lease, decide,
act, settle, on ``click-button``, whose episode ends with one click; setting the task up is not part of it. The aim is
50 ms. ``extra_info`` of the result holds the median of each stage in milliseconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import Any

import pytest

from cuakit.agent import Agent
from cuakit.core.registry import Spec
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Trajectory
from cuakit.envs.miniwob import MiniWob
from cuakit.loop import run_subtask

ROUNDS = 20


@pytest.fixture(scope="module")
def env() -> Iterator[MiniWob]:
    """One environment for all rounds; starting it is not measured."""
    with MiniWob(scale=1) as env:
        yield env


@pytest.mark.browser
@pytest.mark.parametrize("settle", ["page-fast-v1", "page-quiet-v1"])
def test_one_step_of_click_button(benchmark: Any, env: MiniWob, settle: str) -> None:
    """Observe, decide, act and settle once; ``page-quiet-v1`` waits for 150 ms of quiet, which is its meaning."""
    agent, seeds, spans = Agent(name="latency", settle=Spec(settle)), count(1000), defaultdict(list)

    def reset() -> tuple[tuple[Subtask], dict[str, Any]]:
        return (env.reset("click-button", next(seeds)),), {}

    def step(subtask: Subtask) -> Trajectory:
        return run_subtask(agent, env.surface, subtask, done=env.done)

    def measured(subtask: Subtask) -> None:
        trajectory = step(subtask)
        assert env.score() == 1
        assert len(trajectory.steps) == 1
        for span in trajectory.steps[0].spans:
            spans[span.name].append(span.ms)

    benchmark.pedantic(measured, setup=reset, rounds=ROUNDS, warmup_rounds=5)
    benchmark.extra_info["median_ms"] = {name: round(median(ms[5:]), 2) for name, ms in spans.items()}
    print("\nmedian ms per stage:", benchmark.extra_info["median_ms"])
