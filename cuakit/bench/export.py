"""A run in other people's formats: Parquet for tables, Markdown and LaTeX for papers, one JSON object for the leaderboard.

All of it is derived from the ledger and can be made again; every file names the run, the commit and the machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cuakit.bench.lab.samples import median_interval
from cuakit.bench.latex import latex_table
from cuakit.bench.paired import cluster_bootstrap
from cuakit.bench.results import COLUMNS, Run, cells, table_markdown
from cuakit.bench.stats import SUCCESS, success_rate
from cuakit.core.errors import MissingExtra, RecordError, UsageError
from cuakit.core.trajectory import Trial
from cuakit.record.writer import LEDGER

if TYPE_CHECKING:
    import pandas as pd

SCHEMA: Final = 1
"""Version of the layout of :func:`result`."""

FORMATS: Final = ("parquet", "markdown", "latex", "json")
"""What a run can be written as."""

TABLES: Final = ("trials", "steps", "spans")
"""Tables of a run: a row per trial, per step, and per stage of a step."""


def export(run: Run, folder: str | Path | None = None, *, formats: Collection[str] = FORMATS) -> tuple[Path, ...]:
    """Write a run in some formats.

    Args:
        run: The run.
        folder: Where; ``export`` in the run's folder by default. Files of an earlier export are replaced.
        formats: Of :data:`FORMATS`.

    Returns:
        What was written: ``trials.parquet``, ``steps.parquet``, ``spans.parquet``, ``table.md``, ``table.tex``, ``result.json``.

    Raises:
        UsageError: No such format.
        MissingExtra: Parquet without pandas or pyarrow.
        RecordError: There is no such run, or the files cannot be written.
    """
    if unknown := sorted(set(formats) - set(FORMATS)):
        raise UsageError(f"no such format: {', '.join(unknown)}", hint=f"formats: {', '.join(FORMATS)}")
    if "parquet" in formats and not (find_spec("pandas") and find_spec("pyarrow")):
        raise MissingExtra("Parquet needs pandas and pyarrow", hint="pip install 'cuakit[parquet]'")
    found, where = result(run), Path(folder) if folder else run.folder / "export"
    try:
        where.mkdir(parents=True, exist_ok=True)
        return tuple(path for name in FORMATS if name in formats for path in _WRITERS[name](run, where, found))
    except OSError as wrong:
        raise RecordError(f"{where} cannot be written: {wrong}", hint="name another folder with --out") from wrong


def result(run: Run) -> dict[str, Any]:
    """A run as one plain object: what was run, where, and a row per agent with n and intervals.

    Success has a 95 % Wilson interval over trials, and one over tasks, because seeds of one task resemble each other.

    Raises:
        RecordError: The ledger is missing or damaged, or holds no run.
    """
    if not run.headers:
        raise RecordError(f"{run.folder} holds no run", hint="cuakit bench run SUITE --out FOLDER")
    header = run.headers[-1]
    agents = sorted({t.agent for t in run.trials})
    return {
        "schema": SCHEMA,
        "kind": "result",
        "suite": header["suite"],
        "started": header["started"],
        "command": header["command"],
        "commit": header["machine"].get("commit", ""),
        "machine": header["machine"],
        "packages": header["packages"],
        "planned": header["planned"],
        "trials": len(run.trials),
        "ledger_sha256": hashlib.sha256((run.folder / LEDGER).read_bytes()).hexdigest(),
        "rows": [_row(agent, [t for t in run.trials if t.agent == agent]) for agent in agents],
    }


def _row(agent: str, trials: list[Trial]) -> dict[str, Any]:
    valid = [t for t in trials if t.score is not None]
    scores = [float(t.score or 0.0) for t in valid]
    rate = success_rate(scores)
    steps = [float(ms) for t in trials for ms in t.extra.get("step_ms", ())]
    row: dict[str, Any] = {"agent": agent, "n": len(valid), "tasks": len({t.task for t in valid})}
    row |= {"invalid": len(trials) - len(valid), "success": rate.rate, "wilson_95": [rate.low, rate.high]}
    if valid:
        over = cluster_bootstrap([float(s >= SUCCESS) for s in scores], [t.task for t in valid])
        row |= {"tasks_95": [max(0.0, over.low), min(1.0, over.high)], "mean_score": sum(scores) / len(scores)}
    return row | {"step_ms": median_interval(steps).row() if steps else None}


def parquet(frame: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> Path:
    """A table as Parquet. What was run and where travels in the file's metadata, under ``cuakit``.

    Cells that Parquet has no type for, such as a mapping or a mix of kinds, are kept as JSON text.

    Args:
        frame: The table.
        path: The file.
        about: Goes into the metadata.

    Returns:
        The file.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - large, and needed only here
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ModuleNotFoundError as lost:
        raise MissingExtra("Parquet needs pyarrow", hint="pip install 'cuakit[parquet]'") from lost

    def column(values: list[Any]) -> Any:
        if not any(isinstance(v, Mapping) for v in values):
            try:
                return pa.array(values)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                pass
        return pa.array([None if v is None else json.dumps(v, default=str) for v in values], pa.string())

    columns = {str(name): column([_plain(v) for v in frame[name].tolist()]) for name in frame.columns}
    table = pa.table(columns).replace_schema_metadata({b"cuakit": json.dumps(about).encode()})
    pq.write_table(table, path)
    return path


def _plain(value: Any) -> Any:
    """None where pandas put a NaN for what is missing; a run has no other NaN."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 - only NaN differs from itself


def _write_parquet(run: Run, where: Path, found: Mapping[str, Any]) -> tuple[Path, ...]:
    about = {k: v for k, v in found.items() if k != "rows"}
    frames: Mapping[str, Callable[[], pd.DataFrame]] = {
        "trials": run.trials_frame,
        "steps": run.steps_frame,
        "spans": run.spans_frame,
    }
    return tuple(parquet(frames[name](), where / f"{name}.parquet", about) for name in TABLES)


def _write_markdown(run: Run, where: Path, found: Mapping[str, Any]) -> tuple[Path, ...]:
    return (_text(where / "table.md", f"{table_markdown(run.lines)}\n{caption(found)}\n"),)


def _write_latex(run: Run, where: Path, found: Mapping[str, Any]) -> tuple[Path, ...]:
    return (
        _text(where / "table.tex", latex_table(COLUMNS, list(map(cells, run.lines)), caption=caption(found), left=2)),
    )


def _write_json(_: Run, where: Path, found: Mapping[str, Any]) -> tuple[Path, ...]:
    return (_text(where / "result.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n"),)


_WRITERS: Final[Mapping[str, Callable[[Run, Path, Mapping[str, Any]], tuple[Path, ...]]]] = {
    "parquet": _write_parquet,
    "markdown": _write_markdown,
    "latex": _write_latex,
    "json": _write_json,
}


def caption(found: Mapping[str, Any]) -> str:
    """What a table shows and where it is from, as sentences."""
    suite, machine = found["suite"], found["machine"]
    return (
        f"Suite {suite['id']} version {suite['version']}, {found['trials']} of {found['planned']} trials, {found['started']}. "
        f"95 % Wilson intervals. {machine['cpu']}, {machine['cores']['usable']} cores, commit {found['commit'] or 'none'}: "
        f"{found['command']}"
    )


def _text(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
