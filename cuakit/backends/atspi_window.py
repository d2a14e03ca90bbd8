"""Finds the accessible side of an X window, and reads it."""

from __future__ import annotations

from collections.abc import Sequence

from cuakit.backends.atspi import Accessibility, Frame
from cuakit.backends.atspi_bus import AccessibilityUnavailable
from cuakit.backends.atspi_tree import Limits, Tree, read_tree
from cuakit.backends.x11_windows import WindowInfo


def read_window(access: Accessibility, window: WindowInfo, limits: Limits | None = None) -> Tree:
    """Accessible objects of a window, boxes in its pixels.

    Raises:
        AccessibilityUnavailable: Its program is not on the bus, or has no such window there.
    """
    limits = limits or Limits()
    app = access.app_of(window.pid, min(1.0, limits.deadline_s))
    if app is None:
        raise AccessibilityUnavailable(
            f"{window.app or 'the program'} (process {window.pid}) is not on the accessibility bus",
            hint="start it with accessibility on, for example through Desktop.spawn(), or read the window's pixels",
            retryable=True,
        )
    frames = access.frames(app, min(1.0, limits.deadline_s))
    if not frames:
        return Tree(truncated="not_answering")
    return read_tree(access, app, match_frame(frames, window), limits)


def match_frame(frames: Sequence[Frame], window: WindowInfo) -> Frame:
    """The accessible object of a window: by title, then by size.

    A frame may count the window manager's border, so sizes agree only roughly.
    """

    def unlikeness(frame: Frame) -> tuple[bool, float]:
        size = (frame.box.width, frame.box.height) if frame.box else (0.0, 0.0)
        return frame.name != window.title, abs(size[0] - window.box.width) + abs(size[1] - window.box.height)

    return min(frames, key=unlikeness)
