"""Does a decider know when it is right? Its confidence against what the oracle does in the same place.

Every decider is asked at every step of the oracle's own way through a task, and nothing that it says is carried out, so
all see the same screens. Where several orders are equally good only the oracle's counts as right: the share of right
answers is a lower bound. Terms and figures: Guo et al., *On Calibration of Modern Neural Networks*, ICML 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cuakit.agent import Agent
from cuakit.bench.deciders import SETTLE, SUITE, spread
from cuakit.bench.paired import Interval
from cuakit.bench.stats import Rate, wilson
from cuakit.core import registry
from cuakit.core.decision import Decision
from cuakit.core.errors import DecisionError
from cuakit.core.observation import Observation
from cuakit.core.registry import Spec
from cuakit.core.stages import Decider, History
from cuakit.core.subtask import Subtask
from cuakit.decide.flat import what
from cuakit.envs.base import Policy
from cuakit.envs.miniwob import MiniWob
from cuakit.loop import run_subtask
from cuakit.suites.loader import load_suite

BINS: Final = 10
"""Bins of equal width, as the figure is usually given."""

_COLDEST, _HOTTEST = 0.05, 20.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One decision beside the oracle's.

    Args:
        family: Task family; families are the clusters of the interval and the two halves of the split.
        distributions: Probabilities of each question that was answered, the chosen option's first.
        right: Whether the action is the oracle's.
    """

    family: str
    distributions: tuple[tuple[float, ...], ...]
    right: bool

    def confidence(self, temperature: float = 1.0) -> float:
        """Least probability of a chosen option, after each distribution was flattened by a temperature.

        >>> Sample("f", ((0.8, 0.2),), True).confidence()
        0.8
        """
        return min(_tempered(d, temperature) for d in self.distributions)


def _tempered(distribution: Sequence[float], temperature: float) -> float:
    logs = [math.log(max(p, 1e-12)) / temperature for p in distribution]
    peak = max(logs)
    return math.exp(logs[0] - peak) / sum(math.exp(x - peak) for x in logs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Decisions of similar confidence.

    Args:
        low: Least confidence.
        high: Largest.
        confidence: Mean confidence; None in an empty bin.
        right: Share of right ones with its interval.
    """

    low: float
    high: float
    confidence: float | None
    right: Rate


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How far a decider's confidence can be taken at its word.

    Args:
        decider: Its name.
        right: Share of its decisions that are the oracle's.
        unsure: Answers without an action or without a distribution, such as abstentions; they are in no other figure.
        ece: Expected calibration error on the held-out half of the families, as given.
        temperature: What the other half says that probabilities should be flattened by; above 1 it was too sure.
        ece_after: The same error on the held-out half with that temperature.
        curve: Reliability over all decisions, as given.
    """

    decider: str
    right: Rate
    unsure: int
    ece: Interval
    temperature: float
    ece_after: Interval
    curve: tuple[Bin, ...]

    def summary(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "n": self.right.n,
            "right": None if self.right.rate is None else round(self.right.rate, 4),
            "unsure": self.unsure,
            "ece": [round(v, 4) for v in (self.ece.value, self.ece.low, self.ece.high)],
            "temperature": round(self.temperature, 3),
            "ece_after": [round(v, 4) for v in (self.ece_after.value, self.ece_after.low, self.ece_after.high)],
            "curve": [
                {"confidence": round(b.confidence, 4), "right": round(b.right.rate, 4), "n": b.right.n}
                for b in self.curve
                if b.confidence is not None and b.right.rate is not None
            ],
        }


def reliability(samples: Sequence[Sample], *, temperature: float = 1.0, bins: int = BINS) -> tuple[Bin, ...]:
    """Share of right decisions by confidence, in bins of equal width."""
    held: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for sample in samples:
        sure = sample.confidence(temperature)
        held[min(bins - 1, int(sure * bins))].append((sure, sample.right))
    return tuple(
        Bin(
            low=i / bins,
            high=(i + 1) / bins,
            confidence=sum(c for c, _ in these) / len(these) if these else None,
            right=wilson(sum(r for _, r in these), len(these)),
        )
        for i, these in enumerate(held)
    )


def expected_calibration_error(samples: Sequence[Sample], *, temperature: float = 1.0, bins: int = BINS) -> float:
    """Mean distance between confidence and share of right ones, bins weighted by size; 0 for no samples.

    >>> always = [Sample("f", ((1.0,),), right) for right in (True, False)]
    >>> expected_calibration_error(always)
    0.5
    """
    if not samples:
        return 0.0
    off = 0.0
    for b in reliability(samples, temperature=temperature, bins=bins):
        if b.confidence is not None and b.right.rate is not None:
            off += b.right.n * abs(b.confidence - b.right.rate)
    return off / len(samples)


def fit_temperature(samples: Sequence[Sample]) -> float:
    """Temperature under which what happened is most likely; 1 where there is nothing to fit.

    Golden-section search over the logarithm, between 1/20 and 20.
    """
    if len({s.right for s in samples}) < 2:
        return 1.0

    def loss(log_t: float) -> float:
        total = 0.0
        for s in samples:
            p = min(max(s.confidence(math.exp(log_t)), 1e-9), 1 - 1e-9)
            total -= math.log(p if s.right else 1 - p)
        return total

    ratio = (math.sqrt(5) - 1) / 2
    low, high = math.log(_COLDEST), math.log(_HOTTEST)
    while high - low > 1e-3:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    return math.exp((low + high) / 2)


def calibrate(decider: str, samples: Sequence[Sample], *, unsure: int = 0) -> Calibration:
    """All figures of one decider; the temperature is fitted on every other family and judged on the rest."""
    families = sorted({s.family for s in samples})
    fitted_on = set(families[::2])
    held_out = [s for s in samples if s.family not in fitted_on]
    temperature = fit_temperature([s for s in samples if s.family in fitted_on])
    return Calibration(
        decider=decider,
        right=wilson(sum(s.right for s in samples), len(samples)),
        unsure=unsure,
        ece=_with_interval(held_out, 1.0),
        temperature=temperature,
        ece_after=_with_interval(held_out, temperature),
        curve=reliability(samples),
    )


def _with_interval(samples: Sequence[Sample], temperature: float, *, resamples: int = 1000) -> Interval:
    """95 % percentile interval from resampling whole families."""
    value = expected_calibration_error(samples, temperature=temperature)
    families = sorted({s.family for s in samples})
    if len(families) < 2:
        return Interval(value=value, low=0.0, high=1.0)
    by_family = {f: [s for s in samples if s.family == f] for f in families}
    rng = np.random.default_rng(0)
    drawn = [
        expected_calibration_error(
            [s for i in rng.integers(len(families), size=len(families)) for s in by_family[families[i]]],
            temperature=temperature,
        )
        for _ in range(resamples)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(value=value, low=float(low), high=float(high))


def measure(
    deciders: Mapping[str, Spec],
    *,
    families: int | None = None,
    seeds: int = 2,
    progress: Callable[[str], object] = lambda _: None,
) -> tuple[Calibration, ...]:
    """Ask deciders along the oracle's way through MiniWoB++.

    Args:
        deciders: Name → decision stage.
        families: Most task families, taken from each group in turn; all by default.
        seeds: Instances per family, from 0.
        progress: Called with each instance that is over.
    """
    suite = load_suite(SUITE)
    tasks = suite.tasks if families is None else spread(suite, families)
    asked = {name: registry.build("decide", spec.name, **spec.args) for name, spec in deciders.items()}
    samples: dict[str, list[Sample]] = {name: [] for name in deciders}
    unsure = dict.fromkeys(deciders, 0)
    agent = Agent(name="oracle", settle=SETTLE)
    with MiniWob() as env:
        for task in tasks:
            for seed in range(seeds):
                subtask = env.reset(task.name, seed)
                witness = _Witness(env.gold(task.name), asked, task.name, samples, unsure)
                run_subtask(agent, env.surface, subtask, decider=witness, done=env.done, deadline_s=task.deadline_s)
                progress(f"{task.name} {seed}")
    return tuple(calibrate(name, samples[name], unsure=unsure[name]) for name in deciders)


@dataclass(frozen=True)
class _Witness:
    """Decides as the oracle does, and writes down what the others would have done."""

    gold: Policy
    asked: Mapping[str, Decider]
    family: str
    samples: Mapping[str, list[Sample]]
    unsure: dict[str, int]

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        right = self.gold(subtask, observation, history)
        if right.action is None:
            return right
        for name, decide in self.asked.items():
            try:
                said = decide(subtask, observation, history)
            except DecisionError:
                self.unsure[name] += 1
                continue
            distributions = tuple(
                (a.probabilities[a.choice], *(p for option, p in a.probabilities.items() if option != a.choice))
                for a in said.answers.values()
                if a.probabilities
            )
            if distributions and said.action is not None:
                same = what(said.action) == what(right.action)
                self.samples[name].append(Sample(self.family, distributions, same))
            else:
                self.unsure[name] += 1
        return right
