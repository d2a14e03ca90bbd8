"""A second keyboard on the same X server (XInput 2 multi-pointer): its focus is its own, the person's stays.

The master device pair carries the id and start time of its process in its name, so that one left behind by a killed
process is recognized and removed the next time.
"""

from __future__ import annotations

import io
import os
import re
import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import xcffib.xinput
import xcffib.xtest

from cuakit.backends.input.x11 import KEY_PRESS, KEY_RELEASE
from cuakit.backends.input.x11_keys import MODIFIERS, Keyboard, Stroke
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import process_start
from cuakit.core.errors import BackendError

_NAME: Final = re.compile(r"cuakit (\d+) (\d+) (pointer|keyboard)")
_ADD, _REMOVE, _ATTACH = 1, 2, 1
_MASTER_POINTER, _MASTER_KEYBOARD = 1, 2


@dataclass(frozen=True, slots=True)
class Master:
    """A master device as the server lists it."""

    id: int
    kind: int
    name: str
    partner: int


def masters(x: X11) -> tuple[Master, ...]:
    """Master devices of a server.

    Raises:
        BackendError: It has no XInput 2 (code ``mpx_unavailable``).
    """
    extension = x.connection(xcffib.xinput.key)
    with x.errors("the input devices"):
        version = extension.XIQueryVersion(2, 2).reply()
        if version.major_version < 2:
            raise BackendError(f"{x.display} has no XInput 2", code="mpx_unavailable", retryable=False)
        infos = extension.XIQueryDevice(0).reply().infos
    return tuple(
        Master(info.deviceid, info.type, info.name.raw.decode("utf-8", "replace"), info.attachment)
        for info in infos
        if info.type in (_MASTER_POINTER, _MASTER_KEYBOARD)
    )


def remove_stale(x: X11) -> int:
    """Remove pairs whose process is gone; how many there were."""
    gone = 0
    for master in masters(x):
        match = _NAME.fullmatch(master.name)
        if match and master.kind == _MASTER_POINTER and process_start(int(match[1])) != int(match[2]):
            _remove(x, master.id)
            gone += 1
    return gone


class AgentKeyboard:
    """A keyboard of our own. Use :meth:`open`, and ``with``: the device is removed at the end.

    It has a connection of its own, whose core requests concern this keyboard and not the person's.
    """

    def __init__(self, x: X11, pointer: int, keyboard: int) -> None:
        self._x = x
        self._pointer = pointer
        self._keyboard = keyboard
        self._input = x.connection(xcffib.xinput.key)
        self._test = x.connection(xcffib.xtest.key)
        self._closed = False

    @classmethod
    def open(cls, display: str) -> Self:
        """Make the device.

        Raises:
            BackendError: The server cannot have one (code ``mpx_unavailable``).
        """
        x = X11.open(display)
        try:
            remove_stale(x)
            mine = f"cuakit {os.getpid()} {process_start(os.getpid())}"
            pointer = next((m for m in masters(x) if m.name == f"{mine} pointer"), None)
            if pointer is None:
                _add(x, mine)
                pointer = next((m for m in masters(x) if m.name == f"{mine} pointer"), None)
            keyboard = cls(x, *_ids(pointer, display))
            with x.errors("the second keyboard"):
                keyboard._input.XISetClientPointer(0, keyboard._pointer, is_checked=True).check()
        except BaseException:
            x.close()
            raise
        return keyboard

    @property
    def x(self) -> X11:
        """Connection whose core keyboard is this one."""
        return self._x

    @contextmanager
    def focus(self, window: int) -> Iterator[None]:
        """Point this keyboard at a window for the time being."""
        with self._x.errors(f"window {window:#x}"):
            self._input.XISetFocus(window, 0, self._keyboard, is_checked=True).check()
        try:
            yield
        finally:
            with self._x.errors("the second keyboard"):
                self._input.XISetFocus(0, 0, self._keyboard, is_checked=True).check()

    def strike(self, strokes: Sequence[Stroke], *, state: int = 0) -> None:
        """Press and release keys one after the other; modifiers are pressed and released around each.

        Args:
            strokes: Keys and the modifiers they need.
            state: Modifiers held all the time.
        """
        keyboard = Keyboard(self._x)
        for stroke in strokes:
            held = [keyboard.modifier(bit) for bit in MODIFIERS if (stroke.state | state) & bit]
            pressed: list[int] = []
            try:
                for keycode in (*held, stroke.keycode):
                    self._fake(KEY_PRESS, keycode)
                    pressed.append(keycode)
            finally:
                for keycode in reversed(pressed):
                    self._fake(KEY_RELEASE, keycode)
            time.sleep(0.002)
        self._x.sync()

    def copy_layout(self, other: X11, keycodes: Iterable[int]) -> None:
        """Give keys the symbols that they have on the keyboard of another connection."""
        for keycode in keycodes:
            with other.errors("the keyboard"):
                row = other.connection.core.GetKeyboardMapping(keycode, 1).reply()
            core = self._x.connection.core
            with self._x.errors("the second keyboard"):
                symbols = list(row.keysyms)
                core.ChangeKeyboardMapping(1, keycode, row.keysyms_per_keycode, symbols, is_checked=True).check()

    def close(self) -> None:
        """Remove the device. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            _remove(self._x, self._pointer)
        except BackendError:
            pass  # the server went away, and the device with it
        finally:
            self._x.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fake(self, kind: int, keycode: int) -> None:
        with self._x.errors("the second keyboard"):
            self._test.FakeInput(kind, keycode, 0, self._x.root, 0, 0, 0, is_checked=True).check()


def _ids(pointer: Master | None, display: str) -> tuple[int, int]:
    if pointer is None:
        raise BackendError(f"{display} made no second keyboard", code="mpx_unavailable")
    return pointer.id, pointer.partner


def _add(x: X11, name: str) -> None:
    raw = name.encode()
    padded = raw + b"\0" * (-len(raw) % 4)
    change = struct.pack("=HHHBB", _ADD, (8 + len(padded)) // 4, len(raw), 1, 1) + padded
    _change(x, change)


def _remove(x: X11, pointer: int) -> None:
    rest = [m for m in masters(x) if not _NAME.fullmatch(m.name)]
    to_pointer = next(m.id for m in rest if m.kind == _MASTER_POINTER)
    to_keyboard = next(m.id for m in rest if m.kind == _MASTER_KEYBOARD)
    _change(x, struct.pack("=HHHBxHH", _REMOVE, 3, pointer, _ATTACH, to_pointer, to_keyboard))


def _change(x: X11, change: bytes) -> None:
    """XIChangeHierarchy, put together by hand: the client library cannot pack the list of changes."""
    extension: Any = x.connection(xcffib.xinput.key)
    with x.errors("the input devices"):
        extension.send_request(43, io.BytesIO(struct.pack("=xx2xB3x", 1) + change), is_checked=True).check()
