"""The window that has the person's attention, as one surface that follows it: dialogs come and go."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import WindowInfo, list_windows
from cuakit.capture.window import Window
from cuakit.core.errors import BackendError, TargetGone
from cuakit.core.geometry import Box
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot

_TRIES: Final = 20
_POLL_S: Final = 0.05


def front(x: X11) -> WindowInfo | None:
    """The active window, else the highest one; None when there is none."""
    shown = [w for w in list_windows(x) if w.on_screen and not w.popup and not w.minimized]
    active = [w for w in shown if w.active]
    return next(reversed(active or shown), None)


class ActiveWindow:
    """A :class:`~cuakit.core.stages.Surface` of kind ``window`` on one private desktop.

    :meth:`target` decides which window it is; everything else speaks of that window until it is asked again. Without a
    window the bare screen is shown, on which nothing can be done.

    Attributes:
        x: Connection to the server.
        session: Address of the desktop's message bus, for stages that read its accessibility tree.
        id: X window id; that of the root when there is no window.
    """

    def __init__(self, x: X11, session: str) -> None:
        self.x = x
        self.session = session
        self.id = x.root
        self._window: Window | None = None
        self._closing: list[Callable[[], None]] = []

    def on_close(self, let_go: Callable[[], None]) -> None:
        """Have something called when this surface is closed: stages that hold connections end with it."""
        self._closing.append(let_go)

    @property
    def scale(self) -> float:
        """Physical pixels per logical point."""
        return self._window.scale if self._window is not None else 1.0

    def info(self) -> WindowInfo:
        """What the window is now.

        Raises:
            TargetGone: It was closed, or there is none.
        """
        if self._window is None:
            raise TargetGone("there is no window on this desktop", hint="start an application")
        return self._window.info()

    def target(self) -> Target:
        """Identity of the window that has the attention now; it becomes what this surface shows."""
        for _ in range(_TRIES):
            try:
                self._follow()
                if self._window is None:
                    break
                return self._window.target()
            except TargetGone:
                time.sleep(_POLL_S)  # it was closed while it was looked at
        return Target("window", f"{self.x.display}/root", "0")

    def size(self) -> tuple[int, int]:
        """Size of a frame in pixels."""
        return self._window.size() if self._window is not None else self.x.size

    def grab(self) -> Screenshot:
        """A fresh frame; of the next window when this one has gone."""
        for _ in range(_TRIES):
            try:
                return self._window.grab() if self._window is not None else self._bare()
            except TargetGone:
                self.target()
        raise TargetGone("no window stays long enough to be looked at", hint="observe again")

    def patch(self, box: Box) -> NDArray[np.uint8]:
        """Fresh pixels under a box of the frame, (h, w, 3) RGB, cut at the frame."""
        return self._window.patch(box) if self._window is not None else self._bare().crop(box)

    def title(self) -> str:
        """Title now; content, not authority. Empty when the window has gone."""
        try:
            return self.info().title
        except TargetGone:
            return ""

    def close(self) -> None:
        """Let go of the window and of everything that was bound to it. Safe to call twice."""
        while self._closing:
            self._closing.pop()()
        self._let_go()

    def _let_go(self) -> None:
        if self._window is not None:
            with contextlib.suppress(BackendError):  # the server may have gone, and the window with it
                self._window.close()
            self._window, self.id = None, self.x.root

    def _follow(self) -> None:
        found = front(self.x)
        if found is None:
            self._let_go()
        elif self._window is None or self._window.id != found.id:
            fresh = Window.open(found.id, x=self.x)
            self._let_go()
            self._window, self.id = fresh, found.id

    def _bare(self) -> Screenshot:
        pixels = self.x.pixels(self.x.root, (0, 0, *self.x.size), "the screen")
        return Screenshot(pixels=pixels, taken_ns=time.monotonic_ns(), source="screen")
