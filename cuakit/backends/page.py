"""One page of a browser: calls, scripts, pixels, and what became of it.

Every way a page can fail has its own error: it crashed, it does not answer, it was closed.
"""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cuakit.backends.connection import Connection
from cuakit.core.errors import BackendError, CuakitError, PageCrashed, PageTimeout, TargetGone
from cuakit.core.geometry import Affine, Box
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot


class Events:
    """A page's events in order of arrival."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[str, Mapping[str, Any]]] = SimpleQueue()

    def put(self, method: str, params: Mapping[str, Any]) -> None:
        """Add one; never blocks."""
        self._queue.put((method, params))

    def get(self, *, timeout_s: float) -> tuple[str, Mapping[str, Any]]:
        """Next event as ``(method, params)``.

        Raises:
            PageTimeout: None came in time.
        """
        try:
            return self._queue.get(timeout=timeout_s)
        except Empty as late:
            raise PageTimeout(f"no such event within {timeout_s:g} s") from late

    def drain(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """All that have arrived, without waiting."""
        out = []
        while True:
            try:
                out.append(self._queue.get_nowait())
            except Empty:
                return tuple(out)


class Page:
    """A live page, driven over one flat DevTools session. Methods may be called from any thread.

    Made by :meth:`cuakit.backends.cdp.Browser.new_page`. Its screenshots are in physical pixels and map to CSS pixels,
    which is what DevTools input takes.

    Attributes:
        id: DevTools target id, opaque.
        scale: Device pixel ratio.
    """

    def __init__(
        self,
        connection: Connection,
        target_id: str,
        session: str,
        *,
        on_close: Callable[[], None],
    ) -> None:
        self.id = target_id
        self.scale = 1.0
        self._connection = connection
        self._session = session
        self._on_close = on_close
        self._lock = threading.Condition()
        self._state: CuakitError | None = None
        self._frame = ""
        self._loader = ""
        self._loaded: set[str] = set()
        self._size: tuple[int, int] | None = None
        self._injected: dict[str, str] = {}
        self._dialogs: list[str] = []
        self._listeners: list[tuple[frozenset[str], Callable[[str, Mapping[str, Any]], None]]] = []
        connection.listen(session, self._on_event)

    def __repr__(self) -> str:
        return f"Page({self.id[:8]}, {'closed' if self._state else 'live'})"

    # -- calls ---------------------------------------------------------------------------------------------------

    def call(self, method: str, *, timeout_s: float = 10.0, **params: Any) -> dict[str, Any]:
        """Send a DevTools command to this page and wait for the answer.

        Args:
            method: Such as ``Input.dispatchMouseEvent``.
            timeout_s: Longest wait.
            params: The command's parameters.

        Raises:
            PageCrashed: Its renderer died.
            PageTimeout: It did not answer in time; other pages are not affected.
            TargetGone: It was closed, or the browser is gone.
            BackendError: The command was refused; code ``devtools_error``.
        """
        if self._state is not None:
            raise self._state
        return self._connection.call(method, params, session=self._session, timeout_s=timeout_s)

    def call_all(self, *calls: tuple[str, Mapping[str, Any]], timeout_s: float = 10.0) -> list[dict[str, Any]]:
        """Send several commands at once, without waiting in between, and wait for all answers, in order.

        Raises:
            CuakitError: As :meth:`call`, for the first that failed; the others were sent all the same.
        """
        if self._state is not None:
            raise self._state
        return self._connection.call_all(calls, session=self._session, timeout_s=timeout_s)

    def evaluate(self, expression: str, *, timeout_s: float = 5.0, inspector: bool = False) -> Any:
        """Value of a JavaScript expression in the main frame, awaited if it is a promise.

        A synchronous script that overruns is stopped, and the page stays usable.

        Args:
            expression: JavaScript; its value must be representable as JSON.
            timeout_s: Longest wait.
            inspector: Whether the inspector's helpers, such as ``getEventListeners``, are in scope.

        Raises:
            BackendError: The script threw; code ``page_script_error``.
            PageTimeout: It took longer than ``timeout_s``, or the page is busy with something of its own.
        """
        started = time.monotonic()
        try:
            answer = self.call(
                "Runtime.evaluate",
                expression=expression,
                returnByValue=True,
                awaitPromise=True,
                includeCommandLineAPI=inspector,
                timeout=timeout_s * 1000,
                timeout_s=timeout_s + 0.25,  # V8 ends it first, where it can
            )
        except BackendError as refused:
            if refused.error_code == "devtools_error" and time.monotonic() - started >= timeout_s:
                # This is how a script that V8 has ended looks from here.
                raise PageTimeout(f"the script was stopped after {timeout_s:g} s") from refused
            raise
        if "exceptionDetails" in answer:
            raise _script_error(answer["exceptionDetails"])
        return answer["result"].get("value")

    def inject(self, name: str, source: str) -> None:
        """Run a script now and in every document to come, before the page's own scripts; same name replaces."""
        old = self._injected.get(name)
        if old is not None:
            self.call("Page.removeScriptToEvaluateOnNewDocument", identifier=old)
        added = self.call("Page.addScriptToEvaluateOnNewDocument", source=source)
        self._injected[name] = added["identifier"]
        self.evaluate(f"{source}\n;undefined")

    def navigate(self, url: str, *, timeout_s: float = 15.0) -> None:
        """Open an address and wait for its load event.

        Raises:
            BackendError: It cannot be opened; code ``navigation_failed``.
            PageTimeout: It did not load in time.
        """
        deadline = time.monotonic() + timeout_s
        answer = self.call("Page.navigate", url=url, timeout_s=timeout_s)
        if answer.get("errorText"):
            raise BackendError(f"{url} cannot be opened: {answer['errorText']}", code="navigation_failed")
        loader = answer.get("loaderId")
        if loader is None:
            return  # within the same document
        with self._lock:
            loaded = self._lock.wait_for(
                lambda: loader in self._loaded or self._state is not None, deadline - time.monotonic()
            )
        if self._state is not None:
            raise self._state
        if not loaded:
            raise PageTimeout(f"{url} did not finish loading within {timeout_s:g} s")

    # -- surface -------------------------------------------------------------------------------------------------

    def target(self) -> Target:
        """Identity now; the generation is the loader id of the main frame, so it changes with every navigation."""
        frame = self.call("Page.getFrameTree", timeout_s=5.0)["frameTree"]["frame"]
        return Target("page", self.id, str(frame["loaderId"]))

    def size(self) -> tuple[int, int]:
        """``(width, height)`` of a screenshot, in physical pixels."""
        if self._size is not None:
            return self._size
        width, height, ratio = self.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
        return round(width * ratio), round(height * ratio)

    def grab(self) -> Screenshot:
        """Fresh frame of the viewport."""
        pixels = self._capture()
        return Screenshot(
            pixels=pixels,
            scale=self.scale,
            taken_ns=time.monotonic_ns(),
            source=f"page:{self.id}",
            to_input=Affine.scaling(1 / self.scale),
        )

    def patch(self, box: Box) -> NDArray[np.uint8]:
        """Fresh pixels under a box of the frame, (h, w, 3) RGB, cut at the frame; may be empty."""
        return self.grab().crop(box)

    def _capture(self) -> NDArray[np.uint8]:
        answer = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        with Image.open(io.BytesIO(base64.b64decode(answer["data"]))) as picture:
            return np.asarray(picture.convert("RGB"))

    def title(self) -> str:
        """Title now; content, not authority."""
        return str(self.evaluate("document.title"))

    def url(self) -> str:
        """Address now."""
        return str(self.evaluate("location.href"))

    # -- shape ---------------------------------------------------------------------------------------------------

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        """Give the viewport a size in CSS pixels and a device pixel ratio."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )
        self.scale = scale
        self._size = (round(width * scale), round(height * scale))

    def prefer_dark(self, dark: bool) -> None:
        """Tell the page which colour scheme the person prefers."""
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def start(self) -> None:
        """Switch on the events that this class lives by. Called once by the browser."""
        self.call("Page.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.call("Inspector.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    # -- events --------------------------------------------------------------------------------------------------

    @contextmanager
    def events(self, *methods: str) -> Iterator[Events]:
        """Events of the given names, such as ``Network.requestWillBeSent``, from entering the block to leaving it.

        Their domain must be enabled, for example with ``call("Network.enable")``.
        """
        inbox = Events()
        entry = (frozenset(methods), inbox.put)
        with self._lock:
            self._listeners = [*self._listeners, entry]
        try:
            yield inbox
        finally:
            with self._lock:
                self._listeners = [e for e in self._listeners if e is not entry]

    @property
    def dialogs(self) -> tuple[str, ...]:
        """``type: message`` of every dialog that the page opened; each was dismissed at once."""
        return tuple(self._dialogs)

    def _on_event(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "Page.javascriptDialogOpening":
            self._dialogs.append(f"{params['type']}: {params['message']}")
            # Leaving a page is our own wish; anything else is declined, as a person who looks away would.
            accept = params["type"] in ("beforeunload", "alert")
            self._connection.post("Page.handleJavaScriptDialog", {"accept": accept}, session=self._session)
        elif method == "Page.lifecycleEvent" and params["name"] == "load":
            with self._lock:
                self._loaded.add(params["loaderId"])
                self._lock.notify_all()
        elif method == "Inspector.targetCrashed":
            self.lose(PageCrashed("the page's renderer died", hint="close the page and open a new one"))
        for methods, listener in self._listeners:
            if method in methods:
                listener(method, params)

    def lose(self, error: CuakitError) -> None:
        """Note that the page can no longer be used; the first reason stays. Called by the browser."""
        with self._lock:
            self._state = self._state or error
            self._lock.notify_all()
        self._connection.fail(self._session, self._state)

    def close(self) -> None:
        """Close the page and what belongs to it alone; idempotent."""
        self._on_close()
        self.lose(TargetGone("the page was closed"))
        self._connection.listen(self._session, None)


def _script_error(details: Mapping[str, Any]) -> BackendError:
    thrown = details.get("exception", {})
    text = str(thrown.get("description") or json.dumps(thrown.get("value")) or details.get("text"))
    return BackendError(f"a script failed in the page: {text[:500]}", code="page_script_error", retryable=False)
