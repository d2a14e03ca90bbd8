"""Is one agent better than another? Paired by task and seed, with the uncertainty said in words.

Runs of different suites, seeds or machines are not compared unless one says so: the difference would then not be the
agents'.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations
from typing import Any, Final

from cuakit.bench.paired import Interval, cluster_bootstrap, holm, mcnemar, wilcoxon
from cuakit.bench.results import Run
from cuakit.bench.stats import SUCCESS
from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.trajectory import Trial

ALPHA: Final = 0.05
"""Largest p value that counts as evidence."""

ALLOWANCES: Final = ("suite", "seeds", "machine", "packages")
"""What may differ when one says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Agent A against agent B on the same instances.

    Args:
        a: Name of A.
        b: Name of B.
        both: Pairs where both succeeded.
        only_a: Pairs where A alone did.
        only_b: Pairs where B alone did.
        neither: Pairs where none did.
        unpaired: Trials of either without a scored counterpart; they are in no other figure.
        difference: Success rate of A minus that of B, in [−1, 1]; interval by bootstrap over tasks.
        p: Exact McNemar test on success; adjusted by Holm when several pairs are compared.
        p_scores: Exact Wilcoxon test on scores, which sees partial credit.
        tasks: Number of tasks.
        allowed: What differs between the two and was allowed to.
    """

    a: str
    b: str
    both: int
    only_a: int
    only_b: int
    neither: int
    unpaired: int
    difference: Interval
    p: float
    p_scores: float
    tasks: int
    allowed: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def verdict(self) -> str:
        """The finding as a sentence."""
        rest = f"p = {self.p:.2g}, n = {self.n} in {self.tasks} tasks"
        if self.p > ALPHA:
            return f"no evidence that {self.a} and {self.b} differ: {_points(self.difference)}, {rest}"
        if self.only_a > self.only_b:
            return f"{self.a} succeeds more often than {self.b}: {_points(self.difference)}, {rest}"
        turned = Interval(-self.difference.value, -self.difference.high, -self.difference.low)
        return f"{self.b} succeeds more often than {self.a}: {_points(turned)}, {rest}"

    def __repr__(self) -> str:
        caveat = f" (differing: {', '.join(self.allowed)})" if self.allowed else ""
        left_out = f"; {self.unpaired} trials without a counterpart are left out" if self.unpaired else ""
        return f"{self.verdict}{left_out}{caveat}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def _points(d: Interval) -> str:
    return f"{100 * d.value:+.1f} points [{100 * d.low:+.1f}, {100 * d.high:+.1f}]"


def compare(
    run: Run, a: str, b: str, *, other: Run | None = None, allow: Collection[str] = (), seed: int = 0
) -> Comparison:
    """Compare agent ``a`` of a run with agent ``b`` of the same or another run.

    Args:
        run: Holds A.
        a: Name of agent A.
        b: Name of agent B.
        other: Holds B; the same run by default.
        allow: What may differ between two runs, of :data:`ALLOWANCES`.
        seed: Of the bootstrap.

    Raises:
        UnknownName: A run has no scored trial of that agent, or an allowance is unknown.
        UsageError: The runs differ in what was not allowed, or share no instance.
    """
    wrong = set(allow) - set(ALLOWANCES)
    if wrong:
        raise UnknownName(f"cannot allow {', '.join(sorted(wrong))}", hint=f"allowances: {', '.join(ALLOWANCES)}")
    theirs, ours = _trials(run, a), _trials(other or run, b)
    differing = _differences(run, other, theirs, ours) if other is not None else {}
    refused = {k: v for k, v in differing.items() if k not in allow}
    if refused:
        raise UsageError(
            f"these runs cannot be compared: {'; '.join(refused.values())}",
            hint=f"compare runs that match, or say --allow {' --allow '.join(refused)}",
        )
    made = _paired(a, b, theirs, ours, seed)
    return replace(made, allowed=tuple(differing))


def compare_all(run: Run, *, seed: int = 0) -> tuple[Comparison, ...]:
    """Every pair of agents of a run, p values adjusted for the number of pairs by Holm's method."""
    agents = sorted({t.agent for t in run.trials if t.valid})
    made = {f"{a}\0{b}": compare(run, a, b, seed=seed) for a, b in combinations(agents, 2)}
    success = holm({k: c.p for k, c in made.items()})
    scores = holm({k: c.p_scores for k, c in made.items()})
    return tuple(replace(c, p=success[k], p_scores=scores[k]) for k, c in made.items())


Instances = Mapping[tuple[str, int], Trial]


def _trials(run: Run, agent: str) -> Instances:
    found = {(t.task, t.seed): t for t in run.trials if t.agent == agent}
    if not any(t.valid for t in found.values()):
        agents = sorted({t.agent for t in run.trials if t.valid})
        raise UnknownName(
            f"{run.folder} has no scored trial of agent {agent!r}", hint=f"agents: {', '.join(agents) or 'none'}"
        )
    return found


def _differences(run: Run, other: Run, theirs: Instances, ours: Instances) -> dict[str, str]:
    """What differs between two runs besides the agents, by allowance."""
    one, two = run.headers[-1], other.headers[-1]
    found: dict[str, str] = {}
    if one["suite"] != two["suite"]:
        found["suite"] = f"suites {_suite(one)} and {_suite(two)}"
    if theirs.keys() != ours.keys():
        found["seeds"] = f"{len(theirs.keys() ^ ours.keys())} instances are in one of them only"
    if _machine(one) != _machine(two):
        found["machine"] = f"machines {one['machine']['cpu']} and {two['machine']['cpu']}"
    changed = [k for k in sorted(one["packages"] | two["packages"]) if one["packages"].get(k) != two["packages"].get(k)]
    if changed:
        found["packages"] = f"packages differ: {', '.join(changed)}"
    return found


def _suite(header: Mapping[str, Any]) -> str:
    return f"{header['suite']['id']} v{header['suite']['version']} ({header['suite']['digest'][:8]})"


def _machine(header: Mapping[str, Any]) -> tuple[Any, ...]:
    m = header["machine"]
    return m["cpu"], m["os"], m["cores"]["usable"]


def _paired(a: str, b: str, theirs: Instances, ours: Instances, seed: int) -> Comparison:
    keys = sorted(k for k in theirs.keys() & ours.keys() if theirs[k].valid and ours[k].valid)
    if not keys:
        raise UsageError(
            f"{a!r} and {b!r} have no scored instance in common", hint="run both on the same tasks and seeds"
        )
    scores = [(float(theirs[k].score or 0.0), float(ours[k].score or 0.0)) for k in keys]
    wins = [(x >= SUCCESS, y >= SUCCESS) for x, y in scores]
    only_a, only_b = wins.count((True, False)), wins.count((False, True))
    return Comparison(
        a=a,
        b=b,
        both=wins.count((True, True)),
        only_a=only_a,
        only_b=only_b,
        neither=wins.count((False, False)),
        unpaired=len(theirs) + len(ours) - 2 * len(keys),
        difference=_clipped(cluster_bootstrap([float(x) - float(y) for x, y in wins], [k[0] for k in keys], seed=seed)),
        p=mcnemar(only_a, only_b),
        p_scores=wilcoxon([x - y for x, y in scores]),
        tasks=len({k[0] for k in keys}),
    )


def _clipped(d: Interval) -> Interval:
    return Interval(d.value, max(-1.0, d.low), min(1.0, d.high))


def comparisons_html(made: Sequence[Comparison]) -> str:
    """Comparisons as an HTML list, the clearest first."""
    if not made:
        return "<p>There is one agent only.</p>"
    items = "".join(f"<li>{escape(repr(c))}</li>" for c in sorted(made, key=lambda c: (c.p, c.a, c.b)))
    note = (
        "Pairs share task and seed. p: exact McNemar test, adjusted for the number of pairs (Holm). Intervals: "
        "bootstrap over tasks. No evidence is not proof of equality: the interval says what is still possible."
    )
    return f"<ul>{items}</ul><p>{note}</p>"
