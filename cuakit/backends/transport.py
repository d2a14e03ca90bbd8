"""Message pipes to a browser: whole JSON texts in, whole JSON texts out.

Knows nothing about the protocol inside the messages. A transport has one reader and any number of writers.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from contextlib import ExitStack
from typing import Any, Final, Protocol

from cuakit.core.errors import BrowserUnavailable, MissingExtra, PageTimeout, TargetGone

_CHUNK: Final = 1 << 20


class Transport(Protocol):
    """Carries whole messages both ways."""

    def send(self, message: bytes, timeout_s: float) -> None:
        """Hand one message over.

        Raises:
            TargetGone: The other end went away.
            PageTimeout: The other end did not take it in time.
        """

    def receive(self) -> bytes | str | None:
        """Next message; None when there will be no more. Called by one thread only."""

    def close(self) -> None:
        """End both directions; a blocked ``receive`` returns None. May be called twice."""


class PipeTransport:
    """NUL-framed messages over two file descriptors, which it owns.

    Nothing listens on a port, so no other process can reach the browser.

    Args:
        reader: Descriptor that the browser's answers come from.
        writer: Descriptor that the browser reads commands from.
    """

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        self._lock = threading.Lock()
        self._closed = False
        self._buffer = bytearray()
        self._scanned = 0
        # A browser that no longer reads must cost its caller the deadline, not for ever.
        os.set_blocking(writer, False)

    def send(self, message: bytes, timeout_s: float) -> None:
        """Write one frame; see :class:`Transport`."""
        deadline = time.monotonic() + timeout_s
        rest = memoryview(message + b"\0")
        with self._lock:
            while rest:
                if self._closed:
                    raise TargetGone("the browser was closed")
                try:
                    rest = rest[os.write(self._writer, rest) :]
                except BlockingIOError:
                    self._wait_writable(deadline)
                except OSError as lost:
                    raise TargetGone("the browser went away") from lost

    def _wait_writable(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._writer, selectors.EVENT_WRITE)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                self._closed = True  # half a frame may be out: the stream is of no use any more
                raise PageTimeout("the browser stopped reading its commands", hint="close it and launch a new one")

    def receive(self) -> bytes | None:
        """Read one frame; see :class:`Transport`."""
        while (end := self._buffer.find(b"\0", self._scanned)) < 0:
            self._scanned = len(self._buffer)
            chunk = os.read(self._reader, _CHUNK)
            if not chunk:
                os.close(self._reader)
                return None
            self._buffer += chunk
        frame = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 1]
        self._scanned = 0
        return frame

    def close(self) -> None:
        """Close the writing end; the browser then closes its own, which ends the reader."""
        with self._lock:
            if self._writer >= 0:
                os.close(self._writer)
                self._writer = -1
            self._closed = True


class WebSocketTransport:
    """Messages over a DevTools websocket.

    Args:
        url: ``ws://…`` address.
        timeout_s: For the connection to open.

    Raises:
        MissingExtra: The ``websockets`` package is not installed.
        BrowserUnavailable: Nothing answers there.
    """

    def __init__(self, url: str, *, timeout_s: float) -> None:
        try:
            from websockets.exceptions import WebSocketException  # noqa: PLC0415 - an optional package
            from websockets.sync.client import connect  # noqa: PLC0415 - an optional package
        except ModuleNotFoundError as lost:
            raise MissingExtra(
                "connecting to a running browser needs the package 'websockets'", hint="pip install 'cuakit[browser]'"
            ) from lost
        self._errors: tuple[type[Exception], ...] = (WebSocketException, OSError)
        self._open = ExitStack()
        try:
            # Frames hold whole screenshots, so no size limit; a proxy has no business between us and a local browser.
            socket = connect(url, open_timeout=timeout_s, max_size=None, compression=None, proxy=None)
            self._socket: Any = self._open.enter_context(socket)
        except (*self._errors, ValueError) as failed:
            raise BrowserUnavailable(
                f"no browser answers at {url}: {failed}",
                hint="start it with --remote-debugging-port=PORT and pass http://127.0.0.1:PORT",
            ) from failed

    def send(self, message: bytes, timeout_s: float) -> None:  # noqa: ARG002 - the socket has its own keep-alive limit
        """Send one text frame; see :class:`Transport`."""
        try:
            self._socket.send(message.decode())
        except self._errors as lost:
            raise TargetGone("the connection to the browser was lost") from lost

    def receive(self) -> bytes | str | None:
        """Next text frame; see :class:`Transport`."""
        try:
            message: bytes | str = self._socket.recv()
        except self._errors:
            return None
        return message

    def close(self) -> None:
        """Close the socket."""
        self._open.close()
