"""Turns a checked action into calls of an injector, and what they came to into a receipt."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

from cuakit.act import keymap
from cuakit.act.aim import Aim
from cuakit.backends.input.port import Injector, Key, Readback
from cuakit.core.action import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
    Wait,
)
from cuakit.core.outcome import Effect, Escalation, Evidence, Receipt

_WHEEL: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

_EFFECTS: Final[dict[str, Effect]] = {
    "same": "confirmed",
    "partial": "partial",
    "unchanged": "suspected_noop",
    "unknown": "unverifiable",
}


@dataclass(frozen=True, slots=True)
class Order:
    """The keys of an action, looked up before the lease is spent, so that an unknown word costs nothing."""

    key: Key | None = None
    held: tuple[Key, ...] = ()


def order(action: Action, *, mac: bool | None = None) -> Order:
    """Look up an action's keys.

    Args:
        action: Any action.
        mac: Whether ``MOD`` is Command; by default when this machine runs macOS.

    Raises:
        UsageError: An unknown key or modifier.
    """
    mac = sys.platform == "darwin" if mac is None else mac
    match action:
        case Click():
            return Order(held=keymap.modifiers(action.modifiers, mac=mac))
        case PressKey():
            return Order(key=keymap.key(action.key))
        case Hotkey():
            *held, last = action.keys
            return Order(key=keymap.key(last), held=keymap.modifiers(held, mac=mac))
        case TypeText() if action.then:
            return Order(key=keymap.key(action.then))
        case _:
            return Order()


def deliver(injector: Injector, action: Action, what: Order, aim: Aim) -> Receipt:
    """Inject an admitted action.

    Returns:
        ``confirmed`` or ``partial`` only where a field was read back.

    Raises:
        BackendError: The surface went away; some of it may have arrived.
    """
    points = [mark.input for mark in aim.marks]
    match action:
        case Click():
            injector.click(points[0], held=what.held)
        case DoubleClick():
            injector.click(points[0], count=2)
        case RightClick():
            injector.click(points[0], button="right")
        case Drag():
            injector.drag(points[0], points[1])
        case Scroll():
            right, down = _WHEEL[action.direction]
            injector.scroll(points[0], right * action.amount, down * action.amount)
        case TypeText():
            seen = injector.type_text(points[0], action.text, replace=action.replace)
            if what.key is not None:
                injector.press(what.key)
            return _written(seen, aim)
        case SetValue():
            return _written(injector.set_value(points[0], action.value), aim)
        case PressKey() | Hotkey():
            if points:
                injector.focus(points[0])
            if what.key is not None:
                injector.press(what.key, held=what.held)
        case Wait():
            pass
    return Receipt(effect="unverifiable", route="trusted_input", delivery="background", capture_id=aim.capture.id)


def _written(seen: Readback, aim: Aim) -> Receipt:
    effect = _EFFECTS[seen.comparison]
    proof = (Evidence(kind="value_readback", detail=seen.note),) if effect in ("confirmed", "partial") else ()
    return Receipt(
        effect=effect,
        route=seen.route,
        delivery="background",
        evidence=proof,
        message=seen.note,
        escalation=Escalation(target="reobserve", reason=seen.note) if effect != "confirmed" else None,
        capture_id=aim.capture.id,
    )
