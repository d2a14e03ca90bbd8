"""What acting, waiting and checking came to. None of these is a bare bool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["confirmed", "partial", "unverifiable", "suspected_noop", "refused"]
Route = Literal["accessibility", "synthetic_events", "global_input", "system_api", "dom", "trusted_input", "none"]
Delivery = Literal["background", "foreground", "not_applicable", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One fact that supports a claimed effect.

    Args:
        kind: What was looked at.
        detail: What was seen.
    """

    kind: Literal["value_readback", "tree_change", "pixel_change", "window_change", "event_log"]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """Where to turn when this way did not work."""

    target: Literal["pixel", "foreground", "page", "session", "reobserve"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one action.

    Args:
        effect: ``confirmed`` needs evidence; ``refused`` means that nothing was injected.
        route: How it was delivered.
        delivery: Whether the person's focus, pointer and stacking stayed as they were.
        evidence: Facts behind ``confirmed`` or ``partial``.
        code: Refusal code; only with ``refused``.
        message: One sentence for a person.
        retryable: Whether another try can work.
        escalation: Machine-readable next step.
        capture_id: Lease that was used.

    Raises:
        ValueError: Confirmed without evidence, or refused with evidence or without a code.
    """

    effect: Effect
    route: Route = "none"
    delivery: Delivery = "not_applicable"
    evidence: tuple[Evidence, ...] = ()
    code: str = ""
    message: str = ""
    retryable: bool = False
    escalation: Escalation | None = None
    capture_id: str = ""

    def __post_init__(self) -> None:
        if self.effect in ("confirmed", "partial") and not self.evidence:
            raise ValueError(f"{self.effect!r} needs evidence")
        if self.effect == "refused" and (self.evidence or not self.code or self.route != "none"):
            raise ValueError("a refusal has a code, no evidence and no route")
        if self.effect != "refused" and self.code:
            raise ValueError("only a refusal has a code")

    @property
    def injected(self) -> bool:
        """Whether anything reached the target."""
        return self.effect != "refused"

    def _repr_html_(self) -> str:
        from cuakit.core import html

        return html.receipt(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How the target came to rest.

    Args:
        reacted: Whether anything changed after the action.
        quiet: Whether it then stood still for long enough.
        elapsed_ms: Time spent waiting.
        reason: What decided it, such as ``quiet``, ``timeout``.
    """

    reacted: bool
    quiet: bool
    elapsed_ms: float
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a criterion holds: three-valued, unknown is never a pass."""

    result: Literal["passed", "failed", "unknown"]
    reason: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True only for ``passed``."""
        return self.result == "passed"
