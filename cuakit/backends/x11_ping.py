"""Asks a window's program whether it still reads its events (``_NET_WM_PING``).

The answer comes in the order of events, so it also tells that everything sent before has been read.
"""

from __future__ import annotations

import struct
import threading
import time
from types import TracebackType
from typing import Final, Self

import xcffib.xproto as xp

from cuakit.backends.x11 import X11, numbers

_CLIENT_MESSAGE: Final = 33


class Pinger:
    """Pings windows of one server, over a connection of its own. Use ``with``.

    Args:
        display: X display name.
    """

    def __init__(self, display: str) -> None:
        self._x = X11.open(display)
        self._lock = threading.Lock()
        self._silent: set[int] = set()
        core = self._x.connection.core
        core.ChangeWindowAttributes(
            self._x.root, xp.CW.EventMask, [xp.EventMask.SubstructureNotify], is_checked=True
        ).check()

    def answers(self, window: int, timeout_s: float = 1.0) -> bool | None:
        """Whether the program answers in time; None when it does not take part in the protocol.

        Raises:
            TargetGone: There is no such window.
        """
        x = self._x
        with self._lock, x.errors(f"window {window:#x}"):
            x.connection.core.GetGeometry(window).reply()
            if window in self._silent or x.atom("_NET_WM_PING") not in numbers(
                x.property_bytes(x.ask_property(window, "WM_PROTOCOLS"))
            ):
                return None
            serial = time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF
            protocols, ping = x.atom("WM_PROTOCOLS"), x.atom("_NET_WM_PING")
            data = (ping, serial, window, 0, 0)
            message = struct.pack("=BBHII5I", _CLIENT_MESSAGE, 32, 0, window, protocols, *data)
            x.connection.core.SendEvent(False, window, 0, message, is_checked=True).check()
            end = time.monotonic() + timeout_s
            while (event := x.wait_event(end)) is not None:
                if isinstance(event, xp.ClientMessageEvent) and list(event.data.data32)[:3] == list(data[:3]):
                    return True
            return False

    def ignore(self, window: int) -> None:
        """Remember that a program is alive and yet never answers, as Qt does: it then counts as taking no part."""
        self._silent.add(window)

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        self._x.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
