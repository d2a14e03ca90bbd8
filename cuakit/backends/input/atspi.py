"""What can be done to an accessible object: its actions, its text, its number, its selection.

Every call says whether the application agreed; whether it really happened is for the caller to read back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cuakit.backends.atspi import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    EDITABLE,
    SELECTION,
    TEXT,
    VALUE,
    WINDOW_COORDINATES,
    Accessibility,
    Ref,
    extents,
    number,
    refs,
    text,
    truth,
)
from cuakit.backends.atspi_bus import PROPERTIES, Call, Failure, get_property
from cuakit.backends.atspi_words import role_word, state_words
from cuakit.core.geometry import Box

_TIMEOUT_S: Final = 3.0
_ACTIVATING: Final = ("click", "press", "activate", "toggle", "jump", "open", "select", "")
_FOCUSING: Final = ("setfocus",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An accessible object as it is now.

    Args:
        ref: The object.
        role: AT-SPI's word.
        name: Accessible name.
        states: AT-SPI's words.
        interfaces: Short names, such as ``Action``.
        actions: Names of its actions, lower case.
        box: Extent as its toolkit reports it; None when it has none.
        value: Text it holds, or its number; empty when neither.
    """

    ref: Ref
    role: str
    name: str
    states: frozenset[str]
    interfaces: frozenset[str]
    actions: tuple[str, ...]
    box: Box | None
    value: str

    @property
    def activating(self) -> int | None:
        """Index of the action that a click stands for; None when there is none."""
        return next((i for word in _ACTIVATING for i, name in enumerate(self.actions) if name == word), None)

    @property
    def focusing(self) -> int | None:
        """Index of the action that gives it the keyboard inside its window; None when there is none."""
        return next((i for i, name in enumerate(self.actions) if name in _FOCUSING), None)


def read_element(access: Accessibility, ref: Ref, timeout_s: float = _TIMEOUT_S) -> Element | None:
    """An object as it is now; None when it is gone or its application does not answer."""
    dest, path = ref.dest, ref.path
    first = access.bus.batch(
        [
            Call(dest, path, ACCESSIBLE, "GetState"),
            Call(dest, path, ACCESSIBLE, "GetRole"),
            get_property(dest, path, ACCESSIBLE, "Name"),
            Call(dest, path, ACCESSIBLE, "GetInterfaces"),
            Call(dest, path, COMPONENT, "GetExtents", "u", (WINDOW_COORDINATES,)),
        ],
        timeout_s,
    )
    state, role, name, offered, box = first
    if isinstance(state, Failure) or isinstance(role, Failure):
        return None
    states = state_words(state[0])
    if not states or "defunct" in states:
        return None
    interfaces = frozenset(i.rpartition(".")[2] for i in (() if isinstance(offered, Failure) else offered[0]))
    return Element(
        ref=ref,
        role=role_word(number(role)),
        name=text(name),
        states=states,
        interfaces=interfaces,
        actions=_actions(access, ref, timeout_s) if "Action" in interfaces else (),
        box=extents(box),
        value=read_value(access, ref, interfaces, timeout_s),
    )


def read_value(access: Accessibility, ref: Ref, interfaces: frozenset[str], timeout_s: float = _TIMEOUT_S) -> str:
    """Text that an object holds, else its number, else nothing."""
    if "Value" in interfaces and "EditableText" not in interfaces:
        value = access.read_number(ref, timeout_s)
        if value is not None:
            return f"{value:g}"
    return (access.read_text(ref, timeout_s) or "") if "Text" in interfaces else ""


def do_action(access: Accessibility, ref: Ref, index: int, timeout_s: float = _TIMEOUT_S) -> bool:
    """Carry out an action of an object."""
    return truth(access.bus.call(Call(ref.dest, ref.path, ACTION, "DoAction", "i", (index,)), timeout_s))


def set_text(access: Accessibility, ref: Ref, value: str, timeout_s: float = _TIMEOUT_S) -> bool:
    """Replace the text of an object that has EditableText."""
    return truth(access.bus.call(Call(ref.dest, ref.path, EDITABLE, "SetTextContents", "s", (value,)), timeout_s))


def insert_text(access: Accessibility, ref: Ref, value: str, timeout_s: float = _TIMEOUT_S) -> bool:
    """Insert text at the caret of an object that has EditableText."""
    caret = access.bus.call(get_property(ref.dest, ref.path, TEXT, "CaretOffset"), timeout_s)
    at = 0 if isinstance(caret, Failure) else max(0, int(caret[0][1]))
    body = (at, value, len(value))
    return truth(access.bus.call(Call(ref.dest, ref.path, EDITABLE, "InsertText", "isi", body), timeout_s))


def set_number(access: Accessibility, ref: Ref, value: float, timeout_s: float = _TIMEOUT_S) -> bool:
    """Set the number of a slider or spin button."""
    body = (VALUE, "CurrentValue", ("d", float(value)))
    answer = access.bus.call(Call(ref.dest, ref.path, PROPERTIES, "Set", "ssv", body), timeout_s)
    return not isinstance(answer, Failure)


def select_named(access: Accessibility, ref: Ref, name: str, timeout_s: float = _TIMEOUT_S) -> bool:
    """Select the child of a list or combo box that has a name, ignoring case; looks two levels deep."""
    for parent, index, option, found in _options(access, ref, timeout_s):
        if found.casefold() == name.casefold():
            for holder in (ref, parent):
                call = Call(holder.dest, holder.path, SELECTION, "SelectChild", "i", (index,))
                if truth(access.bus.call(call, timeout_s)):
                    return True
            if do_action(access, option, 0, timeout_s):
                return True
    return False


def _options(access: Accessibility, ref: Ref, timeout_s: float) -> list[tuple[Ref, int, Ref, str]]:
    level, found = [ref], []
    for _ in range(2):
        below: list[Ref] = []
        for parent in level:
            children = refs(access.bus.call(Call(parent.dest, parent.path, ACCESSIBLE, "GetChildren"), timeout_s))[:200]
            names = access.bus.batch([get_property(c.dest, c.path, ACCESSIBLE, "Name") for c in children], timeout_s)
            found += [(parent, i, children[i], text(name)) for i, name in enumerate(names)]
            below += children
        level = below
    return found


def _actions(access: Accessibility, ref: Ref, timeout_s: float) -> tuple[str, ...]:
    answer = access.bus.call(Call(ref.dest, ref.path, ACTION, "GetActions"), timeout_s)
    return () if isinstance(answer, Failure) else tuple(str(action[0]).casefold() for action in answer[0])
