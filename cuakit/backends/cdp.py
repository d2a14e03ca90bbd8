"""Chromium over its DevTools protocol: launch or connect, open pages, close everything.

A launched browser is private to us: commands travel over a pipe, the profile is temporary, and it ends when we end,
even by SIGKILL.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from cuakit.backends import chromium
from cuakit.backends.connection import Connection
from cuakit.backends.page import Page
from cuakit.backends.transport import Transport, WebSocketTransport
from cuakit.core.errors import BackendError, BrowserUnavailable, CuakitError, PageCrashed, TargetGone

__all__ = ["Browser", "Page"]


class Browser:
    """A Chromium, ours or somebody's. A context manager; may be used from any thread.

    Attributes:
        pid: Main process of a launched browser; None for one that we only connected to.
    """

    def __init__(self, transport: Transport, launched: chromium.Launched | None = None) -> None:
        self._launched = launched
        self.pid: int | None = launched.process.pid if launched else None
        self._pages: dict[str, Page] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._connection = Connection(transport)
        self._connection.listen("", self._on_event)

    @classmethod
    def launch(
        cls,
        *,
        headless: bool = True,
        paced: bool = False,
        executable: str | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        timeout_s: float = 20.0,
    ) -> Self:
        """Start a private Chromium.

        Args:
            headless: Without a window. A window needs a display.
            paced: Whether a headless browser draws at 60 Hz, as on a screen. Unpaced, a small frame is read in 4 ms
                instead of 34 ms, but animations run as fast as the machine can and keep it busy.
            executable: Program to run; by default ``CUAKIT_CHROMIUM``, then what is installed.
            args: Further command-line switches.
            env: Further environment variables.
            timeout_s: Longest wait until it answers.

        Raises:
            BrowserUnavailable: None is installed, or it did not start.
            DisplayUnavailable: A window was asked for, and there is no display.
        """
        launched = chromium.launch(
            executable=executable, headless=headless, paced=paced, args=args, env=env, timeout_s=timeout_s
        )
        browser = cls(launched.transport, launched)
        try:
            browser._start(timeout_s)
        except CuakitError as failed:
            error = chromium.did_not_start(launched.process, launched.profile)
            browser.close()
            raise error from failed
        except BaseException:
            browser.close()
            raise
        return browser

    @classmethod
    def connect(cls, url: str, *, timeout_s: float = 10.0) -> Self:
        """Use a browser that already runs with ``--remote-debugging-port``; it stays open when we close.

        Args:
            url: ``http://host:port``, or the ``ws://…/devtools/browser/…`` address itself.
            timeout_s: Longest wait until it answers.

        Raises:
            MissingExtra: The ``websockets`` package is not installed.
            BrowserUnavailable: Nothing answers there.
        """
        address = url if url.startswith(("ws://", "wss://")) else _browser_address(url, timeout_s)
        browser = cls(WebSocketTransport(address, timeout_s=timeout_s))
        browser._start(timeout_s)
        return browser

    def _start(self, timeout_s: float) -> None:
        self._call("Target.setDiscoverTargets", timeout_s=timeout_s, discover=True)

    def _call(self, method: str, *, timeout_s: float = 10.0, **params: Any) -> dict[str, Any]:
        return self._connection.call(method, params, timeout_s=timeout_s)

    def new_page(
        self, *, width: int = 1280, height: int = 800, scale: float = 1.0, dark: bool = False, isolated: bool = True
    ) -> Page:
        """Open an empty page.

        Args:
            width: Viewport width in CSS pixels.
            height: Viewport height in CSS pixels.
            scale: Device pixel ratio.
            dark: Whether the page is told that the person prefers dark colours.
            isolated: Own cookies, storage and process.

        Raises:
            BrowserUnavailable: The browser is gone.
        """
        if self._closed or self._connection.ended:
            raise BrowserUnavailable("the browser is no longer running", hint="launch a new one")
        context = (
            self._call("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"] if isolated else ""
        )
        where: dict[str, Any] = {"browserContextId": context} if context else {}
        created = self._call("Target.createTarget", url="about:blank", **where)
        page = self._attach(created["targetId"], context)
        page.resize(width, height, scale)
        page.prefer_dark(dark)
        return page

    def attach(self, target_id: str) -> Page:
        """Use a page that is already open, such as a tab of a browser that we connected to.

        Raises:
            TargetGone: There is no such page.
        """
        page = self._attach(target_id, "")
        page.scale = float(page.evaluate("devicePixelRatio"))
        return page

    def targets(self) -> tuple[Mapping[str, str], ...]:
        """Open pages: ``targetId``, ``title`` and ``url`` of each."""
        found = self._call("Target.getTargets")["targetInfos"]
        return tuple({k: t[k] for k in ("targetId", "title", "url")} for t in found if t["type"] == "page")

    def _attach(self, target_id: str, context: str) -> Page:
        session = self._call("Target.attachToTarget", targetId=target_id, flatten=True)["sessionId"]
        page = Page(self._connection, target_id, session, on_close=lambda: self._close_page(target_id, context))
        with self._lock:
            self._pages[target_id] = page
        page.start()
        return page

    def _close_page(self, target_id: str, context: str) -> None:
        with self._lock:
            known = self._pages.pop(target_id, None)
        if known is None or self._connection.ended:
            return
        try:
            if context:
                self._call("Target.disposeBrowserContext", browserContextId=context, timeout_s=5.0)
            else:
                self._call("Target.closeTarget", targetId=target_id, timeout_s=5.0)
        except BackendError:
            return  # it is gone already, or the browser is: either way there is nothing left to close

    def _on_event(self, method: str, params: Mapping[str, Any]) -> None:
        page = self._pages.get(params.get("targetId", ""))
        if page is None:
            return
        if method == "Target.targetCrashed":
            page.lose(PageCrashed("the page's renderer died", hint="close the page and open a new one"))
        elif method == "Target.targetDestroyed":
            page.lose(TargetGone("the page was closed"))

    def close(self) -> None:
        """End a launched browser with its whole process group and profile, or leave a connected one; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            pages = list(self._pages.values())
        if self._launched is None:
            for page in pages:
                page.close()
            self._connection.close()
            self._connection.join()
            return
        for page in pages:
            page.lose(TargetGone("the browser was closed"))
        self._connection.close()
        self._launched.end()
        self._connection.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Browser(pid={self.pid}, pages={len(self._pages)})"


def _browser_address(url: str, timeout_s: float) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a local browser is behind no proxy
    try:
        with opener.open(f"{url.rstrip('/')}/json/version", timeout=timeout_s) as answer:
            return str(json.load(answer)["webSocketDebuggerUrl"])
    except (OSError, ValueError, KeyError, urllib.error.URLError) as failed:
        raise BrowserUnavailable(
            f"no browser answers at {url}: {failed}",
            hint="start it with --remote-debugging-port=PORT and pass http://127.0.0.1:PORT",
        ) from failed
