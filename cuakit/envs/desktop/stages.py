"""Stages for a private desktop: its objects over its own accessibility bus, and its windows acted in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import BoundWindowActor, WindowActor
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.accessibility import AccessibilityElements


@dataclass(frozen=True, kw_only=True)
class DesktopObjects:
    """Stage ``desktop-v1``: objects of the window in front, by the bus of its desktop.

    A program that tells nothing about itself, such as a terminal, is one object.

    Args:
        deadline_s: Most seconds for one read.
        nodes: Most objects.
    """

    stage_id: ClassVar[str] = "desktop-v1"
    deadline_s: float = 10.0
    nodes: int = 4000

    def bind(self, surface: Any) -> Callable[[Screenshot], Candidates]:
        """The stage on one desktop.

        Args:
            surface: An :class:`~cuakit.envs.desktop.surface.ActiveWindow`.

        Raises:
            AccessibilityUnavailable: The desktop has no accessibility bus.
        """
        read = AccessibilityElements(session=surface.session, deadline_s=self.deadline_s, nodes=self.nodes)
        bound = read.bind(surface)

        def perceive(shot: Screenshot) -> Candidates:
            try:
                return bound(shot)
            except BackendError:
                return Candidates([Candidate(id="c01", role="unknown", box=Box(0, 0, shot.width, shot.height))])

        return perceive


@dataclass(frozen=True, kw_only=True)
class DesktopActor:
    """Stage ``desktop-v1``: acts in the window in front.

    Args:
        delivery: ``background`` or ``foreground`` as for ``window-v1``; ``auto`` tries the first, and the second where the
            first says that it has no way: on a private desktop there is nobody to disturb.
    """

    stage_id: ClassVar[str] = "desktop-v1"
    delivery: Literal["auto", "background", "foreground"] = "auto"

    def bind(self, surface: Any, broker: CaptureBroker, *, consent: frozenset[str] | None = None) -> BoundDesktopActor:
        """The actor on one desktop."""
        first: Literal["background", "foreground"] = "background" if self.delivery == "auto" else self.delivery
        actor = WindowActor(delivery=first, session=surface.session).bind(surface, broker, consent=consent)
        surface.on_close(actor.close)
        return BoundDesktopActor(actor=actor, again=self.delivery == "auto")


@dataclass(frozen=True, kw_only=True)
class BoundDesktopActor:
    """An actor on one desktop; see :class:`DesktopActor`."""

    actor: BoundWindowActor
    again: bool

    def __call__(self, decision: Decision, observation: Observation, /) -> Receipt:
        """Carry out a decision on what was observed."""
        receipt = self.actor(decision, observation)
        wants = receipt.escalation is not None and receipt.escalation.target == "foreground"
        if self.again and receipt.effect == "refused" and wants and decision.action is not None:
            return self.actor.perform(decision.action, observation.capture_id, delivery="foreground")
        return receipt

    def close(self) -> None:
        """Let go of the connections."""
        self.actor.close()
