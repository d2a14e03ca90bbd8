"""Pixels of one window, also when others cover it: the server keeps it in memory of its own (XComposite)."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final, Self

import numpy as np
import xcffib
import xcffib.composite
import xcffib.damage
from numpy.typing import NDArray

from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import client_of
from cuakit.core.errors import TargetGone
from cuakit.core.geometry import Box

_FIRST_PAINT_S: Final = 1.0
"""Most time a program gets to paint the parts that were covered when the capture began."""

_PAINT_PAUSE_S: Final = 0.06
"""A program that paints nothing for this long has finished."""


class WindowPixels:
    """Reads a window for as long as it is open. Use ``with``.

    The window stays redirected all that time, because the first redirection of a covered window costs a repaint. The
    person sees no difference: the server still shows it on the screen.

    Args:
        x: Connection, kept open by the caller.
        window: X window id.

    Attributes:
        live: Whether the last read showed the window as it is, not as it was before it was minimized.

    Raises:
        TargetGone: There is no such window.
    """

    def __init__(self, x: X11, window: int) -> None:
        self._x = x
        self.window = window
        self._composite = x.connection(xcffib.composite.key)
        self._damage = x.connection(xcffib.damage.key)
        self._closed = False
        self.live = True
        self._pixmap = 0
        self._kept = (0, 0, 0)
        with x.errors(f"window {window:#x}"):
            self._composite.QueryVersion(0, 4).reply()
            self._damage.QueryVersion(1, 1).reply()
            covered = is_covered(x, window)
            watch = x.connection.generate_id()
            self._damage.Create(watch, window, xcffib.damage.ReportLevel.RawRectangles, is_checked=True).check()
            self._composite.RedirectWindow(window, xcffib.composite.Redirect.Automatic, is_checked=True).check()
            if covered:
                self._wait_for_paint()
            self._damage.Destroy(watch)
            x.drain_events()

    def size(self) -> tuple[int, int]:
        """``(width, height)`` of the window's contents in pixels.

        Raises:
            TargetGone: It was closed.
        """
        with self._x.errors(f"window {self.window:#x}"):
            found = self._x.connection.core.GetGeometry(self.window).reply()
        return found.width, found.height

    def read(self, box: Box | None = None) -> NDArray[np.uint8]:
        """Pixels now, or the last ones before the window was minimized (see :attr:`live`).

        Args:
            box: Part to read, in the window's pixels, cut at its edge; all of it by default.

        Returns:
            (h, w, 3) RGB; empty where the box lies outside.

        Raises:
            TargetGone: It was closed; or it was minimized before anything was read (code ``window_unmapped``).
        """
        what = f"window {self.window:#x}"
        core = self._x.connection.core
        with self._x.errors(what):
            asked = core.GetGeometry(self.window), core.GetWindowAttributes(self.window)
            geometry, attributes = asked[0].reply(), asked[1].reply()
            self.live = attributes.map_state == xcffib.xproto.MapState.Viewable
            if self.live:
                self._keep(geometry.width, geometry.height, geometry.border_width)
            width, height, border = self._kept
            if not self._pixmap or (width, height) != (geometry.width, geometry.height):
                raise TargetGone(f"{what} is minimized and has no pixels", hint="restore it", code="window_unmapped")
            left, top, right, bottom = (box or Box(0, 0, width, height)).clip(width, height).rounded()
            if right <= left or bottom <= top:
                return np.empty((0, 0, 3), np.uint8)
            part = (left + border, top + border, right + border, bottom + border)
            return self._x.pixels(self._pixmap, part, what)

    def _keep(self, width: int, height: int, border: int) -> None:
        """Take hold of the window's memory: a minimized window keeps what is held, and gets new memory when shown."""
        fresh = self._x.connection.generate_id()
        self._composite.NameWindowPixmap(self.window, fresh, is_checked=True).check()
        self._drop()
        self._pixmap, self._kept = fresh, (width, height, border)

    def _drop(self) -> None:
        if self._pixmap:
            self._x.connection.core.FreePixmap(self._pixmap)
            self._pixmap = 0

    def close(self) -> None:
        """Give the window back. Safe to call twice, and after it went away."""
        if self._closed:
            return
        self._closed = True
        try:
            with self._x.errors(f"window {self.window:#x}"):
                self._drop()
                self._composite.UnredirectWindow(
                    self.window, xcffib.composite.Redirect.Automatic, is_checked=True
                ).check()
        except TargetGone:
            pass  # the server has forgotten the redirection together with the window

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait_for_paint(self) -> None:
        end = time.monotonic() + _FIRST_PAINT_S
        patience = end
        while (event := self._x.wait_event(min(end, patience))) is not None:
            if isinstance(event, xcffib.damage.NotifyEvent):
                patience = time.monotonic() + _PAINT_PAUSE_S


def is_covered(x: X11, window: int) -> bool:
    """Whether any part of a window lies under another top-level window."""
    core = x.connection.core
    top = _top_level(x, client_of(x, window))
    children = list(core.QueryTree(x.root).reply().children)
    if top not in children:
        return False
    above = children[children.index(top) + 1 :]
    asked = [(core.GetGeometry(w), core.GetWindowAttributes(w)) for w in above]
    mine = core.GetGeometry(top).reply()
    extent = Box.from_xywh(mine.x, mine.y, mine.width, mine.height)
    covered = False
    for geometry, attributes in asked:
        try:
            g, a = geometry.reply(), attributes.reply()
        except (xcffib.xproto.DrawableError, xcffib.xproto.WindowError):
            continue
        if a.map_state == xcffib.xproto.MapState.Viewable:
            covered = covered or extent.intersect(Box.from_xywh(g.x, g.y, g.width, g.height)).area > 0
    return covered


def _top_level(x: X11, window: int) -> int:
    at = window
    while (parent := x.connection.core.QueryTree(at).reply().parent) not in (0, x.root):
        at = parent
    return at
