"""Which way in fits a surface, told by what the surface offers."""

from __future__ import annotations

import sys
from typing import Any

from cuakit.act.aim import StillThere
from cuakit.act.identity import DomIdentity
from cuakit.backends.input.blind import BlindInput
from cuakit.backends.input.cdp import CdpInput
from cuakit.backends.input.port import Injector
from cuakit.core.errors import UsageError
from cuakit.core.stages import Surface


def injector_for(surface: Surface, *, blind: bool = False) -> Injector:
    """The injector of a surface.

    Args:
        surface: What is acted on.
        blind: Whether it may use pointer and keys only, asking the surface nothing.

    Raises:
        UsageError: None fits.
    """
    live: Any = surface
    if _is_page(surface):
        kind = BlindInput if blind else CdpInput
        return kind(page=live, mac=sys.platform == "darwin")
    raise UsageError(
        f"no way to inject input into a {type(surface).__name__}",
        hint="pass injector= to bind, or use the dry-run-v1 actor",
    )


def identity_of(surface: Surface) -> StillThere | None:
    """The surface's own opinion on whether a candidate is still the same object; None where it has none."""
    own: StillThere | None = getattr(surface, "still_there", None)
    live: Any = surface
    return own or (DomIdentity(live) if _is_page(surface) else None)


def _is_page(surface: Surface) -> bool:
    return callable(getattr(surface, "call", None)) and callable(getattr(surface, "evaluate", None))
