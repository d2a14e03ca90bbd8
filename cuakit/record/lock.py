"""One writer per file, held by the operating system: it lets go when the process dies, however it dies."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt
    import os

    _FAR = 1 << 40
    """A byte no ledger reaches: Windows locks are mandatory, and the data must stay readable."""

    def try_lock(fd: int) -> bool:
        """Take the exclusive lock on an open file; False when another process has it."""
        at = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            os.lseek(fd, _FAR, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(fd, at, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(fd: int) -> bool:
        """Take the exclusive lock on an open file; False when another process has it."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
