"""How long our detector's network takes beside another on the same runtime, threads and input: ratios of paired laps.

    python benchmarks/forward_pass.py OTHER.onnx [--rounds N] [--threads N]

The other network is OmniParser's in our figures (AGPL-3.0; ``docs/howto/install-the-omniparser-extension.md`` says how it
comes here). Both see 1280 × 736 network pixels. The order turns from lap to lap.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from cuakit.bench.lab.samples import median_interval
from cuakit.models.catalogue import model
from cuakit.models.session import Session, onnx_session, openvino_session
from cuakit.models.store import read

INPUT = (1, 3, 736, 1280)
RUNTIMES = {"onnxruntime": onnx_session, "openvino": openvino_session}


def lap(session: Session, x: np.ndarray) -> float:
    """Seconds of one pass."""
    start = time.perf_counter()
    session(x)
    return time.perf_counter() - start


def main() -> int:
    """Measure, and end with one JSON object."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("other", type=Path)
    options.add_argument("--rounds", type=int, default=12)
    options.add_argument("--threads", type=int, default=2)
    given = options.parse_args()
    mine, other = read(model("detector-v1")), given.other.read_bytes()
    x = np.random.default_rng(0).uniform(0, 255, INPUT).astype(np.float32)
    told = {}
    for name, load in RUNTIMES.items():
        pair = [load(weights, threads=given.threads) for weights in (mine, other)]
        for session in pair:
            lap(session, x)
        times = []
        for i in range(given.rounds):
            order = (0, 1) if i % 2 else (1, 0)
            done = {k: lap(pair[k], x / 255 if k else x) for k in order}
            times.append((done[0], done[1]))
        ratio = median_interval([b / a for a, b in times])
        told[name] = {
            "runtime": pair[0].runtime,
            "precision": pair[0].precision,
            "ms": round(1e3 * float(np.median([a for a, _ in times])), 1),
            "other_ms": round(1e3 * float(np.median([b for _, b in times])), 1),
            "times_faster": [round(v, 2) for v in (ratio.value, ratio.low, ratio.high)],
            "n": given.rounds,
        }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
