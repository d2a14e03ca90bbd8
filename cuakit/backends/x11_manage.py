"""Requests to the window manager (EWMH), as a pager or task bar makes them."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import xcffib.xproto as xp

from cuakit.backends.x11 import X11

_PAGER: Final = 2
_ABOVE: Final = 0


def activate(x: X11, window: int) -> None:
    """Ask that a window be raised and given the person's keyboard."""
    _request(x, window, "_NET_ACTIVE_WINDOW", (_PAGER, 0, 0, 0, 0))


def iconify(x: X11, window: int) -> None:
    """Ask that a window be minimized."""
    iconic_state = 3
    _request(x, window, "WM_CHANGE_STATE", (iconic_state, 0, 0, 0, 0))


def restack(x: X11, order: Sequence[int]) -> None:
    """Ask that windows be stacked in this order, bottom first."""
    for below, above in pairwise(order):
        _request(x, above, "_NET_RESTACK_WINDOW", (_PAGER, below, _ABOVE, 0, 0))


def refocus(x: X11, window: int) -> None:
    """Give the person's focus to the window that has it already, so that everyone is told of it again.

    Nothing can be typed in between: the server serves no one else meanwhile.
    """
    if window in (0, x.root):
        return
    core = x.connection.core
    with x.errors(f"window {window:#x}"):
        core.GrabServer()
        try:
            core.SetInputFocus(xp.InputFocus._None, 0, 0)  # noqa: SLF001 - the protocol's only name for it
            core.SetInputFocus(xp.InputFocus.Parent, window, 0, is_checked=True).check()
        finally:
            core.UngrabServer()
            x.sync()


def manager_caught_up(x: X11, timeout_s: float = 1.0) -> bool:
    """Wait until the window manager has dealt with everything that happened before; False when there is none.

    It is asked for the frame of a window that is never shown, which it answers in the order of its events.
    """
    core = x.connection.core
    x.atoms(["_NET_FRAME_EXTENTS", "_NET_SUPPORTED"])
    with x.errors("the window manager"):
        if x.atom("_NET_REQUEST_FRAME_EXTENTS") not in x.cardinals(x.root, "_NET_SUPPORTED"):
            return False
        probe = x.connection.generate_id()
        copy, input_output = 0, 1
        core.CreateWindow(copy, probe, x.root, -9, -9, 1, 1, 0, input_output, copy, 0, [], is_checked=True).check()
        try:
            _request(x, probe, "_NET_REQUEST_FRAME_EXTENTS", (0, 0, 0, 0, 0))
            end = time.monotonic() + timeout_s
            while not x.cardinals(probe, "_NET_FRAME_EXTENTS"):
                if time.monotonic() >= end:
                    return False
                time.sleep(0.003)
        finally:
            core.DestroyWindow(probe)
    return True


def _request(x: X11, window: int, name: str, data: tuple[int, ...]) -> None:
    client_message = 33
    event = struct.pack("=BBHII5I", client_message, 32, 0, window, x.atom(name), *data)
    mask = xp.EventMask.SubstructureNotify | xp.EventMask.SubstructureRedirect
    with x.errors(f"window {window:#x}"):
        x.connection.core.SendEvent(False, x.root, mask, event, is_checked=True).check()
