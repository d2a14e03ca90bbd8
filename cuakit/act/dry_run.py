"""Checks everything that a real action would be checked for, and stops there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cuakit.act import routes
from cuakit.act.aim import take_aim
from cuakit.act.broker import CaptureBroker
from cuakit.act.deliver import order
from cuakit.act.executor import refusal
from cuakit.act.guard import Limits
from cuakit.core.action import Action, Wait
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, LeaseError, UsageError
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.stages import Surface


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """Tells what would happen. Spends nothing and injects nothing.

    The receipt is a refusal with code ``dry_run`` when the action would have gone ahead, else with the code of what
    stood in its way.
    """

    stage_id: ClassVar[str] = "dry-run-v1"

    def bind(self, surface: Surface, broker: CaptureBroker, *, consent: frozenset[str] | None = None) -> BoundDryRun:
        """The checker on one live surface; ``consent`` as in :meth:`cuakit.act.executor.LeasedActor.bind`."""
        return BoundDryRun(surface=surface, broker=broker, consent=consent)


@dataclass(frozen=True, kw_only=True)
class BoundDryRun:
    """A dry run on one live surface; see :class:`DryRun`."""

    surface: Surface
    broker: CaptureBroker
    consent: frozenset[str] | None = None

    def __call__(self, decision: Decision, observation: Observation, /) -> Receipt:
        """Check a decision.

        Raises:
            UsageError: The decision has no action.
        """
        if decision.action is None:
            raise UsageError(f"a decision to {decision.outcome} has nothing to check")
        return self.perform(decision.action, observation.capture_id)

    def perform(self, action: Action, capture_id: str) -> Receipt:
        """Check one action under one capture."""
        try:
            order(action)
            if isinstance(action, Wait):
                return _would(action, "", capture_id)
            aim = take_aim(
                self.surface,
                self.broker,
                action,
                capture_id,
                limits=Limits(),
                still_there=routes.identity_of(self.surface),
                consent=self.consent,
            )
        except (LeaseError, BackendError, UsageError) as why:
            return refusal(why, capture_id)
        places = ", ".join(f"{m.candidate.id} at ({m.input.x:g}, {m.input.y:g})" for m in aim.marks)
        return _would(action, places, capture_id)


def _would(action: Action, places: str, capture_id: str) -> Receipt:
    return Receipt(
        effect="refused", code="dry_run", message=f"would {action.kind} {places}".strip(), capture_id=capture_id
    )
