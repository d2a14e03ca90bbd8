"""Spans on one monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cuakit.core.errors import CuakitError


@dataclass(frozen=True, slots=True)
class Span:
    """A named stretch of time in nanoseconds of the monotonic clock."""

    name: str
    start_ns: int
    end_ns: int

    @property
    def ms(self) -> float:
        """Length in milliseconds."""
        return (self.end_ns - self.start_ns) / 1e6


class OutOfTime(CuakitError):
    """What was asked for took longer than it was given; nothing of it is returned. Code ``timeout``."""

    code = "timeout"
    retryable = True


@dataclass(slots=True)
class Stopwatch:
    """Collects spans, and keeps a deadline where there is one.

    Args:
        clock: Monotonic nanoseconds; injected in tests.
        limit_ms: Longest time from now, in milliseconds; None for as long as it takes.
    """

    clock: Callable[[], int] = time.perf_counter_ns
    spans: list[Span] = field(default_factory=list)
    limit_ms: float | None = None
    started_ns: int = 0

    def __post_init__(self) -> None:
        self.started_ns = self.clock()

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Time the body; the span is kept also when it raises.

        Raises:
            OutOfTime: The deadline is over, before the body or after it.
        """
        self.check()
        start = self.clock()
        try:
            yield
        finally:
            self.spans.append(Span(name, start, self.clock()))
        self.check()

    def check(self) -> None:
        """Do nothing in time.

        Raises:
            OutOfTime: The deadline is over.
        """
        if self.limit_ms is not None and (spent := self.elapsed_ms()) > self.limit_ms:
            raise OutOfTime(
                f"not done within {self.limit_ms:g} ms; {spent:.0f} ms were spent",
                hint="give it more time, a smaller picture, or look at a part of it",
            )

    def elapsed_ms(self) -> float:
        """Milliseconds since it was made."""
        return (self.clock() - self.started_ns) / 1e6

    def take(self) -> tuple[Span, ...]:
        """The spans so far, leaving none behind."""
        taken, self.spans = tuple(self.spans), []
        return taken
