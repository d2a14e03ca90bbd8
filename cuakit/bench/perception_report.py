"""``cuakit bench perception``: accuracy on real screens, times, peers, in one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tqdm import tqdm

from cuakit.backends.cdp import Browser
from cuakit.backends.npm import cache_dir
from cuakit.bench import perception
from cuakit.bench.handles import summary as handle_summary, sweep
from cuakit.bench.machine import machine_card
from cuakit.bench.parse_speed import in_a_process
from cuakit.bench.peers import THREADS, peers as known_peers
from cuakit.bench.plain_table import plain_table
from cuakit.data.annotations import Screen, Split, by_app, load_screens

LATER = ("cold_ms", "cold_speedup", "warm_ratio", "same_frame_ms", "uhd_ratio", "peak_mb", "handles_accuracy")
"""Figures that are None where they were not asked for, or, as ``cold_speedup`` without the extension, cannot be had."""


def measure(
    *,
    data: Path | None = None,
    split: Split = "test",
    applications: Sequence[str] = (),
    limit: int | None = None,
    peers: bool = True,
    speed: bool = True,
    handles: bool = True,
    progress: bool = True,
) -> dict[str, Any]:
    """Judge the default pipeline and its peers.

    Args:
        data: Folder of screens; the one that ``datasets/screens/build.py`` fills by default.
        split: Which part.
        applications: Globs on application names; all by default.
        limit: Most screens, taken from each application in turn.
        peers: Whether other parsers are judged too.
        speed: Whether times and memory are measured as well.
        handles: Whether selection handles are judged on draw.io as well; that takes a browser and minutes.
        progress: Whether a bar is shown.

    Returns:
        Plain data; the figures of the default pipeline stand at the top level.

    Raises:
        UsageError: There are no such screens.
    """
    screens = _chosen(load_screens(data or cache_dir() / "screens", split=split), applications, limit)
    others, missing = known_peers() if peers else ({}, {})
    if "omniparser" in others:
        others["cuakit_with_omniparser"] = perception.pixels_parser(icons={"threads": THREADS})
    parsers = {"cuakit": perception.pixels_parser(), **others}
    with tqdm(total=len(screens), unit="screen", disable=not progress or None) as bar:
        judged = perception.run(screens, parsers, progress=lambda _: bar.update())
    ours = judged["cuakit"]
    report: dict[str, Any] = {
        **perception.figures(ours).summary(),
        "split": split,
        "screens": len(screens),
        "applications": sorted({s.app for s in screens}),
        "by_role": perception.by(ours, lambda e: e.role),
        "by_scale": perception.by(ours, lambda e: e.scale),
        "by_size": perception.by(ours, lambda e: "text" if e.role == "text" else "small" if e.small else "large"),
        "by_theme": perception.by(ours, lambda e: e.theme),
        "by_application": perception.by(ours, lambda e: e.app),
        "peers": {n: perception.figures(j).summary() for n, j in judged.items() if n != "cuakit"}
        | {n: {"not_run": why} for n, why in missing.items()},
        "machine": machine_card(),
    }
    report["amx"] = "amx_tile" in report["machine"]["flags"]
    report |= dict.fromkeys(LATER) | (in_a_process(screens) if speed else {})
    if handles:
        with Browser.launch() as browser:
            found = handle_summary(list(sweep(browser, scenes=1)))
        report |= {"handles_accuracy": found["accuracy"], "handles": found}
    return report


def _chosen(screens: Sequence[Screen], applications: Sequence[str], limit: int | None) -> tuple[Screen, ...]:
    kept = [s for s in screens if not applications or any(fnmatch(s.app, a) for a in applications)]
    if limit is None or limit >= len(kept):
        return tuple(kept)
    turns = [(i, s) for _, group in by_app(kept) for i, s in enumerate(group)]
    chosen = {s.image for _, s in sorted(turns, key=lambda t: (t[0], t[1].app))[:limit]}
    return tuple(s for s in kept if s.image in chosen)


def table(report: Mapping[str, Any]) -> str:
    """The figures as text, a parser a row."""
    columns = (
        "recall",
        "precision",
        "centre_recall",
        "small_recall",
        "text_recall",
        "cer",
        "role_accuracy",
        "name_accuracy",
    )
    rows = [
        ("parser", *columns),
        *((n, *_cells(f, columns)) for n, f in (("cuakit", report), *report["peers"].items())),
    ]
    head = f"{report['screens']} screens of {len(report['applications'])} applications ({report['split']}), {report['n']} elements"
    return "\n".join([head, *plain_table(rows)])


def _cells(figures: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    if "not_run" in figures:
        return [str(figures["not_run"]).partition(":")[0], *[""] * (len(columns) - 1)]
    return [_cell(figures, c) for c in columns]


def _cell(figures: Mapping[str, Any], column: str) -> str:
    value, interval = figures.get(column), figures.get(f"{column}_95")
    if value is None:
        return "–"
    return f"{value:.3f}" if interval is None else f"{value:.3f} [{interval[0]:.2f}, {interval[1]:.2f}]"
