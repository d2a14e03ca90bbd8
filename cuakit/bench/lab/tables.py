"""A profile, or a comparison of two, as text: every figure with its interval and n."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
    for part, title in (("stages", "stage, wall ms"), ("page", "page, wall ms")):
        if part in found:
            yield from _noted(found[part], title)
            yield from plain_table(
                [(r["name"], estimate(r["wall_ms"])) for r in found[part]["rows"]] or [(found[part]["lost"],)]
            )
    if "sweep" in found:
        yield from _noted(found["sweep"], "sweep: wall ms, and over onnxruntime f32 on 1 thread")
        rows = found["sweep"]["rows"]
        yield from plain_table(
            [(r["name"], r.get("lost") or estimate(r["wall_ms"]), estimate(r.get("ratio"))) for r in rows]
        )
    if "isa" in found:
        yield from _isa(found["isa"])
    if "roofline" in found:
        yield from _roofline(found["roofline"])


def _noted(part: Mapping[str, Any], title: str) -> Iterator[str]:
    yield ""
    yield title + (f" - {part['noise']['says']}" if "noise" in part else "")


def _isa(part: Mapping[str, Any]) -> Iterator[str]:
    yield from _noted(part, "instruction sets: processor time over that without a cap")
    yield part["how"]
    if part["rows"]:
        head = ("piece", "library", "at most", "ms", "ratio", "")
        yield from plain_table([head, *map(_isa_row, part["rows"])])


def _isa_row(r: Mapping[str, Any]) -> tuple[str, ...]:
    if "lost" in r:
        return r["piece"], r["library"], r["level"], "–", "–", r["lost"]
    return r["piece"], r["library"], r["level"], estimate(r["cpu_ms"]), estimate(r.get("ratio")), r.get("says", "")


def _roofline(part: Mapping[str, Any]) -> Iterator[str]:
    yield from _noted(part, "roofline, one thread")
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
