"""A profile, or a comparison of two, as text: every figure with its interval and n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from cuakit.bench.plain_table import plain_table


def estimate(row: Mapping[str, Any] | None, digits: int = 3) -> str:
    """A figure with its interval and n.

    >>> estimate({"value": 1.5, "low": 1.25, "high": 2.0, "n": 8, "coverage": 0.99})
    '1.5 [1.25, 2] n=8'
    >>> estimate({"value": 1.5, "low": 1.25, "high": 2.0, "n": 3, "coverage": 0.75})
    '1.5 [1.25, 2] n=3 (75 %)'
    """
    if row is None:
        return "–"
    weak = f" ({100 * row['coverage']:.0f} %)" if row["coverage"] < 0.95 else ""
    return f"{_number(row['value'], digits)} [{_number(row['low'], digits)}, {_number(row['high'], digits)}] n={row['n']}{weak}"


def profile_text(profile: Mapping[str, Any]) -> str:
    """The card and every part that was measured."""
    return "\n".join(_profile(profile))


def _profile(found: Mapping[str, Any]) -> Iterator[str]:
    card = found["machine"]
    cores = card["cores"]
    yield f"{card['cpu']}, {cores['usable']} of {cores['logical']} cores usable, {card['memory_gb']} GB, {card['os']}"
    yield f"SMT {'on' if card['smt'] else 'off'}, governor {card['governor']}, {' '.join(card['flags'])}"
    yield f"{found['utc']}, commit {card['commit'] or 'none'}; medians with 95 % intervals"
    for part, (title, show) in _PARTS.items():
        if part in found:
            noise = found[part].get("noise")
            yield ""
            yield title + (f" - {noise['says']}" if noise else "")
            yield from [found[part]["lost"]] if "lost" in found[part] else show(found[part])


def _spans(part: Mapping[str, Any]) -> Iterator[str]:
    yield from plain_table([(r["name"], estimate(r["wall_ms"])) for r in part["rows"]])


def _sweep(part: Mapping[str, Any]) -> Iterator[str]:
    head = ("", "wall ms", "wall ratio", "processor ratio")
    yield from plain_table([head, *((r["name"], *_times(r)) for r in part["rows"])])


def _times(row: Mapping[str, Any]) -> tuple[str, ...]:
    if "lost" in row:
        return row["lost"], "", ""
    return estimate(row["wall_ms"]), estimate(row.get("ratio")), estimate(row.get("cpu_ratio"))


def _isa(part: Mapping[str, Any]) -> Iterator[str]:
    yield part["how"]
    if part["rows"]:
        head = ("piece", "library", "at most", "ms", "ratio", "")
        yield from plain_table([head, *map(_isa_row, part["rows"])])


def _isa_row(r: Mapping[str, Any]) -> tuple[str, ...]:
    if "lost" in r:
        return r["piece"], r["library"], r["level"], "–", "–", r["lost"]
    return r["piece"], r["library"], r["level"], estimate(r["cpu_ms"]), estimate(r.get("ratio")), r.get("says", "")


def _roofline(part: Mapping[str, Any]) -> Iterator[str]:
    for name, row in part["roofs"].items():
        yield f"{name}: {estimate(row)} {row['unit']}"
    head = ("piece", "10⁹ operations", "10⁶ bytes", "bound", "ms", "of the roof", "counted")
    yield from plain_table(
        [
            head,
            *(
                (
                    r["name"],
                    _number(r["operations"] / 1e9, 3),
                    _number(r["bytes"] / 1e6, 3),
                    r["bound"],
                    estimate(r["cpu_ms"]),
                    estimate(r["fraction"]),
                    r["how"],
                )
                for r in part["rows"]
            ),
        ]
    )


_PARTS: Final[Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Iterator[str]]]]] = {
    "stages": ("stage, wall ms", _spans),
    "page": ("page, wall ms", _spans),
    "sweep": ("sweep: time, and over onnxruntime f32 on 1 thread", _sweep),
    "isa": ("instruction sets: processor time over that without a cap", _isa),
    "roofline": ("roofline, one thread", _roofline),
}


def comparison_text(found: Mapping[str, Any]) -> str:
    """A comparison of two profiles."""
    lines = [f"{k}: {a} | {b}" for k, (a, b) in {**found["machine"], **found["packages"]}.items()]
    lines += [f"warning: {w}" for w in found["warnings"]]
    rows = [("part", "name", "A ms", "B ms", "B over A", "B is")]
    rows += [
        (r["part"], r["name"], _number(r["a_ms"], 4), _number(r["b_ms"], 4), estimate(r["ratio"]), r["says"])
        for r in found["rows"]
    ]
    return "\n".join([*lines, *plain_table(rows)])


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if value < 10**digits else f"{value:.0f}"
