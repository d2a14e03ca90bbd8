"""A run as one HTML file that needs nothing from outside: table, failures first with their pictures, times, machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from cuakit.bench.compare import compare_all, comparisons_html
from cuakit.bench.filmstrip import headline, strip
from cuakit.bench.results import Run, table_html, table_markdown
from cuakit.bench.stats import SUCCESS, median
from cuakit.core import codec
from cuakit.core.errors import RecordError
from cuakit.core.trajectory import Step, Trial
from cuakit.record import replay

_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
:root{{color-scheme:light dark}}
body{{font:15px/1.45 system-ui,sans-serif;margin:24px auto;max-width:1180px;padding:0 16px}}
table{{border-collapse:collapse;margin:8px 0}}td,th{{padding:3px 12px 3px 0;text-align:left;border-bottom:1px solid #8884}}
td{{font-variant-numeric:tabular-nums}}details{{margin:6px 0;padding:4px 8px;border-left:3px solid #8886}}
details.bad{{border-color:#cf222e}}details.odd{{border-color:#bf8700}}details.good{{border-color:#1a7f37}}
summary{{cursor:pointer}}pre{{white-space:pre-wrap;font-size:12px}}
</style></head><body>
<h1>{title}</h1><p>{lead}</p>
<h2>How often it worked</h2>{table}<p>{note}</p>
<h2>Which differences there is evidence for</h2>{differences}
<h2>Trials, failures first</h2>{strips}
<h2>Time per stage</h2>{times}
<h2>Machine and command</h2>{machine}
</body></html>
"""

NOTE: Final = (
    "A success is a score of 1. Intervals are 95 % Wilson intervals. Trials that could not be scored "
    "(a crash, a deadline, a broken environment) are counted apart and are never zeros."
)
"""What the figures of a report mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much of a run its report shows.

    Args:
        bad: Failures and unscored trials with pictures, per agent.
        good: Successes with pictures, per agent.
        pictures: Pictures in the whole report at most.
    """

    bad: int = 12
    good: int = 3
    pictures: int = 500


def write_report(run: Run, path: Path | None = None, *, caps: Caps | None = None) -> Path:
    """Write ``report.html`` and, beside it, ``report.md`` with the table.

    Args:
        run: The run.
        path: The HTML file; in the run's folder by default.
        caps: How much is shown.

    Returns:
        The path of the HTML file.

    Raises:
        RecordError: The ledger cannot be read, or the report cannot be written.
    """
    place = path or run.folder / "report.html"
    page = html(run, caps=caps or Caps())
    try:
        for file, text in ((place, page), (place.with_suffix(".md"), markdown(run))):
            part = file.with_name(file.name + ".part")
            part.write_text(text, "utf-8")
            part.replace(file)
    except OSError as wrong:
        raise RecordError(
            f"the report {place} cannot be written: {wrong.strerror}", hint="choose another --out"
        ) from wrong
    return place


def markdown(run: Run) -> str:
    """Title, table and what the figures mean, as Markdown."""
    return f"# {_title(run)}\n\n{_lead(run)}\n\n{table_markdown(run.lines)}\n{NOTE}\n"


def html(run: Run, *, caps: Caps | None = None) -> str:
    """The whole report as one page."""
    return _PAGE.format(
        title=escape(_title(run)),
        lead=escape(_lead(run)),
        table=table_html(run.lines),
        note=NOTE,
        differences=comparisons_html(compare_all(run)),
        strips=_strips(run, caps or Caps()),
        times=_times(run),
        machine=_machine(run),
    )


def _title(run: Run) -> str:
    header = run.headers[-1] if run.headers else {"suite": {"id": run.folder.name, "version": "?"}}
    return f"{header['suite']['id']} v{header['suite']['version']}"


def _lead(run: Run) -> str:
    planned = max((h["planned"] for h in run.headers), default=0)
    invalid = sum(not t.valid for t in run.trials)
    missing = f", {planned - len(run)} still to run" if planned > len(run) else ""
    return (
        f"{len(run)} trials{missing}, {invalid} not scored. Started {run.headers[0]['started']}." if run.headers else ""
    )


def _rank(trial: Trial) -> tuple[int, str, int]:
    return (2 if _good(trial) else 0 if trial.valid else 1), trial.task, trial.seed


def _good(trial: Trial) -> bool:
    return trial.score is not None and trial.score >= SUCCESS


def chosen(trials: Sequence[Trial], caps: Caps) -> list[Trial]:
    """Trials that get pictures: per agent failures first, then unscored ones, then successes, spread over tasks."""
    picked: list[Trial] = []
    for agent in sorted({t.agent for t in trials}):
        theirs = sorted((t for t in trials if t.agent == agent), key=_rank)
        picked += _spread([t for t in theirs if not _good(t)], caps.bad)
        picked += _spread([t for t in theirs if _good(t)], caps.good)
    return picked


def _spread(trials: Sequence[Trial], most: int) -> list[Trial]:
    """At most so many, one per task before a second of any."""
    seen: dict[str, int] = {}
    turns = []
    for t in trials:
        seen[t.task] = seen.get(t.task, 0) + 1
        turns.append((seen[t.task], t))
    return [t for _, t in sorted(turns, key=lambda x: x[0])[:most]]


def _strips(run: Run, caps: Caps) -> str:
    picked = chosen(run.trials, caps)
    steps = _steps(run, picked)
    left, parts, agent = caps.pictures, [], ""
    for trial in picked:
        if trial.agent != agent:
            agent = trial.agent
            parts.append(f"<h3>{escape(agent)}</h3>")
        mine = steps.get(trial.id, [])
        body = strip(trial, mine) if len(mine) <= left else headline(trial)
        left -= min(left, len(mine))
        kind = "good" if _good(trial) else "bad" if trial.valid else "odd"
        worth = f"{trial.score:g}" if trial.score is not None else trial.outcome
        label = f"{trial.task} · seed {trial.seed} · {worth} · {trial.steps} steps"
        parts.append(f'<details class="{kind}"><summary>{escape(label)}</summary>{body}</details>')
    rest = len(run) - len(picked)
    return "".join(parts) + (f"<p>{rest} further trials are in the ledger.</p>" if rest else "")


def _steps(run: Run, trials: Sequence[Trial]) -> dict[str, list[Step]]:
    """Steps of the chosen trials, in one pass over the ledger."""
    found: dict[str, list[Step]] = {}
    if trials:
        for row in run.record.step_rows(*(t.id for t in trials)):
            found.setdefault(row["trial"], []).append(replay.step(row, run.record.blobs))
    return found


def stage_times(run: Run) -> Iterator[tuple[str, str, int, float]]:
    """(agent, stage, n, median ms) for every stage of every agent."""
    agents = {t.id: t.agent for t in run.trials}
    times: dict[tuple[str, str], list[float]] = {}
    for row in run.record.step_rows():
        for stage, ms in row["spans"].items():
            times.setdefault((agents[row["trial"]], stage), []).append(ms)
    for (agent, stage), values in sorted(times.items()):
        yield agent, stage, len(values), median(values) or 0.0


def _times(run: Run) -> str:
    rows = "".join(
        f"<tr><td>{escape(agent)}</td><td>{escape(stage)}</td><td>{n}</td><td>{ms:.1f}</td></tr>"
        for agent, stage, n, ms in stage_times(run)
    )
    return f"<table><tr><th>agent<th>stage<th>n<th>median ms</tr>{rows}</table>"


def _machine(run: Run) -> str:
    return "".join(_card(h) for h in run.headers[-1:])


def _card(header: Any) -> str:
    machine = header["machine"]
    facts = {
        "cpu": machine["cpu"],
        "cores": codec.dumps(machine["cores"]),
        "instruction sets": " ".join(machine["flags"]),
        "memory": f"{machine['memory_gb']} GB",
        "system": machine["os"],
        "commit": machine["commit"] or "installed package",
        "packages": ", ".join(f"{k} {v}" for k, v in header["packages"].items()),
        "command": header["command"],
    }
    return "<table>" + "".join(f"<tr><th>{k}<td>{escape(str(v))}</tr>" for k, v in facts.items()) + "</table>"
