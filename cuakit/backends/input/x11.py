"""Events sent to one X window, so that it acts while the person works elsewhere.

Nothing moves: not the pointer, not the focus, not the stacking. The program is told that it has the focus and that the
pointer entered, gets the events, and is told that both left. It must listen for core events on that window; whether it
does can be asked (:func:`takes_events`). Points are in the window's pixels.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import xcffib.xproto as xp

from cuakit.backends.input.x11_keys import Stroke
from cuakit.backends.x11 import X11
from cuakit.core.geometry import Point

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION, ENTER, LEAVE, FOCUS_IN, FOCUS_OUT = range(2, 11)

WHEEL: Final = {(0, -1): 4, (0, 1): 5, (-1, 0): 6, (1, 0): 7}
"""Direction of a wheel notch → its button."""

DRAG_STEPS: Final = 12
"""Moves between press and release; programs need several to see a drag at all."""

_NOTIFY_NONLINEAR: Final = 3
_NOTIFY_ANCESTOR: Final = 0
_SAME_SCREEN_FOCUS: Final = 3
_MASK: Final = {
    KEY_PRESS: xp.EventMask.KeyPress,
    KEY_RELEASE: xp.EventMask.KeyRelease,
    BUTTON_PRESS: xp.EventMask.ButtonPress,
    BUTTON_RELEASE: xp.EventMask.ButtonRelease,
    MOTION: xp.EventMask.PointerMotion,
    ENTER: xp.EventMask.EnterWindow,
    LEAVE: xp.EventMask.LeaveWindow,
    FOCUS_IN: xp.EventMask.FocusChange,
    FOCUS_OUT: xp.EventMask.FocusChange,
}


@dataclass(frozen=True, slots=True)
class Spot:
    """Where events go: the deepest window at a point that listens, and the point in its pixels."""

    window: int
    x: int
    y: int
    root_x: int
    root_y: int


def takes_events(x: X11, window: int, mask: int) -> bool:
    """Whether some client listens on a window for core events of a kind.

    GTK 4, and GTK 3 without ``GDK_CORE_DEVICE_EVENTS``, listen for XInput 2 events only, which cannot be sent.
    """
    with x.errors(f"window {window:#x}"):
        return bool(x.connection.core.GetWindowAttributes(window).reply().all_event_masks & mask)


def spot_at(x: X11, window: int, at: Point, mask: int = xp.EventMask.ButtonPress) -> Spot | None:
    """The deepest window under a point that listens for events of a kind; None when none does."""
    core = x.connection.core
    with x.errors(f"window {window:#x}"):
        origin = core.TranslateCoordinates(window, x.root, 0, 0).reply()
        px, py = int(at.x), int(at.y)
        root_x, root_y = origin.dst_x + px, origin.dst_y + py
        found = None
        inside: int = window
        while inside:
            if takes_events(x, inside, mask):
                found = Spot(inside, px, py, root_x, root_y)
            below = core.TranslateCoordinates(inside, inside, px, py).reply().child
            if below:
                moved = core.TranslateCoordinates(inside, below, px, py).reply()
                px, py = moved.dst_x, moved.dst_y
            inside = below
        return found


@dataclass(slots=True)
class SentEvents:
    """Sends events to one window.

    Args:
        x: Connection.
        window: Top-level window.
        read: Returns when the program has read what was sent, or after a while; the focus must have arrived before a
            button goes down, or some programs ask the window manager for it.
        pause: Waits between events, in seconds; replaced in tests.
    """

    x: X11
    window: int
    read: Callable[[], object] = field(default=lambda: None)
    pause: Callable[[float], None] = field(default=time.sleep)

    @contextmanager
    def attention(self, spot: Spot | None = None) -> Iterator[None]:
        """Let the program believe that it has the focus, and the pointer when a spot is given, for the time being."""
        self._focus(FOCUS_IN)
        try:
            self.read()
            self.pause(0.01)
            if spot is not None:
                self._pointer(ENTER, _NOTIFY_ANCESTOR, spot, 0)
                self._pointer(MOTION, 0, spot, 0)
            yield
        finally:
            if spot is not None:
                self._pointer(LEAVE, _NOTIFY_ANCESTOR, spot, 0)
            self.read()
            self._focus(FOCUS_OUT)
            self.x.sync()

    def click(self, spot: Spot, *, button: int = 1, count: int = 1, state: int = 0) -> None:
        """Press and release ``count`` times; ``state`` holds the bits of modifiers that count as held."""
        with self.attention(spot):
            for _ in range(count):
                self._button(spot, button, state)

    def drag(self, start: Spot, end: Spot, *, state: int = 0) -> None:
        """Press at one spot, move in steps, release at another of the same window."""
        with self.attention(start):
            self._pointer(BUTTON_PRESS, 1, start, state)
            at = start
            try:
                for step in range(1, DRAG_STEPS + 1):
                    at = _between(start, end, step / DRAG_STEPS)
                    self.pause(0.012)
                    self._pointer(MOTION, 0, at, state | xp.KeyButMask.Button1)
                self.pause(0.03)
            finally:
                self._pointer(BUTTON_RELEASE, 1, at, state | xp.KeyButMask.Button1)

    def scroll(self, spot: Spot, right: int, down: int) -> None:
        """Turn the wheel by whole notches."""
        with self.attention(spot):
            for direction, notches in (((_sign(right), 0), abs(right)), ((0, _sign(down)), abs(down))):
                for _ in range(notches):
                    self._button(spot, WHEEL[direction], 0)

    def keys(self, strokes: Sequence[Stroke], *, state: int = 0) -> None:
        """Press and release keys one after the other, with the modifiers of each and those of ``state``."""
        with self.attention():
            self.strokes(strokes, state=state)

    def strokes(self, strokes: Sequence[Stroke], *, state: int = 0) -> None:
        """As :meth:`keys`, inside an :meth:`attention` of the caller's."""
        for stroke in strokes:
            self._key(KEY_PRESS, stroke.keycode, state | stroke.state)
            self._key(KEY_RELEASE, stroke.keycode, state | stroke.state)
            self.pause(0.002)

    def _button(self, spot: Spot, button: int, state: int) -> None:
        self._pointer(BUTTON_PRESS, button, spot, state)
        try:
            self.pause(0.012)
        finally:
            held = xp.KeyButMask.Button1 << (button - 1) if button <= 5 else 0
            self._pointer(BUTTON_RELEASE, button, spot, state | held)

    def _pointer(self, kind: int, detail: int, spot: Spot, state: int) -> None:
        tail = (_NOTIFY_MODE_NORMAL, _SAME_SCREEN_FOCUS) if kind in (ENTER, LEAVE) else (1, 0)
        event = struct.pack(
            "=BBHIIIIhhhhHBB",
            kind,
            detail,
            0,
            _now(),
            self.x.root,
            spot.window,
            0,
            spot.root_x,
            spot.root_y,
            spot.x,
            spot.y,
            state,
            *tail,
        )
        self._send(spot.window, kind, event)

    def _key(self, kind: int, keycode: int, state: int) -> None:
        root, window = self.x.root, self.window
        event = struct.pack("=BBHIIIIhhhhHBB", kind, keycode, 0, _now(), root, window, 0, 0, 0, 1, 1, state, 1, 0)
        self._send(window, kind, event)

    def _focus(self, kind: int) -> None:
        self._send(self.window, kind, struct.pack("=BBHIB23x", kind, _NOTIFY_NONLINEAR, 0, self.window, 0))

    def _send(self, window: int, kind: int, event: bytes) -> None:
        mask = _MASK[kind]
        if kind == MOTION:
            mask |= xp.EventMask.ButtonMotion | xp.EventMask.Button1Motion
        with self.x.errors(f"window {window:#x}"):
            self.x.connection.core.SendEvent(False, window, mask, event, is_checked=True).check()


_NOTIFY_MODE_NORMAL: Final = 0


def _now() -> int:
    """The server's clock: on one machine it counts the milliseconds of the monotonic clock."""
    return time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _between(start: Spot, end: Spot, f: float) -> Spot:
    dx, dy = round((end.root_x - start.root_x) * f), round((end.root_y - start.root_y) * f)
    return Spot(start.window, start.x + dx, start.y + dy, start.root_x + dx, start.root_y + dy)
