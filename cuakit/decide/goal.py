"""What a goal says: its words in order, what it quotes, which kinds of object it names, and how it counts them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cuakit.core.subtask import Subtask
from cuakit.decide.words import find, normal, quoted, similarity, words

ROLE_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "button": frozenset({"button"}),
        "buttons": frozenset({"button"}),
        "link": frozenset({"link"}),
        "tab": frozenset({"tab"}),
        "checkbox": frozenset({"checkbox"}),
        "checkboxes": frozenset({"checkbox"}),
        "radio": frozenset({"radio"}),
        "option": frozenset({"radio", "option"}),
        "textbox": frozenset({"textbox", "searchbox"}),
        "textboxes": frozenset({"textbox", "searchbox"}),
        "text": frozenset({"textbox", "searchbox"}),
        "input": frozenset({"textbox", "searchbox"}),
        "field": frozenset({"textbox", "searchbox"}),
        "fields": frozenset({"textbox", "searchbox"}),
        "textarea": frozenset({"textbox"}),
        "dropdown": frozenset({"combobox"}),
        "list": frozenset({"combobox", "listbox"}),
        "menu": frozenset({"menu", "menuitem"}),
        "slider": frozenset({"slider"}),
        "sliders": frozenset({"slider"}),
        "spinner": frozenset({"spinbutton"}),
        "icon": frozenset({"icon", "image"}),
        "folder": frozenset({"treeitem"}),
        "file": frozenset({"treeitem"}),
        "image": frozenset({"image"}),
    }
)
"""Word in a goal → roles that it can mean."""

ORDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4}
    | {f"{n}th": n - 1 for n in range(6, 21)}
    | {"last": -1}
)
"""Word → index; −1 counts from the end."""

SAME: Final = (
    frozenset({"x", "×", "✕", "✖", "close"}),
    frozenset({"ok", "okay"}),
    frozenset({"log in", "login", "sign in", "signin"}),
    frozenset({"submit", "done", "finish"}),
)
"""Labels that mean the same on a button, strongest evidence only when the goal uses one of them."""

WRITING: Final = frozenset(
    "enter type write fill input insert search paste reply answer username password set name named forward".split()
)
"""Words of a goal that asks for text to be written; where none occurs, a quoted string names something to act on."""

COMMON: Final = frozenset(
    "a an the and or of on in into to at by with from for it that this then press click select enter type find hit "
    "is are as all button box below item items labeled named".split()
)
"""Words that any goal may contain, so that sharing them means little."""


@dataclass(frozen=True, slots=True)
class Mention:
    """How a goal mentions a label.

    Args:
        strength: 0 for not at all; about 3 for a quoted match of the whole label.
        position: Where in the goal, as a fraction of its length; 1 when it is not mentioned.
    """

    strength: float = 0.0
    position: float = 1.0


@dataclass(frozen=True)
class Goal:
    """A goal, taken apart.

    Args:
        text: As given.
        words: Its words in order.
        quoted: Its quoted strings.
        counted: Roles that it names after an ordinal, with the index: ``2nd textbox``.
    """

    text: str
    words: tuple[str, ...]
    quoted: tuple[str, ...]
    counted: tuple[tuple[frozenset[str], int], ...]

    @classmethod
    def of(cls, subtask: Subtask) -> Goal:
        """Take the goal of a subtask apart."""
        parts = words(subtask.goal)
        counted = tuple(
            (roles, ORDINALS[w])
            for i, w in enumerate(parts)
            if w in ORDINALS
            and (roles := next((ROLE_WORDS[n] for n in parts[i + 1 : i + 4] if n in ROLE_WORDS), frozenset()))
        )
        return cls(subtask.goal, parts, quoted(subtask.goal), counted)

    def says(self, *any_of: str) -> bool:
        """Whether one of the words occurs."""
        return any(w in self.words for w in any_of)

    @property
    def particular(self) -> bool:
        """Whether it names anything beyond kinds of objects and what one does to them."""
        return any(w not in COMMON and w not in ROLE_WORDS for w in self.words)

    @property
    def unfolds(self) -> bool:
        """Whether it asks for something to be opened."""
        return self.says("expand", "open", "unfold")

    @property
    def writes(self) -> bool:
        """Whether it asks for text to be written."""
        return any(w in WRITING for w in self.words)

    @property
    def roles(self) -> frozenset[str]:
        """Every role that a word of the goal can mean."""
        return frozenset().union(*(ROLE_WORDS[w] for w in self.words if w in ROLE_WORDS))

    def place(self, parts: tuple[str, ...]) -> float:
        """Where a word sequence first occurs, as a fraction of the goal's length; 1 when nowhere."""
        at = find(parts, self.words)
        return 1.0 if at < 0 else at / len(self.words)

    def mention(self, label: str) -> Mention:
        """How strongly, and where, the goal mentions a label."""
        parts = words(label)
        exact = [q for q in self.quoted if _same(q, label)]
        if exact:
            case = 0.15 if any(q.strip() == label.strip() for q in exact) else 0.0
            return Mention(3.0 + case, self.place(words(exact[0])))
        if not parts:
            return Mention()
        place = self.place(parts)
        if place < 1.0:
            content = sum(1 for p in parts if p not in COMMON)
            if (
                not content
                and label != label.lower()
                and re.search(rf"(?<!\w){re.escape(label.strip())}(?!\w)", self.text)
            ):
                content = 1  # a common word, but written as a name in both places
            return Mention(1.4 + 0.3 * min(content, 4) if content else 0.4, place)
        return self._partly(label, parts)

    def _partly(self, label: str, parts: tuple[str, ...]) -> Mention:
        held = [q for q in self.quoted if words(q) and find(words(q), parts) >= 0]
        if held:
            best = max(held, key=len)
            return Mention(1.5 * (len(words(best)) / len(parts)) ** 0.5, self.place(words(best)))
        other = next((s for group in SAME if normal(label) in group for s in sorted(group) if self._names(s)), None)
        if other:
            return Mention(1.2, self.place(words(other)))
        content = [p for p in parts if p not in COMMON]
        shared = [p for p in content if p in self.words]
        if shared:
            return Mention(0.9 * len(shared) / len(content), self.place((shared[0],)))
        alike = max((similarity(label, q) for q in self.quoted), default=0.0)
        return Mention(0.6 * alike if alike > 0.5 else 0.0, 1.0)

    def _names(self, phrase: str) -> bool:
        return find(words(phrase), self.words) >= 0


def _same(a: str, b: str) -> bool:
    one, two = normal(a), normal(b)
    return one == two or any(one in group and two in group for group in SAME[:1])
