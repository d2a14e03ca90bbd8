"""One DevTools connection: calls with deadlines, flat sessions, events to whoever listens.

One thread reads. A caller waits for its own answer only, so a page that hangs costs its own caller the deadline and
nobody else anything.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cuakit.backends.transport import Transport
from cuakit.core.errors import BackendError, CuakitError, PageTimeout, TargetGone

Handler = Callable[[str, Mapping[str, Any]], None]
"""Takes an event's method and parameters on the reading thread: it must be quick, and must not call and wait."""


class _Reply:
    """Place for one answer; a bare lock wakes its waiter faster than an event does."""

    __slots__ = ("_lock", "error", "result", "session")

    def __init__(self, session: str) -> None:
        self.session = session
        self.result: dict[str, Any] = {}
        self.error: CuakitError | None = None
        self._lock = threading.Lock()
        self._lock.acquire()

    def done(self) -> None:
        self._lock.release()

    def wait(self, timeout_s: float) -> bool:
        return self._lock.acquire(timeout=timeout_s)


class Connection:
    """Calls and events over one transport.

    Args:
        transport: Carries the messages; owned from now on.
        on_end: Called once, on the reading thread, when the other end went away.
    """

    def __init__(self, transport: Transport, *, on_end: Callable[[], None] | None = None) -> None:
        self._transport = transport
        self._on_end = on_end
        self._lock = threading.Lock()
        self._next_id = 0
        self._pending: dict[int, _Reply] = {}
        self._handlers: dict[str, Handler] = {}
        self._ended = False
        self._thread = threading.Thread(target=self._read, name="cuakit-devtools", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether the other end went away or the connection was closed."""
        return self._ended

    def listen(self, session: str, handler: Handler | None) -> None:
        """Route a session's events; the empty session is the browser's own. None stops routing."""
        with self._lock:
            if handler is None:
                self._handlers.pop(session, None)
            else:
                self._handlers[session] = handler

    def call(
        self, method: str, params: Mapping[str, Any], *, session: str = "", timeout_s: float = 10.0
    ) -> dict[str, Any]:
        """Send a command and wait for its answer.

        Raises:
            PageTimeout: No answer within ``timeout_s``.
            TargetGone: The browser or the session went away.
            BackendError: The browser refused the command; code ``devtools_error``.
        """
        (result,) = self.call_all([(method, params)], session=session, timeout_s=timeout_s)
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], *, session: str = "", timeout_s: float = 10.0
    ) -> list[dict[str, Any]]:
        """Send several commands at once and wait for all answers; the browser carries them out in order.

        Args:
            calls: Method and parameters of each.
            session: Whose they are.
            timeout_s: Longest wait for all of them.

        Raises:
            PageTimeout: One was not answered in time.
            TargetGone: The browser or the session went away.
            BackendError: The first refusal; code ``devtools_error``. The other commands were sent all the same.
        """
        deadline = time.monotonic() + timeout_s
        sent = []
        try:
            for method, params in calls:
                reply = _Reply(session)
                sent.append((self._post(method, params, session, timeout_s, reply), method, reply))
            for _, method, reply in sent:
                if not reply.wait(max(0.0, deadline - time.monotonic())):
                    raise PageTimeout(
                        f"{method} was not answered within {timeout_s:g} s",
                        hint="the page may be busy or hung; wait, navigate away or close it",
                    )
        finally:
            with self._lock:
                for id, _, _ in sent:
                    self._pending.pop(id, None)
        for _, _, reply in sent:
            if reply.error is not None:
                raise reply.error
        return [reply.result for _, _, reply in sent]

    def post(self, method: str, params: Mapping[str, Any], *, session: str = "") -> None:
        """Send a command whose answer nobody needs; safe on the reading thread."""
        self._post(method, params, session, 1.0, None)

    def _post(
        self, method: str, params: Mapping[str, Any], session: str, timeout_s: float, reply: _Reply | None
    ) -> int:
        with self._lock:
            if self._ended:
                raise TargetGone("the browser went away", hint="launch a new one")
            self._next_id += 1
            id = self._next_id
            if reply is not None:
                self._pending[id] = reply
        message: dict[str, Any] = {"id": id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        try:
            self._transport.send(json.dumps(message).encode(), timeout_s)
        except CuakitError:
            with self._lock:
                self._pending.pop(id, None)
            raise
        return id

    def fail(self, session: str, error: CuakitError) -> None:
        """Answer every call that waits on a session with an error."""
        with self._lock:
            lost = [id for id, r in self._pending.items() if r.session == session]
            replies = [self._pending.pop(id) for id in lost]
        for reply in replies:
            reply.error = error
            reply.done()

    def _read(self) -> None:
        try:
            while (raw := self._transport.receive()) is not None:
                self._dispatch(json.loads(raw))
        finally:
            self._end()  # also when reading itself fails: nobody may wait for answers that cannot come

    def _dispatch(self, message: Mapping[str, Any]) -> None:
        if "id" in message:
            self._answer(message)
        elif (handler := self._handlers.get(message.get("sessionId", ""))) is not None:
            handler(message["method"], message.get("params", {}))

    def _answer(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            reply = self._pending.pop(message["id"], None)
        if reply is None:
            return
        if "error" in message:
            reply.error = _refusal(message["error"])
        else:
            reply.result = message.get("result", {})
        reply.done()

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            replies = list(self._pending.values())
            self._pending.clear()
        for reply in replies:
            reply.error = TargetGone("the browser went away", hint="launch a new one")
            reply.done()
        if self._on_end is not None:
            self._on_end()

    def close(self) -> None:
        """End the transport; the reading thread ends when the other side does."""
        self._transport.close()

    def join(self, timeout_s: float = 5.0) -> None:
        """Wait for the reading thread."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)


def _refusal(error: Mapping[str, Any]) -> CuakitError:
    text = str(error.get("message", error))
    if "Session with given id not found" in text or "Not attached" in text or "No target with given id" in text:
        return TargetGone(f"the page was closed: {text}")
    return BackendError(f"the browser refused a command: {text}", code="devtools_error", retryable=False)
