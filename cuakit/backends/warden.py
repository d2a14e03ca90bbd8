"""The watch over a private desktop: when its owner dies, however it dies, everything it started dies too.

Runs as its own small process (standard library only, so that it starts in milliseconds) and waits for its owner to
go away: standard input closes, or the process behind it ends. Then it ends every process that carries the mark in its
environment and removes the private folder. A process that left the group or the session still carries the mark.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

MARK: Final = "CUAKIT_DESKTOP_ID"
"""Environment variable that marks the processes of one desktop."""

_GRACE_S: Final = 1.0


def members(mark: str, group: int, *, proc: Path = Path("/proc")) -> tuple[int, ...]:
    """Ids of the live processes that belong to a desktop, without the warden.

    These carry the mark in their environment, or are in the desktop's process group, or descend from one that does:
    a browser writes its title over the environment that the kernel shows, a shell leaves the group.

    Args:
        mark: Value of :data:`MARK`.
        group: Process group, whose leader is the warden.
        proc: Where the kernel shows its processes.
    """
    needle = f"{MARK}={mark}".encode()
    parents: dict[int, int] = {}
    ours: set[int] = set()
    for entry in proc.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(entry.name)
                state, parent, in_group = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
                if state != b"Z" and pid != group:
                    parents[pid] = int(parent)
                    if int(in_group) == group or needle in (entry / "environ").read_bytes().split(b"\0"):
                        ours.add(pid)
    while more := {pid for pid, parent in parents.items() if pid not in ours and parent in ours}:
        ours |= more
    return tuple(ours)


def end_all(mark: str, group: int, *, grace_s: float = _GRACE_S, clock: Callable[[], float] = time.monotonic) -> int:
    """Ask the processes of a desktop to end, then end them. Returns how many there were.

    Processes born meanwhile are found too: it goes on until a look finds none.
    """
    seen: set[int] = set()
    end = clock() + grace_s
    while pids := set(members(mark, group)):
        late = clock() >= end
        for pid in pids if late else pids - seen:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
        seen |= pids
        if clock() >= end + 5.0:
            break  # a process that survives SIGKILL hangs in the kernel; waiting longer helps nobody
        time.sleep(0.02)
    return len(seen)


def _wait_for_owner_to_go(owner: int) -> None:
    waiting = [sys.stdin.fileno()]
    if hasattr(os, "pidfd_open"):
        try:
            waiting.append(os.pidfd_open(owner))
        except OSError:
            return
    select.select(waiting, [], [])


def main(argv: list[str]) -> None:
    """Wait for the owner to go, then clean up.

    Args:
        argv: Mark, folder to remove, process id of the owner.
    """
    mark, folder, owner = argv
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    _wait_for_owner_to_go(int(owner))
    end_all(mark, os.getpid())
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
