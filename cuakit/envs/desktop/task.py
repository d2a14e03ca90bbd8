"""A task of a desktop, as OSWorld writes it: set-up steps, an instruction, and a judge made of getters and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Conjunction = Literal["and", "or", "mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupStep:
    """One thing that is done before the agent starts, or before the judge looks.

    Args:
        type: Such as ``launch``.
        parameters: As the file gives them.
        place: Where in the file, for messages.
    """

    type: str
    parameters: Mapping[str, Any]
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question to the final state.

    Args:
        func: Metric.
        result: Getter of what the agent left behind; None for metrics that need none.
        expected: Getter of what should be there; None where the metric knows.
        options: Keyword arguments of the metric.
        place: Where in the file, for messages.
    """

    func: str
    result: Mapping[str, Any] | None = None
    expected: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """The judge.

    Args:
        checks: At least one.
        conj: Whether all must hold, one is enough, or each counts its share (``mean``, cuakit's own).
        postconfig: What is done before the judge looks, such as saving the open document.
    """

    checks: tuple[Check, ...]
    conj: Conjunction = "and"
    postconfig: tuple[SetupStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopTask:
    """One task.

    Args:
        id: The file's own id.
        instruction: What the agent is told.
        config: Set-up, in order.
        evaluator: The judge.
        apps: Applications that it is about, in one spelling.
        snapshot: State of the machine that OSWorld starts from.
        proxy: Whether it needs a proxy to the web.
        fixed_ip: Whether it needs an address that never changes.
        source: Where the task comes from.
        extra: What the file says in ``cuakit``: level, paraphrase, checkpoints, gold path. Empty in published tasks.
    """

    id: str
    instruction: str
    config: tuple[SetupStep, ...]
    evaluator: Evaluator
    apps: tuple[str, ...] = ()
    snapshot: str = ""
    proxy: bool = False
    fixed_ip: bool = False
    source: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def steps(self) -> tuple[SetupStep, ...]:
        """Every step, before the agent and before the judge."""
        return (*self.config, *self.evaluator.postconfig)
