"""One window as a source of frames and a surface to act on, also while other windows cover it (X11)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cuakit.capture.screen import x11_scale
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot

if TYPE_CHECKING:
    from cuakit.backends.x11 import X11
    from cuakit.backends.x11_windows import WindowInfo


class Window:
    """A :class:`~cuakit.core.stages.Surface` of kind ``window``. Use :meth:`open`, and ``with``.

    Frames and input share the window's own pixels: (0, 0) is the top left corner of its contents, wherever it lies.

    Attributes:
        x: Connection to the server.
        id: X window id.
        scale: Physical pixels per logical point.
    """

    def __init__(self, x: X11, window: int, *, owns: bool) -> None:
        from cuakit.backends.x11_capture import WindowPixels  # noqa: PLC0415 - an extra

        self.x = x
        self.id = window
        self._owns = owns
        self.scale = x11_scale(x.display)
        self._pixels = WindowPixels(x, window)

    @classmethod
    def open(cls, window: int | str = "", *, display: str = "", x: X11 | None = None) -> Self:
        """Open a window.

        Args:
            window: X window id, or a part of the title; the active window by default.
            display: X display such as ``:0``; ``DISPLAY`` of the environment by default.
            x: Connection to use; one of its own by default.

        Raises:
            DisplayUnavailable: There is no X display here.
            UsageError: No window, or more than one, has that in its title.
            TargetGone: No window has that id.
        """
        from cuakit.backends.x11 import X11  # noqa: PLC0415 - an extra

        connection = x or X11.open(display)
        try:
            return cls(connection, window if isinstance(window, int) else _find(connection, window), owns=x is None)
        except BaseException:
            if x is None:
                connection.close()
            raise

    def info(self) -> WindowInfo:
        """What the window is now.

        Raises:
            TargetGone: It was closed.
        """
        from cuakit.backends.x11_windows import window_info  # noqa: PLC0415 - an extra

        return window_info(self.x, self.id)

    def target(self) -> Target:
        """Identity; the generation changes when another program's window takes over the id."""
        return Target("window", f"{self.x.display}/{self.id:#x}", self.info().generation)

    def size(self) -> tuple[int, int]:
        """Size of a frame in pixels."""
        return self._pixels.size()

    def grab(self) -> Screenshot:
        """A fresh frame; of a minimized window the last one before that, and ``source`` says so.

        Raises:
            TargetGone: It was closed, or was minimized before anything was read (code ``window_unmapped``).
        """
        taken = time.monotonic_ns()
        pixels = self._pixels.read()
        note = "" if self._pixels.live else " (minimized, as last seen)"
        return Screenshot(pixels=pixels, scale=self.scale, taken_ns=taken, source=f"window:{self.id:#x}{note}")

    def patch(self, box: Box) -> NDArray[np.uint8]:
        """Fresh pixels under a box of the frame, cut at the frame; (h, w, 3) RGB."""
        return self._pixels.read(box)

    def title(self) -> str:
        """Title now; content, not authority."""
        return self.info().title

    def close(self) -> None:
        """Let go of the window. Safe to call twice."""
        self._pixels.close()
        if self._owns:
            self.x.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Window({self.id:#x} on {self.x.display})"


@dataclass(frozen=True, kw_only=True)
class WindowCapture:
    """Stage ``window-v1``: takes a picture of one window, also when it is covered.

    Args:
        window: X window id, or a part of its title; the active window by default.
        display: X display such as ``:0``; ``DISPLAY`` of the environment by default.
    """

    stage_id: ClassVar[str] = "window-v1"
    window: int | str = ""
    display: str = ""

    def open(self) -> Window:
        """The live window, for acting under a lease. The caller closes it."""
        return Window.open(self.window, display=self.display)

    def bind(self, surface: Any) -> Any:
        """The frame source of a window that is open already."""
        return surface.grab

    def __call__(self) -> Screenshot:
        """A fresh frame. For many frames of one window, use :meth:`open` and ``grab``."""
        with self.open() as window:
            return window.grab()


def _find(x: X11, title: str) -> int:
    from cuakit.backends.x11_windows import list_windows  # noqa: PLC0415 - an extra

    windows = [w for w in list_windows(x) if not w.popup]
    found = [w for w in windows if (title.casefold() in w.title.casefold() if title else w.active)]
    if len(found) == 1:
        return found[0].id
    what = f"{len(found)} windows have {title!r} in their title" if title else "no window is active"
    open_now = ", ".join(f"{w.id:#x} {w.title!r}" for w in windows) or "none"
    raise UsageError(what, hint=f"windows: {open_now}")
