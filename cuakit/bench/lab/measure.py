"""Measuring a profile: the machine's card, and what was measured on it, as one object that can be kept and compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from importlib import metadata
from statistics import median
from typing import Any

from cuakit.bench.lab import isa, stages, sweep
from cuakit.bench.lab.kept import PARTS, SCHEMA
from cuakit.bench.lab.pieces import pieces
from cuakit.bench.lab.roofline import Cost, Roofs
from cuakit.bench.lab.samples import median_interval
from cuakit.bench.lab.worker import ROOFS
from cuakit.bench.machine import machine_card, package_set
from cuakit.core.errors import BackendError, MissingExtra, ModelError, UsageError


def profile(
    *,
    only: Collection[str] = PARTS,
    laps: int = 20,
    rounds: int = 6,
    progress: Callable[[str], object] = lambda _: None,
) -> dict[str, Any]:
    """Measure this machine.

    Args:
        only: Parts of :data:`PARTS`.
        laps: Laps per piece; networks in the sweep take a third of them, but at least six.
        rounds: Processes per cap of the instruction sets; six are the least for a 95 % interval.
        progress: Told the part after each lap or process.

    Returns:
        ``schema``, ``kind``, ``utc``, ``machine``, ``packages``, ``laps``, ``rounds``, and the parts, each with
        ``rows``, and with the reason in ``lost`` where it could not be measured here.

    Raises:
        UsageError: No such part, or a count below one.
    """
    if unknown := sorted(set(only) - set(PARTS)):
        raise UsageError(f"no such part: {', '.join(unknown)}", hint=f"parts: {', '.join(PARTS)}")
    if laps < 2 or rounds < 1:
        raise UsageError(f"need at least 2 laps and 1 round, got {laps} and {rounds}")
    card = machine_card()
    measures: Mapping[str, Callable[[], dict[str, Any]]] = {
        "stages": lambda: _with_noise(
            *stages.offline(stages.screens(), laps=laps, progress=lambda: progress("stages"))
        ),
        "page": lambda: _with_noise(*stages.online(laps=laps, progress=lambda: progress("page"))),
        "sweep": lambda: _with_noise(
            *sweep.sweep(
                sweep.points(sweep.thread_counts()), laps=max(6, laps // 3), progress=lambda: progress("sweep")
            )
        ),
        "isa": lambda: isa.ablation(card["flags"], rounds=rounds, progress=lambda: progress("isa")),
        "roofline": lambda: roofline(rounds=rounds, progress=lambda: progress("roofline")),
    }
    return {
        "schema": SCHEMA,
        "kind": "profile",
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": card,
        "packages": package_set() | _version("openvino"),
        "laps": laps,
        "rounds": rounds,
        **{part: _kept(measures[part]) for part in PARTS if part in only},
    }


def _with_noise(rows: list[dict[str, Any]], noise: Any) -> dict[str, Any]:
    return {"noise": noise.row(), "rows": rows}


def _version(package: str) -> dict[str, str]:
    try:
        return {package: metadata.version(package)}
    except metadata.PackageNotFoundError:
        return {}


def _kept(measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a part measured, or why it could not: minutes of the other parts are not lost with it."""
    try:
        return measure()
    except (BackendError, MissingExtra, ModelError) as wrong:
        return {"rows": [], "lost": wrong.message}


def roofline(*, rounds: int, progress: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """Every piece whose operations can be counted, against the roofs of one thread.

    A roof is the best of all rounds.

    Returns:
        ``roofs`` with their intervals, the ``best`` of each, and ``rows``: ``operations``, ``bytes``, ``how``, ``bound``, ``cpu_ms``, and
        ``fraction``, the shortest time that the roofs allow over the time taken.
    """
    counted = {p.name: p.cost() for p in pieces() if p.cost and _here(p.library)}
    roofs: list[Roofs] = []
    times: dict[str, list[float]] = {name: [] for name in counted}
    for _ in range(rounds):
        heard = isa.run_worker(isa.environment(None), laps=3, names=(ROOFS, *counted))
        if ROOFS not in heard.ms:
            raise BackendError("the measuring process told no roofs")
        roofs.append(Roofs(*heard.ms[ROOFS]))
        for name in counted:
            if name in heard.ms:
                times[name].append(median(heard.ms[name]))
        progress()
    best = Roofs(max(r.gflops for r in roofs), max(r.gbytes for r in roofs))
    return {
        "roofs": {
            "gflops_f32": median_interval([r.gflops for r in roofs]).row(
                "10⁹ operations/s, one thread, matrix product"
            ),
            "memory_gbytes": median_interval([r.gbytes for r in roofs]).row("10⁹ bytes/s, one thread, copy"),
        },
        "best": {"gflops_f32": best.gflops, "memory_gbytes": best.gbytes},
        "rows": [_roof_row(n, c, best, times[n]) for n, c in counted.items() if times[n]],
    }


def _here(library: str) -> bool:
    """Whether a piece of this library can run here; what cannot is left out of the table, not counted as slow."""
    from importlib.util import find_spec  # noqa: PLC0415 - a look at what is installed, only when asked

    module = {"OpenVINO": "openvino", "ONNX Runtime": "onnxruntime", "OpenCV": "cv2"}.get(library)
    return module is None or find_spec(module) is not None


def _roof_row(name: str, cost: Cost, roofs: Roofs, times: list[float]) -> dict[str, Any]:
    return {
        "name": name,
        "operations": cost.operations,
        "bytes": cost.bytes,
        "intensity": round(cost.operations / cost.bytes, 2),
        "bound": roofs.bound(cost),
        "how": cost.how,
        "cpu_ms": median_interval(times).row(),
        "fraction": median_interval([roofs.least_ms(cost) / ms for ms in times]).row(),
    }
