"""One bar: trials, success per agent, what could not be scored, time left."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self

from cuakit.bench.stats import success_rate
from cuakit.core.trajectory import Trial


class Progress(Protocol):
    """Is told each finished trial. A context manager."""

    def update(self, trial: Trial) -> None:
        """One more is done."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Bar:
    """A tqdm bar on standard error; in a notebook with ipywidgets, the notebook's own.

    Args:
        total: Trials of the whole run.
        done: Trials that an earlier run has finished.
        shown: Whether anything is drawn.
    """

    def __init__(self, total: int, done: tuple[Trial, ...] = (), *, shown: bool = True) -> None:
        self._scores: dict[str, list[float]] = {}
        self._invalid = 0
        for trial in done:
            self._count(trial)
        interval = 0.2 if sys.stderr.isatty() else 15.0
        self._bar: Any = _tqdm()(
            total=total, initial=len(done), unit="trial", disable=not shown, mininterval=interval, smoothing=0.1
        )
        self._tell()

    def _count(self, trial: Trial) -> None:
        if trial.score is None:
            self._invalid += 1
        else:
            self._scores.setdefault(trial.agent, []).append(trial.score)

    def _tell(self) -> None:
        self._bar.set_postfix_str(postfix(self._scores, self._invalid), refresh=False)

    def update(self, trial: Trial) -> None:
        """One more is done."""
        self._count(trial)
        self._tell()
        self._bar.update(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()


def postfix(scores: Mapping[str, list[float]], invalid: int) -> str:
    """Success per agent in few words."""
    parts = [f"{agent} {success_rate(values)}" for agent, values in sorted(scores.items())]
    return " · ".join([*parts[:4], *(["…"] if len(parts) > 4 else []), *([f"invalid {invalid}"] if invalid else [])])


def _tqdm() -> Any:
    notebook = "IPython" in sys.modules and "ipywidgets" in sys.modules
    return import_module("tqdm.auto" if notebook else "tqdm").tqdm
