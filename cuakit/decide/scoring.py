"""Scores for every offer: how well an operation on a candidate fits the goal now. Pure functions, no model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cuakit.core.action import Action, Click, Modifier, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.subtask import Subtask
from cuakit.decide.fields import assign
from cuakit.decide.goal import Goal, Mention
from cuakit.decide.memory import Memory, identity
from cuakit.decide.offers import FIELDS, Offer, Operation, holders
from cuakit.decide.words import normal, words

SUBMITS: Final = frozenset(
    {"submit", "ok", "login", "log in", "sign in", "search", "save", "done", "apply", "send", "continue", "finish"}
)
"""Labels that end a form, in normal form."""

OPENERS: Final = frozenset({"tab", "menuitem", "treeitem", "heading", "listitem"})
"""Roles that may show more when clicked."""

TOGGLES: Final = frozenset({"checkbox", "radio", "switch", "option"})
"""Roles with a state that a click changes."""

STANDARD: Final = "_iso"
"""Ending of the name of an input that holds another one in its standard form."""

EARLY: Final = 0.8
"""What being mentioned first is worth over being mentioned last."""

WRITE: Final = 3.2
"""Base score of writing an input that is not written yet; as much as a quoted label, so that order decides."""


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


@dataclass(frozen=True)
class Scene:
    """Everything that a score depends on.

    Args:
        goal: The goal, taken apart.
        memory: What was done already.
        subtask: For its inputs.
        possible: Everything that can be done.
        screen: Everything on the screen, for captions and lists.
    """

    goal: Goal
    memory: Memory
    subtask: Subtask
    possible: Sequence[Offer]
    screen: Sequence[Candidate]

    @cached_property
    def names_opener(self) -> bool:
        """Whether the goal says which of the things that open it means."""
        openers = (o.candidate.label for o in self.possible if o.candidate.role in OPENERS)
        return any(normal(label) not in SUBMITS and self.goal.mention(label).strength >= 1 for label in openers)

    @cached_property
    def outer(self) -> Mapping[str, Candidate]:
        """Id of something on offer → what holds it, is on offer too and is called the same."""
        return holders(o.candidate for o in self.possible)

    @cached_property
    def wrappers(self) -> frozenset[str]:
        """Ids of what holds another of the same name; a click on the inner one is meant."""
        return frozenset(c.id for c in self.outer.values())

    @cached_property
    def buttons(self) -> list[Candidate]:
        """Buttons on offer."""
        return [o.candidate for o in self.possible if o.candidate.role == "button"]


def score(
    goal: Goal, memory: Memory, subtask: Subtask, possible: Sequence[Offer], screen: Sequence[Candidate] | None = None
) -> list[Scored]:
    """Score every offer; offers that make no sense now are left out.

    Args:
        goal: The goal, taken apart.
        memory: What was done already.
        subtask: For its inputs.
        possible: Everything that can be done.
        screen: Everything on the screen; without it captions and closed lists are not read.
    """
    scene = Scene(goal, memory, subtask, possible, [o.candidate for o in possible] if screen is None else screen)
    clicks = [_click(scene, o.candidate) for o in scene.possible if o.operation == "click"]
    sets = [s for o in scene.possible if o.operation == "set_value" for s in _set(scene, o.candidate)]
    found = [s for s in (*clicks, *_writes(scene), *sets) if s.score > 0]
    if not found and len(clicks) == 1 and not scene.memory.clicks and not goal.particular:
        return [Scored("click", clicks[0].action, 0.2)]  # "click the button", and there is one thing to click
    return found


def _click(scene: Scene, candidate: Candidate) -> Scored:
    worth = _worth(scene, candidate)
    if candidate.id in scene.wrappers:
        worth = 0.0  # what lies inside and is called the same is what is meant
    elif candidate.id in scene.outer:
        worth = max(worth, _worth(scene, scene.outer[candidate.id]) - 3.0 * scene.memory.clicks[identity(candidate)])
    return Scored("click", Click(target=candidate.id, modifiers=_held(scene, candidate)), worth)


def _held(scene: Scene, candidate: Candidate) -> tuple[Modifier, ...]:
    """The key that adds to a selection, once another option of the same list was chosen."""
    if candidate.role != "option" or not candidate.parent:
        return ()
    siblings = (c for c in scene.screen if c.parent == candidate.parent)
    return ("MOD",) if any(scene.memory.clicks[identity(c)] for c in siblings) else ()


def _worth(scene: Scene, candidate: Candidate) -> float:
    goal, memory = scene.goal, scene.memory
    if candidate.role in TOGGLES and {"checked", "selected"} & set(candidate.states):
        return 0.0
    if candidate.role in FIELDS and scene.subtask.inputs and goal.writes:
        return 0.0
    mention = goal.mention(candidate.label)
    value = _weigh(mention) + _role(goal, candidate, mention) + _counted(goal, candidate, scene.possible)
    value += _suggested(scene, candidate)
    if candidate.role in OPENERS:
        value += _opener(scene, mention)
    if not mention.strength and (memory.clicks or memory.entered):
        ends = normal(candidate.label) in SUBMITS or (candidate.role == "button" and len(scene.buttons) == 1)
        value += 0.5 if ends else 0.0
    return value - 3.0 * memory.clicks[identity(candidate)]


def _weigh(mention: Mention) -> float:
    return mention.strength + EARLY * (1 - mention.position) if mention.strength else 0.0


def _role(goal: Goal, candidate: Candidate, mention: Mention) -> float:
    if candidate.role not in goal.roles:
        return 0.0
    return 0.5 if mention.strength else 0.3


def _counted(goal: Goal, candidate: Candidate, possible: Sequence[Offer]) -> float:
    for roles, index in goal.counted:
        alike = list(dict.fromkeys(o.candidate.id for o in possible if o.candidate.role in roles))
        if candidate.id in alike and -len(alike) <= index < len(alike) and alike[index] == candidate.id:
            return 1.5 + EARLY
    return 0.0


def _opener(scene: Scene, mention: Mention) -> float:
    if mention.strength >= 1:
        return 0.0
    return 3.0 if scene.goal.unfolds and not scene.memory.clicks and not scene.names_opener else 0.4


def _suggested(scene: Scene, candidate: Candidate) -> float:
    """Worth of a suggestion that came up after a text was written: it begins with that text."""
    if candidate.role in FIELDS or not scene.memory.entered:
        return 0.0
    label = normal(candidate.label)
    written = [normal(text) for _, text in scene.memory.entered]
    if not any(text and label.startswith(text) and label != text for text in written):
        return 0.0
    ends = [normal(str(v)) for v in scene.subtask.inputs.values() if normal(str(v)) not in written]
    return 1.5 + sum(1.0 for end in ends if label.endswith(end))


def _writes(scene: Scene) -> Iterator[Scored]:
    goal, memory = scene.goal, scene.memory
    if not goal.writes:
        return
    fields = [o.candidate for o in scene.possible if o.operation == "type_text"]
    pressed = {normal(b.label) for b in scene.buttons}
    given = {k: str(v) for k, v in scene.subtask.inputs.items()}
    inputs = {k: v for k, v in given.items() if normal(v) not in pressed and not k.endswith(STANDARD)}
    texts = [c for c in scene.screen if c.role == "text" and c.label.strip()]
    written = {who for who, _ in memory.entered}
    by_id = {f.id: f for f in fields}
    for field, (key, fit) in assign(goal, inputs, fields, texts).items():
        candidate = by_id[field]
        worth = WRITE + EARLY * (1 - goal.place(words(inputs[key]))) + 0.1 * fit
        if candidate.value == inputs[key] or identity(candidate) in written:
            continue
        if (identity(candidate), inputs[key]) not in memory.untaken:
            yield Scored("type_text", TypeText(target=field, text=inputs[key], input_key=key), worth)
        elif key + STANDARD in given:  # it does not take what is typed; set it as its kind is written
            standard = SetValue(target=field, value=given[key + STANDARD], input_key=key + STANDARD)
            yield Scored("set_value", standard, worth)


def _set(scene: Scene, candidate: Candidate) -> Iterator[Scored]:
    if any(who == identity(candidate) for who, _ in scene.memory.entered):
        return
    options = [c for c in scene.screen if c.parent == candidate.id and c.role == "option"]
    for option in options:
        mention = scene.goal.mention(option.label)
        if mention.strength >= 1.4 and option.label != candidate.value:
            yield Scored("set_value", SetValue(target=candidate.id, value=option.label), _weigh(mention) + 0.3)
    if options or candidate.role == "combobox":
        return
    for key, value in scene.subtask.inputs.items():
        if str(value) != candidate.value and not key.endswith(STANDARD):
            fit = WRITE + EARLY * (1 - scene.goal.place(words(str(value))))
            yield Scored("set_value", SetValue(target=candidate.id, value=str(value), input_key=key), fit)
