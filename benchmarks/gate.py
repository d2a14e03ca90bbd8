"""A gate on ratios: did anything become slower than the rest of the machine did?

    python benchmarks/gate.py                      run the suite, compare with the baseline of this kind of machine
    python benchmarks/gate.py --save               keep what was measured as that baseline
    python benchmarks/gate.py --against main~5     measure both commits here, in turn, and compare them

A ratio is the processor time of a piece over that of a yardstick run beside it; see ``latency/test_stages.py``. A piece fails
when the whole 95 % interval of its ratio lies more than a tenth above the other side's. A baseline only speaks for its
processor, Python and libraries; for others there is ``--against``, which needs none. Exit code 1 for a regression.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cuakit.bench.lab.isa import environment
from cuakit.bench.lab.samples import median_interval
from cuakit.bench.machine import machine_card, package_set

HERE = Path(__file__).parent
SUITE = HERE / "latency" / "test_stages.py"
TOLERANCE = 0.10
ROUNDS = 6
"""Runs per commit with ``--against``: the least for a 95 % interval."""

LIBRARIES = ("numpy", "onnxruntime", "opencv-python-headless")
Row = Mapping[str, Any]


def measure(package: Path | None = None) -> dict[str, Row]:
    """Run the suite in a process of its own; piece → ratio with its interval."""
    with tempfile.TemporaryDirectory(prefix="cuakit-gate-") as folder:
        out = Path(folder) / "new.json"
        command = [sys.executable, "-m", "pytest", str(SUITE), "-q", "-p", "no:cacheprovider", "-c", os.devnull]
        command += ["--rootdir", folder, "--benchmark-only", f"--benchmark-json={out}"]
        path = os.pathsep.join(p for p in (str(package or ""), os.environ.get("PYTHONPATH", "")) if p)
        done = subprocess.run(
            command,
            env=os.environ | environment(None) | {"PYTHONPATH": path},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"the suite failed:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
        return ratios(json.loads(out.read_text("utf-8")))


def ratios(told: Mapping[str, Any]) -> dict[str, Row]:
    """Piece → ratio, from the JSON of pytest-benchmark."""
    return {b["name"]: b["extra_info"]["ratio"] for b in told["benchmarks"] if "ratio" in b["extra_info"]}


def kind() -> dict[str, str]:
    """What a baseline speaks for."""
    installed = package_set()
    return {
        "cpu": machine_card()["cpu"],
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: installed[name] for name in LIBRARIES if name in installed},
    }


def baseline_path(of: Mapping[str, str]) -> Path:
    """Where the baseline of such machines is."""
    digest = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:8]
    name = "".join(c if c.isalnum() else "-" for c in of["cpu"].lower())
    return HERE / "baseline" / f"{name}-py{of['python']}-{digest}.json"


def judge(before: Mapping[str, Row], after: Mapping[str, Row], tolerance: float = TOLERANCE) -> list[tuple[str, str]]:
    """Piece and what is said of it: ``slower``, ``faster``, ``same``, ``new`` or ``gone``."""
    out = []
    for name in [*before, *(n for n in after if n not in before)]:
        if name not in before or name not in after:
            out.append((name, "gone" if name in before else "new"))
            continue
        old, new = before[name], after[name]
        if new["low"] > old["high"] * (1 + tolerance):
            out.append((name, "slower"))
        elif new["high"] * (1 + tolerance) < old["low"]:
            out.append((name, "faster"))
        else:
            out.append((name, "same"))
    return out


def told(before: Mapping[str, Row], after: Mapping[str, Row]) -> int:
    """Print the table; 1 when a piece became slower or is gone."""
    said = judge(before, after)
    for name, what in said:
        old, new = (
            "–" if r is None else f"{r['value']:.3g} [{r['low']:.3g}, {r['high']:.3g}] n={r['n']}"
            for r in (before.get(name), after.get(name))
        )
        print(f"{what:<7} {name:<45} {old:<30} {new}")
    return int(any(what in ("slower", "gone") for _, what in said))


def against(ref: str) -> int:
    """Measure a commit and the working tree in turn, each second round in reverse order."""
    with tempfile.TemporaryDirectory(prefix="cuakit-gate-") as folder:
        tar = Path(folder) / "tree.tar"
        with tar.open("wb") as file:
            subprocess.run(["git", "-C", str(HERE.parent), "archive", ref, "--", "cuakit"], stdout=file, check=True)  # noqa: S607 - git is found on the path, as everywhere
        with tarfile.open(tar) as archive:
            archive.extractall(folder, filter="data")
        values: dict[Path, dict[str, list[float]]] = {Path(folder): {}, HERE.parent: {}}
        for i in range(ROUNDS):
            for side in list(values)[:: 1 if i % 2 == 0 else -1]:
                for name, row in measure(side).items():
                    values[side].setdefault(name, []).append(row["value"])
    before, after = ({n: median_interval(v).row() for n, v in side.items()} for side in values.values())
    return told(before, after)


def main(words: Sequence[str] | None = None) -> int:
    """As the module says."""
    parser = argparse.ArgumentParser(description="Compare what the stages cost, in ratios.")
    parser.add_argument("--save", action="store_true", help="keep the figures as the baseline of such machines")
    parser.add_argument("--against", metavar="COMMIT", help="compare with a commit, measured here")
    given = parser.parse_args(words)
    if given.against:
        return against(given.against)
    of = kind()
    path = baseline_path(of)
    if given.save:
        found = {"machine": of, "commit": machine_card()["commit"], "ratios": measure(HERE.parent)}
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(path)
        return 0
    if not path.is_file():
        print(f"no baseline for {of}; make one with --save, or use --against COMMIT")
        return 0
    return told(json.loads(path.read_text("utf-8"))["ratios"], measure(HERE.parent))


if __name__ == "__main__":
    sys.exit(main())
