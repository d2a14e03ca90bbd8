"""Which cores a process may use."""

from __future__ import annotations

import os


def affinity() -> tuple[int, ...]:
    """Logical cores that this process may run on; all of them where the system has no such limit."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))
