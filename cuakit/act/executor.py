"""Carries out a decision under its lease: aim, admit, inject, receipt.

Before admission everything that goes wrong is a refusal, and the capture is unspent. From admission on the capture is
spent whatever happens, and nothing is called a refusal any more: when the surface goes away in mid-injection one cannot
know what reached it, so the effect is unverifiable and the next step is to look again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cuakit.act import routes
from cuakit.act.aim import Aim, StillThere, take_aim
from cuakit.act.broker import CaptureBroker
from cuakit.act.deliver import Order, deliver, order
from cuakit.act.guard import Limits
from cuakit.backends.input.port import Injector
from cuakit.core.action import Action, Click, Wait
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, CuakitError, LeaseError, UsageError
from cuakit.core.observation import Observation
from cuakit.core.outcome import Escalation, Receipt
from cuakit.core.stages import Surface

MAX_WAIT_S = 60.0
"""Longest pause that a Wait action gets."""


@dataclass(frozen=True, kw_only=True)
class LeasedActor:
    """Injects only what a lease pays for, and only onto what was seen.

    Args:
        guard: Whether the pixels under the target are looked at again; False only to measure what that is worth.
        identity: Whether a surface that knows its objects (a page read through its DOM) is asked too.
        level: See :class:`cuakit.act.guard.Limits`.
        density: See :class:`cuakit.act.guard.Limits`.
        highlight: See :class:`cuakit.act.guard.Limits`.
        blind: Whether only pixels, pointer and keys are used: the page is asked nothing, also not to read a field back.
    """

    stage_id: ClassVar[str] = "leased-v1"

    guard: bool = True
    identity: bool = True
    level: int = Limits.level
    density: float = Limits.density
    highlight: int = Limits.highlight
    blind: bool = False

    def bind(
        self,
        surface: Surface,
        broker: CaptureBroker,
        *,
        injector: Injector | None = None,
        consent: frozenset[str] | None = None,
    ) -> BoundActor:
        """The actor on one live surface.

        Args:
            surface: What is acted on.
            broker: Issued the captures that will be used.
            injector: Way in; by default the one that fits the surface.
            consent: Kinds of risk that may be taken, see :mod:`cuakit.core.risk`; None where whoever calls answers for it.

        Raises:
            UsageError: There is no way in for this kind of surface.
        """
        limits = Limits(level=self.level, density=self.density, highlight=self.highlight) if self.guard else None
        return BoundActor(
            surface=surface,
            broker=broker,
            injector=injector or routes.injector_for(surface, blind=self.blind),
            limits=limits,
            still_there=routes.identity_of(surface) if self.identity and not self.blind else None,
            consent=consent,
        )


@dataclass(frozen=True, kw_only=True)
class BoundActor:
    """An actor on one live surface; see :class:`LeasedActor`. Never raises for a refusal."""

    surface: Surface
    broker: CaptureBroker
    injector: Injector
    limits: Limits | None
    still_there: StillThere | None = None
    consent: frozenset[str] | None = None
    sleep: Callable[[float], Any] = field(default=time.sleep)

    def __call__(self, decision: Decision, observation: Observation, /) -> Receipt:
        """Carry out a decision on what was observed.

        Raises:
            UsageError: The decision has no action.
        """
        if decision.action is None:
            raise UsageError(f"a decision to {decision.outcome} has nothing to carry out")
        return self.perform(decision.action, observation.capture_id)

    def click_candidate(self, capture_id: str, candidate_id: str) -> Receipt:
        """Click an object by its id; the point is computed here."""
        return self.perform(Click(target=candidate_id), capture_id)

    def perform(self, action: Action, capture_id: str) -> Receipt:
        """Carry out one action under one capture.

        Returns:
            ``refused`` with a code when nothing was injected and the capture is unspent. Otherwise what can be said
            right away: ``confirmed`` or ``partial`` where a field was read back, else ``unverifiable``, which
            :func:`cuakit.act.effects.judge` may settle with the next observation.
        """
        if isinstance(action, Wait):
            self.sleep(max(0.0, min(action.seconds, MAX_WAIT_S)))
            return Receipt(effect="unverifiable", message="waited", capture_id=capture_id)
        name = f"{action.kind} {getattr(action, 'target', '')}".strip()
        try:
            what = order(action)
            aim = take_aim(
                self.surface,
                self.broker,
                action,
                capture_id,
                limits=self.limits,
                still_there=self.still_there,
                consent=self.consent,
            )
            self.broker.admit(capture_id, self.surface.target(), self.surface.size())
        except (LeaseError, BackendError, UsageError) as why:
            self.broker.note("refused", capture_id, f"{name}: {why.error_code}")
            return refusal(why, capture_id)
        self.broker.note("injected", capture_id, name)
        return self._inject(action, what, aim)

    def _inject(self, action: Action, what: Order, aim: Aim) -> Receipt:
        try:
            return deliver(self.injector, action, what, aim)
        except BackendError as lost:
            return Receipt(
                effect="unverifiable",
                delivery="unknown",
                message=f"the target failed during {action.kind} ({lost.error_code}): {lost.message}",
                escalation=Escalation(target="reobserve", reason=lost.error_code),
                capture_id=aim.capture.id,
            )


def refusal(why: CuakitError, capture_id: object) -> Receipt:
    """Receipt of an action that was not injected."""
    lost = isinstance(why, BackendError)
    return Receipt(
        effect="refused",
        code=why.error_code,
        message=str(why),
        retryable=why.is_retryable,
        escalation=Escalation(target="session" if lost else "reobserve", reason=why.error_code),
        capture_id=str(capture_id)[:80],
    )
