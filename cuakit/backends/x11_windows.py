"""Windows of an X server: which there are, where they lie, whose they are, and in what order they are stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import xcffib
import xcffib.res
import xcffib.xproto as xp

from cuakit.backends.x11 import X11, numbers
from cuakit.core.errors import TargetGone
from cuakit.core.geometry import Box

_LOCAL_PID: Final = 2
_PROPERTIES: Final = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WM_PID", "WM_STATE", "_NET_WM_STATE")
_ICONIC: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowInfo:
    """One top-level window as it is now.

    Args:
        id: X window id of the program's own window, not of the frame around it.
        pid: Process that owns the connection, as the server knows it; 0 when it is on another machine.
        started: Start time of that process in clock ticks since boot; tells a reused process id apart.
        title: Window title.
        app: Class of the program, such as ``Mousepad``.
        box: Extent of the window's contents on the screen, in pixels of the root window.
        stacking: 0 at the bottom.
        active: Whether the window manager says that it has the person's attention.
        minimized: Whether it is iconified; it has no pixels then.
        on_screen: Whether it is mapped and so are its ancestors.
        popup: Whether it is outside the window manager's care: a menu, a tooltip, a drop-down list.
    """

    id: int
    pid: int
    started: int
    title: str
    app: str
    box: Box
    stacking: int
    active: bool
    minimized: bool
    on_screen: bool
    popup: bool = False

    @property
    def generation(self) -> str:
        """Changes when the id comes to mean another window."""
        return f"{self.pid}.{self.started}.{self.id:x}"


def list_windows(x: X11) -> tuple[WindowInfo, ...]:
    """All top-level windows, bottom first; a window that goes away meanwhile is left out.

    Raises:
        DisplayUnavailable: The server went away.
    """
    with x.errors("the window list"):
        managed = x.cardinals(x.root, "_NET_CLIENT_LIST_STACKING")
        children = x.connection.core.QueryTree(x.root).reply().children
        attributes = [(child, x.connection.core.GetWindowAttributes(child)) for child in children]
        popups = [child for child, asked in attributes if _is_popup(asked, managed_exist=bool(managed))]
        found = _describe(x, [*managed, *popups], popups=frozenset(popups))
        screen = Box(0, 0, *x.size)
        return tuple(w for w in found if not w.popup or w.box.intersect(screen).area > 1)


def window_info(x: X11, window: int) -> WindowInfo:
    """One window as it is now.

    Raises:
        TargetGone: There is no such window any more.
    """
    with x.errors(f"window {window:#x}"):
        managed = x.cardinals(x.root, "_NET_CLIENT_LIST_STACKING")
        found = _describe(x, [window], popups=frozenset() if window in managed or not managed else frozenset({window}))
    if not found:
        raise TargetGone(f"window {window:#x} is gone", hint="list the windows again")
    order = managed.index(window) if window in managed else len(managed)
    return replace(found[0], stacking=order)


def client_of(x: X11, window: int) -> int:
    """The managed window that holds ``window`` (a child of it, or the frame around it), or ``window`` itself."""
    with x.errors(f"window {window:#x}"):
        managed = frozenset(x.cardinals(x.root, "_NET_CLIENT_LIST"))
        at = window
        while at not in managed:
            parent = x.connection.core.QueryTree(at).reply().parent
            if parent in (0, x.root):
                return window
            at = parent
        return at


def process_start(pid: int) -> int:
    """Start time of a process in clock ticks since boot; 0 when there is none."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _is_popup(asked: Any, *, managed_exist: bool) -> bool:
    try:
        found = asked.reply()
    except xp.WindowError:
        return False
    shown = found.map_state == xp.MapState.Viewable and found._class == xp.WindowClass.InputOutput  # noqa: SLF001 - the field's only name
    return shown and bool(found.override_redirect or not managed_exist)


def _describe(x: X11, windows: Sequence[int], *, popups: frozenset[int]) -> tuple[WindowInfo, ...]:
    core = x.connection.core
    x.atoms([*_PROPERTIES, "_NET_ACTIVE_WINDOW", "_NET_WM_STATE_HIDDEN"])
    active = (x.cardinals(x.root, "_NET_ACTIVE_WINDOW") or (0,))[0]
    asked = [
        (
            window,
            core.GetGeometry(window),
            core.TranslateCoordinates(window, x.root, 0, 0),
            core.GetWindowAttributes(window),
            _ask_pid(x, window),
            {name: x.ask_property(window, name) for name in _PROPERTIES},
        )
        for window in windows
    ]
    found = []
    for order, (window, geometry, origin, attributes, owner, properties) in enumerate(asked):
        values = {name: x.property_bytes(cookie) for name, cookie in properties.items()}
        try:
            size, at, shown = geometry.reply(), origin.reply(), attributes.reply()
            pid = _pid(owner) or (numbers(values["_NET_WM_PID"]) or (0,))[0]
        except (xp.WindowError, xp.DrawableError):
            continue
        hidden = x.atom("_NET_WM_STATE_HIDDEN") in numbers(values["_NET_WM_STATE"])
        found.append(
            WindowInfo(
                id=window,
                pid=pid,
                started=process_start(pid),
                title=(values["_NET_WM_NAME"] or values["WM_NAME"]).decode("utf-8", "replace"),
                app=values["WM_CLASS"].rstrip(b"\0").rpartition(b"\0")[2].decode("utf-8", "replace"),
                box=Box.from_xywh(at.dst_x, at.dst_y, size.width, size.height),
                stacking=order,
                active=window == active,
                minimized=hidden or (numbers(values["WM_STATE"]) or (0,))[0] == _ICONIC,
                on_screen=shown.map_state == xp.MapState.Viewable,
                popup=window in popups,
            )
        )
    return tuple(found)


def _ask_pid(x: X11, window: int) -> Any:
    spec = xcffib.res.ClientIdSpec.synthetic(window, _LOCAL_PID)  # type: ignore[no-untyped-call] # it publishes no types
    return x.connection(xcffib.res.key).QueryClientIds(1, [spec])


def _pid(asked: Any) -> int:
    for answer in asked.reply().ids:
        if answer.spec.mask & _LOCAL_PID and len(answer.value):
            return int(answer.value[0])
    return 0
