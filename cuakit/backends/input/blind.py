"""Input into a page by somebody who sees its pixels only: nothing is asked of the page, nothing is read back.

For agents that must not learn anything from the page's own objects, not even from a receipt.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuakit.backends.input.cdp import CdpInput
from cuakit.backends.input.port import Readback
from cuakit.backends.input.us_keyboard import BY_CODE, CONTROL, META
from cuakit.core.geometry import Point

NOT_READ = Readback("unknown", "trusted_input", "a pixels-only agent reads nothing back")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindInput(CdpInput):
    """Injector for one page that uses pointer and keys alone; arguments as :class:`CdpInput`."""

    def type_text(self, at: Point, text: str, *, replace: bool) -> Readback:
        """Click to focus, select everything or go to the end, and type."""
        self.click(at)
        self.press(BY_CODE["KeyA" if replace else "End"], held=(META if self.mac else CONTROL,))
        if text:
            self._type(text)
        elif replace:
            self.press(BY_CODE["Delete"])
        return NOT_READ

    def set_value(self, at: Point, value: str) -> Readback:
        """Click, type the value as a person would search a list for it, and confirm."""
        self.click(at)
        self._type(value)
        self.press(BY_CODE["Enter"])
        return NOT_READ

    def focus(self, at: Point) -> None:
        """Click: a person has no other way."""
        self.click(at)
