"""A suite is a versioned list of tasks; a task names an environment, what to do there, and its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Self

from cuakit.core import codec
from cuakit.core.errors import UnknownName


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task family of a suite.

    Args:
        suite: Suite id.
        env: Environment kind, such as ``miniwob``, or ``module:Class``.
        name: The environment's own name for it.
        group: What kind of skill it asks for; results are shown by group.
        max_actions: Most actions in one trial; 0 leaves it to the environment.
        deadline_s: Most wall time of one trial, in seconds. Past it the agent stops; one that hangs is killed.
        max_seeds: Most seeds that are run, for tasks that are slow or do not vary; 0 for no limit.
    """

    suite: str
    env: str
    name: str
    group: str = ""
    max_actions: int = 0
    deadline_s: float = 60.0
    max_seeds: int = 0

    @property
    def id(self) -> str:
        """``env/name``, unique in the suite."""
        return f"{self.env}/{self.name}"

    def seeds(self, count: int) -> range:
        """The seeds to run when ``count`` are asked for."""
        return range(min(count, self.max_seeds or count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tasks that are counted together.

    Args:
        id: Short name; also names the folder of its results.
        version: Grows whenever a task, limit or judge changes, so that numbers are never compared across it.
        tasks: At least one, with unique ids.
        seeds: Seeds per task unless a run asks for another number.
        about: What it measures, in a sentence.
    """

    id: str
    version: int
    tasks: tuple[Task, ...]
    seeds: int = 1
    about: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the definition."""
        return codec.digest(self)

    def select(self, *patterns: str) -> Self:
        """Only the tasks whose id, name or group matches one of the shell globs; all without patterns.

        Raises:
            UnknownName: A pattern matches nothing.
        """
        if not patterns:
            return self
        for p in patterns:
            if not any(_matches(t, p) for t in self.tasks):
                raise UnknownName(
                    f"no task of suite {self.id!r} matches {p!r}",
                    hint=f"tasks: {', '.join(t.id for t in self.tasks[:12])}{' …' if len(self.tasks) > 12 else ''}",
                )
        return replace(self, tasks=tuple(t for t in self.tasks if any(_matches(t, p) for p in patterns)))


def _matches(task: Task, pattern: str) -> bool:
    return any(fnmatchcase(word, pattern) for word in (task.id, task.name, task.group))
