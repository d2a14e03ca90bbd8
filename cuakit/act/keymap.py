"""The key words of :mod:`cuakit.core.subtask` as keys of a US keyboard. ``MOD`` is Command on macOS, else Control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cuakit.backends.input.port import Key
from cuakit.backends.input.us_keyboard import ALT, BY_CODE, CONTROL, META, SHIFT
from cuakit.core.errors import UsageError

_CODES: Final = {
    "ENTER": "Enter",
    "ESCAPE": "Escape",
    "TAB": "Tab",
    "SPACE": "Space",
    "BACKSPACE": "Backspace",
    "DELETE": "Delete",
    "ARROW_UP": "ArrowUp",
    "ARROW_DOWN": "ArrowDown",
    "ARROW_LEFT": "ArrowLeft",
    "ARROW_RIGHT": "ArrowRight",
    "HOME": "Home",
    "END": "End",
    "PAGE_UP": "PageUp",
    "PAGE_DOWN": "PageDown",
    "MINUS": "Minus",
    "EQUAL": "Equal",
    "LEFT_BRACKET": "BracketLeft",
    "RIGHT_BRACKET": "BracketRight",
    "BACKSLASH": "Backslash",
    "SEMICOLON": "Semicolon",
    "QUOTE": "Quote",
    "COMMA": "Comma",
    "PERIOD": "Period",
    "SLASH": "Slash",
    "GRAVE": "Backquote",
}
_LETTERS: Final = {c: f"Key{c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_DIGITS: Final = {d: f"Digit{d}" for d in "0123456789"}
_FUNCTION: Final = {f"F{n}": f"F{n}" for n in range(1, 21)}

KEYS: Final[Mapping[str, Key]] = MappingProxyType(
    {word: BY_CODE[code] for word, code in (_CODES | _LETTERS | _DIGITS | _FUNCTION).items()}
)
"""Key word → key."""

_HELD: Final[Mapping[str, Key]] = MappingProxyType({"CTRL": CONTROL, "ALT": ALT, "SHIFT": SHIFT})


def key(word: str) -> Key:
    """The key behind a word.

    Raises:
        UsageError: The word is not in the vocabulary.
    """
    found = KEYS.get(word)
    if found is None:
        raise UsageError(f"no key named {word!r}", hint=f"keys: A-Z, 0-9, F1-F20, {', '.join(_CODES)}")
    return found


def modifiers(words: Sequence[str], *, mac: bool) -> tuple[Key, ...]:
    """The keys to hold, in order.

    Args:
        words: ``MOD``, ``CTRL``, ``ALT`` or ``SHIFT``.
        mac: Whether the application follows macOS.

    Raises:
        UsageError: Another word, or the same key twice.
    """
    held: list[Key] = []
    for word in words:
        found = (META if mac else CONTROL) if word == "MOD" else _HELD.get(word)
        if found is None:
            raise UsageError(f"no modifier named {word!r}", hint="modifiers: MOD, CTRL, ALT, SHIFT")
        if found in held:
            raise UsageError(f"{'+'.join(words)} holds {found.key} twice", hint="MOD is CTRL except on macOS")
        held.append(found)
    return tuple(held)
