"""What changed between just before an action and just after it: the evidence that a receipt may cite."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.act.aim import Mark
from cuakit.backends.atspi import Accessibility
from cuakit.backends.input.atspi import Element, read_element
from cuakit.backends.x11 import X11
from cuakit.backends.x11_situation import Situation, situation
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.core.outcome import Evidence
from cuakit.core.stages import Surface

LEVEL: Final = 24
"""Levels of 255 by which a pixel must move to count, as in :mod:`cuakit.act.effects`."""

_PATCH_PAD: Final = 4
_POLL_S: Final = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A window at one moment, as far as evidence needs it.

    Args:
        title: Its title.
        patches: Pixels around each place that is acted on.
        whole: Pixels of the window.
        elements: The accessible object behind each place; None where there is none.
        person: Pointer, focus and stacking.
        live: Whether the pixels are those of now; a minimized window has none.
    """

    title: str
    patches: tuple[NDArray[np.uint8], ...]
    whole: NDArray[np.uint8]
    elements: tuple[Element | None, ...]
    person: Situation
    live: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Looks at a window and its accessible objects.

    Args:
        surface: The window.
        x: Connection to the server.
        access: Accessibility bus; None where there is none.
        marks: Places that are acted on.
        elements: Their accessible objects.
    """

    surface: Surface
    x: X11
    access: Accessibility | None
    marks: Sequence[Mark]
    elements: Sequence[Element | None]

    def look(self) -> Scene:
        """The window now.

        Raises:
            BackendError: It went away.
        """
        shot = self.surface.grab()
        boxes = [_around(mark) for mark in self.marks]
        return Scene(
            title=self.surface.title(),
            patches=tuple(shot.crop(box) for box in boxes),
            whole=shot.pixels,
            elements=tuple(self._fresh(element) for element in self.elements),
            person=situation(self.x),
            live="minimized" not in shot.source,
        )

    def wait(self, before: Scene, enough: Callable[[tuple[Evidence, ...]], bool], within_s: float) -> Scene:
        """The window once there is enough evidence, or when the time is up; the window may also have closed."""
        end = time.monotonic() + within_s
        while True:
            now = self.look()
            if enough(evidence(before, now)) or time.monotonic() >= end:
                return now
            time.sleep(_POLL_S)

    def _fresh(self, element: Element | None) -> Element | None:
        if element is None or self.access is None:
            return None
        try:
            return read_element(self.access, element.ref, 0.5)
        except BackendError:
            return None


def evidence(before: Scene, after: Scene) -> tuple[Evidence, ...]:
    """Differences that speak for an effect, the strongest first."""
    return (*_objects(before, after), *_window(before, after), *_pixels(before, after))


def anything_moved(before: Scene, after: Scene) -> bool:
    """Whether any pixel of the window differs."""
    return before.whole.shape != after.whole.shape or not np.array_equal(before.whole, after.whole)


def _objects(before: Scene, after: Scene) -> tuple[Evidence, ...]:
    found = []
    for was, now in zip(before.elements, after.elements, strict=True):
        if was is None:
            continue
        if now is None:
            found.append(Evidence(kind="tree_change", detail=f"the {was.role} is gone"))
            continue
        came = sorted((was.states ^ now.states) - _FLEETING)
        if came:
            found.append(Evidence(kind="tree_change", detail=f"states changed: {', '.join(came)}"))
        if was.value != now.value:
            found.append(Evidence(kind="value_readback", detail=f"the {was.role} holds something else"))
        if was.name != now.name:
            found.append(Evidence(kind="tree_change", detail=f"the {was.role} has another name"))
    return tuple(found)


_FLEETING: Final = frozenset({"focused", "active", "armed", "pressed", "showing", "visible", "transient", "busy"})


def _window(before: Scene, after: Scene) -> tuple[Evidence, ...]:
    found = []
    if before.title != after.title:
        found.append(Evidence(kind="window_change", detail="the title changed"))
    opened = (set(after.person.stacking) | after.person.popups) - (set(before.person.stacking) | before.person.popups)
    if opened:
        found.append(Evidence(kind="window_change", detail=f"{len(opened)} window opened"))
    if before.whole.shape != after.whole.shape:
        found.append(Evidence(kind="window_change", detail="the window was resized"))
    return tuple(found)


def _pixels(before: Scene, after: Scene) -> tuple[Evidence, ...]:
    for was, now in zip(before.patches, after.patches, strict=True):
        if was.shape == now.shape and was.size:
            moved = float((np.abs(was.astype(np.int16) - now).max(axis=2) > LEVEL).mean())
            if moved > 0:
                return (Evidence(kind="pixel_change", detail=f"{moved:.1%} of the target's pixels changed"),)
    return ()


def _around(mark: Mark) -> Box:
    return mark.candidate.box.pad(_PATCH_PAD)
