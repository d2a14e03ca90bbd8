"""A run as an object: read from its folder, shown as a table, opened trial by trial as a film strip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuakit.bench.filmstrip import strip
from cuakit.bench.stats import Rate, median, success_rate
from cuakit.core.errors import UnknownName
from cuakit.core.trajectory import Step, Trial
from cuakit.record import replay
from cuakit.record.reader import Record

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table: an agent on a group of tasks.

    Args:
        agent: Its name.
        group: Group, or ``all``.
        success: Share of full successes with its interval.
        mean: Mean score; None without a valid trial.
        invalid: Trials that could not be scored; they are in no other figure but ``strict``.
        strict: Success if each trial that the agent itself broke or let hang were a failure. The two differ when an agent
            fails where it would have failed anyway, and then ``success`` flatters it.
        step_ms: Median time of a step, in milliseconds.
    """

    agent: str
    group: str
    success: Rate
    mean: float | None
    invalid: int
    strict: Rate
    step_ms: float | None


def summarize(trials: tuple[Trial, ...]) -> tuple[Line, ...]:
    """A line per agent and group, and one per agent over all groups, agents and groups in alphabetical order."""
    lines = []
    for agent, theirs in _by(trials, lambda t: t.agent):
        groups = _by(theirs, _group)
        lines += [_line(agent, group, members) for group, members in groups if group]
        lines.append(_line(agent, "all", theirs))
    return tuple(lines)


def _group(trial: Trial) -> str:
    return str(trial.extra.get("group", ""))


def _by(trials: tuple[Trial, ...], key: Any) -> list[tuple[str, tuple[Trial, ...]]]:
    return [(k, tuple(v)) for k, v in groupby(sorted(trials, key=key), key)]


def _line(agent: str, group: str, trials: tuple[Trial, ...]) -> Line:
    scores = [t.score for t in trials if t.score is not None]
    steps = [ms for t in trials for ms in t.extra.get("step_ms", ())]
    return Line(
        agent=agent,
        group=group,
        success=success_rate(scores),
        mean=sum(scores) / len(scores) if scores else None,
        invalid=len(trials) - len(scores),
        strict=success_rate([*scores, *(0.0 for t in trials if t.own_failure)]),
        step_ms=median(steps),
    )


@dataclass(frozen=True)
class TrialView:
    """One trial with its steps; in a notebook, a film strip.

    Args:
        trial: The trial.
        record: Where its steps and frames are.
    """

    trial: Trial
    record: Record

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its steps."""
        return tuple(replay.step(row, self.record.blobs) for row in self.record.step_rows(self.trial.id))

    def _repr_html_(self) -> str:
        return strip(self.trial, self.steps)

    def __repr__(self) -> str:
        t = self.trial
        worth = f"score {t.score:g}" if t.score is not None else t.outcome
        return f"Trial {t.id} {t.agent} on {t.task} seed {t.seed}: {worth}, {t.actions} actions, {t.seconds:.1f} s"


@dataclass(frozen=True)
class Run:
    """The results in a folder.

    Args:
        folder: Holds ``ledger.jsonl`` and ``frames/``.

    Raises:
        RecordError: On first use, when there is no ledger or it is damaged.
    """

    folder: Path

    @cached_property
    def record(self) -> Record:
        """The ledger and the frames."""
        return Record(self.folder)

    @cached_property
    def headers(self) -> tuple[Mapping[str, Any], ...]:
        """What was run on which machine: one header per start of the run."""
        return tuple(self.record.rows("run"))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Finished trials."""
        return self.record.trials

    @property
    def lines(self) -> tuple[Line, ...]:
        """The table."""
        return summarize(self.trials)

    def summary(self) -> dict[str, Any]:
        """``trials``, ``invalid``, ``success`` and ``median_step_ms`` by agent, as plain data."""
        whole = [line for line in self.lines if line.group == "all"]
        return {
            "trials": len(self.trials),
            "invalid": sum(line.invalid for line in whole),
            "success": {
                line.agent: {
                    "rate": _rounded(line.success.rate, 4),
                    "low": _rounded(line.success.low, 4),
                    "high": _rounded(line.success.high, 4),
                    "n": line.success.n,
                    "mean_score": _rounded(line.mean, 4),
                    "strict_rate": _rounded(line.strict.rate, 4),
                }
                for line in whole
            },
            "median_step_ms": {line.agent: _rounded(line.step_ms, 2) for line in whole},
        }

    def trials_frame(self) -> pd.DataFrame:
        """One row per trial."""
        return self.record.trials_frame()

    def steps_frame(self) -> pd.DataFrame:
        """One row per step."""
        return self.record.steps_frame()

    def spans_frame(self) -> pd.DataFrame:
        """One row per stage of a step."""
        return self.record.spans_frame()

    def __getitem__(self, trial_id: str) -> TrialView:
        """A trial by its id, or by the first digits of it.

        Raises:
            UnknownName: None or several begin so.
        """
        found = [t for t in self.trials if t.id.startswith(trial_id)]
        if len(found) != 1:
            raise UnknownName(f"{len(found)} trials begin with {trial_id!r}", hint="see run.trials for the ids")
        return TrialView(found[0], self.record)

    def __iter__(self) -> Iterator[TrialView]:
        return (TrialView(t, self.record) for t in self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def _repr_html_(self) -> str:
        return table_html(self.lines)

    def __repr__(self) -> str:
        rows = [f"  {c.agent:<20} {c.group:<14} {c.success}" for c in self.lines]
        return "\n".join([f"Run {self.folder} ({len(self)} trials)", *rows])


COLUMNS = ("agent", "group", "success", "95 % interval", "n", "mean score", "not scored", "step, ms")
"""Heads of the table."""


def cells(line: Line) -> tuple[str, ...]:
    """A line as text, in the order of :data:`COLUMNS`."""
    rate = line.success
    return (
        line.agent,
        line.group,
        "–" if rate.rate is None else f"{100 * rate.rate:.1f} %",
        "–" if rate.rate is None else f"{100 * rate.low:.1f} – {100 * rate.high:.1f} %",
        str(rate.n),
        "–" if line.mean is None else f"{line.mean:.3f}",
        f"{line.invalid} ({100 * (line.strict.rate or 0):.1f} % with its own failures)"
        if line.strict.n > rate.n
        else str(line.invalid),
        "–" if line.step_ms is None else f"{line.step_ms:.1f}",
    )


def table_html(lines: tuple[Line, ...]) -> str:
    """The table as HTML."""
    head = "".join(f"<th>{escape(c)}</th>" for c in COLUMNS)
    body = "".join(
        f"<tr{' style=font-weight:600' if line.group == 'all' else ''}>"
        + "".join(f"<td>{escape(c)}</td>" for c in cells(line))
        + "</tr>"
        for line in lines
    )
    return f"<table class=ck-table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table_markdown(lines: tuple[Line, ...]) -> str:
    """The table as Markdown."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(cells, lines)]
    return "\n".join("| " + " | ".join(r) + " |" for r in rows) + "\n"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
