"""Scores for every offer: how well an operation on a candidate fits the goal now. Pure functions, no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cuakit.core.action import Action, Click, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.subtask import Subtask
from cuakit.decide.goal import Goal, Mention
from cuakit.decide.memory import Memory, identity
from cuakit.decide.offers import FIELDS, Offer, Operation
from cuakit.decide.words import normal, similarity, words

SUBMITS: Final = frozenset(
    {"submit", "ok", "login", "log in", "sign in", "search", "save", "done", "apply", "send", "continue", "finish"}
)
"""Labels that end a form, in normal form."""

OPENERS: Final = frozenset({"tab", "menuitem", "treeitem", "heading", "listitem"})
"""Roles that may show more when clicked."""

TOGGLES: Final = frozenset({"checkbox", "radio", "switch", "option"})
"""Roles with a state that a click changes."""

EARLY: Final = 0.8
"""What being mentioned first is worth over being mentioned last."""


@dataclass(frozen=True, slots=True)
class Scored:
    """An action that could be taken, and what speaks for it.

    Args:
        operation: Which head it belongs to.
        action: The action itself.
        score: Higher is better; 0 is no evidence.
    """

    operation: Operation
    action: Action
    score: float

    @property
    def target(self) -> str:
        """Candidate id."""
        return str(getattr(self.action, "target", ""))


def score(goal: Goal, memory: Memory, subtask: Subtask, possible: Sequence[Offer]) -> list[Scored]:
    """Score every offer; offers that make no sense now are left out.

    Args:
        goal: The goal, taken apart.
        memory: What was done already.
        subtask: For its inputs.
        possible: Everything that can be done.
    """
    fields = [o.candidate for o in possible if o.operation == "type_text"]
    out: list[Scored] = []
    for offer in possible:
        if offer.operation == "click":
            value = _click(goal, memory, subtask, offer.candidate, [o.candidate for o in possible])
            out.append(Scored("click", Click(target=offer.candidate.id), value))
        elif offer.operation == "type_text":
            out += _typed(goal, memory, subtask, offer.candidate, fields)
        else:
            out += _set(goal, memory, subtask, offer.candidate)
    return [s for s in out if s.score > 0]


def _click(
    goal: Goal, memory: Memory, subtask: Subtask, candidate: Candidate, everything: Sequence[Candidate]
) -> float:
    done = memory.clicks[identity(candidate)]
    if candidate.role in TOGGLES and {"checked", "selected"} & set(candidate.states):
        return 0.0
    if candidate.role in FIELDS and subtask.inputs and goal.writes:
        return 0.0
    mention = goal.mention(candidate.label)
    value = _weigh(mention) + _role(goal, candidate, mention) + _counted(goal, candidate, everything)
    if not mention.strength:
        value += _opener(goal, candidate)
        if normal(candidate.label) in SUBMITS and (memory.clicks or memory.entered):
            value += 0.5
    return value - 3.0 * done


def _weigh(mention: Mention) -> float:
    return mention.strength + EARLY * (1 - mention.position) if mention.strength else 0.0


def _role(goal: Goal, candidate: Candidate, mention: Mention) -> float:
    if candidate.role not in goal.roles:
        return 0.0
    return 0.5 if mention.strength else 0.3


def _counted(goal: Goal, candidate: Candidate, everything: Sequence[Candidate]) -> float:
    for roles, index in goal.counted:
        alike = list(dict.fromkeys(c.id for c in sorted(everything, key=_reading) if c.role in roles))
        if candidate.id in alike and alike.index(candidate.id) == index % len(alike):
            return 1.5
    return 0.0


def _reading(candidate: Candidate) -> int:
    return candidate.reading_order


def _opener(goal: Goal, candidate: Candidate) -> float:
    if candidate.role not in OPENERS and "expanded" not in candidate.states:
        return 0.0
    return 1.2 if goal.says("expand", "open", "unfold") else 0.4


def _typed(
    goal: Goal, memory: Memory, subtask: Subtask, candidate: Candidate, fields: Sequence[Candidate]
) -> list[Scored]:
    if not goal.writes:
        return []
    texts = {text for _, text in memory.entered}
    again = goal.says("both", "each", "again", "twice", "every")
    out = []
    for index, (key, value) in enumerate(subtask.inputs.items()):
        text = str(value)
        if candidate.value == text or (identity(candidate), text) in memory.entered:
            return []  # this field has what it needs
        if text in texts and not again:
            continue
        place = goal.place(words(text))
        fit = 1.8 + EARLY * (1 - place) + _affinity(key, candidate, fields.index(candidate) == index)
        out.append(Scored("type_text", TypeText(target=candidate.id, text=text, input_key=key), fit))
    filled = any(who == identity(candidate) for who, _ in memory.entered)
    return [] if filled else out


def _affinity(key: str, candidate: Candidate, in_order: bool) -> float:
    label = words(candidate.label)
    named = 1.0 if set(words(key.replace("_", " "))) & set(label) else 0.5 * similarity(key, candidate.label)
    secret = 1.0 if "secret" in candidate.states and "pass" in key else 0.0
    return named + secret + (0.3 if in_order else 0.0)


def _set(goal: Goal, memory: Memory, subtask: Subtask, candidate: Candidate) -> list[Scored]:
    if any(who == identity(candidate) for who, _ in memory.entered):
        return []
    out = []
    for key, value in subtask.inputs.items():
        if str(value) != candidate.value:
            fit = 1.8 + EARLY * (1 - goal.place(words(str(value)))) + _affinity(key, candidate, in_order=False)
            out.append(Scored("set_value", SetValue(target=candidate.id, value=str(value), input_key=key), fit))
    return out
