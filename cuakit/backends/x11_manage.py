"""Requests to the window manager (EWMH), as a pager or task bar makes them."""

from __future__ import annotations

import struct
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


def restack(x: X11, order: Sequence[int]) -> None:
    """Ask that windows be stacked in this order, bottom first."""
    for below, above in pairwise(order):
        _request(x, above, "_NET_RESTACK_WINDOW", (_PAGER, below, _ABOVE, 0, 0))


def _request(x: X11, window: int, name: str, data: tuple[int, ...]) -> None:
    client_message = 33
    event = struct.pack("=BBHII5I", client_message, 32, 0, window, x.atom(name), *data)
    mask = xp.EventMask.SubstructureNotify | xp.EventMask.SubstructureRedirect
    with x.errors(f"window {window:#x}"):
        x.connection.core.SendEvent(False, x.root, mask, event, is_checked=True).check()
