"""Stands still when the page has nothing more to do: no change, no request of the action, no animation that ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from cuakit.core.errors import BackendError, PageCrashed, TargetGone, UsageError
from cuakit.core.outcome import Settled
from cuakit.core.stages import Grab
from cuakit.settle import page_script
from cuakit.settle.thumbnail import differs, thumbnail


class ScriptedPage(Protocol):
    """What is needed of a page."""

    def evaluate(self, expression: str, *, timeout_s: float = ...) -> Any:
        """Value of a script, awaited."""

    def inject(self, name: str, source: str) -> None:
        """Run a script now and in every document to come."""


@dataclass(frozen=True, kw_only=True)
class PageQuiet:
    """Waits for a reaction, then for quiet. Times are arc-cua's.

    A field that was written is a change, but not yet the page's answer: what completes or checks the text comes later, so
    the time for a reaction runs on. A request counts when the action started it, so a long poll that was open before does not block. An animation counts
    when it ends; a spinner without end does not.

    Args:
        reaction_s: Longest wait for a first change.
        quiet_s: How long nothing may change.
        timeout_s: Longest wait in all, while the document itself is there.
        load_timeout_s: Longest wait for a document that is still loading.
        poll_s: Pause between looks.
        frames: Animation frames that pass within each look; nothing may change during them.
        pixels: Whether two frames must look alike as well, for pages that draw on a canvas.
        clock: Monotonic seconds; injected in tests.
        sleep: Pauses; injected in tests.
    """

    stage_id: ClassVar[str] = "page-quiet-v1"

    reaction_s: float = 0.6
    quiet_s: float = 0.15
    timeout_s: float = 2.0
    load_timeout_s: float = 10.0
    poll_s: float = 0.02
    frames: int = 0
    pixels: bool = False
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], Any] = field(default=time.sleep, repr=False)

    def bind(self, page: Any) -> BoundPageQuiet:
        """The settler of one page. The watcher is put into it now.

        Raises:
            UsageError: The surface runs no scripts.
        """
        if not (callable(getattr(page, "evaluate", None)) and callable(getattr(page, "inject", None))):
            raise UsageError(
                f"a {type(page).__name__} runs no scripts, so it cannot tell when it is quiet",
                hint="use the settle stage 'pixels-v1'",
            )
        page.inject(page_script.NAME, page_script.INSTALL)
        return BoundPageQuiet(self, page)


@dataclass(frozen=True, kw_only=True)
class PageFast(PageQuiet):
    """For pages that answer at once, such as benchmark pages: quiet after two frames without a change or a request.

    Costs two frames, 17 to 33 ms. What comes later than that is left to the next look. Options as :class:`PageQuiet`.
    """

    stage_id: ClassVar[str] = "page-fast-v1"

    reaction_s: float = 0.0
    quiet_s: float = 0.0
    poll_s: float = 0.0
    frames: int = 2


@dataclass(slots=True)
class BoundPageQuiet:
    """The settler of one page; see :class:`PageQuiet`."""

    options: PageQuiet
    page: ScriptedPage
    _document: float | None = None

    def __call__(self, grab: Grab, /) -> Settled:
        """Wait until the page is quiet.

        Raises:
            PageCrashed: It crashed.
            TargetGone: It was closed.
        """
        o = self.options
        start = o.clock()
        reacted = False
        picture: NDArray[np.int16] | None = None
        while True:
            seen = self._look()
            waited = o.clock() - start
            written = seen is not None and bool(seen["written"])
            reacted = reacted or seen is None or bool(seen["reacted"] or seen["pending"]) or self._is_new(seen)
            ready = seen is not None and bool(seen["ready"])
            if seen is not None and ready and _at_rest(seen, o.quiet_s if reacted else 0.0):
                alike, picture = self._looks_alike(grab, picture)
                if alike and (reacted or waited >= o.reaction_s):
                    moved = reacted or written
                    return self._end(waited, "quiet" if moved else "no reaction", reacted=moved, quiet=True)
            if waited >= (o.timeout_s if ready else o.load_timeout_s):
                return self._end(
                    waited, "timeout" if ready else "still loading", reacted=reacted or written, quiet=False
                )
            o.sleep(o.poll_s)

    def _look(self) -> Mapping[str, Any] | None:
        """One probe; None while the document is being replaced or does not answer."""
        try:
            seen: Mapping[str, Any] | None = self.page.evaluate(page_script.probe(self.options.frames), timeout_s=1.0)
            if seen is None:  # a document that was made before the watcher was injected
                self.page.evaluate(f"{page_script.INSTALL};undefined", timeout_s=1.0)
        except (PageCrashed, TargetGone):
            raise
        except BackendError:
            return None  # navigation takes the script's world away; the next look meets the new document
        return seen

    def _is_new(self, seen: Mapping[str, Any] | None) -> bool:
        return seen is not None and self._document is not None and seen["id"] != self._document

    def _looks_alike(self, grab: Grab, before: NDArray[np.int16] | None) -> tuple[bool, NDArray[np.int16] | None]:
        if not self.options.pixels:
            return True, None
        now = thumbnail(grab())
        return before is not None and not differs(before, now), now

    def _end(self, seconds: float, reason: str, *, reacted: bool, quiet: bool) -> Settled:
        try:
            self._document = self.page.evaluate(page_script.FINISH, timeout_s=1.0)
        except (PageCrashed, TargetGone):
            raise
        except BackendError:
            quiet, reason = False, "the page was replaced or does not answer"
        return Settled(reacted=reacted, quiet=quiet, elapsed_ms=seconds * 1e3, reason=reason)


def _at_rest(seen: Mapping[str, Any], quiet_s: float) -> bool:
    return not seen["pending"] and not seen["running"] and bool(seen["still"]) and seen["idle_ms"] >= quiet_s * 1e3
