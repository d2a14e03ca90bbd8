"""What set-up and judge do with keyboard and pointer, through leases like anybody else."""

from __future__ import annotations

import time

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import BoundWindowActor, WindowActor
from cuakit.core.action import Action, Click, DoubleClick, Hotkey, PressKey, Scroll, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.envs.desktop.scripts import Gesture
from cuakit.envs.desktop.session import POLL_S, Session

_MODIFIERS = frozenset({"CTRL", "ALT", "SHIFT"})
_TRIES = 5


class GestureFailed(BackendError):
    """A key press or click of a task file did not reach a window."""

    code = "gesture_failed"


def perform(session: Session, gestures: tuple[Gesture, ...]) -> None:
    """Carry out gestures, in order, on the window in front.

    A pause becomes a wait until the applications rest, at most as long as it says. Without any window there is nothing
    to be clicked, and a click on the empty desktop does nothing.

    Raises:
        GestureFailed: A window refused them.
        SetupTimeout: There is no time left.
    """
    broker = CaptureBroker()
    session.surface.target()
    actor = WindowActor(delivery="foreground", session=session.surface.session).bind(session.surface, broker)
    last = (0.5, 0.5)
    try:
        for gesture in gestures:
            session.check_time("a gesture")
            last = gesture.at or last
            if gesture.kind == "pause":
                session.rest(min(gesture.seconds, session.limits.rest_s))
            elif session.windows():
                for action in _actions(gesture, last):
                    _act(session, broker, actor, action)
    finally:
        actor.close()


def _actions(gesture: Gesture, at: tuple[float, float]) -> tuple[Action, ...]:
    match gesture.kind:
        case "text":
            return (TypeText(target="screen", text=gesture.text, replace=False),)
        case "click":
            return (DoubleClick(target="screen", at=at) if gesture.count > 1 else Click(target="screen", at=at),)
        case "scroll":
            return (
                Scroll(
                    target="screen",
                    direction="up" if gesture.count > 0 else "down",
                    amount=min(50, max(1, abs(gesture.count) // 10)),
                ),
            )
        case _:
            *held, key = gesture.keys
            one: Action = PressKey(key=key) if not held else Hotkey(keys=(*held, key))
            return (one,) * min(200, gesture.count)


def _act(session: Session, broker: CaptureBroker, actor: BoundWindowActor, action: Action) -> None:
    last = ""
    for _ in range(_TRIES):
        surface = session.surface
        target, shot = surface.target(), surface.grab()
        whole = Candidate(id="screen", role="document", box=Box(0, 0, shot.width, shot.height))
        lease = broker.issue(surface, shot, Candidates([whole]), target=target)
        receipt = actor.perform(action, lease.id)
        if receipt.injected:
            return
        last = f"{receipt.code}: {receipt.message}"
        time.sleep(POLL_S)
    raise GestureFailed(f"{action.kind} was refused: {last}", hint="is the window in front the one that is meant?")
