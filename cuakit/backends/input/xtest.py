"""The person's own pointer and keyboard (XTEST). Whatever was pressed is released, also when something fails."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import xcffib.xtest

from cuakit.backends.input.x11 import (
    BUTTON_PRESS,
    BUTTON_RELEASE,
    DRAG_STEPS,
    KEY_PRESS,
    KEY_RELEASE,
    MOTION,
)
from cuakit.backends.input.x11_keys import MODIFIERS, Keyboard, Stroke
from cuakit.backends.x11 import X11

_PAUSE_S: Final = 0.012


@dataclass(frozen=True, slots=True)
class OwnDevices:
    """Input as from the person's devices. Positions are pixels of the root window.

    Args:
        x: Connection.
    """

    x: X11

    def point(self, left: int, top: int) -> None:
        """Move the pointer."""
        self._fake(MOTION, 0, left, top)
        self.x.sync()

    def click(self, left: int, top: int, *, button: int = 1, count: int = 1, state: int = 0) -> None:
        """Move there, press and release ``count`` times with modifiers held."""
        self.point(left, top)
        held = self._hold(state)
        try:
            for _ in range(count):
                self._fake(BUTTON_PRESS, button)
                try:
                    time.sleep(_PAUSE_S)
                finally:
                    self._fake(BUTTON_RELEASE, button)
        finally:
            self._release(held)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press at one place, move in steps, release at another."""
        self.point(*start)
        self._fake(BUTTON_PRESS, 1)
        try:
            for step in range(1, DRAG_STEPS + 1):
                f = step / DRAG_STEPS
                time.sleep(_PAUSE_S)
                self.point(round(start[0] + (end[0] - start[0]) * f), round(start[1] + (end[1] - start[1]) * f))
            time.sleep(3 * _PAUSE_S)
        finally:
            self._fake(BUTTON_RELEASE, 1)
            self.x.sync()

    def strike(self, strokes: Sequence[Stroke], *, state: int = 0) -> None:
        """Press and release keys one after the other, each with its modifiers and those of ``state``."""
        for stroke in strokes:
            held = self._hold(stroke.state | state)
            try:
                self._fake(KEY_PRESS, stroke.keycode)
                self._fake(KEY_RELEASE, stroke.keycode)
            finally:
                self._release(held)
            time.sleep(0.002)
        self.x.sync()

    def _hold(self, state: int) -> list[int]:
        if not state:
            return []
        keyboard = Keyboard(self.x)
        held: list[int] = []
        try:
            for bit in MODIFIERS:
                if state & bit:
                    keycode = keyboard.modifier(bit)
                    self._fake(KEY_PRESS, keycode)
                    held.append(keycode)
        except BaseException:
            self._release(held)
            raise
        return held

    def _release(self, held: Sequence[int]) -> None:
        for keycode in reversed(held):
            self._fake(KEY_RELEASE, keycode)
        self.x.sync()

    def _fake(self, kind: int, detail: int, left: int = 0, top: int = 0) -> None:
        extension: Any = self.x.connection(xcffib.xtest.key)
        with self.x.errors("the input devices"):
            extension.FakeInput(kind, detail, 0, self.x.root, left, top, 0, is_checked=True).check()
