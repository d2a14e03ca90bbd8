"""Which decision model chooses best? The same instances for all, with intervals and paired tests.

Everything but the decision is held equal: candidates from the page's own elements, leased actions, the same settling.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from cuakit.agent import Agent
from cuakit.bench.compare import Comparison, compare
from cuakit.bench.launch import new_folder, run
from cuakit.bench.paired import holm, pass_at_k, pass_hat_k
from cuakit.bench.plain_table import plain_table
from cuakit.bench.results import Run
from cuakit.bench.stats import Rate, median, success_rate, wilson
from cuakit.core.errors import ModelError, UsageError
from cuakit.core.registry import Spec
from cuakit.core.trajectory import Trial
from cuakit.models import gguf, minilm
from cuakit.models.llama import LlamaServer
from cuakit.suites.loader import load_suite
from cuakit.suites.spec import Suite, Task

SUITE: Final = "deciders"
MODEL: Final = "qwen2.5-coder-1.5b"
"""Language model behind ``local-1.5b``."""

BASELINE: Final = "lexical-v1"
"""Decider that all others are tested against."""

SETTLE: Final = Spec("page-fast-v1")
"""MiniWoB++ pages answer within two frames; with it the oracle stays at 1, see the lab log."""

_NO_ACTION: Final = frozenset({"abstain", "reobserve", "needs_agent", "needs_input", "blocked"})

_LETTERS: Final = Spec("choice-v1", args={"provider": "letters", "form": "flat"})

DECIDERS: Final[tuple[tuple[str, Spec, bool], ...]] = (
    ("noop", Spec("noop-v1"), True),
    ("constant-v1", Spec("constant-v1"), True),
    ("lexical-v1", Spec("lexical-v1"), True),
    ("embedding-v1", Spec("embedding-v1"), True),
    ("local-1.5b", _LETTERS, False),
    ("oracle", Spec("scripted-v1"), False),
)
"""Name, decision stage, and whether it is embedded: decides in this process, without a server or the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One decider in the comparison.

    Args:
        name: Its name.
        success: Share of full successes with its interval.
        invalid: Trials that could not be scored; they are in no other figure.
        ended_wrong: Share of scored trials that the application itself ended without full success: a wrong click or entry.
        all_seeds: Share of families that were solved with every seed, pass^k with k the number of seeds; None with one seed.
        any_seed: Share of families that were solved with some seed, pass@k; None with one seed.
        steps: Mean number of steps in a trial; None without a trial.
        abstained: Share of decisions that were to abstain, to look again or to hand back.
        tokens: Mean tokens read and written per decision, where the model counts them; None where it does not.
        decision_ms: Median time of a decision in milliseconds; None without a step.
        step_ms: Median time of a whole step in milliseconds; None without a step.
        embedded: Whether it decides in this process, without a server or the answer.
        versus: Paired comparison with :data:`BASELINE`, p adjusted by Holm; None for the baseline itself.
    """

    name: str
    success: Rate
    invalid: int
    ended_wrong: Rate
    all_seeds: float | None
    any_seed: float | None
    steps: float | None
    abstained: Rate
    tokens: float | None
    decision_ms: float | None
    step_ms: float | None
    embedded: bool
    versus: Comparison | None


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """Deciders on the same instances, the best first.

    Args:
        run: Where the trials are.
        families: Number of task families.
        seeds: Instances per family.
        standings: One per decider.
    """

    run: Run
    families: int
    seeds: int
    standings: tuple[Standing, ...]

    def summary(self) -> dict[str, Any]:
        """``families``, ``seeds`` and ``deciders`` by name, as plain data."""
        return {
            "families": self.families,
            "seeds": self.seeds,
            "deciders": {
                s.name: {
                    "rate": _rounded(s.success.rate),
                    "low": round(s.success.low, 4),
                    "high": round(s.success.high, 4),
                    "n": s.success.n,
                    "ended_wrong": _rounded(s.ended_wrong.rate),
                    "pass_hat_k": _rounded(s.all_seeds),
                    "pass_at_k": _rounded(s.any_seed),
                    "mean_steps": _rounded(s.steps),
                    "abstained": _rounded(s.abstained.rate),
                    "tokens_per_decision": _rounded(s.tokens),
                    "median_decision_ms": None if s.decision_ms is None else round(s.decision_ms, 3),
                    "median_step_ms": _rounded(s.step_ms),
                    "embedded": s.embedded,
                }
                for s in self.standings
            },
        }

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The table as text, in the order of :data:`COLUMNS`."""
        return tuple(_cells(s) for s in self.standings)

    def __repr__(self) -> str:
        lines = plain_table((COLUMNS, *self.rows()))
        return "\n".join([f"{self.families} families × {self.seeds} seeds, {self.run.folder}", *lines])


COLUMNS: Final = (
    "decider",
    "success",
    "every seed",
    "ended wrong",
    "not scored",
    "steps",
    "abstained",
    "tokens",
    "decision, ms",
    "step, ms",
    f"points above {BASELINE}",
    "p (McNemar, Holm)",
)
"""Heads of the table."""


def _cells(s: Standing) -> tuple[str, ...]:
    if s.versus is None:
        points, p = "–", "–"
    else:
        d = s.versus.difference
        points = f"{100 * d.value:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]"
        p = f"{s.versus.p:.2g}"
    return (
        s.name,
        str(s.success),
        _text(s.all_seeds, "{:.0%}"),
        _text(s.ended_wrong.rate, "{:.0%}"),
        str(s.invalid),
        _text(s.steps, "{:.1f}"),
        _text(s.abstained.rate, "{:.0%}"),
        _text(s.tokens, "{:.0f}"),
        _text(s.decision_ms, "{:.1f}"),
        _text(s.step_ms, "{:.0f}"),
        points,
        p,
    )


def _text(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def measure(
    *,
    suite: str = SUITE,
    families: int | None = None,
    seeds: int | None = None,
    tasks: Sequence[str] = (),
    llm: bool = True,
    workers: int | None = None,
    out: Path | None = None,
    progress: bool = True,
) -> Leaderboard:
    """Run every decider on the suite and compare them.

    Args:
        suite: Suite id; ``deciders`` has every family, ``choices`` those whose whole way is on offer to a decider that
            clicks, types given texts and sets given values.
        families: Most families, taken from each group in turn; all by default.
        seeds: Instances per family; the suite's own number by default.
        tasks: Globs on task id, name or group; all by default.
        llm: Whether the local language model takes part.
        workers: Processes at once; the CPU count by default.
        out: Folder of the run; one that holds a run already is continued.
        progress: Whether a bar is shown.

    Raises:
        ModelError: A model was not pulled yet (code ``not_installed``).
        UsageError: ``families`` is less than 1.
    """
    chosen = load_suite(suite).select(*tasks)
    if families is not None:
        chosen = replace(chosen, tasks=spread(chosen, families))
    minilm.load()  # before anything runs: its absence would fail every trial
    with _served(llm):
        done = run(
            chosen, agents(llm=llm), seeds=seeds, workers=workers, out=out or new_folder(suite), progress=progress
        )
    return leaderboard(done)


def agents(*, llm: bool = True) -> tuple[Agent, ...]:
    """One agent per decider, alike in everything else."""
    return tuple(Agent(name=n, decide=s, settle=SETTLE) for n, s, _ in DECIDERS if llm or s is not _LETTERS)


def spread(suite: Suite, count: int) -> tuple[Task, ...]:
    """Some tasks of a suite, from each group in turn, in the suite's order.

    Raises:
        UsageError: ``count`` is less than 1.
    """
    if count < 1:
        raise UsageError(f"families must be at least 1, got {count}")
    turn: dict[str, int] = {}
    ranked = []
    for i, task in enumerate(suite.tasks):
        turn[task.group] = turn.get(task.group, 0) + 1
        ranked.append((turn[task.group], i))
    return tuple(suite.tasks[i] for i in sorted(i for _, i in sorted(ranked)[:count]))


def leaderboard(done: Run) -> Leaderboard:
    """The comparison of a finished run."""
    names = tuple(dict.fromkeys(t.agent for t in done.trials))
    tested = [n for n in names if n != BASELINE and BASELINE in names and _scored(done, n) and _scored(done, BASELINE)]
    versus = {n: compare(done, n, BASELINE) for n in tested}
    p = holm({n: c.p for n, c in versus.items()})
    decided = _decisions(done)
    embedded = {n: e for n, _, e in DECIDERS}
    standings = [
        Standing(
            name=n,
            success=success_rate(scores := [t.score for t in trials if t.score is not None]),
            invalid=len(trials) - len(scores),
            ended_wrong=wilson(sum(_ended_wrong(t) for t in trials), len(scores)),
            all_seeds=_over_families(trials, pass_hat_k),
            any_seed=_over_families(trials, pass_at_k),
            steps=sum(t.steps for t in trials) / len(trials) if trials else None,
            abstained=wilson(sum(d.outcome in _NO_ACTION for d in decided[n]), len(decided[n])),
            tokens=_mean([d.tokens for d in decided[n] if d.tokens]),
            decision_ms=median([d.ms for d in decided[n] if d.ms is not None]),
            step_ms=median([ms for t in trials for ms in t.extra.get("step_ms", ())]),
            embedded=embedded.get(n, False),
            versus=replace(versus[n], p=p[n]) if n in versus else None,
        )
        for n in names
        for trials in [[t for t in done.trials if t.agent == n]]
    ]
    return Leaderboard(
        run=done,
        families=len({t.task for t in done.trials}),
        seeds=len({t.seed for t in done.trials}),
        standings=tuple(sorted(standings, key=lambda s: (-(s.success.rate or 0.0), s.name))),
    )


def _scored(done: Run, agent: str) -> list[float]:
    return [t.score for t in done.trials if t.agent == agent and t.score is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _ended_wrong(trial: Trial) -> bool:
    return trial.score is not None and trial.score < 1 and trial.status == "SUBTASK_COMPLETE"


def _over_families(trials: Sequence[Trial], chance: Callable[[int, int, int], float]) -> float | None:
    """Mean over families of a chance with as many attempts as there are seeds; None where there is one seed only."""
    by_family: dict[str, list[bool]] = {}
    for t in trials:
        if t.score is not None:
            by_family.setdefault(t.task, []).append(t.score == 1)
    if max(map(len, by_family.values()), default=0) < 2:
        return None
    return _mean([chance(len(solved), sum(solved), len(solved)) for solved in by_family.values()])


class _Decided(NamedTuple):
    outcome: str
    ms: float | None
    tokens: float


def _decisions(done: Run) -> dict[str, list[_Decided]]:
    agent_of = {t.id: t.agent for t in done.trials}
    out: dict[str, list[_Decided]] = {agent: [] for agent in agent_of.values()}
    for row in done.record.step_rows(*agent_of):
        said = row.get("decision", {})
        usage = said.get("usage", {})
        tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        out[agent_of[row["trial"]]].append(_Decided(said.get("outcome", ""), row["spans"].get("decide"), tokens))
    return out


@contextmanager
def _served(llm: bool) -> Iterator[None]:
    """The language model, behind the environment variables that workers inherit."""
    if not llm:
        yield
        return
    model = gguf.find(MODEL)
    path = gguf.path_of(model)
    if not path.is_file():
        raise ModelError(
            f"{MODEL} is not here yet", hint=f"run: cuakit models pull {MODEL}, or leave it out: --no-llm", code="not_installed"
        )  # fmt: skip
    names = ("CUAKIT_LLM_URL", "CUAKIT_LLM_KEY")
    kept = {n: os.environ.get(n) for n in names}
    with LlamaServer.launch(path) as server:
        os.environ.update(zip(names, (server.base_url, server.token), strict=True))
        try:
            yield
        finally:
            for name, value in kept.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
