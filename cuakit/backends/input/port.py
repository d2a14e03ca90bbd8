"""What every way of injecting input offers. Points are in input space; nothing here knows candidates or leases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cuakit.core.geometry import Point
from cuakit.core.outcome import Route

Button = Literal["left", "right"]

Comparison = Literal["same", "partial", "unchanged", "unknown"]
"""A field against what it should hold: equal, changed to something else, as before, or not readable."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a US keyboard in DevTools' words.

    Args:
        key: DOM ``key`` without Shift.
        code: DOM ``code``, the physical key.
        vk: Windows virtual-key code, which pages still read as ``keyCode``.
        text: Characters it produces; empty for keys that produce none.
        shifted: Characters with Shift held; ``key`` becomes this too.
        bit: DevTools modifier bit (Alt 1, Control 2, Meta 4, Shift 8); 0 for other keys.
    """

    key: str
    code: str
    vk: int
    text: str = ""
    shifted: str = ""
    bit: int = 0


@dataclass(frozen=True, slots=True)
class Readback:
    """What a field holds after it was written, without saying it: the text may be secret.

    Args:
        comparison: The field against what it should hold.
        route: How the value got there.
        note: For a person, without the value.
    """

    comparison: Comparison
    route: Route
    note: str = ""


class Injector(Protocol):
    """One way into one live surface. Every method may raise a BackendError when the surface goes away."""

    def click(self, at: Point, *, button: Button = "left", count: int = 1, held: Sequence[Key] = ()) -> None:
        """Press and release at a point, ``count`` times in quick succession, with keys held."""

    def drag(self, start: Point, end: Point) -> None:
        """Press at one point, move in steps, release at another."""

    def scroll(self, at: Point, right: int, down: int) -> None:
        """Turn the wheel by whole notches; negative goes left or up."""

    def type_text(self, at: Point, text: str, *, replace: bool) -> Readback:
        """Focus what is at a point and type literally."""

    def set_value(self, at: Point, value: str) -> Readback:
        """Give the field at a point a value in one step."""

    def focus(self, at: Point) -> None:
        """Give what is at a point the keyboard, without clicking it."""

    def press(self, key: Key, *, held: Sequence[Key] = ()) -> None:
        """Press and release one key with others held."""
