"""Whether a decision is sure enough to be carried out."""

from __future__ import annotations

from dataclasses import replace

from cuakit.core.decision import Decision


def gated(made: Decision, min_confidence: float | None, min_margin: float | None) -> Decision:
    """The decision, or ``needs_agent`` where a reported figure is below its floor.

    Only actions and completion are gated; a figure that is not reported is not.
    """
    if made.outcome not in ("act", "complete"):
        return made
    for name, floor, value in (("confidence", min_confidence, made.confidence), ("margin", min_margin, made.margin)):
        if floor is not None and value is not None and value < floor:
            return replace(made, outcome="needs_agent", action=None, reason=f"{name} {value:.2f} is below {floor:g}")
    return made
