"""Characters and keys as strokes on the server's keyboard, with spare keys lent to what the layout lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cuakit.backends.input.port import Key
from cuakit.backends.x11 import X11
from cuakit.core.errors import BackendError

SHIFT, CONTROL, ALT, META = 1, 4, 8, 64
"""State bits of modifiers on a usual keyboard."""

MODIFIERS: Final[Mapping[int, int]] = MappingProxyType({SHIFT: 0xFFE1, CONTROL: 0xFFE3, ALT: 0xFFE9, META: 0xFFEB})
"""State bit → keysym of the left modifier key."""

_STATE_OF_CODE: Final = {"ShiftLeft": SHIFT, "ControlLeft": CONTROL, "AltLeft": ALT, "MetaLeft": META}

NAMED: Final[Mapping[str, int]] = MappingProxyType(
    {
        "Enter": 0xFF0D,
        "Escape": 0xFF1B,
        "Tab": 0xFF09,
        "Space": 0x20,
        "Backspace": 0xFF08,
        "Delete": 0xFFFF,
        "ArrowUp": 0xFF52,
        "ArrowDown": 0xFF54,
        "ArrowLeft": 0xFF51,
        "ArrowRight": 0xFF53,
        "Home": 0xFF50,
        "End": 0xFF57,
        "PageUp": 0xFF55,
        "PageDown": 0xFF56,
        "ShiftLeft": 0xFFE1,
        "ControlLeft": 0xFFE3,
        "AltLeft": 0xFFE9,
        "MetaLeft": 0xFFEB,
    }
    | {f"F{n}": 0xFFBD + n for n in range(1, 21)}
)
"""DOM ``code`` of a key that types no character → X keysym (``keysymdef.h``)."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """One key with the modifiers that it needs."""

    keycode: int
    state: int = 0


def keysym(character: str) -> int:
    """X keysym of a character: Latin-1 as it is, control characters by key, everything else by code point."""
    point = ord(character)
    if character in "\n\r":
        return NAMED["Enter"]
    if character == "\t":
        return NAMED["Tab"]
    return point if 0x20 <= point <= 0x7E or 0xA0 <= point <= 0xFF else 0x01000000 | point


class Keyboard:
    """The server's keyboard map.

    Args:
        x: Connection.
    """

    def __init__(self, x: X11) -> None:
        self._x = x
        setup = x.connection.get_setup()
        self._first, last = setup.min_keycode, setup.max_keycode
        with x.errors("the keyboard"):
            answer = x.connection.core.GetKeyboardMapping(self._first, last - self._first + 1).reply()
        self._width: int = answer.keysyms_per_keycode
        symbols = list(answer.keysyms)
        self._rows = [tuple(symbols[i : i + self._width]) for i in range(0, len(symbols), self._width)]
        self._strokes = _strokes(self._first, self._rows)

    def key(self, key: Key) -> Stroke:
        """Stroke of a key of the vocabulary, without modifiers.

        Raises:
            BackendError: The keyboard has no such key (code ``key_unavailable``).
        """
        symbol = NAMED.get(key.code) or keysym(key.key)
        found = self._strokes.get(symbol)
        if found is None:
            raise BackendError(f"this keyboard has no {key.code} key", code="key_unavailable", retryable=False)
        return Stroke(found.keycode)

    def modifier(self, bit: int) -> int:
        """Keycode of a modifier by its state bit.

        Raises:
            BackendError: The keyboard has no such key (code ``key_unavailable``).
        """
        found = self._strokes.get(MODIFIERS[bit])
        if found is None:
            raise BackendError("this keyboard lacks a modifier key", code="key_unavailable", retryable=False)
        return found.keycode

    @contextmanager
    def text(self, text: str) -> Iterator[tuple[Stroke, ...]]:
        """Strokes that type a text exactly. Characters the layout lacks are put on spare keys for the time being.

        Existing keys never change, so the person types as before. The spare keys are emptied at the end; leave the
        context only when the program has taken in the text.

        Raises:
            BackendError: There are not enough spare keys for that many foreign characters (code ``key_unavailable``).
        """
        lacking = sorted({keysym(c) for c in text} - self._strokes.keys())
        lent = self._lend(lacking)
        try:
            yield tuple(lent.get(keysym(c)) or self._strokes[keysym(c)] for c in text)
        finally:
            if lent:
                self._put((stroke.keycode for stroke in lent.values()), 0)

    def spare(self) -> tuple[int, ...]:
        """Keycodes that carry no symbol, the highest first."""
        return tuple(self._first + i for i in reversed(range(len(self._rows))) if not any(self._rows[i]))

    def foreign(self, text: str) -> int:
        """How many different characters of a text the layout lacks."""
        return len({keysym(c) for c in text} - self._strokes.keys())

    def _lend(self, symbols: Sequence[int]) -> dict[int, Stroke]:
        free = self.spare()
        if len(symbols) > len(free):
            raise BackendError(
                f"the text has {len(symbols)} characters that are not on the keyboard; {len(free)} keys are free",
                hint="type it in parts, or set the value of the field",
                code="key_unavailable",
                retryable=False,
            )
        lent = {}
        for symbol, keycode in zip(symbols, free, strict=False):
            self._put([keycode], symbol)
            lent[symbol] = Stroke(keycode)
        return lent

    def _put(self, keycodes: Iterable[int], symbol: int) -> None:
        core = self._x.connection.core
        with self._x.errors("the keyboard"):
            for keycode in keycodes:
                # The same symbol with and without Shift, so that a held modifier cannot change it.
                core.ChangeKeyboardMapping(1, keycode, 2, [symbol, symbol], is_checked=True).check()


def state_of(held: Sequence[Key]) -> int:
    """State bits of held modifier keys."""
    return sum({_STATE_OF_CODE[key.code] for key in held})


def _strokes(first: int, rows: Sequence[Sequence[int]]) -> dict[int, Stroke]:
    """Symbol → stroke: without modifiers where possible, else with Shift.

    Only the first group counts. Symbols may be in the keyboard's old names for characters, but those of Latin-1, which
    are all that is typed without spare keys, are the same in both.
    """
    found: dict[int, Stroke] = {}
    for level, state in ((0, 0), (1, SHIFT)):
        for i, row in enumerate(rows):
            if level < len(row) and row[level]:
                found.setdefault(row[level], Stroke(first + i, state))
    # A letter key lists its capital only at the second level; where it lists one symbol, Shift gives the capital.
    for i, row in enumerate(rows):
        symbol = row[0] if row else 0
        if 0x61 <= symbol <= 0x7A and not any(row[1:2]):
            found.setdefault(symbol - 0x20, Stroke(first + i, SHIFT))
    return found
