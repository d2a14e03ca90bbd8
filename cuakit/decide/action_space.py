"""What can be done next: a finite, ranked set built from what is really on the screen.

Risky targets that the subtask does not consent to are left out here. What does not fit under the cap is dropped by rank
and reported, never cut silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from cuakit.core.candidate import Candidate
from cuakit.core.observation import Observation
from cuakit.core.risk import forbidden
from cuakit.core.subtask import Subtask

DEFAULT_CAP: Final = 24
"""Executable candidates per question, from the jev-use composer."""

HARD_CAP: Final = 240
"""Most candidates that may ever be offered in one question, arc-cua's number."""

KEYS: Final = (
    "ENTER", "ESCAPE", "TAB", "SPACE", "BACKSPACE", "DELETE", "ARROW_UP", "ARROW_DOWN", "ARROW_LEFT", "ARROW_RIGHT",
)  # fmt: skip
"""Keys that PRESS_KEY offers."""

HOTKEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "MOD+A": "Select all",
        "MOD+C": "Copy",
        "MOD+V": "Paste",
        "MOD+Z": "Undo",
        "MOD+SHIFT+Z": "Redo",
        "MOD+F": "Find",
    }
)
"""Chords that HOTKEY always offers."""

_WORD = re.compile(r"\w{3,}")
_BY_ACTION: Final = {
    "CLICK": "click",
    "DOUBLE_CLICK": "double_click",
    "RIGHT_CLICK": "right_click",
    "TYPE_TEXT": "type",
    "SET_VALUE": "set_value",
    "SCROLL": "scroll",
    "DRAG_TO": "drag",
}


@dataclass(frozen=True, kw_only=True)
class ActionSpace:
    """The finite choice of one moment.

    Args:
        targets: Operation → candidates it can be applied to, in reading order; only operations with a target.
        drops: Candidates that accept a drop.
        text: Static text on the screen, for judging and orientation.
        dropped: Operation → ids left out by the cap.
        hidden: Ids left out for a risk that was not consented to.
    """

    targets: Mapping[str, tuple[Candidate, ...]]
    drops: tuple[Candidate, ...] = ()
    text: tuple[Candidate, ...] = ()
    dropped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @property
    def operations(self) -> tuple[str, ...]:
        """Operations on offer, terminals and keyboard excluded."""
        return tuple(self.targets)


def action_space(subtask: Subtask, observation: Observation, *, cap: int = DEFAULT_CAP) -> ActionSpace:
    """Build the finite choice.

    Args:
        subtask: Gives relevance and consent.
        observation: What was seen.
        cap: Most candidates per operation, 1 to :data:`HARD_CAP`.

    Raises:
        ValueError: The cap is out of range.
    """
    if not 1 <= cap <= HARD_CAP:
        raise ValueError(f"cap must lie in 1 to {HARD_CAP}, got {cap}")
    visible = [c for c in observation.candidates if not {"offscreen", "occluded"} & set(c.states)]
    usable = [c for c in visible if c.interactive]
    allowed = [c for c in usable if not forbidden(c, subtask.allowed_risks)]
    score = relevance(subtask)
    drops = tuple(c for c in allowed if "drop" in c.actions)
    targets: dict[str, tuple[Candidate, ...]] = {}
    dropped: dict[str, tuple[str, ...]] = {}
    for operation, word in _BY_ACTION.items():
        fitting = [c for c in allowed if _offers(c, word)]
        if operation == "DRAG_TO" and not drops:
            continue
        kept, lost = _capped(fitting, cap, score)
        if kept:
            targets[operation] = kept
        if lost:
            dropped[operation] = lost
    return ActionSpace(
        targets=MappingProxyType(targets),
        drops=drops,
        text=tuple(c for c in visible if not c.interactive and c.label),
        dropped=MappingProxyType(dropped),
        hidden=tuple(c.id for c in usable if c not in allowed),
    )


def relevance(subtask: Subtask) -> Callable[[Candidate], float]:
    """Rank of a candidate for a subtask: focus and selection first, then shared words of three letters or more."""
    shown = [str(v) for k, v in subtask.inputs.items() if k not in subtask.secret_inputs]
    prose = " ".join([subtask.goal, *subtask.verification, *subtask.constraints, *subtask.inputs, *shown])
    wanted = frozenset(_WORD.findall(prose.casefold()))

    def score(c: Candidate) -> float:
        held = 100.0 * bool({"focused", "selected"} & set(c.states))
        return held + len(wanted & set(_WORD.findall(c.label.casefold())))

    return score


def _offers(c: Candidate, word: str) -> bool:
    # pixels alone give no list of actions: what looks interactive can at least be clicked
    return word in c.actions or (not c.actions and word == "click")


def _capped(
    fitting: list[Candidate], cap: int, score: Callable[[Candidate], float]
) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    ranked = sorted(range(len(fitting)), key=lambda i: (-score(fitting[i]), i))
    keep = set(ranked[:cap])
    return (
        tuple(c for i, c in enumerate(fitting) if i in keep),
        tuple(c.id for i, c in enumerate(fitting) if i not in keep),
    )
