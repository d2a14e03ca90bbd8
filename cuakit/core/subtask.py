"""A bounded piece of work for a decision model, validated field by field.

The rules are arc-cua's: literals come only from ``inputs``, success from ``verification``, permission from
``allowed_risks``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import InvalidSubtask

RISKS: Final = ("delete", "send", "purchase", "close")
"""Kinds of consequential action that need consent."""

SECRET: Final = "[secret]"  # noqa: S105 - stands for a secret, is none
"""What stands in for a secret value wherever it could be read."""

InputValue = str | int | float | bool

_MODIFIERS: Final = ("MOD", "CTRL", "ALT", "SHIFT")
_NAMED: Final = frozenset(
    "ENTER ESCAPE TAB SPACE BACKSPACE DELETE ARROW_UP ARROW_DOWN ARROW_LEFT ARROW_RIGHT HOME END PAGE_UP PAGE_DOWN "
    "MINUS EQUAL LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON QUOTE COMMA PERIOD SLASH GRAVE".split()
)
_KEY = re.compile(r"[A-Z0-9]|F([1-9]|1[0-9]|20)")


def is_key(name: str) -> bool:
    """Whether a word names a key of the vocabulary: A–Z, 0–9, F1–F20, navigation and punctuation names."""
    return name in _NAMED or bool(_KEY.fullmatch(name))


def parse_chord(chord: str) -> tuple[str, ...]:
    """Split ``MOD+SHIFT+N`` into its parts.

    Raises:
        ValueError: No modifier, an unknown word, a repeat, or a modifier in last place.
    """
    parts = tuple(chord.split("+"))
    *held, key = parts
    if not held or not is_key(key) or any(m not in _MODIFIERS for m in held) or len(set(parts)) != len(parts):
        raise ValueError(
            f"{chord!r} is not a chord: one or more of {', '.join(_MODIFIERS)}, then one key such as S, F5 or ENTER"
        )
    return parts


@dataclass(frozen=True, kw_only=True)
class Subtask:
    """What to do, with what, and how one knows that it is done.

    Args:
        goal: What to achieve, non-empty.
        verification: Statements that must all hold in the end; at least one.
        inputs: Literal values that may be typed, by name: text, finite numbers or booleans.
        constraints: What must not happen.
        shortcuts: Extra chords, such as ``{"MOD+S": "Save"}``.
        allowed_risks: Subset of :data:`RISKS` that is consented to.
        secret_inputs: Names of inputs whose value no model, log or picture may show.
        max_actions: Most actions before the run stops, at least 1.
        metadata: Free facts for the caller; not shown to a model.

    Raises:
        InvalidSubtask: A field breaks its rule; the message names it.
    """

    goal: str
    verification: tuple[str, ...] = ("The goal is reached",)
    inputs: Mapping[str, InputValue] = field(default_factory=dict)
    constraints: tuple[str, ...] = ()
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    allowed_risks: frozenset[str] = frozenset()
    secret_inputs: frozenset[str] = frozenset()
    max_actions: int = 30
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.goal, str) or not self.goal.strip():
            raise InvalidSubtask("goal must be a non-empty string")
        object.__setattr__(self, "verification", _texts("verification", self.verification))
        if not self.verification:
            raise InvalidSubtask("verification needs at least one statement")
        object.__setattr__(self, "constraints", _texts("constraints", self.constraints))
        object.__setattr__(self, "inputs", MappingProxyType(_inputs(self.inputs)))
        object.__setattr__(self, "shortcuts", MappingProxyType(_shortcuts(self.shortcuts)))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        for name, allowed in (("allowed_risks", set(RISKS)), ("secret_inputs", set(self.inputs))):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidSubtask(f"{name} must be a list of names, not a bare string")
            extra = set(value) - allowed
            if extra:
                known = ", ".join(sorted(allowed)) or "none declared"
                raise InvalidSubtask(f"{name}: {', '.join(sorted(map(str, extra)))} not among: {known}")
            object.__setattr__(self, name, frozenset(value))
        if isinstance(self.max_actions, bool) or not isinstance(self.max_actions, int) or self.max_actions < 1:
            raise InvalidSubtask(f"max_actions must be a whole number of at least 1, got {self.max_actions!r}")

    def redact(self, text: str) -> str:
        """Text with every secret value replaced, longest first."""
        values = sorted({str(self.inputs[k]) for k in self.secret_inputs} - {""}, key=len, reverse=True)
        for value in values:
            text = text.replace(value, SECRET)
        return text

    def visible_inputs(self) -> dict[str, InputValue]:
        """Inputs as a model may see them."""
        return {k: SECRET if k in self.secret_inputs else v for k, v in self.inputs.items()}


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise InvalidSubtask(f"{name} must be a list of statements, got {type(value).__name__}")
    if not all(isinstance(v, str) and v.strip() for v in value):
        raise InvalidSubtask(f"{name} must hold non-empty strings only")
    return tuple(value)


def _inputs(value: Any) -> dict[str, InputValue]:
    if not isinstance(value, Mapping):
        raise InvalidSubtask(f"inputs must map names to values, got {type(value).__name__}")
    for k, v in value.items():
        finite = isinstance(v, str | bool | int) or (isinstance(v, float) and math.isfinite(v))
        if not isinstance(k, str) or not k or not finite:
            raise InvalidSubtask(f"inputs[{k!r}] must be text, a finite number or a boolean")
    return dict(value)


def _shortcuts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise InvalidSubtask(f"shortcuts must map chords to descriptions, got {type(value).__name__}")
    for chord, description in value.items():
        try:
            parse_chord(chord)
        except (ValueError, AttributeError) as wrong:
            raise InvalidSubtask(f"shortcuts: {wrong}") from wrong
        if not isinstance(description, str) or not description.strip():
            raise InvalidSubtask(f"shortcuts[{chord!r}] needs a description")
    return dict(value)
