"""``cuakit tune``: measure once what is fastest here, and keep it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cuakit.cli.options import AsJson, Flag


def tune(*, image: tuple[Path, ...] = (), rounds: int = 6, dry_run: Flag = False, as_json: AsJson = False) -> None:
    """Find the fastest runtime, threads and workers for reading screens on this machine, and write them down.

    ``cuakit parse --tuned`` uses them. Settings that read another text than the defaults are not chosen, nor are those whose
    gain may be noise. Leave the machine alone meanwhile.

    Args:
        image: Pictures to measure on; a draw.io screen that comes with the package by default.
        rounds: Times that each picture is read with each setting, at least 6.
        dry_run: Show, and write nothing.
        as_json: One JSON object on the last line.
    """
    from cuakit import data
    from cuakit.bench import tune as bench
    from cuakit.capture.image import load_image
    from cuakit.core.errors import UsageError
    from cuakit.perceive import tuned

    if rounds < bench.ROUNDS:
        raise UsageError(
            f"rounds must be at least {bench.ROUNDS}, got {rounds}", hint="fewer do not tell gain from noise"
        )
    shots = [load_image(path) for path in image] or [data.drawio()]
    best, tried = bench.tune(
        shots, rounds=rounds, progress=lambda word: print(word, end=" ", file=sys.stderr, flush=True)
    )
    print(file=sys.stderr)
    told: dict[str, Any] = {
        "chosen": best.row(),
        "tried": [s.row() for s in tried],
        "pictures": len(shots),
        "rounds": rounds,
    }
    if not dry_run:
        told["file"] = str(tuned.write({"text": dict(best.options)}, told))
    if as_json:
        print(json.dumps(told))
        return
    for setting in tried:
        print("→" if setting is best else " ", _line(setting.row()))
    print(f"written to {told['file']}" if "file" in told else "nothing was written")


def _line(row: dict[str, Any]) -> str:
    how = f"{row['runtime']:<12} {row['threads']} threads {row['workers']} workers"
    if row["why_not"]:
        return f"{how}  {row['why_not']}"
    low, high = row["gain_95"]
    return f"{how}  {row['ms']:6.0f} ms  {row['gain']:.2f}× [{low:.2f}, {high:.2f}]  reads {row['agrees']:.0%} alike"
