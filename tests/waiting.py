"""Waiting for something to become true, with a limit that only a broken program meets."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def wait_for(
    holds: Callable[[], Any], *, within_s: float = 120.0, despite: tuple[type[Exception], ...] = (), what: object = "it"
) -> Any:
    """The first true value that ``holds`` gives; errors of the kinds in ``despite`` count as not yet.

    Raises:
        AssertionError: It stayed false for ``within_s`` seconds.
    """
    stop_at = time.monotonic() + within_s
    while True:
        with suppress(*despite):
            if found := holds():
                return found
        assert time.monotonic() < stop_at, f"waited {within_s:g} s in vain for {what}"
        time.sleep(0.01)
