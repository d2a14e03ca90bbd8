"""What the person at the machine would notice: pointer, focus, attention, stacking, and windows that pop up."""

from __future__ import annotations

from dataclasses import dataclass

from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import list_windows


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The state of the person's desktop at one moment.

    Args:
        pointer: Position of the person's pointer on the root window.
        focus: Window that has the person's keyboard.
        active: Window that the window manager calls active.
        stacking: Managed windows, bottom first.
        popups: Windows outside the window manager's care that show.
    """

    pointer: tuple[int, int]
    focus: int
    active: int
    stacking: tuple[int, ...]
    popups: frozenset[int]

    def changes(self, later: Situation) -> tuple[str, ...]:
        """What is different later, in words; a window that closed or opened does not count as restacking."""
        both = set(self.stacking) & set(later.stacking)
        order = [[w for w in s if w in both] for s in (self.stacking, later.stacking)]
        return tuple(
            what
            for what, differs in {
                "the pointer moved": self.pointer != later.pointer,
                "the focus moved": self.focus != later.focus,
                "another window became active": self.active != later.active,
                "windows were restacked": order[0] != order[1],
            }.items()
            if differs
        )


def situation(x: X11) -> Situation:
    """The situation now.

    Raises:
        DisplayUnavailable: The server went away.
    """
    with x.errors("the display"):
        core = x.connection.core
        asked = core.QueryPointer(x.root), core.GetInputFocus()
        pointer, focus = asked[0].reply(), asked[1].reply()
        active = (x.cardinals(x.root, "_NET_ACTIVE_WINDOW") or (0,))[0]
        windows = list_windows(x)
        return Situation(
            pointer=(pointer.root_x, pointer.root_y),
            focus=focus.focus,
            active=active,
            stacking=tuple(w.id for w in windows if not w.popup),
            popups=frozenset(w.id for w in windows if w.popup),
        )
