"""Stopping: SIGINT and SIGTERM unwind the stack, so that whatever was started is closed."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stopped(BaseException):
    """A signal asked the process to stop.

    Args:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Within it, the first SIGINT or SIGTERM raises :class:`Stopped` in the main thread; later ones are ignored.

    Outside the main thread it changes nothing: signals are not delivered there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _: FrameType | None) -> None:
        for each in kept:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    for number in kept:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
