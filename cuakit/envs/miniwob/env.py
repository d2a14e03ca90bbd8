"""The environment: one page per family, a seeded instance per reset, the page's own reward as the judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import util
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from cuakit.backends.cdp import Browser, Page
from cuakit.backends.static import StaticServer
from cuakit.core.errors import BackendError, MissingExtra, UnknownName
from cuakit.core.subtask import RISKS, Subtask
from cuakit.envs.base import Policy
from cuakit.envs.miniwob.utterance import inputs_of

SIZE: Final = (160, 210)
"""The task area in CSS pixels, as the benchmark draws it."""

UNTIMED_MS: Final = 2_000_000_000
"""Time limit that never strikes; the longest that a browser's timer takes is 2³¹ − 1 ms."""

_PRELUDE: Final = Path(__file__).with_name("prelude.js")
_SCORE: Final = "({done: WOB_DONE_GLOBAL, raw: WOB_RAW_REWARD_GLOBAL, reason: String(WOB_REWARD_REASON ?? '')})"


def pages_root() -> Path:
    """Folder of the benchmark's pages inside the ``miniwob`` package.

    The package is found, not imported: importing it pulls in Selenium.

    Raises:
        MissingExtra: The package is not installed.
    """
    found = util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("MiniWoB++ needs the package 'miniwob'", hint="pip install 'cuakit[browser]'")
    return Path(next(iter(found.submodule_search_locations))) / "html"


class MiniWob:
    """MiniWoB++ in one Chromium page; a context manager.

    The instruction and the reward display are made invisible, with the layout kept, so that no agent reads them from
    the screen; the goal is in the subtask. The episode's time limit is lifted unless ``timed``.

    Args:
        browser: Browser to use; without one, a headless Chromium is launched and owned.
        page: Page to use as it is, such as the tab of another program's browser; it stays open at the end. ``browser``,
            ``scale`` and ``size`` are then without effect.
        scale: Device pixels per CSS pixel. The pages are drawn tiny, so text needs 2 to be legible to OCR.
        timed: Whether the page's own time limit (10 s for most families) applies.
        size: Viewport in CSS pixels; the task area is 160 × 210, pop-ups may reach beyond it.

    Attributes:
        tasks: Names of all families that the package has.

    Raises:
        MissingExtra: The package ``miniwob`` is not installed.
        BrowserUnavailable: No Chromium.
    """

    def __init__(
        self,
        browser: Browser | None = None,
        *,
        page: Page | None = None,
        scale: float = 2.0,
        timed: bool = False,
        size: tuple[int, int] = (240, 320),
    ) -> None:
        root = pages_root()
        self.tasks = frozenset(p.stem for p in (root / "miniwob").glob("*.html"))
        self._timed = timed
        self._owned: list[Callable[[], None]] = []
        try:
            self._server = StaticServer(root, cache_s=3600)
            self._owned.append(self._server.close)
            if page is None:
                if browser is None:
                    browser = Browser.launch()
                    self._owned.append(browser.close)
                page = browser.new_page(width=size[0], height=size[1], scale=scale)
                self._owned.append(page.close)
            self._page = page
            self._page.inject("cuakit-miniwob", _PRELUDE.read_text("utf-8"))
        except BaseException:
            self.close()
            raise

    @property
    def surface(self) -> Page:
        """The page. Its pixels are ``scale`` times CSS pixels."""
        return self._page

    def reset(self, task: str, seed: int) -> Subtask:
        """Start one seeded instance of a family.

        The page is loaded afresh each time: several families leave things behind (sliders, sortable lists), so that an
        instance on a used page would depend on the ones before it.

        Args:
            task: Family, such as ``click-button``.
            seed: Any whole number; the same seed gives the same instance.

        Raises:
            UnknownName: No such family.
            BackendError: The page did not get ready.
        """
        if task not in self.tasks:
            raise UnknownName(f"no MiniWoB++ task named {task!r}", hint=_near(task, self.tasks))
        self._page.navigate(self._server.url_for(f"miniwob/{task}.html"))
        limit = "null" if self._timed else str(UNTIMED_MS)
        made = self._page.evaluate(f"__cuakit_start({json.dumps(str(seed))}, {limit})", timeout_s=15)
        if made is None:
            raise BackendError(f"MiniWoB++ task {task!r} did not get ready", hint="reset again")
        return _subtask(task, seed, made)

    def done(self) -> bool:
        """Whether the page has ended the episode."""
        return bool(self._page.evaluate("WOB_DONE_GLOBAL"))

    def score(self) -> float:
        """The page's raw reward, before its time discount, clipped to [0, 1]; 0 while the episode runs.

        Partial credit is the page's: ``click-checkboxes`` gives (right − wrong) / boxes.
        """
        state = self._page.evaluate(_SCORE)
        return min(1.0, max(0.0, float(state["raw"]))) if state["done"] else 0.0

    def gold(self, task: str) -> Policy:
        """Scripted oracle of a family; it works through candidates only.

        Raises:
            UnknownName: No gold path for it.
        """
        from cuakit.envs.miniwob.gold import policy  # noqa: PLC0415 - agents other than the oracle never load it

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


class TimedMiniWob(MiniWob):
    """The same with each page's own time limit, 10 s for most families, in wall time."""

    def __init__(self, browser: Browser | None = None, **options: Any) -> None:
        super().__init__(browser, timed=True, **options)


def _subtask(task: str, seed: int, made: dict[str, Any]) -> Subtask:
    goal = str(made["goal"])
    return Subtask(
        goal=goal,
        inputs=inputs_of(goal, made["bold"]),
        verification=("The page has ended the episode with a positive reward",),
        allowed_risks=frozenset(RISKS),  # a sandbox: nothing here has consequences
        metadata={"env": "miniwob", "task": task, "seed": seed},
    )


def _near(task: str, tasks: frozenset[str]) -> str:
    import difflib  # noqa: PLC0415 - only on the way to an error

    close = difflib.get_close_matches(task, tasks, n=3, cutoff=0.5)
    return f"close: {', '.join(close)}" if close else f"there are {len(tasks)}, such as click-button"
