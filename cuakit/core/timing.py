"""Spans on one monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


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


@dataclass(slots=True)
class Stopwatch:
    """Collects spans.

    Args:
        clock: Monotonic nanoseconds; injected in tests.
    """

    clock: Callable[[], int] = time.perf_counter_ns
    spans: list[Span] = field(default_factory=list)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Time the body; the span is kept also when it raises."""
        start = self.clock()
        try:
            yield
        finally:
            self.spans.append(Span(name, start, self.clock()))

    def take(self) -> tuple[Span, ...]:
        """The spans so far, leaving none behind."""
        taken, self.spans = tuple(self.spans), []
        return taken
