"""Two profiles side by side: which pieces are faster where, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from cuakit.bench.lab.samples import LEAST, SPREAD, Estimate, rows_by_name
from cuakit.core.errors import UsageError

_TIMED: Final = {"stages": "wall_ms", "page": "wall_ms", "sweep": "wall_ms", "isa": "cpu_ms", "roofline": "cpu_ms"}
_CARD: Final = ("cpu", "arch", "flags", "cores", "affinity", "smt", "governor", "memory_gb", "os", "python", "commit")


def compare_profiles(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Times of B over times of A, piece by piece.

    The laps of two runs are no pairs, so the interval of a ratio reaches from the least of B over the most of A to the most of
    B over the least of A: wider than 95 %, never narrower. Two sessions on one machine differ by some percent by themselves, so
    ``slower`` and ``faster`` are only said of a whole interval beyond a tenth.

    Args:
        a: A profile, as :func:`cuakit.bench.lab.profile` makes it.
        b: Another one.

    Returns:
        ``machine`` and ``packages`` (what differs, as pairs), ``warnings``, and ``rows``: ``part``, ``name``, ``a_ms``, ``b_ms``,
        ``ratio`` and ``says``.

    Raises:
        UsageError: They have no piece in common.
    """
    rows = [row for part, column in _TIMED.items() for row in _rows(part, column, a, b)]
    if not rows:
        raise UsageError("the profiles have no piece in common", hint="measure the same parts on both")
    noisy = [
        f"{side} was too noisy in {part}"
        for side, one in (("A", a), ("B", b))
        for part in _TIMED
        if one.get(part, {}).get("noise", {}).get("too_noisy")
    ]
    return {
        "machine": _differing(a["machine"], b["machine"], _CARD),
        "packages": _differing(a.get("packages", {}), b.get("packages", {})),
        "warnings": noisy,
        "rows": rows,
    }


def _rows(part: str, column: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    ours, theirs = (rows_by_name(one.get(part, {}).get("rows", ())) for one in (a, b))
    noisy = any(one.get(part, {}).get("noise", {}).get("too_noisy") for one in (a, b))
    for name in ours:
        if name not in theirs or column not in ours[name] or column not in theirs[name]:
            continue
        one, two = ours[name][column], theirs[name][column]
        if not min(one["low"], two["low"]) > 0:
            continue
        ratio = Estimate(
            two["value"] / one["value"],
            two["low"] / one["high"],
            two["high"] / one["low"],
            min(one["n"], two["n"]),
            min(one["coverage"], two["coverage"]),
        )
        yield {
            "part": part,
            "name": name,
            "a_ms": one["value"],
            "b_ms": two["value"],
            "ratio": ratio.row(),
            "says": "too noisy" if noisy else _says(ratio),
        }


def _says(ratio: Estimate) -> str:
    if ratio.n < LEAST:
        return "too few"
    if ratio.low > 1 + SPREAD:
        return "slower"
    return "faster" if ratio.high * (1 + SPREAD) < 1 else "no difference seen"


def _differing(a: Mapping[str, Any], b: Mapping[str, Any], keys: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    return {k: [a.get(k), b.get(k)] for k in keys or sorted({*a, *b}) if a.get(k) != b.get(k)}
