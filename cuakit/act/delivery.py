"""The ladder: which way an action goes into a window, decided before the lease is spent.

    accessibility action or value          works in every state of the window, also minimized
    events sent to the window              works covered and unfocused, where the program listens for core events
    second keyboard                        works for keys wherever the server has XInput 2
    refusal                                says exactly why, and what to do instead

Each rung is a :class:`Plan`: nothing has happened yet when it is made. Foreground delivery is another ladder of one rung
(:mod:`cuakit.act.foreground`), climbed only on request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import cuakit.backends.input.atspi as objects
from cuakit.act.aim import Mark
from cuakit.act.deliver import Order
from cuakit.backends.atspi import Accessibility
from cuakit.backends.input.atspi import Element
from cuakit.backends.input.mpx import AgentKeyboard
from cuakit.backends.input.port import Key
from cuakit.backends.input.us_keyboard import BY_CODE
from cuakit.backends.input.x11 import SentEvents, Spot, spot_at, takes_events
from cuakit.backends.input.x11_keys import CONTROL, Keyboard, Stroke, state_of
from cuakit.backends.x11 import X11
from cuakit.backends.x11_manage import manager_caught_up, refocus
from cuakit.backends.x11_ping import Pinger
from cuakit.backends.x11_situation import Situation, situation
from cuakit.backends.x11_windows import WindowInfo
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
from cuakit.core.outcome import Route

KEY_PRESS_MASK: Final = 1
TAKE_IN_S: Final = 0.25
"""Time a program gets to take in foreign characters before their spare keys are emptied, where it answers no ping."""

_TELLINGS: Final = 4
"""How often the window manager is told where the person's focus is; it may be busy with what came before."""

_POPS_UP: Final = frozenset({"menu", "combobox", "menubar"})
_ACTIVATED: Final = frozenset(
    "button checkbox radio link tab menuitem switch listitem option treeitem icon columnheader".split()
)
_TURNED_DOWN: Final = frozenset({"XTerm", "UXTerm"})
"""Programs that drop sent events unless their owner allows them."""
_WHEEL: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TRUE, _FALSE = frozenset({"true", "on", "yes", "1"}), frozenset({"false", "off", "no", "0"})


class Unavailable(BackendError):
    """No rung of the ladder carries this action in the background; nothing was injected."""

    code = "background_unavailable"
    retryable = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What there is to reach one window.

    Args:
        x: Connection to the server.
        window: The window as it is now.
        access: Accessibility bus; None where there is none.
        pinger: Asks whether the program still reads its events.
        pause: Waits, in seconds; replaced in tests.
    """

    x: X11
    window: WindowInfo
    access: Accessibility | None
    pinger: Pinger
    pause: Callable[[float], None] = field(default=time.sleep)

    def read(self) -> bool:
        """Wait until the program has read what was sent; False when it takes no part in that or does not answer."""
        if self.pinger.answers(self.window.id, 1.0):
            return True
        for _ in range(2):  # two turns of its main loop, as far as another connection can tell
            if self.access is not None:
                self.access.hangs(self.window.pid)
            self.pause(0.03)
        return False

    def drops_when_minimized(self) -> bool:
        """Whether the window is minimized, and its program drops what is sent then: browsers and offices do."""
        if self.window.on_screen or self.access is None:
            return False
        app = self.access.app_of(self.window.pid)
        return app is not None and (app.toolkit == "Chromium" or app.name == "soffice")

    def events(self) -> SentEvents:
        """Events for the window."""
        return SentEvents(self.x, self.window.id, read=self.read, pause=self.pause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One way to carry out an action.

    Args:
        route: Its name in the receipt.
        carry: Carries it out; False when the program said that it did not, None when it says nothing.
        expected: What the target should hold afterwards; None when that is not known.
    """

    route: Route
    carry: Callable[[], bool | None]
    expected: str | None = None


def plan(means: Means, action: Action, what: Order, marks: Sequence[Mark], elements: Sequence[Element | None]) -> Plan:
    """The first rung that carries an action.

    Args:
        means: What there is to reach the window.
        action: What to do.
        what: Its keys.
        marks: Its places.
        elements: The accessible object at each place; None where there is none.

    Raises:
        Unavailable: None does.
        BackendError: The window went away.
    """
    match action:
        case Click(at=None, modifiers=()) if (found := _by_action(means, marks[0], elements[0])) is not None:
            return found
        case Click():
            return _clicks(means, marks[0], state=state_of(what.held))
        case DoubleClick():
            return _clicks(means, marks[0], count=2)
        case RightClick():
            return _clicks(means, marks[0], button=3)
        case Drag():
            start, end = _spot(means, marks[0]), _spot(means, marks[1])
            return Plan(route="synthetic_events", carry=lambda: means.events().drag(start, end))
        case Scroll():
            right, down = (n * action.amount for n in _WHEEL[action.direction])
            spot = _spot(means, marks[0])
            return Plan(route="synthetic_events", carry=lambda: means.events().scroll(spot, right, down))
        case TypeText():
            return _types(means, action, what, marks[0], elements[0])
        case SetValue():
            return _sets(means, action.value, marks[0], elements[0])
        case PressKey() | Hotkey():
            return _presses(means, what, marks, elements)
        case _:
            raise Unavailable(f"{action.kind} has no way into a window", hint="use another action")


def _by_action(means: Means, mark: Mark, element: Element | None) -> Plan | None:
    access = means.access
    role = mark.candidate.role
    if access is None or element is None or role not in _ACTIVATED or element.activating is None:
        return None
    ref, index = element.ref, element.activating
    return Plan(route="accessibility", carry=lambda: objects.do_action(access, ref, index))


def _clicks(means: Means, mark: Mark, *, button: int = 1, count: int = 1, state: int = 0) -> Plan:
    if mark.candidate.role in _POPS_UP and button == 1:
        raise Unavailable(
            f"a click on this {mark.candidate.role} pops up a window over the person's work",
            hint="set its value, press the shortcut of the entry, or use delivery='foreground'",
        )
    spot = _spot(means, mark)
    return Plan(
        route="synthetic_events",
        carry=lambda: means.events().click(spot, button=button, count=count, state=state),
    )


def _spot(means: Means, mark: Mark) -> Spot:
    if means.drops_when_minimized():
        raise Unavailable(f"{means.window.app} drops what is sent to it while minimized", hint="restore the window")
    found = spot_at(means.x, means.window.id, mark.input)
    if found is None or means.window.app in _TURNED_DOWN:
        why = "drops events that are sent to it" if found else "listens for XInput 2 events only, which cannot be sent"
        raise Unavailable(
            f"{means.window.app or 'the program'} {why}, and the target offers no accessibility action",
            hint="use delivery='foreground'; or start the program through Desktop.spawn(), which sets "
            "GDK_CORE_DEVICE_EVENTS (GTK 3 only)",
        )
    return found


def _types(means: Means, action: TypeText, what: Order, mark: Mark, element: Element | None) -> Plan:
    access = means.access
    then = [what.key] if what.key else []
    if access is not None and element is not None and "EditableText" in element.interfaces:
        ref = element.ref
        old = "" if action.replace else element.value
        after = _then(means, action, what, mark, element)

        def write() -> bool:
            done = objects.set_text(access, ref, old + action.text)
            if done:
                after()
            return done

        return Plan(route="accessibility", carry=write, expected=None if then else old + action.text)
    return _types_by_key(means, action, then, mark, element)


def _then(means: Means, action: TypeText, what: Order, mark: Mark, element: Element) -> Callable[[], object]:
    """What follows the text: nothing, the field's own action for Enter, or a key."""
    access = means.access
    if what.key is None:
        return lambda: None
    real = element.ref.path.startswith("/org/a11y/atspi/")  # GTK 4 agrees to activate an entry and does nothing
    if action.then == "ENTER" and access is not None and "activate" in element.actions and real:
        ref, index = element.ref, element.actions.index("activate")
        return lambda: objects.do_action(access, ref, index)
    focus, keys = _focus(means, mark, element), _keys(means, [what.key])

    def press() -> None:
        if focus is not None:
            focus()
        keys.carry()

    return press


def _types_by_key(means: Means, action: TypeText, then: Sequence[Key], mark: Mark, element: Element | None) -> Plan:
    sent = _takes_keys(means)
    _can_strike(means, sent=sent)
    terminal = means.window.app in _TURNED_DOWN
    if not sent and not terminal:
        raise Unavailable(
            f"{means.window.app or 'the program'} takes no events that are sent, and the field has no settable text",
            hint="use delivery='foreground'",
        )
    focus = None if terminal else _focus(means, mark, element)
    keyboard = Keyboard(means.x)
    everything = [Stroke(keyboard.key(BY_CODE["KeyA"]).keycode, CONTROL)] if action.replace and not terminal else []
    tail = [keyboard.key(key) for key in then]

    def carry() -> None:
        before = situation(means.x)
        if focus is not None:
            focus()
        with keyboard.text(action.text) as strokes:
            _strike(means, [*everything, *strokes, *tail], sent=sent)
            if not means.read() or keyboard.foreign(action.text):
                means.pause(TAKE_IN_S)
        if not sent:
            _settle_attention(means, before)  # taking the spare keys back stirs the window manager once more

    known = element is not None and action.replace and not then
    return Plan(
        route="synthetic_events" if sent else "global_input",
        carry=carry,
        expected=action.text if known else None,
    )


def _focus(means: Means, mark: Mark, element: Element | None) -> Callable[[], object] | None:
    """How to give an element the keyboard inside its window; None when it has it."""
    access = means.access
    if element is not None and "focused" in element.states:
        return lambda: None
    if access is not None and element is not None and element.focusing is not None:
        ref, index = element.ref, element.focusing
        return lambda: objects.do_action(access, ref, index)
    if mark.candidate.role in ("textbox", "searchbox", "spinbutton", "cell", "unknown", "document", "text", "image"):
        spot = _spot(means, mark)
        return lambda: means.events().click(spot)
    raise Unavailable(
        f"the {mark.candidate.role} cannot be given the keyboard without a click, which would activate it",
        hint="leave the target out when it has the keyboard already, or use delivery='foreground'",
    )


def _sets(means: Means, value: str, mark: Mark, element: Element | None) -> Plan:
    access, role = means.access, mark.candidate.role
    if access is None or element is None:
        return _types(means, TypeText(target=mark.candidate.id, text=value), Order(), mark, element)
    ref = element.ref
    if role in ("checkbox", "radio", "switch"):
        return _switches(means, value, mark, element)
    if role == "combobox":
        if "Selection" not in element.interfaces and element.focusing is not None and _takes_keys(means):
            return _chooses_by_key(means, value, element)
        return Plan(route="accessibility", carry=lambda: objects.select_named(access, ref, value))
    if "Value" in element.interfaces and "EditableText" not in element.interfaces:
        number = _number(value)
        return Plan(
            route="accessibility", carry=lambda: objects.set_number(access, ref, number), expected=f"{number:g}"
        )
    return _types(means, TypeText(target=mark.candidate.id, text=value), Order(), mark, element)


def _switches(means: Means, value: str, mark: Mark, element: Element) -> Plan:
    wanted = value.casefold()
    if wanted not in _TRUE | _FALSE:
        raise Unavailable(f"a {mark.candidate.role} is set to 'true' or 'false', not {value!r}", hint="use one of them")
    if (wanted in _TRUE) == ("checked" in element.states):
        return Plan(route="accessibility", carry=lambda: True, expected=element.value)
    return _by_action(means, mark, element) or _clicks(means, mark)


def _chooses_by_key(means: Means, value: str, element: Element) -> Plan:
    """Type the name of an option, which selects it in a closed list."""
    access, keyboard, ref, index = means.access, Keyboard(means.x), element.ref, element.focusing

    def carry() -> None:
        if access is not None and index is not None:
            objects.do_action(access, ref, index)
        with keyboard.text(value) as strokes:
            _strike(means, strokes, sent=True)
            if not means.read() or keyboard.foreign(value):
                means.pause(TAKE_IN_S)

    return Plan(route="synthetic_events", carry=carry)


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError as wrong:
        raise Unavailable(f"{value!r} is not a number", hint="this field takes a number") from wrong


def _presses(means: Means, what: Order, marks: Sequence[Mark], elements: Sequence[Element | None]) -> Plan:
    keys = _keys(means, [what.key] if what.key else [], held=what.held)
    if not marks:
        return keys
    focus = _focus(means, marks[0], elements[0])

    def carry() -> None:
        if focus is not None:
            focus()
        keys.carry()

    return Plan(route=keys.route, carry=carry)


def _keys(means: Means, keys: Sequence[Key], *, held: Sequence[Key] = ()) -> Plan:
    keyboard = Keyboard(means.x)
    strokes = [keyboard.key(key) for key in keys]
    state = state_of(held)
    sent = _takes_keys(means)
    _can_strike(means, sent=sent)
    return Plan(
        route="synthetic_events" if sent else "global_input",
        carry=lambda: _strike(means, strokes, sent=sent, state=state),
    )


def _takes_keys(means: Means) -> bool:
    return means.window.app not in _TURNED_DOWN and takes_events(means.x, means.window.id, KEY_PRESS_MASK)


def _can_strike(means: Means, *, sent: bool) -> None:
    if sent and means.drops_when_minimized():
        raise Unavailable(f"{means.window.app} drops what is sent to it while minimized", hint="restore the window")
    if not sent and not means.window.on_screen:
        raise Unavailable(
            f"{means.window.app or 'the program'} takes no keys that are sent, and a keyboard cannot be pointed at a "
            "minimized window",
            hint="restore the window, or set the value of the field",
        )


def _strike(means: Means, strokes: Sequence[Stroke], *, sent: bool, state: int = 0) -> None:
    if sent:
        means.events().keys(strokes, state=state)
        return
    before = situation(means.x)
    with AgentKeyboard.open(means.x.display) as agent:
        agent.copy_layout(means.x, {stroke.keycode for stroke in strokes})
        with agent.focus(means.window.id):
            agent.strike(strokes, state=state)
            if not means.read():
                means.pause(TAKE_IN_S)
    _settle_attention(means, before)


def _settle_attention(means: Means, before: Situation) -> None:
    """Tell the window manager where the person's focus is.

    It does not know of second keyboards, and takes their focus for the person's. The person's own focus never moved,
    so the server sends no event that would set the matter right; giving it again does.
    """
    for _ in range(_TELLINGS):
        manager_caught_up(means.x)
        if situation(means.x).active == before.active:
            return
        refocus(means.x, before.focus)
