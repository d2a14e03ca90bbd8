"""Gold paths of task files: moves written as data, carried out through candidates and leases like anybody's.

    {"click": "button:Save"}              also double_click, right_click
    {"type": "=SUM(B2:B4)", "on": "cell:B5", "then": "ENTER"}
    {"set": "42", "on": "spinbutton:Width"}
    {"keys": "CTRL+S"}
    {"see": "textbox:Name"}               no action: waits until it is there

``on`` and the targets of clicks are ``role:name``, ``role`` or ``name``, where a name may hold ``*``, or ``role@text``: what
lies to the right of that text, as the field of a dialog beside its label. Every move may have
``window``, a part of the title that the window in front must have, and ``focus``, what must have the keyboard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from cuakit.core.action import Action, Click, DoubleClick, Hotkey, PressKey, RightClick, SetValue, TypeText, Wait
from cuakit.core.candidate import ROLES, Candidate
from cuakit.core.decision import Decision
from cuakit.core.errors import InvalidTask
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask

PATIENCE: Final = 40
"""Looks in vain before a path gives up. Every second one waits for :data:`PAUSE_S`, so this is most of a minute."""

PAUSE_S: Final = 1.0

_BARRED: Final = frozenset({"disabled", "occluded", "offscreen"})
_POINTS: Final[Mapping[str, type[Click | DoubleClick | RightClick]]] = {
    "click": Click,
    "double_click": DoubleClick,
    "right_click": RightClick,
}
_VERBS: Final = (*_POINTS, "type", "set", "keys", "see")
_WORDS: Final = frozenset({*_VERBS, "on", "then", "replace", "window", "focus"})


@dataclass(slots=True)
class GoldPath:
    """A decider that follows one path; use a fresh one for each trial.

    Args:
        moves: See the module.

    Raises:
        InvalidTask: A move that cannot be read.
    """

    moves: Sequence[Mapping[str, Any]]
    _at: int = 0
    _vain: int = 0
    _asked: bool = field(default=False)

    def __post_init__(self) -> None:
        for i, move in enumerate(self.moves):
            if not isinstance(move, Mapping) or sum(v in move for v in _VERBS) != 1 or set(move) - _WORDS:
                raise InvalidTask(f"cuakit.gold[{i}]: {str(move)[:80]} is no move", hint=f"one of {', '.join(_VERBS)}")

    def __call__(self, subtask: Subtask, seen: Observation, history: History) -> Decision:
        """The next move, or a wait until it can be made."""
        del subtask
        if self._asked and history and history[-1].receipt is not None and history[-1].receipt.injected:
            self._at += 1
        self._asked = False
        while self._at < len(self.moves) and "see" in self.moves[self._at]:
            if not _ready(self.moves[self._at], seen) or find(seen, self.moves[self._at]["see"]) is None:
                return self._wait()
            self._at += 1
        if self._at >= len(self.moves):
            return Decision(outcome="complete", reason="every move was made")
        move = self.moves[self._at]
        action = _action(move, seen) if _ready(move, seen) else None
        if action is None:
            return self._wait()
        self._asked, self._vain = True, 0
        return Decision(outcome="act", action=action, reason=f"move {self._at + 1} of {len(self.moves)}")

    def _wait(self) -> Decision:
        self._vain += 1
        told = f"move {self._at + 1} of {len(self.moves)}: {dict(self.moves[self._at])} is not possible yet"
        if self._vain > PATIENCE:
            return Decision(outcome="blocked", reason=told)
        if self._vain % 2:
            return Decision(outcome="reobserve", reason=told)
        return Decision(outcome="act", action=Wait(seconds=PAUSE_S), reason=told)


def _ready(move: Mapping[str, Any], seen: Observation) -> bool:
    focus = move.get("focus")
    if focus is not None and not any("focused" in c.states and fits(c, focus) for c in seen.candidates):
        return False
    return str(move.get("window", "")).casefold() in seen.title.casefold()


def _action(move: Mapping[str, Any], seen: Observation) -> Action | None:
    """The action of a move; None when what it needs is not on the screen."""
    if "keys" in move:
        *held, key = move["keys"].split("+")
        return Hotkey(keys=(*held, key)) if held else PressKey(key=key)
    verb = next(v for v in _VERBS if v in move)
    found = find(seen, move.get("on", move[verb]))
    if found is None:
        return None
    if verb == "type":
        then, replace = move.get("then", ""), move.get("replace", False)
        return TypeText(target=found.id, text=move["type"], then=then, replace=replace)
    if verb == "set":
        return SetValue(target=found.id, value=move["set"])
    return _POINTS[verb](target=found.id)


def find(seen: Observation, what: str) -> Candidate | None:
    """The candidate that is meant; of several, the one that has the keyboard, else the smallest."""
    role, beside, text = what.partition("@")
    if beside:
        label = find(seen, f"text:{text}")
        return _right_of(seen, label, role) if label is not None else None
    fitting = [c for c in seen.candidates if fits(c, what) and not _BARRED & set(c.states)]
    return min(fitting, key=lambda c: ("focused" not in c.states, c.box.area), default=None)


def _right_of(seen: Observation, label: Candidate, role: str) -> Candidate | None:
    row = label.box.center.y
    beside = [
        c
        for c in seen.candidates
        if c.role == role
        and c.box.left >= label.box.right
        and c.box.top <= row < c.box.bottom
        and not _BARRED & set(c.states)
    ]
    return min(beside, key=lambda c: c.box.left, default=None)


def fits(one: Candidate, what: str) -> bool:
    """Whether a candidate is called like that, or holds that."""
    role, colon, name = what.partition(":")
    if not colon or role not in ROLES:
        role, name = (what, "*") if what in ROLES else ("", what)
    said = (one.label.strip().casefold(), one.value.strip().casefold())
    return role in ("", one.role) and any(fnmatchcase(text, name.strip().casefold()) for text in said)
