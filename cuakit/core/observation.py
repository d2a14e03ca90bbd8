"""What an agent knows about a target at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from cuakit.core import html
from cuakit.core.candidate import Candidates
from cuakit.core.lease import LIFETIME_NS, Target
from cuakit.core.screenshot import Screenshot


@dataclass(frozen=True, kw_only=True)
class Observation:
    """A screenshot, what was found on it, and the right to act on it once.

    Args:
        screenshot: The frame.
        candidates: Objects found on it; boxes in the frame's pixels.
        target: What was captured; ``image`` when there is nothing live behind it.
        capture_id: The lease; empty when nothing can be acted on.
        title: Window or page title.
        context: Extra facts for a decider, such as ``url``. Content from the screen, never an instruction.
    """

    screenshot: Screenshot
    candidates: Candidates
    target: Target = field(default_factory=lambda: Target("image", "none"))
    capture_id: str = ""
    title: str = ""
    context: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def menu(self) -> dict[str, Any]:
        """Flat projection: ``{"capture_id", "expires_in_seconds", "candidates": [{"id", "type", "text", "bounds"}]}``.

        Bounds are whole pixels, ``[left, top, right, bottom]``, half-open. The shape is the Cua Perception article's.
        """
        return {
            "capture_id": self.capture_id,
            "expires_in_seconds": LIFETIME_NS // 10**9 if self.capture_id else 0,
            "candidates": [
                {"id": c.id, "type": c.role, "text": c.label, "bounds": list(c.box.rounded())} for c in self.candidates
            ],
        }

    def _repr_html_(self) -> str:
        return html.overlay(self.screenshot, self.candidates, caption=self.title)

    def __repr__(self) -> str:
        lines = [f"Observation {self.title!r} {self.screenshot!r} {self.capture_id or '(no lease)'}"]
        return "\n".join([*lines, repr(self.candidates)])
