"""The accessibility bus: D-Bus calls sent in a bounded pipeline, each answer a value, each wait with a deadline.

Knows nothing about accessible objects; :mod:`cuakit.backends.atspi` does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from cuakit.core.errors import BackendError, MissingExtra

try:
    from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
    from jeepney.io.blocking import DBusConnection, open_dbus_connection
except ImportError as missing:  # pragma: no cover - the base install has no D-Bus client
    raise MissingExtra("reading accessibility needs jeepney", hint="pip install 'cuakit[desktop]'") from missing

WINDOW: Final = 64
"""Calls in flight at once. More gains nothing, and fills the bus daemon's queues."""

PROPERTIES: Final = "org.freedesktop.DBus.Properties"

INSTALL: Final = (
    "install it: apt-get install at-spi2-core dbus; and log in to a desktop session, or use Desktop.launch()"
)


class AccessibilityUnavailable(BackendError):
    """There is no accessibility bus."""

    code = "accessibility_unavailable"


@dataclass(frozen=True, slots=True)
class Call:
    """One method call: ``dest`` is a bus name, ``signature`` the D-Bus type of ``body``."""

    dest: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error. ``name`` is D-Bus's, or ``timeout``."""

    name: str
    detail: str = ""


Answer = tuple[Any, ...] | Failure


def get_property(dest: str, path: str, interface: str, name: str) -> Call:
    """Call that reads one property. Never all at once: that kills Qt 6.4 applications."""
    return Call(dest, path, PROPERTIES, "Get", "ss", (interface, name))


class Bus:
    """One connection to a message bus. Use :meth:`open`, and ``with``. May be used from several threads.

    Attributes:
        calls: Method calls sent so far.
    """

    def __init__(self, connection: DBusConnection) -> None:
        self._connection = connection
        self._lock = threading.RLock()
        self.calls = 0

    @classmethod
    def open(cls, address: str) -> Self:
        """Connect to a bus by its D-Bus address, or to ``SESSION``.

        Raises:
            AccessibilityUnavailable: Nothing answers there.
        """
        try:
            return cls(open_dbus_connection(bus=address))
        except (OSError, KeyError, RuntimeError, ValueError) as refused:
            raise AccessibilityUnavailable(f"no message bus at {address!r}: {refused}", hint=INSTALL) from refused

    def batch(self, calls: Iterable[Call], timeout_s: float = 5.0) -> list[Answer]:
        """Send calls with at most :data:`WINDOW` in flight and collect the answers in order.

        A call that is not answered in time, because its application hangs or died, gives a :class:`Failure` named
        ``timeout``; the others keep their answers.

        Raises:
            AccessibilityUnavailable: The bus itself went away.
        """
        todo = list(calls)
        answers: list[Answer] = [Failure("timeout")] * len(todo)
        with self._lock:
            try:
                self._pump(todo, answers, time.monotonic() + timeout_s)
            except (ConnectionError, BrokenPipeError, OSError, EOFError) as lost:
                raise AccessibilityUnavailable(f"the message bus went away: {lost}", hint=INSTALL) from lost
        return answers

    def _pump(self, todo: Sequence[Call], answers: list[Answer], end: float) -> None:
        pending: dict[int, int] = {}
        sent = 0
        while sent < len(todo) or pending:
            while sent < len(todo) and len(pending) < WINDOW:
                pending[self._send(todo[sent])] = sent
                sent += 1
            left = end - time.monotonic()
            if left <= 0:
                return
            try:
                reply = self._connection.receive(timeout=left)
            except TimeoutError:
                return
            fields = reply.header.fields
            at = pending.pop(fields.get(HeaderFields.reply_serial, -1), None)
            if at is None:
                continue  # a signal, or the late answer to a call that was given up
            failed = reply.header.message_type is MessageType.error
            answers[at] = (
                Failure(fields.get(HeaderFields.error_name, ""), " ".join(map(str, reply.body)))
                if failed
                else tuple(reply.body)
            )

    def _send(self, call: Call) -> int:
        message = new_method_call(
            DBusAddress(call.path, call.dest, call.interface), call.member, call.signature or None, call.body
        )
        serial: int = next(self._connection.outgoing_serial)
        self._connection.send(message, serial=serial)
        self.calls += 1
        return serial

    def call(self, call: Call, timeout_s: float = 5.0) -> Answer:
        """Send one call and wait for its answer."""
        return self.batch([call], timeout_s)[0]

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        self._connection.close()

    def __del__(self) -> None:
        self.close()  # a stage that was bound to a window has no other end

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def accessibility_address(session: str, timeout_s: float = 5.0) -> str:
    """Address of the accessibility bus that belongs to a session bus; starts it when need be.

    Raises:
        AccessibilityUnavailable: There is none.
    """
    with Bus.open(session) as bus:
        answer = bus.call(Call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"), timeout_s)
    if isinstance(answer, Failure) or not answer[0]:
        raise AccessibilityUnavailable(f"the session has no accessibility bus: {answer}", hint=INSTALL)
    return str(answer[0])


def enable_accessibility(session: str, timeout_s: float = 5.0) -> bool:
    """Tell applications of a session to speak accessibility. Whether there is a bus for it."""
    try:
        accessibility_address(session, timeout_s)
    except AccessibilityUnavailable:
        return False
    with Bus.open(session) as bus:
        switches = [
            Call("org.a11y.Bus", "/org/a11y/bus", PROPERTIES, "Set", "ssv", ("org.a11y.Status", name, ("b", True)))
            for name in ("IsEnabled", "ScreenReaderEnabled")
        ]
        return not any(isinstance(answer, Failure) for answer in bus.batch(switches, timeout_s))
