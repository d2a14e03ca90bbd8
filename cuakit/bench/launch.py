"""One call from a suite and some agents to a folder of results."""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cuakit.agent import Agent
from cuakit.bench.agents import agent_dict, load_agents
from cuakit.bench.machine import machine_card, package_set
from cuakit.bench.plan import Job, plan, plan_digest
from cuakit.bench.progress import Bar
from cuakit.bench.results import Run
from cuakit.bench.runner import AGAIN, Limits, Scheduler
from cuakit.core.cores import affinity
from cuakit.core.errors import RecordError, UsageError
from cuakit.record.ledger import Ledger
from cuakit.record.reader import Record
from cuakit.record.rows import SCHEMA
from cuakit.record.writer import LEDGER
from cuakit.suites.loader import load_suite
from cuakit.suites.opener import env_class
from cuakit.suites.spec import Suite

RESULTS = Path("results")
"""Where runs go by default, in the working directory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A run as it was asked for, with every name resolved."""

    suite: Suite
    agents: tuple[Agent, ...]
    seeds: int
    packages: Mapping[str, str]
    jobs: tuple[Job, ...]
    cut: tuple[str, ...] = ()
    """Words of the command line that leave out part of the suite."""

    def header(self) -> dict[str, Any]:
        """The ledger row that says what the rows after it are."""
        words = [word for a in self.agents for word in ("--agent", a.name)]
        return {
            "kind": "run",
            "schema": SCHEMA,
            "suite": {"id": self.suite.id, "version": self.suite.version, "digest": self.suite.digest},
            "agents": [agent_dict(a) for a in self.agents],
            "seeds": self.seeds,
            "planned": len(self.jobs),
            "plan": plan_digest(self.jobs),
            "packages": dict(self.packages),
            "machine": machine_card(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": shlex.join(
                ["cuakit", "bench", "run", self.suite.id, *words, "--seeds", str(self.seeds), *self.cut]
            ),
        }


def run(
    suite: str | Path | Suite,
    agents: Sequence[str | Agent] = ("*",),
    *,
    seeds: int | None = None,
    tasks: Sequence[str] = (),
    workers: int | None = None,
    out: str | Path | None = None,
    limit: int | None = None,
    progress: bool = True,
    limits: Limits | None = None,
) -> Run:
    """Run agents on a suite, or go on with a run that was stopped.

    Args:
        suite: Name, path of a YAML file, or a suite.
        agents: Names, shell globs, paths of TOML files, or agents.
        seeds: Instances per task; the suite's own number by default.
        tasks: Globs on task id, name or group; all by default.
        workers: Processes at once; the CPU count by default.
        out: Folder of the run. One that holds a run already is continued: only what is missing runs. By default
            ``results/<suite>/<utc>-<random>``.
        limit: Most trials, counted from the start of the plan.
        progress: Whether a bar is shown.
        limits: How patient the run is.

    Returns:
        The run, which shows itself as a table.

    Raises:
        UnknownName: No such suite, agent, task or environment.
        RecordError: The folder is in use, holds another run, or cannot be written.
        BackendError: No trial can work here.
        KeyboardInterrupt: Interrupted; what is finished is kept.
    """
    request = _request(suite, agents, seeds, tasks, limit)
    folder = Path(out) if out is not None else new_folder(request.suite.id)
    with Ledger(folder / LEDGER) as ledger:
        before = Record(folder)
        _check_same(before, request)
        done, attempts = _finished(before)
        ledger.append(request.header() | {"resumed": len(done), "torn": ledger.torn})
        jobs = [j for j in request.jobs if j.id not in done]
        kept = tuple(t for t in before.trials if t.id in done)
        with Bar(len(kept) + len(jobs), kept, shown=progress) as bar:
            Scheduler(
                ledger=ledger,
                folder=folder,
                workers=_workers(workers),
                limits=limits or Limits(),
                finished=bar.update,
                attempts=attempts,
            ).run(jobs)
    return Run(folder)


def _request(
    suite: str | Path | Suite,
    agents: Sequence[str | Agent],
    seeds: int | None,
    tasks: Sequence[str],
    limit: int | None,
) -> _Request:
    chosen = (suite if isinstance(suite, Suite) else load_suite(suite)).select(*tasks)
    for kind in {t.env for t in chosen.tasks}:
        env_class(kind)
    for name, value in (("seeds", seeds), ("limit", limit)):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1, got {value}")
    known, packages, count = load_agents(agents), package_set(), seeds or chosen.seeds
    if not known:
        raise UsageError("no agent was named", hint="such as --agent lexical-dom; see cuakit list agents")
    jobs = plan(chosen, known, count, packages)[:limit]
    cut = [word for pattern in tasks for word in ("--task", pattern)]
    cut += ["--limit", str(limit)] if limit is not None else []
    return _Request(suite=chosen, agents=known, seeds=count, packages=packages, jobs=jobs, cut=tuple(cut))


def new_folder(suite: str, results: Path = RESULTS) -> Path:
    """A place for a new run: ``results/<suite>/<utc>-<random>``, so that two of the same second differ."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return results / Path(suite).stem / f"{stamp}-{uuid.uuid4().hex[:8]}"


def latest(suite: str, results: Path = RESULTS) -> Path:
    """The newest run of a suite.

    Raises:
        UsageError: There is none.
    """
    found = sorted(p.parent for p in (results / Path(suite).stem).glob(f"*/{LEDGER}"))
    if not found:
        raise UsageError(f"no run of {suite!r} in {results}", hint=f"start one: cuakit bench run {suite}")
    return found[-1]


def _workers(asked: int | None) -> int:
    if asked is not None and asked < 1:
        raise UsageError(f"workers must be at least 1, got {asked}")
    return asked or len(affinity())


def _finished(record: Record) -> tuple[frozenset[str], dict[str, int]]:
    """Ids of the trials that need not run, and the attempts so far of those that had any."""
    attempts: dict[str, int] = {}
    for row in record.rows():
        trial = row.get("trial") if row["kind"] == "step" else row.get("id")
        if trial is not None and "attempt" in row:
            attempts[trial] = max(attempts.get(trial, 0), row["attempt"])
    return frozenset(t.id for t in record.trials if t.outcome not in AGAIN), attempts


def _check_same(record: Record, request: _Request) -> None:
    """A folder holds one suite and one package set; agents and seeds may be added.

    Raises:
        RecordError: ``other_run``, saying what differs.
    """
    header = next(record.rows("run"), None)
    if header is None:
        return
    mine = request.header()
    differ = [f"suite {header['suite']['id']} v{header['suite']['version']}"] * (
        (header["suite"]["id"], header["suite"]["version"]) != (request.suite.id, request.suite.version)
    )
    for name in sorted(header["packages"].keys() | mine["packages"].keys()):
        was, now = header["packages"].get(name, "none"), mine["packages"].get(name, "none")
        if was != now:
            differ.append(f"{name} {was}, now {now}")
    if differ:
        raise RecordError(
            f"{record.folder} holds a run made with {'; '.join(differ)}",
            code="other_run",
            hint="results of different versions are not mixed: choose another --out, or leave it out for a new folder",
        )
