"""Level 0: pointer and keys, each one leased action. Everything above is data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.action import Action, Click, DoubleClick, Drag, Hotkey, PressKey, RightClick, Scroll, TypeText, Wait
from cuakit.plan.domain import Spot
from cuakit.plan.tools import Param, Tool

Find = Callable[[str], Spot]
"""Turns the words of a spot into a candidate and a place in it."""

_AT: Final = Param(name="at", type="spot", about="where")


def _atom(name: str, about: str, *params: Param) -> Tool:
    return Tool(name=name, about=about, params=params)


ATOMS: Final[tuple[Tool, ...]] = (
    _atom("click", "click once", _AT),
    _atom("click_more", "click with Shift held, which adds to the selection", _AT),
    _atom("double_click", "click twice", _AT),
    _atom("right_click", "open the context menu", _AT),
    _atom(
        "drag", "press at one spot, let go at another", Param(name="start", type="spot"), Param(name="end", type="spot")
    ),
    _atom("type_text", "focus a spot and type exactly", _AT, Param(name="text", type="text")),
    _atom("press", "press a key or a chord", Param(name="keys", type="keys")),
    _atom(
        "scroll",
        "turn the wheel",
        Param(name="at", type="spot", default="canvas"),
        Param(name="direction", type="choice", choices=("up", "down", "left", "right"), default="down"),
        Param(name="amount", type="number", low=1, high=50, default=3),
    ),
    _atom("wait", "let the application settle", Param(name="seconds", type="number", low=0, high=10, default=0.3)),
)
"""The atoms, as tools."""


def action(name: str, args: Mapping[str, Any], find: Find) -> Action:
    """The action of an atom with its arguments.

    Raises:
        UsageError: A spot cannot be found.
        KeyError: No such atom.
    """
    return _ACTIONS[name](args, find)


def _click(args: Mapping[str, Any], find: Find) -> Action:
    s = find(args["at"])
    return Click(target=s.target, at=s.at)


def _click_more(args: Mapping[str, Any], find: Find) -> Action:
    s = find(args["at"])
    return Click(target=s.target, at=s.at, modifiers=("SHIFT",))


def _double_click(args: Mapping[str, Any], find: Find) -> Action:
    s = find(args["at"])
    return DoubleClick(target=s.target, at=s.at)


def _right_click(args: Mapping[str, Any], find: Find) -> Action:
    s = find(args["at"])
    return RightClick(target=s.target, at=s.at)


def _drag(args: Mapping[str, Any], find: Find) -> Action:
    start, end = find(args["start"]), find(args["end"])
    return Drag(target=start.target, at=start.at, to=end.target, to_at=end.at)


def _type_text(args: Mapping[str, Any], find: Find) -> Action:
    return TypeText(target=find(args["at"]).target, text=args["text"])


def _press(args: Mapping[str, Any], find: Find) -> Action:
    del find
    keys = str(args["keys"]).split("+")
    return PressKey(key=keys[0]) if len(keys) == 1 else Hotkey(keys=tuple(keys))


def _scroll(args: Mapping[str, Any], find: Find) -> Action:
    return Scroll(target=find(args["at"]).target, direction=args["direction"], amount=int(args["amount"]))


def _wait(args: Mapping[str, Any], find: Find) -> Action:
    del find
    return Wait(seconds=args["seconds"])


_ACTIONS: Final[Mapping[str, Callable[[Mapping[str, Any], Find], Action]]] = MappingProxyType(
    {
        "click": _click,
        "click_more": _click_more,
        "double_click": _double_click,
        "right_click": _right_click,
        "drag": _drag,
        "type_text": _type_text,
        "press": _press,
        "scroll": _scroll,
        "wait": _wait,
    }
)
