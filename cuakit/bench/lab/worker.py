"""Measures pieces in a process of its own and tells each as soon as it is done: ``python -m cuakit.bench.lab.worker LAPS NAME…``.

A line per piece, so that a piece which kills the process takes no earlier one with it. The name ``roofs`` measures those.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from cuakit.bench.lab.laps import YARDSTICK, run_laps
from cuakit.bench.lab.pieces import pieces, ready
from cuakit.bench.lab.roofline import measured_roofs

ROOFS: Final = "roofs"
SHORT_S: Final = 0.02
MANY: Final = 5


def main(words: Sequence[str]) -> None:
    """Measure and print."""
    laps, names = int(words[0]), frozenset(words[1:])
    if ROOFS in names:
        roofs = measured_roofs()
        _tell({"piece": ROOFS, "ms": [roofs.gflops, roofs.gbytes]})
    steady: list[float] = []
    for piece, work in ready(tuple(p for p in pieces() if not names or p.name in names)):
        if isinstance(work, str):
            _tell({"piece": piece.name, "why": work})
            continue
        timed = run_laps({piece.name: work}, laps=laps * _times(work), warmup=0)
        steady += timed.cpu_ms[YARDSTICK]
        _tell({"piece": piece.name, "ms": list(timed.cpu_ms[piece.name])})
        _tell({"piece": YARDSTICK, "ms": steady})


def _times(work: Callable[[], object]) -> int:
    """Warm up, and say how many times as many laps a short piece takes, so that its median is as steady."""
    work()
    start = time.perf_counter()
    work()
    return MANY if time.perf_counter() - start < SHORT_S else 1


def _tell(row: object) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
