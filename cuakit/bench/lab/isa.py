"""What instruction sets are worth: the same pieces in processes whose libraries are kept from using the newer ones.

A cap emulates an older processor, it is none: clock, caches and core stay. oneDNN (inside OpenVINO), OpenCV with its IPP,
numpy and OpenBLAS can be capped by environment variables that they read when they are loaded, so each cap has a process of
its own. ONNX Runtime cannot be capped; its pieces are the control, and any difference they show is noise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

import numpy as np

from cuakit.bench.lab.laps import YARDSTICK
from cuakit.bench.lab.pieces import pieces
from cuakit.bench.lab.samples import Estimate, median_interval, ratio_interval, verdict
from cuakit.core.errors import BackendError, CuakitError

LIMIT_S: Final = 600.0
"""Longest time of one process: a cap can make a network ten times slower."""

_OPENCV_AVX512: Final = ("AVX512-SKX", "AVX512-CNL", "AVX512-CLX", "AVX512-ICL")


@dataclass(frozen=True)
class Level:
    """An instruction set that libraries may use at most.

    Args:
        name: As in :data:`cuakit.bench.machine.FLAGS`.
        onednn: Value of ``ONEDNN_MAX_CPU_ISA``.
        opencv: Features kept from OpenCV.
        ipp: Value of ``OPENCV_IPP``, or empty.
        blas: Value of ``OPENBLAS_CORETYPE``, or empty.
        numpy: Prefixes of numpy's feature names that it keeps.
    """

    name: str
    onednn: str
    opencv: tuple[str, ...] = field(repr=False, default=())
    ipp: str = field(repr=False, default="")
    blas: str = field(repr=False, default="")
    numpy: tuple[str, ...] | None = field(repr=False, default=None)


LEVELS: Final = (
    Level("sse4_2", "SSE41", ("AVX", "FP16", "AVX2", "FMA3", *_OPENCV_AVX512), "sse42", "Nehalem", ("SSE", "X86_V2")),
    Level(
        "avx2",
        "AVX2",
        _OPENCV_AVX512,
        "avx2",
        "Haswell",
        ("SSE", "X86_V2", "X86_V3", "AVX2", "FMA3", "F16C"),
    ),
    Level(
        "avx512f",
        "AVX512_CORE",
        _OPENCV_AVX512[1:],
        "",
        "SkylakeX",
        ("SSE", "X86_V", "AVX2", "FMA3", "F16C", "AVX512F"),
    ),
    Level("avx512_vnni", "AVX512_CORE_VNNI"),
    Level("avx512_bf16", "AVX512_CORE_BF16"),
    Level("amx_tile", "AVX512_CORE_AMX"),
)
"""Caps in rising order. From VNNI on, only oneDNN has a name for them."""

ALL: Final = "all"
"""Name of the level without any cap."""


def levels(flags: Sequence[str]) -> tuple[Level, ...]:
    """Caps that take something away from a machine with these flags; none where no cap is known.

    >>> [level.name for level in levels(["sse4_2", "avx2", "avx512f"])]
    ['sse4_2', 'avx2']
    """
    return tuple(level for level in LEVELS if level.name in flags)[:-1]


def environment(level: Level | None, *, numpy_found: Sequence[str] = ()) -> dict[str, str]:
    """Variables of a process under a cap, one thread in every library.

    Args:
        level: The cap; None for none.
        numpy_found: Features that numpy would use.
    """
    one = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM", "VECLIB_MAXIMUM_THREADS"), "1"
    )
    if level is None:
        return one
    capped = {"ONEDNN_MAX_CPU_ISA": level.onednn}
    if level.opencv:
        capped["OPENCV_CPU_DISABLE"] = ",".join(level.opencv)
    if level.ipp:
        capped["OPENCV_IPP"] = level.ipp
    if level.blas:
        capped["OPENBLAS_CORETYPE"] = level.blas
    if level.numpy is not None:
        kept = level.numpy
        capped["NPY_DISABLE_CPU_FEATURES"] = " ".join(f for f in numpy_found if not f.startswith(kept))
    return one | {k: v for k, v in capped.items() if v}


def numpy_features() -> tuple[str, ...]:
    """Features that numpy found and has code of its own for."""
    told: Any = np.show_config(mode="dicts")
    return tuple(told.get("SIMD Extensions", {}).get("found", ()))


@dataclass(frozen=True)
class Told:
    """What one process said.

    Args:
        ms: Piece → processor milliseconds per lap.
        lost: Piece → why it has no times.
    """

    ms: Mapping[str, Sequence[float]]
    lost: Mapping[str, str]


def run_worker(variables: Mapping[str, str], *, laps: int, names: Sequence[str] = ()) -> Told:
    """The pieces in a process of its own, which may die of its cap; what it had measured until then is kept.

    Args:
        variables: Added to this process's environment.
        laps: Laps per piece.
        names: Pieces; all by default.

    Raises:
        BackendError: It did not end in :data:`LIMIT_S`, or ended before it measured anything.
    """
    command = [sys.executable, "-m", "cuakit.bench.lab.worker", str(laps), *names]
    try:
        done = subprocess.run(
            command, env=os.environ | dict(variables), capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise BackendError(f"a measuring process took longer than {LIMIT_S:g} s", hint="fewer laps") from late
    return told(done.stdout, done.returncode, done.stderr, names or [p.name for p in pieces()])


def told(out: str, code: int, err: str, names: Sequence[str]) -> Told:
    """What a worker's lines say, and which pieces its end has cost.

    Raises:
        BackendError: It measured nothing at all.
    """
    rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    ms = {r["piece"]: r["ms"] for r in rows if "ms" in r}
    lost = {r["piece"]: r["why"] for r in rows if "why" in r}
    if not ms:
        raise BackendError(f"a measuring process ended with {code}: {err.strip()[-300:]}")
    rest = [n for n in names if n not in ms and n not in lost]
    ended = f"died of signal {-code}" if code < 0 else f"ended with {code}"
    return Told(ms, lost | {n: f"the process {ended} {'here' if i == 0 else 'before it'}" for i, n in enumerate(rest)})


def ablation(
    flags: Sequence[str],
    *,
    rounds: int = 6,
    laps: int = 3,
    names: Sequence[str] = (),
    progress: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """Every piece under every cap, as ratios to no cap, paired by round; each second round in reverse order.

    Args:
        flags: Of this machine.
        rounds: Processes per cap; six are the least for a 95 % interval.
        laps: Laps per piece and process, whose median counts.
        names: Pieces; all by default.
        progress: Called after each process.

    Returns:
        ``levels``, ``rounds``, ``laps``, ``how``, and ``rows``: a row per piece and level.
    """
    caps: list[Level | None] = [*levels(flags), None]
    if len(caps) == 1:
        return {"levels": [], "rows": [], "how": "no cap is known that would take anything from this machine"}
    found = numpy_features()
    said: dict[str, list[Told]] = {c.name if c else ALL: [] for c in caps}
    for lap in range(rounds):
        for cap in caps if lap % 2 == 0 else caps[::-1]:
            given = environment(cap, numpy_found=found)
            try:
                heard = run_worker(given, laps=laps, names=names)
            except CuakitError as wrong:
                heard = Told({}, dict.fromkeys(names or [p.name for p in pieces()], wrong.message))
            said[cap.name if cap else ALL].append(heard)
            progress()
    return {
        "levels": list(said),
        "rounds": rounds,
        "laps": laps,
        "how": "processor time on one thread, median of the laps of a process; ratio to the process without a cap of the "
        "same round; interval over rounds",
        "rows": [
            row
            for piece in pieces()
            if not names or piece.name in names
            for row in (_row(piece.name, piece.library, level, said) for level in said)
        ],
    }


def _row(name: str, library: str, level: str, said: Mapping[str, Sequence[Told]]) -> dict[str, Any]:
    row: dict[str, Any] = {"name": f"{name} @ {level}", "piece": name, "library": library, "level": level}
    pairs = list(zip(said[level], said[ALL], strict=True))
    times = [median(h.ms[name]) for h, _ in pairs if name in h.ms]
    if not times:
        return row | {"lost": next((h.lost[name] for h, _ in pairs if name in h.lost), "never measured")}
    row |= {"cpu_ms": median_interval(times).row()}
    if len(times) < len(pairs):
        row["lost_rounds"] = len(pairs) - len(times)
    both = [(h, t) for h, t in pairs if name in h.ms and name in t.ms]
    if level == ALL or not both:
        return row
    ratio, noise = _ratio(name, both), _ratio(YARDSTICK, both)
    return row | {"ratio": ratio.row(), "says": verdict(ratio, noise)}


def _ratio(name: str, pairs: Sequence[tuple[Told, Told]]) -> Estimate:
    return ratio_interval(*([median(side[i].ms[name]) for side in pairs] for i in (0, 1)))
