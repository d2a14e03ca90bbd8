"""Which candidates can be acted on, and how: the action space that every decider chooses from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from cuakit.core.action import Action, Click, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.observation import Observation
from cuakit.core.risk import forbidden
from cuakit.core.subtask import Subtask

Operation = Literal["click", "type_text", "set_value"]

FIELDS: Final = frozenset({"textbox", "searchbox"})
"""Roles that are typed into."""

VALUED: Final = frozenset({"combobox", "listbox", "slider", "spinbutton"})
"""Roles whose value is set in one step."""

PIXEL_SOURCES: Final = frozenset({"ocr", "contours", "omniparser", "detector", "fused"})
"""Sources that cannot tell text from a link, so that their text is on offer as well."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One operation on one candidate."""

    operation: Operation
    candidate: Candidate


def offers(subtask: Subtask, observation: Observation) -> tuple[Offer, ...]:
    """Every operation on every visible, enabled candidate that the subtask permits, in table order."""
    return tuple(o for c in observation.candidates if _usable(c, subtask) for o in _operations(c))


def _usable(candidate: Candidate, subtask: Subtask) -> bool:
    if {"disabled", "offscreen", "occluded"} & set(candidate.states) or candidate.box.area == 0:
        return False
    pixels = candidate.source in PIXEL_SOURCES and bool(candidate.label)
    return (candidate.interactive or pixels) and not forbidden(candidate, subtask.allowed_risks)


def _operations(candidate: Candidate) -> Iterator[Offer]:
    known = set(candidate.actions)
    if "type" in known or candidate.role in FIELDS:
        yield Offer("type_text", candidate)
    if "set_value" in known and candidate.role in VALUED:
        yield Offer("set_value", candidate)
    if not known or "click" in known:
        yield Offer("click", candidate)


def actions(offer: Offer, subtask: Subtask) -> list[Action]:
    """The actions that an offer stands for: one per input where text or a value goes."""
    target = offer.candidate.id
    if offer.operation == "click":
        return [Click(target=target)]
    if offer.operation == "type_text":
        return [TypeText(target=target, text=str(v), input_key=k) for k, v in subtask.inputs.items()]
    return [SetValue(target=target, value=str(v), input_key=k) for k, v in subtask.inputs.items()]


def holders(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """Id of a candidate → the one among them that holds it and is called the same; a click on the inner one is meant."""
    by_id = {c.id: c for c in candidates}
    held = (c for c in by_id.values() if c.label and c.parent in by_id)
    return {c.id: by_id[c.parent] for c in held if by_id[c.parent].label == c.label}
