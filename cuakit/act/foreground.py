"""Delivery with the person's own devices, only on request: raise the window, act, put everything back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from cuakit.act.aim import Mark
from cuakit.act.deliver import Order
from cuakit.act.delivery import TAKE_IN_S, Means, Plan, Unavailable
from cuakit.backends.input.us_keyboard import BY_CODE
from cuakit.backends.input.x11 import WHEEL
from cuakit.backends.input.x11_keys import CONTROL, Keyboard, Stroke, state_of
from cuakit.backends.input.xtest import OwnDevices
from cuakit.backends.x11_manage import activate, restack
from cuakit.backends.x11_situation import Situation, situation
from cuakit.backends.x11_windows import client_of
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
)
from cuakit.core.errors import BackendError

_WHEEL: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_RAISED_WITHIN_S: Final = 3.0
_POLL_S: Final = 0.02


def foreground_plan(means: Means, action: Action, what: Order, marks: Sequence[Mark]) -> Plan:
    """The one rung of this ladder.

    Raises:
        Unavailable: The action has no form for keyboard and pointer.
    """
    if isinstance(action, SetValue) and marks[0].candidate.role not in ("textbox", "searchbox", "spinbutton", "cell"):
        raise Unavailable(
            f"the value of a {marks[0].candidate.role} cannot be typed", hint="use delivery='background', or clicks"
        )
    devices = OwnDevices(means.x)

    def carry() -> None:
        before = situation(means.x)
        _raise(means, before)
        try:
            _act(means, devices, action, what, marks)
            if not means.read():
                means.pause(TAKE_IN_S)
        finally:
            _put_back(means, devices, before)

    return Plan(route="global_input", carry=carry)


def _raise(means: Means, before: Situation) -> None:
    window = means.window.id
    if before.active == window and before.stacking[-1:] == (window,):
        return
    activate(means.x, window)
    end = time.monotonic() + _RAISED_WITHIN_S
    while situation(means.x).active != window:
        if time.monotonic() >= end:
            raise BackendError("the window manager did not raise the window", code="foreground_refused")
        means.pause(_POLL_S)
    means.read()


def _put_back(means: Means, devices: OwnDevices, before: Situation) -> None:
    devices.point(*before.pointer)
    if before.active and before.active != means.window.id:
        activate(means.x, before.active)
    end = time.monotonic() + _RAISED_WITHIN_S
    while before.changes(situation(means.x)) and time.monotonic() < end:
        restack(means.x, before.stacking)
        means.pause(_POLL_S)


def _act(means: Means, devices: OwnDevices, action: Action, what: Order, marks: Sequence[Mark]) -> None:
    places = [_place(means, mark) for mark in marks]
    match action:
        case Click():
            devices.click(*places[0], state=state_of(what.held))
        case DoubleClick():
            devices.click(*places[0], count=2)
        case RightClick():
            devices.click(*places[0], button=3)
        case Drag():
            devices.drag(places[0], places[1])
        case Scroll():
            right, down = _WHEEL[action.direction]
            for _ in range(action.amount):
                devices.click(*places[0], button=WHEEL[right, down])
        case TypeText() | SetValue():
            text = action.text if isinstance(action, TypeText) else action.value
            replace = not isinstance(action, TypeText) or action.replace
            devices.click(*places[0])
            _type(means, devices, text, what, replace=replace)
        case PressKey() | Hotkey() if what.key is not None:
            if places:
                devices.click(*places[0])
            devices.strike([Keyboard(means.x).key(what.key)], state=state_of(what.held))
        case _:
            pass


def _type(means: Means, devices: OwnDevices, text: str, what: Order, *, replace: bool) -> None:
    keyboard = Keyboard(means.x)
    before = [Stroke(keyboard.key(BY_CODE["KeyA"]).keycode, CONTROL)] if replace else []
    after = [keyboard.key(what.key)] if what.key is not None else []
    with keyboard.text(text) as strokes:
        devices.strike([*before, *strokes, *after])
        if not means.read() or keyboard.foreign(text):
            means.pause(TAKE_IN_S)


def _place(means: Means, mark: Mark) -> tuple[int, int]:
    """Position on the root window, once it is sure that nothing lies above the window there."""
    x, window = means.x, means.window.id
    with x.errors(f"window {window:#x}"):
        at = x.connection.core.TranslateCoordinates(window, x.root, int(mark.input.x), int(mark.input.y)).reply()
        top = x.connection.core.TranslateCoordinates(x.root, x.root, at.dst_x, at.dst_y).reply().child
        mine = x.connection.core.TranslateCoordinates(x.root, window, at.dst_x, at.dst_y).reply()
    if not top or (top != window and client_of(x, _deepest(means, top, at.dst_x, at.dst_y)) != window):
        raise BackendError("another window lies above the target", code="candidate_occluded")
    assert mine.same_screen
    return at.dst_x, at.dst_y


def _deepest(means: Means, window: int, root_x: int, root_y: int) -> int:
    core, inside = means.x.connection.core, window
    while below := core.TranslateCoordinates(means.x.root, inside, root_x, root_y).reply().child:
        inside = below
    return inside
