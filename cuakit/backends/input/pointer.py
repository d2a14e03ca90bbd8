"""Makes sure that the pointer goes where it is sent, on pages whose device pixel ratio is not one.

Chromium converts input by the ratio of the last frame that its browser process has heard of. After a page was made,
resized or navigated that can still be the old ratio, and the first event then lands at a half or at double the
coordinates. Seen on Chromium 156, headless, at ratio 2: up to one click in ten on a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from cuakit.core.errors import BackendError
from cuakit.core.geometry import Point

_TRIES_UNSEEN: Final = 3
"""Moves without an event until another point is tried, and then until the frame is taken for one that we cannot see."""

_KEY: Final = "Symbol.for('cuakit.pointer')"

_SUBFRAMES: Final = """
const watch = (win, x, y) => {
  win.addEventListener('mousemove', e => { state.last = [e.clientX + x, e.clientY + y]; }, {capture: true, passive: true});
  for (const frame of win.document.querySelectorAll('iframe')) {
    let inner = null;
    try { inner = frame.contentDocument && frame.contentWindow; } catch {}
    const r = frame.getBoundingClientRect();
    if (inner) watch(inner, x + r.left + frame.clientLeft, y + r.top + frame.clientTop);
  }
};
"""

_WATCH: Final = (
    f"(() => {{ if (document[{_KEY}]) {{ document[{_KEY}].last = null; return document[{_KEY}].sure; }}"
    f"const state = {{last: null, sure: false}}; Object.defineProperty(document, {_KEY}, {{value: state}});"
    f"{_SUBFRAMES} watch(window, 0, 0); return false; }})()"
)

_SEEN: Final = (  # the event may wait for a frame; a covered window draws none, so a timer goes along
    f"new Promise(done => {{ const seen = () => document[{_KEY}] ? document[{_KEY}].last : null;"
    "if (seen()) return done(seen());"
    "requestAnimationFrame(() => requestAnimationFrame(() => done(seen()))); setTimeout(() => done(seen()), 200); })"
)

_SURE: Final = f"document[{_KEY}] && (document[{_KEY}].sure = true); 0"


class ScriptedPage(Protocol):
    """What is needed of a page."""

    def evaluate(self, expression: str, *, timeout_s: float = ...) -> Any:
        """Value of a script."""


def arrive(page: ScriptedPage, move: Callable[[Point, Point], None], at: Point, *, timeout_s: float = 5.0) -> None:
    """Send the pointer to a point until the page has seen it there. Once a document; later calls only ask whether it was done.

    Args:
        page: The page.
        move: Sends the pointer to one point and on to another.
        at: CSS pixels of the viewport.
        timeout_s: Longest wait.

    Raises:
        BackendError: The pointer keeps landing elsewhere; code ``pointer_off_target``. Nothing was pressed.
    """
    end = time.monotonic() + timeout_s
    unseen = 0
    corner = Point(3, 3)
    while not page.evaluate(_WATCH):
        sent = corner if unseen >= _TRIES_UNSEEN else at
        move(Point(sent.x + 1, sent.y), sent)  # a pointer that already is there causes no event
        seen = page.evaluate(_SEEN)
        if seen is None:
            unseen += 1
            if unseen == 2 * _TRIES_UNSEEN:  # a document of another origin covers everything; its events are its own
                return
            continue
        unseen = 0
        if abs(seen[0] - sent.x) <= 1 and abs(seen[1] - sent.y) <= 1:
            page.evaluate(_SURE)
            return
        if time.monotonic() > end:
            raise BackendError(
                f"the pointer was sent to {sent.x:.0f}, {sent.y:.0f}, and the page saw it at {seen[0]:.0f}, {seen[1]:.0f}",
                code="pointer_off_target",
                retryable=True,
                hint="look again and repeat the action",
            )
