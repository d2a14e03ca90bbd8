"""The environment ``desktop``: a private desktop for each trial, set up by a task file and judged by it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Trajectory
from cuakit.envs.base import Policy
from cuakit.envs.desktop.gold import GoldPath
from cuakit.envs.desktop.judge import judge
from cuakit.envs.desktop.programs import ALLOW
from cuakit.envs.desktop.read import read_task
from cuakit.envs.desktop.session import Session
from cuakit.envs.desktop.setup import carry_out
from cuakit.envs.desktop.surface import ActiveWindow
from cuakit.envs.desktop.task import DesktopTask

FIXTURES: Final = "fixtures"
"""Folder beside the task files that holds what they start from and what they are compared with."""

_QUIET_S: Final = 0.8
"""How long the applications must do nothing before the judge looks: what was asked last, such as saving, must be over."""


def tasks_folder() -> Path:
    """Where the tasks of ``desktop-40`` are: inside an installed package, or in the repository."""
    package = Path(__file__).resolve().parents[2]
    packaged = package / "data" / "suites" / "desktop-40"
    return packaged if packaged.is_dir() else package.parent / "benchmarks" / "suites" / "desktop-40"


@dataclass(slots=True)
class _Trial:
    task: DesktopTask
    session: Session
    gave_up: bool = False


class DesktopEnv:
    """Tasks on a private desktop, a fresh one for each; a context manager.

    Seed 0 gives the instruction as it is written, an odd seed its paraphrase, if it has one.

    Args:
        tasks: Folder of task files, ``NAME.json`` each; those of ``desktop-40`` by default.
        fixtures: Folder of the files that they name; ``fixtures`` in ``tasks`` by default.
        size: Of the screen, in pixels.
        allow_commands: Whether task files may run commands, with your rights; by default if
            ``CUAKIT_ALLOW_TASK_COMMANDS`` is 1.
        fenced: Whether applications have no network and may write in their home only, where the system lets us arrange that.
    """

    def __init__(
        self,
        *,
        tasks: Path | str | None = None,
        fixtures: Path | str | None = None,
        size: tuple[int, int] = (1280, 800),
        allow_commands: bool | None = None,
        fenced: bool = True,
    ) -> None:
        self._tasks = Path(tasks) if tasks is not None else tasks_folder()
        self._fixtures = Path(fixtures) if fixtures is not None else self._tasks / FIXTURES
        self._allow = os.environ.get(ALLOW) == "1" if allow_commands is None else allow_commands
        self._options: Mapping[str, Any] = {"size": size, "fenced": fenced}
        self._trial: _Trial | None = None

    @property
    def surface(self) -> ActiveWindow:
        """The window in front.

        Raises:
            UsageError: No task was set.
        """
        return self._now().session.surface

    @property
    def session(self) -> Session:
        """The desktop of the current task.

        Raises:
            UsageError: No task was set.
        """
        return self._now().session

    def load(self, task: str) -> DesktopTask:
        """A task by name.

        Raises:
            UnknownName: There is none.
            InvalidTask: Its file breaks the schema.
        """
        file = self._tasks / f"{task}.json"
        if not file.is_file() or file.parent != self._tasks:
            names = sorted(p.stem for p in self._tasks.glob("*.json"))
            raise UnknownName(f"no desktop task named {task!r}", hint=f"tasks: {', '.join(names) or 'none'}")
        return read_task(file)

    def reset(self, task: str, seed: int) -> Subtask:
        """Start a desktop and set a task up on it.

        Raises:
            UnknownName, InvalidTask: See :meth:`load`.
            CommandNotAllowed: It would run something, which is not allowed.
            BackendError: The desktop, an application or a fixture is missing, or something did not get ready.
        """
        self.close()
        found = self.load(task)
        session = Session.start(fixtures=self._fixtures, allow_commands=self._allow, **self._options)
        self._trial = _Trial(found, session)
        try:
            carry_out(session, found.config)
            session.surface.target()
        except BaseException:
            self.close()
            raise
        paraphrase = found.extra.get("paraphrase") if seed % 2 else None
        return Subtask(
            goal=paraphrase or found.instruction,
            inputs=found.extra.get("inputs", {}),
            allowed_risks=frozenset(found.extra.get("allowed_risks", ())),
        )

    def done(self) -> bool:
        """False: that a task is done is for the agent to say."""
        return False

    def ended(self, trajectory: Trajectory) -> None:
        """Be told how the agent ended: tasks that cannot be done are solved by saying so."""
        if self._trial is not None:
            self._trial.gave_up = bool(trajectory.steps) and trajectory.steps[-1].decision.outcome == "blocked"

    def score(self) -> float:
        """The task's own verdict, once the applications are at rest.

        Raises:
            UsageError: No task was set.
            BackendError, InvalidTask: It cannot be judged.
        """
        trial = self._now()
        trial.session.rest(quiet_s=_QUIET_S)
        carry_out(trial.session, trial.task.evaluator.postconfig)
        trial.session.rest(quiet_s=_QUIET_S)
        return judge(trial.task, trial.session.home, fixtures=self._fixtures, gave_up=trial.gave_up)

    def gold(self, task: str) -> Policy:
        """The scripted oracle of a task.

        Raises:
            UnknownName: There is no gold path for it.
        """
        moves = self.load(task).extra.get("gold")
        if not moves:
            raise UnknownName(f"the task {task!r} has no gold path", hint="it can be run, but not by the oracle")
        return GoldPath(moves)

    def _now(self) -> _Trial:
        if self._trial is None:
            raise UsageError("no task is set, so there is no desktop", hint="call reset(task, seed) first")
        return self._trial

    def close(self) -> None:
        """End the desktop and everything on it. Safe to call twice."""
        trial, self._trial = self._trial, None
        if trial is not None:
            trial.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
