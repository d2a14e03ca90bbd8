"""The accessibility bus: D-Bus calls sent in a bounded pipeline, each answer a value, each wait with a deadline.

Knows nothing about accessible objects; :mod:`cuakit.backends.atspi` does.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import unquote

from cuakit.backends import dbus_wire
from cuakit.core.errors import BackendError

WINDOW: Final = 64
"""Calls in flight at once. More gains nothing, and fills the bus daemon's queues."""

PROPERTIES: Final = "org.freedesktop.DBus.Properties"

_DAEMON: Final = "org.freedesktop.DBus"
_DAEMON_PATH: Final = "/org/freedesktop/DBus"

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

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lock = threading.RLock()
        self._buffer = bytearray()
        self._serial = 0
        self.calls = 0

    @classmethod
    def open(cls, address: str, *, timeout_s: float = 5.0) -> Self:
        """Connect to a bus by its D-Bus address, or to ``SESSION``.

        Raises:
            AccessibilityUnavailable: Nothing answers there.
        """
        where = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "") if address == "SESSION" else address
        try:
            connection = _connect(where, timeout_s)
        except (OSError, ValueError, AttributeError) as refused:  # no AF_UNIX on Windows
            raise AccessibilityUnavailable(f"no message bus at {where!r}: {refused}", hint=INSTALL) from refused
        bus = cls(connection)
        hello = bus.call(Call(_DAEMON, _DAEMON_PATH, _DAEMON, "Hello"), timeout_s)
        if isinstance(hello, Failure):
            bus.close()
            raise AccessibilityUnavailable(f"the message bus at {where!r} refused us: {hello.name}", hint=INSTALL)
        return bus

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
            except (OSError, EOFError, dbus_wire.WireError) as lost:
                raise AccessibilityUnavailable(f"the message bus went away: {lost}", hint=INSTALL) from lost
        return answers

    def _pump(self, todo: Sequence[Call], answers: list[Answer], end: float) -> None:
        pending: dict[int, int] = {}
        sent = 0
        while sent < len(todo) or pending:
            more = todo[sent : sent + WINDOW - len(pending)]
            pending |= {self._serial + i: sent + i - 1 for i in range(1, len(more) + 1)}
            data = b"".join(map(self._encoded, more))
            sent += len(more)
            try:
                if data:
                    self._socket.settimeout(max(0.001, end - time.monotonic()))
                    self._socket.sendall(data)
                self._collect(pending, answers, end)
            except TimeoutError:
                return

    def _encoded(self, call: Call) -> bytes:
        self._serial = self._serial % 0xFFFFFFFF + 1
        self.calls += 1
        return dbus_wire.encode_call(
            self._serial, call.dest, call.path, call.interface, call.member, call.signature, call.body
        )

    def _collect(self, pending: dict[int, int], answers: list[Answer], end: float) -> None:
        """Wait for answers, and take all that have arrived."""
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        chunk = self._socket.recv(1 << 18)
        if not chunk:
            raise EOFError("it closed the connection")
        self._buffer += chunk
        for message in dbus_wire.take(self._buffer):
            at = pending.pop(message.reply_serial, None)
            if at is None or message.kind not in (dbus_wire.METHOD_RETURN, dbus_wire.ERROR):
                continue  # a signal, or the late answer to a call that was given up
            failed = message.kind == dbus_wire.ERROR
            body = message.body()
            answers[at] = Failure(message.error_name, " ".join(map(str, body))) if failed else body

    def call(self, call: Call, timeout_s: float = 5.0) -> Answer:
        """Send one call and wait for its answer."""
        return self.batch([call], timeout_s)[0]

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        self._socket.close()

    def __del__(self) -> None:
        self.close()  # a stage that was bound to a window has no other end

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _connect(address: str, timeout_s: float) -> socket.socket:
    """Open and authenticate a connection to the first address that works.

    Raises:
        OSError: None does.
        ValueError: There is no address of a kind that is known.
    """
    lost: OSError | None = None
    for one in filter(None, address.split(";")):
        kind, _, options = one.partition(":")
        given = dict(option.partition("=")[::2] for option in options.split(","))
        path = unquote(given["path"]) if "path" in given else "\0" + unquote(given.get("abstract", ""))
        if kind != "unix" or path == "\0":
            continue
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(timeout_s)
            connection.connect(path)
            _authenticate(connection)
        except OSError as refused:
            connection.close()
            lost = refused
        else:
            return connection
    raise lost or ValueError("no unix: address in it")


def _authenticate(connection: socket.socket) -> None:
    connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    said = b""
    while not said.endswith(b"\r\n"):
        chunk = connection.recv(512)
        if not chunk:
            raise ConnectionError("it closed the connection during authentication")
        said += chunk
    if not said.startswith(b"OK "):
        raise ConnectionError(f"it does not accept us: {said!r}")
    connection.sendall(b"BEGIN\r\n")


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
