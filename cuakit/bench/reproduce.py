"""Does a run come out the same again? Scores and decisions, trial by trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cuakit.agent import Agent
from cuakit.bench.launch import run
from cuakit.bench.results import Run
from cuakit.core.errors import UsageError
from cuakit.core.trajectory import Trial
from cuakit.suites.loader import load_suite
from cuakit.suites.spec import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What a second run of the same plan came to.

    Args:
        run: Folder of the second run.
        compared: Trials that were scored both times.
        same_score: How many of them scored the same.
        same_actions: How many decided the same in every step.
        differing: The trials that did not, as ``agent task seed``.
        packages: Packages that differ from the first run, as ``name was → is``.
    """

    run: Path
    compared: int
    same_score: int
    same_actions: int
    differing: tuple[str, ...]
    packages: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether every compared trial came out the same in score and decisions, and there was one at all."""
        return self.compared > 0 and self.same_score == self.same_actions == self.compared


def reproduce(
    first: Run, out: str | Path, *, suite: str | Path | Suite = "", workers: int | None = None, progress: bool = True
) -> Reproduction:
    """Run the plan of a run again and compare.

    Args:
        first: The run.
        out: Folder of the second run.
        suite: Where its suite is, if it is not one of ours.
        workers: Processes at once.
        progress: Whether a bar is shown.

    Raises:
        UsageError: The suite is not what it was.
    """
    header = first.headers[-1]
    chosen = suite if isinstance(suite, Suite) else load_suite(suite or header["suite"]["id"])
    wanted = {t.task for t in first.trials}
    chosen = chosen.select(*sorted(wanted))
    if chosen.version != header["suite"]["version"]:
        raise UsageError(
            f"suite {chosen.id!r} is version {chosen.version} now and was {header['suite']['version']}",
            hint="check out the commit that the run names, or give the suite's old file",
        )
    agents = [Agent.from_dict(a) for a in header["agents"]]
    second = run(chosen, agents, seeds=header["seeds"], out=out, workers=workers, progress=progress)
    return _compared(first, second)


def _compared(first: Run, second: Run) -> Reproduction:
    was, now = _by_instance(first), _by_instance(second)
    keys = sorted(was.keys() & now.keys())
    scores = [k for k in keys if was[k].score == now[k].score]
    actions = [k for k in keys if was[k].extra.get("actions_digest") == now[k].extra.get("actions_digest")]
    fine = set(scores) & set(actions)
    return Reproduction(
        run=second.folder,
        compared=len(keys),
        same_score=len(scores),
        same_actions=len(actions),
        differing=tuple(" ".join(map(str, k)) for k in keys if k not in fine),
        packages=_changed(first.headers[-1]["packages"], second.headers[-1]["packages"]),
    )


def _by_instance(run: Run) -> dict[tuple[str, str, int], Trial]:
    return {(t.agent, t.task, t.seed): t for t in run.trials if t.valid}


def _changed(was: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    names = sorted(was.keys() | now.keys())
    return tuple(f"{n} {was.get(n, '–')} → {now.get(n, '–')}" for n in names if was.get(n) != now.get(n))
