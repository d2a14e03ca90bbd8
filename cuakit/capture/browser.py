"""Frames of a browser page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cuakit.core.errors import UsageError
from cuakit.core.stages import Grab, Surface


@dataclass(frozen=True, kw_only=True)
class PageCapture:
    """The viewport of a live page, in physical pixels, as the page draws it at that moment.

    It has no options: what a page looks like is decided where the page is opened.
    """

    stage_id: ClassVar[str] = "page-v1"

    def bind(self, page: Surface) -> Grab:
        """A callable that takes one frame of ``page``."""
        return page.grab

    def __call__(self) -> None:
        """Refuse: there is no page yet.

        Raises:
            UsageError: Always.
        """
        raise UsageError("page-v1 captures a live page", hint="bind it first: PageCapture().bind(page)")
