"""The closed set of actions. Each names candidates by id; none holds a coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

Modifier = Literal["MOD", "CTRL", "ALT", "SHIFT"]
Fraction = tuple[float, float]


def _check_fraction(at: Fraction | None) -> None:
    if at is not None and not all(0.0 <= f <= 1.0 for f in at):
        raise ValueError(f"a place inside a candidate is two fractions in [0, 1], got {at}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Press and release the left button on a candidate.

    Args:
        target: Candidate id.
        at: Place inside the candidate's box as fractions; None means its hit point.
        modifiers: Keys held down meanwhile.
    """

    kind: ClassVar[str] = "click"
    target: str
    at: Fraction | None = None
    modifiers: tuple[Modifier, ...] = ()

    def __post_init__(self) -> None:
        _check_fraction(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleClick:
    """Two quick clicks; arguments as :class:`Click`."""

    kind: ClassVar[str] = "double_click"
    target: str
    at: Fraction | None = None

    def __post_init__(self) -> None:
        _check_fraction(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class RightClick:
    """Press and release the right button; arguments as :class:`Click`."""

    kind: ClassVar[str] = "right_click"
    target: str
    at: Fraction | None = None

    def __post_init__(self) -> None:
        _check_fraction(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """Drag from one candidate to another, or to a place inside the same one.

    Args:
        target: Candidate id where the button goes down.
        to: Candidate id where it goes up.
        at: Place inside ``target`` as fractions; None means its hit point.
        to_at: Place inside ``to`` as fractions; None means its hit point.
    """

    kind: ClassVar[str] = "drag"
    target: str
    to: str
    at: Fraction | None = None
    to_at: Fraction | None = None

    def __post_init__(self) -> None:
        _check_fraction(self.at)
        _check_fraction(self.to_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scroll:
    """Turn the wheel over a candidate.

    Args:
        target: Candidate id.
        direction: Way the content moves into view.
        amount: Wheel notches, at least 1.
    """

    kind: ClassVar[str] = "scroll"
    target: str
    direction: Literal["up", "down", "left", "right"] = "down"
    amount: int = 3

    def __post_init__(self) -> None:
        if self.amount < 1:
            raise ValueError(f"scroll amount must be at least 1, got {self.amount}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeText:
    """Focus a candidate and type text exactly.

    Args:
        target: Candidate id.
        text: Literal text.
        then: Key pressed afterwards.
        replace: Whether the old content is selected first and so replaced.
        input_key: Name of the subtask input the text came from.
    """

    kind: ClassVar[str] = "type_text"
    target: str
    text: str
    then: Literal["", "ENTER", "TAB"] = ""
    replace: bool = True
    input_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue:
    """Set a field's value in one step: text, an option's name, a number, or ``true``/``false``."""

    kind: ClassVar[str] = "set_value"
    target: str
    value: str
    input_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressKey:
    """Press one named key; ``target`` is focused by the application unless given, and guards the lease."""

    kind: ClassVar[str] = "press_key"
    key: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    """Press one chord such as ``("MOD", "S")``: modifiers first, one key last."""

    kind: ClassVar[str] = "hotkey"
    keys: tuple[str, ...]
    target: str = ""

    def __post_init__(self) -> None:
        if len(self.keys) < 2:
            raise ValueError("a hotkey is one or more modifiers and a key; use PressKey for a single key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Do nothing but let the target settle. Needs no lease."""

    kind: ClassVar[str] = "wait"
    seconds: float = 0.5


Action = Click | DoubleClick | RightClick | Drag | Scroll | TypeText | SetValue | PressKey | Hotkey | Wait

ACTIONS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {t.kind: t for t in (Click, DoubleClick, RightClick, Drag, Scroll, TypeText, SetValue, PressKey, Hotkey, Wait)}
)
"""Kind word → class."""


def action_dict(action: Action, *, redact: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Flat JSON form with the ``kind`` tag. Text of an input named in ``redact`` becomes ``[secret]``."""
    out: dict[str, Any] = {"kind": action.kind} | {
        f.name: list(v) if isinstance(v := getattr(action, f.name), tuple) else v for f in fields(action)
    }
    if out.get("input_key") in redact:
        out |= {k: "[secret]" for k in ("text", "value") if k in out}
    return out


def action_from_dict(data: Mapping[str, Any]) -> Action:
    """Inverse of :func:`action_dict`.

    Raises:
        ValueError: Unknown kind or wrong fields.
    """
    rest = dict(data)
    kind = rest.pop("kind", None)
    if kind not in ACTIONS:
        raise ValueError(f"unknown action kind {kind!r}; kinds: {', '.join(ACTIONS)}")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in rest.items()}
    try:
        action: Action = ACTIONS[kind](**values)
    except TypeError as wrong:
        raise ValueError(f"{kind}: {wrong}") from wrong
    return action
