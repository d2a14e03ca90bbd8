"""A lock between processes, held by a file. The system frees it when its holder dies, however it dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cuakit.core.errors import BackendError


@contextmanager
def file_lock(path: Path, *, timeout_s: float = 600.0, poll_s: float = 0.05) -> Iterator[None]:
    """Hold the lock at ``path`` in the body; the file stays behind, empty.

    Args:
        path: Lock file; its folder must exist.
        timeout_s: Longest wait for another holder, in seconds.
        poll_s: Time between tries, in seconds.

    Raises:
        BackendError: Somebody else held it all the time (code ``lock_timeout``).
    """
    stop_at = time.monotonic() + timeout_s
    with path.open("a+b") as file:
        while not _try_lock(file):
            if time.monotonic() >= stop_at:
                raise BackendError(
                    f"another process has held {path} for {timeout_s:g} s",
                    hint="wait for it to finish, or stop it",
                    code="lock_timeout",
                )
            time.sleep(poll_s)
        try:
            yield
        finally:
            _unlock(file)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
