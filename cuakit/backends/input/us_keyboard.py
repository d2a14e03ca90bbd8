"""A US keyboard in DevTools' words.

Sources: the W3C UI Events ``key`` and ``code`` tables, and the Windows virtual-key list that browsers report as
``keyCode``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cuakit.backends.input.port import Key

ALT: Final = Key("Alt", "AltLeft", 18, bit=1)
CONTROL: Final = Key("Control", "ControlLeft", 17, bit=2)
META: Final = Key("Meta", "MetaLeft", 91, bit=4)
SHIFT: Final = Key("Shift", "ShiftLeft", 16, bit=8)

_NAVIGATION: Final = (
    Key("Enter", "Enter", 13, "\r"),
    Key("Escape", "Escape", 27),
    Key("Tab", "Tab", 9),
    Key(" ", "Space", 32, " "),
    Key("Backspace", "Backspace", 8),
    Key("Delete", "Delete", 46),
    Key("ArrowUp", "ArrowUp", 38),
    Key("ArrowDown", "ArrowDown", 40),
    Key("ArrowLeft", "ArrowLeft", 37),
    Key("ArrowRight", "ArrowRight", 39),
    Key("Home", "Home", 36),
    Key("End", "End", 35),
    Key("PageUp", "PageUp", 33),
    Key("PageDown", "PageDown", 34),
)
_PUNCTUATION: Final = (
    Key("-", "Minus", 189, "-", "_"),
    Key("=", "Equal", 187, "=", "+"),
    Key("[", "BracketLeft", 219, "[", "{"),
    Key("]", "BracketRight", 221, "]", "}"),
    Key("\\", "Backslash", 220, "\\", "|"),
    Key(";", "Semicolon", 186, ";", ":"),
    Key("'", "Quote", 222, "'", '"'),
    Key(",", "Comma", 188, ",", "<"),
    Key(".", "Period", 190, ".", ">"),
    Key("/", "Slash", 191, "/", "?"),
    Key("`", "Backquote", 192, "`", "~"),
)
_LETTERS: Final = tuple(Key(c.lower(), f"Key{c}", ord(c), c.lower(), c) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS: Final = tuple(Key(d, f"Digit{d}", ord(d), d, s) for d, s in zip("1234567890", "!@#$%^&*()", strict=True))
_FUNCTION: Final = tuple(Key(f"F{n}", f"F{n}", 111 + n) for n in range(1, 21))

BY_CODE: Final[Mapping[str, Key]] = MappingProxyType(
    {k.code: k for k in (*_NAVIGATION, *_PUNCTUATION, *_LETTERS, *_DIGITS, *_FUNCTION)}
)
"""DOM ``code`` → key, without the modifiers."""

_PRINTABLE: Final = (*_PUNCTUATION, *_LETTERS, *_DIGITS, BY_CODE["Space"])

CHARACTERS: Final[Mapping[str, Key]] = MappingProxyType(
    {k.text: k for k in _PRINTABLE} | {k.shifted: k for k in _PRINTABLE if k.shifted}
)
"""Character → the key that types it, with or without Shift."""
