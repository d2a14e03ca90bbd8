"""Waiting for something to become true, with a limit that only a broken program meets."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def wait_for(holds: Callable[[], Any], *, within_s: float = 120.0) -> Any:
    """The first true value that ``holds`` gives.

    Raises:
        AssertionError: It stayed false for ``within_s`` seconds.
    """
    stop_at = time.monotonic() + within_s
    while not (found := holds()):
        assert time.monotonic() < stop_at, f"waited {within_s:g} s in vain"
        time.sleep(0.01)
    return found
