"""Windows that a session keeps open, each with a lock of its own: one that hangs makes nobody wait but its own callers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from cuakit.act.windows import BoundWindowActor
from cuakit.capture.window import Window
from cuakit.core.candidate import Candidates
from cuakit.perceive.accessibility import WindowElements

MOST_WINDOWS: Final = 32
"""Windows kept open; the one unused for longest is let go, never one in use."""

SNAPSHOTS: Final = 4
"""Reads of a window that a later one can be compared with."""


@dataclass(kw_only=True)
class OpenWindow:
    """One window and what belongs to it. Touch it only inside :meth:`OpenWindows.use`.

    Args:
        window: The surface.
        actor: What acts on it.
        tree: Its reader on the accessibility bus, once it was wanted.
        snapshots: Objects of the last reads by capture id, oldest first.
    """

    window: Window
    actor: BoundWindowActor
    tree: WindowElements | None = None
    snapshots: dict[str, Candidates] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0

    def remember(self, capture_id: str, found: Candidates) -> None:
        """Keep what a read found, and forget the oldest."""
        self.snapshots[capture_id] = found
        while len(self.snapshots) > SNAPSHOTS:
            self.snapshots.pop(next(iter(self.snapshots)))

    def close(self) -> None:
        """Let go of the window."""
        self.actor.close()
        self.window.close()


class OpenWindows:
    """Windows by X id.

    Args:
        open_one: Opens a window that is not open yet.
        most: See :data:`MOST_WINDOWS`.
    """

    def __init__(self, open_one: Callable[[int], OpenWindow], *, most: int = MOST_WINDOWS) -> None:
        self._open_one = open_one
        self._most = most
        self._kept: dict[int, OpenWindow] = {}
        self._lock = threading.Lock()

    @contextmanager
    def use(self, window_id: int) -> Iterator[OpenWindow]:
        """A window, for this caller alone until the block ends.

        Raises:
            TargetGone: There is no such window.
        """
        with self._lock:
            found = self._kept.pop(window_id, None) or self._open_one(window_id)
            self._kept[window_id] = found
            found.users += 1
            self._let_go()
        try:
            with found.lock:
                yield found
        finally:
            with self._lock:
                found.users -= 1

    def close(self) -> None:
        """Let go of all, each as soon as its last caller is done."""
        with self._lock:
            kept, self._kept = list(self._kept.values()), {}
        for one in kept:
            with one.lock:
                one.close()

    def _let_go(self) -> None:
        idle = [id for id, one in self._kept.items() if one.users == 0]
        for id in idle[: max(0, len(self._kept) - self._most)]:
            self._kept.pop(id).close()
