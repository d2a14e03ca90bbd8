"""Applications on the accessibility bus, their windows, and what one can do to their objects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from cuakit.backends.atspi_bus import (
    INSTALL,
    AccessibilityUnavailable,
    Answer,
    Bus,
    Call,
    Failure,
    accessibility_address,
    get_property,
)
from cuakit.core.geometry import Box

ROOT: Final = "/org/a11y/atspi/accessible/root"
ACCESSIBLE: Final = "org.a11y.atspi.Accessible"
ACTION: Final = "org.a11y.atspi.Action"
APPLICATION: Final = "org.a11y.atspi.Application"
COMPONENT: Final = "org.a11y.atspi.Component"
EDITABLE: Final = "org.a11y.atspi.EditableText"
SELECTION: Final = "org.a11y.atspi.Selection"
TABLE: Final = "org.a11y.atspi.Table"
TEXT: Final = "org.a11y.atspi.Text"
VALUE: Final = "org.a11y.atspi.Value"
WINDOW_COORDINATES: Final = 1

_APP_DEADLINE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Ref:
    """An accessible object: bus name of its application, and its path there."""

    dest: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An application on the accessibility bus.

    Args:
        ref: Its root object.
        name: What it calls itself.
        pid: Process id as the bus knows it; 0 when unknown.
        toolkit: ``gtk``, ``GTK``, ``Qt``, ``Chromium``, …; empty when it did not say.
        version: Of the toolkit.
    """

    ref: Ref
    name: str
    pid: int
    toolkit: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A top-level accessible object of an application.

    Args:
        ref: The object.
        name: Its title.
        box: Extent as the toolkit reports it; whether relative to the screen or itself depends on the toolkit.
    """

    ref: Ref
    name: str
    box: Box | None


class Accessibility:
    """The accessibility bus of one session. Use :meth:`open`, and ``with``.

    Attributes:
        bus: The connection.
    """

    def __init__(self, bus: Bus) -> None:
        self.bus = bus

    @classmethod
    def open(cls, session: str = "") -> Self:
        """Connect.

        Args:
            session: D-Bus address of the session bus; ``DBUS_SESSION_BUS_ADDRESS`` of the environment by default.

        Raises:
            AccessibilityUnavailable: There is no session bus, or no accessibility bus in it.
        """
        address = session or os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
        if not address:
            raise AccessibilityUnavailable("no session bus: DBUS_SESSION_BUS_ADDRESS is not set", hint=INSTALL)
        return cls(Bus.open(accessibility_address(address)))

    def apps(self, timeout_s: float = _APP_DEADLINE_S) -> tuple[App, ...]:
        """Applications that are on the bus; one that hangs is listed with what is known about it."""
        registered = refs(self.bus.call(Call("org.a11y.atspi.Registry", ROOT, ACCESSIBLE, "GetChildren"), timeout_s))
        owner = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        calls = [
            call
            for ref in registered
            for call in (
                get_property(ref.dest, ref.path, ACCESSIBLE, "Name"),
                get_property(ref.dest, ref.path, APPLICATION, "ToolkitName"),
                get_property(ref.dest, ref.path, APPLICATION, "Version"),
                Call(*owner, "GetConnectionUnixProcessID", "s", (ref.dest,)),
            )
        ]
        answers = self.bus.batch(calls, timeout_s)
        return tuple(
            App(
                ref=ref,
                name=text(answers[4 * i]),
                toolkit=text(answers[4 * i + 1]),
                version=text(answers[4 * i + 2]),
                pid=number(answers[4 * i + 3]),
            )
            for i, ref in enumerate(registered)
        )

    def app_of(self, pid: int, timeout_s: float = _APP_DEADLINE_S) -> App | None:
        """The application of a process, or None when it does not speak accessibility."""
        return next((app for app in self.apps(timeout_s) if app.pid == pid), None)

    def hangs(self, pid: int, timeout_s: float = _APP_DEADLINE_S) -> bool | None:
        """Whether the application of a process does not answer in time; None when it is not on the bus."""
        app = self.app_of(pid, timeout_s)
        return None if app is None else not (app.name or app.toolkit)

    def frames(self, app: App, timeout_s: float = _APP_DEADLINE_S) -> tuple[Frame, ...]:
        """Top-level objects of an application; none when it does not answer in time."""
        children = refs(self.bus.call(Call(app.ref.dest, app.ref.path, ACCESSIBLE, "GetChildren"), timeout_s))
        answers = self.bus.batch(
            [
                call
                for ref in children
                for call in (
                    get_property(ref.dest, ref.path, ACCESSIBLE, "Name"),
                    Call(ref.dest, ref.path, COMPONENT, "GetExtents", "u", (WINDOW_COORDINATES,)),
                )
            ],
            timeout_s,
        )
        return tuple(
            Frame(ref=ref, name=text(answers[2 * i]), box=extents(answers[2 * i + 1])) for i, ref in enumerate(children)
        )

    def read_text(self, ref: Ref, timeout_s: float = 3.0) -> str | None:
        """Whole text of an object; None when it has none or does not answer."""
        count = variant(self.bus.call(get_property(ref.dest, ref.path, TEXT, "CharacterCount"), timeout_s))
        if not isinstance(count, int):
            return None
        answer = self.bus.call(Call(ref.dest, ref.path, TEXT, "GetText", "ii", (0, count)), timeout_s)
        return None if isinstance(answer, Failure) or not answer else str(answer[0])

    def read_number(self, ref: Ref, timeout_s: float = 3.0) -> float | None:
        """Number of a slider or spin button; None when it has none or does not answer."""
        answer = self.bus.call(get_property(ref.dest, ref.path, VALUE, "CurrentValue"), timeout_s)
        found = variant(answer)
        return float(found) if isinstance(found, int | float) else None

    def states(self, ref: Ref, timeout_s: float = 3.0) -> Sequence[int] | None:
        """State set of an object; None when it is gone or does not answer."""
        answer = self.bus.call(Call(ref.dest, ref.path, ACCESSIBLE, "GetState"), timeout_s)
        return None if isinstance(answer, Failure) or not answer else list(answer[0])

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        self.bus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def variant(answer: Answer) -> Any:
    """Value of a property answer; None when there is none."""
    return None if isinstance(answer, Failure) or not answer else answer[0][1]


def text(answer: Answer) -> str:
    """Text of a property answer; empty when there is none."""
    found = variant(answer)
    return found if isinstance(found, str) else ""


def number(answer: Answer) -> int:
    """Whole number of a plain answer; 0 when there is none."""
    return 0 if isinstance(answer, Failure) or not answer else int(answer[0])


def truth(answer: Answer) -> bool:
    """Whether an answer is a plain yes."""
    return not isinstance(answer, Failure) and bool(answer) and answer[0] is True


def refs(answer: Answer) -> tuple[Ref, ...]:
    """Objects of a list answer; none when there is no answer."""
    return () if isinstance(answer, Failure) or not answer else tuple(Ref(*pair) for pair in answer[0])


def extents(answer: Answer) -> Box | None:
    """Extent of an answer; None when the object has none."""
    if isinstance(answer, Failure) or not answer:
        return None
    left, top, width, height = answer[0]
    return Box.from_xywh(left, top, width, height) if width > 0 and height > 0 else None
