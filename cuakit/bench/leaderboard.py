"""The leaderboard: a table per suite, made from result files and nothing else.

A result file is what ``cuakit bench export --format json`` writes. Each row names commit, machine and command, so that a
stranger can run it again; rows are only ranked within one version of a suite.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cuakit.bench.export import SCHEMA
from cuakit.core.errors import RecordError

HEAD: Final = "agent|success|95 % over tasks|n|tasks|not scored|step, ms|commit|machine|date|run".split("|")
_NEEDED: Final = ("suite", "rows", "machine", "commit", "command", "started")

INTRO: Final = """# Leaderboard

Generated from the result files in this folder by `cuakit bench leaderboard results`; edit none of it by hand. Success is the
share of trials that the application itself judged as fully solved. Its interval is a bootstrap over tasks, because seeds of
one task resemble each other. Trials that could not be scored count nowhere else. `+` behind a commit means that files
differed from it. Agents whose intervals overlap may be equally good: ask `cuakit bench compare`. Times of steps hold whatever
else the machine did meanwhile; speed is compared with `cuakit profile`.
"""


def read_results(folder: str | Path) -> tuple[dict[str, Any], ...]:
    """Every result file under a folder, by path.

    Other JSON files are passed over, so a folder of runs may be given.

    Raises:
        RecordError: The folder is missing, or a result file is damaged or newer than this version.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordError(
            f"there is no folder {folder}", hint="cuakit bench export RUN --format json --out results/NAME"
        )
    return tuple(found for path in sorted(folder.rglob("*.json")) if (found := _read(path, folder)) is not None)


def _read(path: Path, folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as wrong:
        raise RecordError(f"{path} cannot be read: {wrong}", hint="export the run again, or remove the file") from wrong
    if not isinstance(found, dict) or found.get("kind") != "result":
        return None
    if found.get("schema", 0) > SCHEMA:
        raise RecordError(f"{path} was written by a newer version", code="ledger_too_new", hint="pip install -U cuakit")
    if missing := [k for k in _NEEDED if k not in found]:
        raise RecordError(f"{path} lacks {', '.join(missing)}", hint="export the run again")
    return found | {"file": path.relative_to(folder).as_posix()}


def leaderboard(results: Iterable[Mapping[str, Any]]) -> str:
    """The leaderboard as Markdown: suites by name, agents by success, then by name.

    Args:
        results: As :func:`read_results` gives them.
    """
    suites: dict[tuple[str, int, str], list[Mapping[str, Any]]] = {}
    for found in results:
        suite = found["suite"]
        suites.setdefault((suite["id"], suite["version"], suite["digest"]), []).append(found)
    return "\n".join([INTRO, *(line for key in sorted(suites) for line in _suite(key, suites[key]))])


def _suite(key: tuple[str, int, str], results: list[Mapping[str, Any]]) -> Iterator[str]:
    id, version, digest = key
    yield f"## {id} version {version}\n\nDigest of the tasks: `{digest[:12]}`.\n"
    yield _cells(HEAD)
    yield _cells(["---", *("---:",) * 6, *("---",) * 4])
    rows = [(row, i, found) for i, found in enumerate(results, 1) for row in found["rows"]]
    for row, i, found in sorted(rows, key=lambda r: (-(r[0]["success"] or 0.0), r[0]["agent"], r[1])):
        yield _cells(_row(row, i, found))
    yield ""
    for i, found in enumerate(results, 1):
        yield f"Run {i}: `{found['command']}` ({found['trials']} of {found['planned']} trials, [{found['file']}]({found['file']}))  "
    yield ""


def _row(row: Mapping[str, Any], run: int, found: Mapping[str, Any]) -> list[str]:
    machine, step = found["machine"], row.get("step_ms")
    low, high = row.get("tasks_95", (0.0, 1.0))
    return [
        f"`{row['agent']}`",
        "–" if row["success"] is None else f"{100 * row['success']:.1f} %",
        f"{100 * low:.1f} – {100 * high:.1f} %",
        str(row["n"]),
        str(row["tasks"]),
        str(row["invalid"]),
        "–" if step is None else f"{step['value']:.0f} [{step['low']:.0f}, {step['high']:.0f}]",
        found["commit"] or "–",
        f"{machine['cpu']}, {machine['cores']['usable']} cores",
        found["started"][:10],
        str(run),
    ]


def _cells(values: Iterable[str]) -> str:
    return "| " + " | ".join(v.replace("|", "\\|") for v in values) + " |"
