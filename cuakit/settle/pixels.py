"""Stands still when its pixels do. For targets that tell nothing but how they look."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuakit.core.outcome import Settled
from cuakit.core.stages import Grab, Surface
from cuakit.settle import thumbnail as thumb


@dataclass(frozen=True, kw_only=True)
class PixelsQuiet:
    """Waits for a reaction, then for quiet. Times are arc-cua's.

    Called directly, the first frame after the action is what later ones are compared with, so a reaction that was
    quicker than that frame goes unseen. Bound to a surface, it remembers the last frame of the wait before.

    Args:
        reaction_s: Longest wait for a first change.
        quiet_s: How long nothing may change.
        timeout_s: Longest wait in all.
        poll_s: Pause between frames.
        level: Levels that a thumbnail pixel must move to count.
        share: Share of pixels that must move.
        clock: Monotonic seconds; injected in tests.
        sleep: Pauses; injected in tests.
    """

    stage_id: ClassVar[str] = "pixels-v1"

    reaction_s: float = 0.6
    quiet_s: float = 0.15
    timeout_s: float = 2.0
    poll_s: float = 0.02
    level: int = thumb.LEVEL
    share: float = thumb.SHARE
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], Any] = field(default=time.sleep, repr=False)

    def bind(self, surface: Surface) -> BoundPixels:
        """The settler of one surface, which knows how it looked before the action."""
        return BoundPixels(self, thumb.thumbnail(surface.grab()))

    def __call__(self, grab: Grab, /) -> Settled:
        """Wait, with the first frame as the state before."""
        return self.watch(grab, thumb.thumbnail(grab()))[0]

    def watch(self, grab: Grab, before: NDArray[np.int16]) -> tuple[Settled, NDArray[np.int16]]:
        """Wait, compared with a given thumbnail; gives the last one too."""
        start = last_change = self.clock()
        reacted = False
        seen = before
        while True:
            fresh = thumb.thumbnail(grab())
            now = self.clock()
            if thumb.differs(seen, fresh, level=self.level, share=self.share):
                reacted, last_change, seen = True, now, fresh
            waited = now - start
            if reacted and now - last_change >= self.quiet_s:
                return _settled(waited, "quiet", reacted=True, quiet=True), fresh
            if not reacted and waited >= self.reaction_s:
                return _settled(waited, "no reaction", reacted=False, quiet=True), fresh
            if waited >= self.timeout_s:
                return _settled(waited, "timeout", reacted=reacted, quiet=False), fresh
            self.sleep(self.poll_s)


@dataclass(slots=True)
class BoundPixels:
    """A pixel settler with a memory of the last frame it saw; see :class:`PixelsQuiet`."""

    options: PixelsQuiet
    last: NDArray[np.int16]

    def __call__(self, grab: Grab, /) -> Settled:
        """Wait, compared with the end of the wait before."""
        settled, self.last = self.options.watch(grab, self.last)
        return settled


def _settled(seconds: float, reason: str, *, reacted: bool, quiet: bool) -> Settled:
    return Settled(reacted=reacted, quiet=quiet, elapsed_ms=seconds * 1e3, reason=reason)
