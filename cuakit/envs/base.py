"""What an environment is: a live application that sets a task, is acted on, and is its own judge."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History, Surface
from cuakit.core.subtask import Subtask

Policy = Callable[[Subtask, Observation, History], Decision]
"""A scripted decider."""


class Environment(Protocol):
    """One application under test. Use it as a context manager; closing tears everything down and may be repeated."""

    @property
    def surface(self) -> Surface:
        """What is looked at and acted on."""

    def reset(self, task: str, seed: int) -> Subtask:
        """Set up a task instance, ready to act on when it returns.

        Raises:
            UnknownName: No such task here.
            BackendError: The application did not get ready.
        """

    def done(self) -> bool:
        """Whether the application itself says that the episode is over."""

    def score(self) -> float:
        """Success in [0, 1], judged by the application's own state, never by the agent's."""

    def gold(self, task: str) -> Policy:
        """A scripted oracle for a task, working through candidates only.

        Raises:
            UnknownName: There is no gold path for it.
        """

    def close(self) -> None:
        """Stop everything that was started."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
