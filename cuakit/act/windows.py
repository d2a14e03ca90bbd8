"""Carries out actions in a desktop window under their lease, in the background unless asked otherwise.

The order is that of :mod:`cuakit.act.executor`: aim, plan, admit, inject, receipt. Up to admission everything that goes
wrong is a refusal that costs nothing. Afterwards the receipt says what was seen, and whether the person was disturbed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, Protocol

from cuakit.act.aim import take_aim
from cuakit.act.broker import CaptureBroker
from cuakit.act.deliver import order
from cuakit.act.delivery import Means, Plan, Unavailable, plan
from cuakit.act.executor import refusal
from cuakit.act.foreground import foreground_plan
from cuakit.act.guard import Limits
from cuakit.act.witness import Scene, Witness, anything_moved, evidence
from cuakit.backends.atspi import Accessibility, Ref
from cuakit.backends.atspi_bus import AccessibilityUnavailable
from cuakit.backends.input.atspi import Element, read_element
from cuakit.backends.input.mpx import remove_stale
from cuakit.backends.x11 import X11
from cuakit.backends.x11_manage import manager_caught_up
from cuakit.backends.x11_ping import Pinger
from cuakit.backends.x11_windows import WindowInfo
from cuakit.core.action import Action, Click, DoubleClick, Drag, RightClick, Wait
from cuakit.core.candidate import Candidate
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, CuakitError, LeaseError, UsageError
from cuakit.core.observation import Observation
from cuakit.core.outcome import Escalation, Evidence, Receipt
from cuakit.core.stages import Surface

Delivery = Literal["background", "foreground"]

EVIDENCE_WITHIN_S: Final = 0.6
"""How long evidence is waited for after an action."""

DOUBLE_CLICK_S: Final = 0.5
"""Longest double-click time of the common toolkits."""

_ANSWER_WITHIN_S: Final = 0.4


class WindowSurface(Surface, Protocol):
    """What is needed of a window."""

    x: X11
    id: int

    def info(self) -> WindowInfo:
        """What the window is now."""


@dataclass(frozen=True, kw_only=True)
class WindowActor:
    """Stage ``window-v1``: acts in one desktop window.

    Args:
        delivery: ``background`` leaves pointer, focus and stacking alone; ``foreground`` raises the window, acts with
            the person's own devices, and puts everything back.
        session: D-Bus address of the session bus; ``DBUS_SESSION_BUS_ADDRESS`` of the environment by default.
        guard: Whether the pixels under the target are looked at again; False only to measure what that is worth.
    """

    stage_id: ClassVar[str] = "window-v1"
    delivery: Delivery = "background"
    session: str = ""
    guard: bool = True

    def bind(
        self, surface: WindowSurface, broker: CaptureBroker, *, consent: frozenset[str] | None = None
    ) -> BoundWindowActor:
        """The actor on one open window. Close it when done.

        Args:
            surface: What is acted on.
            broker: Issued the captures that will be used.
            consent: Kinds of risk that may be taken, see :mod:`cuakit.core.risk`; None where whoever calls answers for it.

        Raises:
            UsageError: The surface is no window.
            DisplayUnavailable: The server went away.
        """
        if not hasattr(surface, "x") or not hasattr(surface, "info"):
            raise UsageError(
                f"window-v1 acts in desktop windows, not in a {type(surface).__name__}", hint="use leased-v1 for a page"
            )
        try:
            access = Accessibility.open(self.session)
        except AccessibilityUnavailable:
            access = None  # sent events and the second keyboard need no bus
        remove_stale(surface.x)
        return BoundWindowActor(
            surface=surface,
            broker=broker,
            access=access,
            pinger=Pinger(surface.x.display),
            limits=Limits() if self.guard else None,
            delivery=self.delivery,
            consent=consent,
        )


@dataclass(frozen=True, kw_only=True)
class BoundWindowActor:
    """An actor on one open window; see :class:`WindowActor`. Never raises for a refusal."""

    surface: WindowSurface
    broker: CaptureBroker
    access: Accessibility | None
    pinger: Pinger
    limits: Limits | None
    delivery: Delivery
    consent: frozenset[str] | None = None
    pause: Callable[[float], Any] = field(default=time.sleep)
    clicked: list[float] = field(default_factory=list, repr=False)

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

    def perform(self, action: Action, capture_id: str, *, delivery: Delivery | None = None) -> Receipt:
        """Carry out one action under one capture.

        Args:
            action: Names candidates of that capture.
            capture_id: The lease.
            delivery: Overrides the actor's.

        Returns:
            ``refused`` with a code when nothing was injected and the capture is unspent. Otherwise ``confirmed`` with
            evidence, ``partial`` where a field does not hold what it should, ``suspected_noop`` when the program said
            no or nothing moved, else ``unverifiable``. ``delivery`` is ``background`` only where pointer, focus,
            attention and stacking are as they were.
        """
        if isinstance(action, Wait):
            self.pause(max(0.0, min(action.seconds, 60.0)))
            return Receipt(effect="unverifiable", message="waited", capture_id=capture_id)
        name = f"{action.kind} {getattr(action, 'target', '')}".strip()
        try:
            what = order(action)
            aim = take_aim(self.surface, self.broker, action, capture_id, limits=self.limits, consent=self.consent)
            window = self._answering()
            elements = [self._element(mark.candidate) for mark in aim.marks]
            means = Means(x=self.surface.x, window=window, access=self.access, pinger=self.pinger, pause=self.pause)
            if (delivery or self.delivery) == "foreground":
                chosen = foreground_plan(means, action, what, aim.marks)
            else:
                chosen = plan(means, action, what, aim.marks, elements)
            witness = Witness(
                surface=self.surface, x=self.surface.x, access=self.access, marks=aim.marks, elements=elements
            )
            before = witness.look()
            self.broker.admit(capture_id, self.surface.target(), self.surface.size())
        except (LeaseError, BackendError, UsageError) as why:
            self.broker.note("refused", capture_id, f"{name}: {why.error_code}")
            return _refused(why, capture_id)
        self.broker.note("injected", capture_id, name)
        self._apart_from_last(action)
        return replace(self._inject(chosen, witness, before), capture_id=capture_id)

    def close(self) -> None:
        """Let go of the connections that were made for acting."""
        self.pinger.close()
        if self.access is not None:
            self.access.close()

    def _answering(self) -> WindowInfo:
        """The window now, if its program reads its events.

        A program that answers no ping may still live: the accessibility bus is asked too.
        """
        window = self.surface.info()
        if self.pinger.answers(window.id, _ANSWER_WITHIN_S) is not True:
            hangs = self.access.hangs(window.pid) if self.access is not None else None
            if hangs or (hangs is None and self.pinger.answers(window.id, 1.0) is False):
                raise BackendError(
                    f"{window.app or 'the program'} does not answer; it is busy or hung",
                    hint="wait and observe again",
                    code="not_responding",
                )
            self.pinger.ignore(window.id)
        return window

    def _element(self, candidate: Candidate) -> Element | None:
        ref = _ref(candidate)
        if ref is None or self.access is None:
            return None
        found = read_element(self.access, ref)
        name = f"{candidate.id} ({candidate.role})"
        if found is None:
            raise LeaseError("capture_stale", f"{name} is gone, or its program does not answer")
        if found.name.strip() and candidate.name and found.name.strip() != candidate.name:
            raise LeaseError("capture_stale", f"{name} has another name now")
        return found

    def _apart_from_last(self, action: Action) -> None:
        """Let a click count by itself: two within the double-click time would be taken for one double click."""
        if not isinstance(action, Click | DoubleClick | RightClick | Drag):
            return
        if self.clicked:
            self.pause(max(0.0, self.clicked.pop() + DOUBLE_CLICK_S - time.monotonic()))
        self.clicked.append(time.monotonic())

    def _inject(self, chosen: Plan, witness: Witness, before: Scene) -> Receipt:
        try:
            said = chosen.carry()
        except BackendError as lost:
            return Receipt(
                effect="unverifiable",
                route=chosen.route,
                delivery="unknown",
                message=f"the window failed during the action ({lost.error_code}): {lost.message}",
                escalation=Escalation(target="reobserve", reason=lost.error_code),
            )
        try:
            manager_caught_up(self.surface.x)
            after = witness.wait(before, lambda found: _enough(found, chosen), EVIDENCE_WITHIN_S)
        except BackendError as lost:
            closed = Evidence(kind="window_change", detail=f"the window is no more ({lost.error_code})")
            return Receipt(effect="confirmed", route=chosen.route, delivery="unknown", evidence=(closed,))
        return _receipt(chosen, said, before, after)


def _enough(found: tuple[Evidence, ...], chosen: Plan) -> bool:
    return any(e.kind == "value_readback" for e in found) if chosen.expected is not None else bool(found)


def _receipt(chosen: Plan, said: bool | None, before: Scene, after: Scene) -> Receipt:
    proof = evidence(before, after)
    disturbed = before.person.changes(after.person)
    base = Receipt(
        effect="unverifiable",
        route=chosen.route,
        delivery="foreground" if disturbed else "background",
        message="; ".join(disturbed),
    )
    if chosen.expected is not None and after.elements and after.elements[0] is not None:
        held = after.elements[0].value
        if held == chosen.expected:
            return replace(
                base,
                effect="confirmed",
                evidence=(Evidence(kind="value_readback", detail="the field reads back as written"),),
            )
        if proof:
            return replace(
                base,
                effect="partial",
                evidence=proof,
                message="the field does not read back as written",
                escalation=Escalation(target="reobserve", reason="value_mismatch"),
            )
    if said is False and not proof:
        return replace(
            base,
            effect="suspected_noop",
            message="the program says that it did nothing",
            escalation=Escalation(target="foreground", reason="action_declined"),
        )
    if proof:
        return replace(base, effect="confirmed", evidence=proof)
    if not after.live:
        return replace(base, message=base.message or "a minimized window shows no effect")
    if not anything_moved(before, after):
        return replace(
            base,
            effect="suspected_noop",
            message=base.message or "nothing looks different",
            escalation=Escalation(target="foreground", reason="suspected_noop"),
        )
    return replace(base, escalation=Escalation(target="reobserve", reason="changed elsewhere in the window"))


def _refused(why: CuakitError, capture_id: str) -> Receipt:
    made = refusal(why, capture_id)
    if isinstance(why, Unavailable):
        return replace(made, escalation=Escalation(target="foreground", reason=why.error_code))
    return made


def _ref(candidate: Candidate) -> Ref | None:
    for source in candidate.provenance:
        if source.startswith("atspi:"):
            dest, slash, path = source.removeprefix("atspi:").partition("/")
            return Ref(dest, slash + path)
    return None
