"""A task's own judge over files: no desktop, no network, and nothing is run."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Final

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.getters import Left, get
from cuakit.envs.desktop.metrics import metric
from cuakit.envs.desktop.task import Check, DesktopTask

INFEASIBLE: Final = "infeasible"
"""The metric of tasks that cannot be done: to say so is right."""


def judge(task: DesktopTask, home: Path, *, fixtures: Path | None = None, gave_up: bool = False) -> float:
    """Score in [0, 1] of what an agent left behind.

    What the task does before its judge looks (``postconfig``, such as saving the open document) must have happened.
    All of several checks must hold, and their mean counts; with ``or``, the best counts, and with ``mean`` their mean counts
    also where some do not hold.

    Args:
        task: The task.
        home: Private home as the agent left it; stands for the home of the task file. It is only read.
        fixtures: Folder with the files of the task set, laid out as its repository is.
        gave_up: Whether the agent said that the task cannot be done.

    Raises:
        InvalidTask: A getter or a rule that there is not.
        UnknownName: A metric that there is not.
        BackendError: A file of the task set is not there: the trial is invalid, not a zero.
        MissingExtra: A document library is not installed.
    """
    checks = task.evaluator.checks
    if not checks:
        raise InvalidTask(f"{task.id} has no judge", hint="an evaluator needs a func")
    if gave_up or any(c.func == INFEASIBLE for c in checks):
        return float(gave_up and all(c.func == INFEASIBLE for c in checks))
    scores = [_score(check, home, fixtures) for check in checks]
    if task.evaluator.conj == "or":
        return max(scores)
    return sum(scores) / len(scores) if all(scores) or task.evaluator.conj == "mean" else 0.0


def _score(check: Check, home: Path, fixtures: Path | None) -> float:
    measure = metric(check.func)
    with tempfile.TemporaryDirectory(prefix="cuakit-judge-") as scratch:
        left = Left(home, Path(scratch), fixtures)
        values = [get(left, part) for part in (check.result, check.expected) if part is not None]
        if check.result is not None and values[0] is None:
            return 0.0  # the file that was asked for is not there
        try:
            score = measure(*values, **check.options)
        except (TypeError, KeyError, re.error) as wrong:
            raise InvalidTask(
                f"{check.place}: {check.func} cannot use what the task gives it: {wrong}",
                hint="compare its result, expected and options with a published task",
            ) from wrong
    return min(1.0, max(0.0, float(score)))
