"""Which input goes into which field, by the names of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cuakit.core.candidate import Candidate
from cuakit.decide.goal import Goal
from cuakit.decide.words import similarity, words


def caption(field: Candidate, texts: Sequence[Candidate]) -> str:
    """What a field is called: its own label, else the text that stands nearest to its left, above or below.

    Args:
        field: A field.
        texts: Text on the screen.
    """
    if field.label.strip():
        return field.label
    nearest = min(texts, key=lambda t: _distance(field, t), default=None)
    return nearest.label if nearest is not None and _distance(field, nearest) < 3 * field.box.height else ""


def _distance(field: Candidate, text: Candidate) -> float:
    across = max(0.0, field.box.left - text.box.right, text.box.left - field.box.right)
    down = max(0.0, field.box.top - text.box.bottom, text.box.top - field.box.bottom)
    after = text.box.left >= field.box.right or text.box.top >= field.box.bottom
    return across + down + (2.0 if after else 0.0)  # captions stand before their field, unless nothing does


def assign(
    goal: Goal, inputs: Mapping[str, str], fields: Sequence[Candidate], texts: Sequence[Candidate]
) -> dict[str, tuple[str, float]]:
    """The input that each field should hold.

    Pairs are taken best first; what is left over goes in order. A goal that counts fields (``the 2nd textbox``) names
    the only one. A goal that says *both* or *again* gives a single input to every field.

    Args:
        goal: The goal, taken apart.
        inputs: Name → text.
        fields: Fields in reading order.
        texts: Text on the screen, for fields without a label.

    Returns:
        Field id → input name and how well the two fit, from 0.
    """
    named = _counted(goal, fields)
    fields = [f for f in fields if f.id == named] if named else list(fields)
    if not fields or not inputs:
        return {}
    if len(inputs) == 1 and goal.says("both", "each", "again", "twice", "every"):
        return {f.id: (next(iter(inputs)), 0.5) for f in fields}
    captions = {f.id: caption(f, texts) for f in fields}
    pairs = sorted(
        (
            (_affinity(key, field, captions[field.id]), -i, -j)
            for i, key in enumerate(inputs)
            for j, field in enumerate(fields)
        ),
        reverse=True,
    )
    keys, out = list(inputs), dict[str, tuple[str, float]]()
    taken: set[str] = set()
    for fit, i, j in pairs:
        key, field = keys[-i], fields[-j]
        if key not in taken and field.id not in out:
            taken.add(key)
            out[field.id] = key, fit
    return out


def _counted(goal: Goal, fields: Sequence[Candidate]) -> str:
    for roles, index in goal.counted:
        alike = [f for f in fields if f.role in roles]
        if alike and -len(alike) <= index < len(alike):
            return alike[index].id
    return ""


def _affinity(key: str, field: Candidate, label: str) -> float:
    parts = set(words(key.replace("_", " ")))
    named = 1.0 if parts & set(words(label)) else 0.5 * similarity(key, label)
    return named + (1.0 if "secret" in field.states and "pass" in key else 0.0)
