"""Networks over runtime, precision, threads, input size and batch: every combination that exists here, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cuakit.bench.lab.laps import YARDSTICK, run_laps
from cuakit.bench.lab.pieces import DETECTOR, READER, Network, noise, onnx_network, openvino_network
from cuakit.bench.lab.samples import Noise, ratio_interval
from cuakit.core.cores import affinity
from cuakit.core.errors import MissingExtra, ModelError

SIZES: Final = ((416, 640), (608, 960), (800, 1280))
"""Height and width of the detector's input: a small form, and a screen of 1280 × 800 at 75 and 100 %."""

BATCHES: Final = (1, 4, 16)
"""Lines per call of the recogniser, each 320 pixels wide."""

RUNTIMES: Final = (("onnxruntime", "f32"), ("openvino", "f32"), ("openvino", "bf16"))
"""Runtime and precision; bf16 is emulated, slowly, where the processor has no instructions for it."""

BASE: Final = "onnxruntime f32 1 thread"
"""What every combination is compared with, at the same input."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination.

    Args:
        network: ``detect text`` or ``read text``.
        shape: Shape of the input.
        runtime: Runtime.
        precision: Number format.
        threads: Threads of one call.
    """

    network: str
    shape: tuple[int, ...]
    runtime: str
    precision: str
    threads: int

    @property
    def how(self) -> str:
        """Runtime, precision and threads in words."""
        return f"{self.runtime} {self.precision} {self.threads} thread{'s' * (self.threads > 1)}"

    @property
    def name(self) -> str:
        """All of it in words."""
        return f"{self.network} {'×'.join(map(str, self.shape))}, {self.how}"


def thread_counts() -> tuple[int, ...]:
    """One, two, four… up to the cores that this process may use."""
    usable = len(affinity())
    return tuple(sorted({*(2**k for k in range(10) if 2**k <= usable), usable}))


def points(
    threads: Sequence[int], sizes: Sequence[tuple[int, int]] = SIZES, batches: Sequence[int] = BATCHES
) -> tuple[Point, ...]:
    """Every combination; batches are swept on one thread."""
    made = [
        Point("detect text", (1, 3, *size), runtime, precision, t)
        for size in sizes
        for runtime, precision in RUNTIMES
        for t in threads
    ]
    return (
        *made,
        *(
            Point("read text", (b, 3, 48, 320), runtime, precision, 1)
            for b in batches
            for runtime, precision in RUNTIMES
        ),
    )


def sweep(
    chosen: Sequence[Point], *, laps: int, progress: Callable[[], object] = lambda: None
) -> tuple[list[dict[str, Any]], Noise]:
    """Times of combinations, one input at a time, those of one input in turn.

    Args:
        chosen: Combinations.
        laps: Laps that count.
        progress: Called after each lap.

    Returns:
        Rows ``name``, ``network``, ``shape``, ``runtime``, ``precision``, ``threads``, ``wall_ms``, ``cpu_ms`` and
        ``ratio`` and ``cpu_ratio`` to ONNX Runtime on one thread in the same laps; or ``lost`` with the reason. And the noise.
    """
    rows: list[dict[str, Any]] = []
    wall: list[float] = []
    cpu: list[float] = []
    for shape in dict.fromkeys(p.shape for p in chosen):
        works, lost = _prepared([p for p in chosen if p.shape == shape])
        timed = run_laps({p.name: work for p, work in works.items()}, laps=laps, progress=progress)
        base = next((p.name for p in works if p.how == BASE), None)
        for p in works:
            row = _told(p) | {"wall_ms": timed.wall(p.name).row(), "cpu_ms": timed.cpu(p.name).row()}
            if base and p.name != base:
                row["ratio"] = ratio_interval(timed.wall_ms[p.name], timed.wall_ms[base]).row()
                row["cpu_ratio"] = ratio_interval(timed.cpu_ms[p.name], timed.cpu_ms[base]).row()
            rows.append(row)
        rows += [_told(p) | {"lost": why} for p, why in lost.items()]
        wall += timed.wall_ms[YARDSTICK]
        cpu += timed.cpu_ms[YARDSTICK]
    return rows, Noise.of(wall, cpu)


def _prepared(chosen: Sequence[Point]) -> tuple[dict[Point, Callable[[], object]], dict[Point, str]]:
    works: dict[Point, Callable[[], object]] = {}
    lost: dict[Point, str] = {}
    for p, made in _networks(chosen):
        if isinstance(made, str):
            lost[p] = made
        else:
            x = noise(p.shape)
            works[p] = lambda run=made, x=x: run(x)  # type: ignore[misc]  # bound now, not later
    return works, lost


def _networks(chosen: Sequence[Point]) -> Iterator[tuple[Point, Network | str]]:
    for p in chosen:
        id = DETECTOR if p.network == "detect text" else READER
        try:
            if p.runtime == "onnxruntime":
                yield p, onnx_network(id, p.threads)[0]
            else:
                run, taken = openvino_network(id, p.threads, p.precision)
                yield p, run if taken == p.precision else f"openvino computes in {taken} when asked for {p.precision}"
        except (MissingExtra, ModelError) as wrong:
            yield p, wrong.message


def _told(p: Point) -> dict[str, Any]:
    return {
        "name": p.name,
        "network": p.network,
        "shape": list(p.shape),
        "runtime": p.runtime,
        "precision": p.precision,
        "threads": p.threads,
    }
