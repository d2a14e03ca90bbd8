"""Candidates: the named objects of a screen, kept as columns.

A :class:`Candidate` is one row; :class:`Candidates` is the immutable table that stages exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, overload

import numpy as np
from numpy.typing import NDArray

from cuakit.core.geometry import Box, Point

ROLES: Final[frozenset[str]] = frozenset(
    "alert button cell checkbox columnheader combobox dialog document grid group heading icon image link listbox "
    "listitem menu menubar menuitem option progressbar radio row scrollbar searchbox slider spinbutton switch tab "
    "table text textbox toolbar tooltip tree treeitem window unknown".split()
)
"""Role words, ARIA's where ARIA has one; ``icon`` and ``text`` are for what pixels alone can tell."""

SOURCES: Final[frozenset[str]] = frozenset(
    {"accessibility", "dom", "omniparser", "contours", "ocr", "detector", "fused"}
)
"""Where a candidate can come from."""

INTERACTIVE: Final[frozenset[str]] = frozenset(
    "button cell checkbox combobox icon link listitem menuitem option radio searchbox slider spinbutton switch tab "
    "textbox treeitem".split()
)
"""Roles that one can act on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One object on the screen.

    Args:
        id: ``c01``…, unique in its table; a tracked element keeps it across frames.
        box: Extent in physical pixels of the screenshot.
        role: One of :data:`ROLES`.
        name: What it is called: label, accessible name or joined text.
        text: Text seen inside it; may equal ``name``.
        value: Current value of a field; empty for a secret field.
        source: One of :data:`SOURCES`.
        score: Confidence in [0, 1].
        actions: Operations it offers: ``click``, ``type``, ``set_value``, ``scroll``, ``drag``, ``drop``.
        states: ``checked``, ``selected``, ``disabled``, ``focused``, ``expanded``, ``secret``, ``offscreen``, ``occluded``.
        parent: Id of the candidate that holds it, or empty.
        reading_order: Rank in reading order, from 0.
        hit: Point that is known to reach it, where that is not the centre.
        provenance: Sources merged into it, and their own ids.
    """

    id: str
    box: Box
    role: str = "unknown"
    name: str = ""
    text: str = ""
    value: str = ""
    source: str = "fused"
    score: float = 1.0
    actions: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    parent: str = ""
    reading_order: int = 0
    hit: Point | None = None
    provenance: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"unknown role {self.role!r}; roles: {', '.join(sorted(ROLES))}")
        if self.source not in SOURCES:
            raise ValueError(f"unknown source {self.source!r}; sources: {', '.join(sorted(SOURCES))}")
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"score must lie in [0, 1], got {self.score}")

    @property
    def point(self) -> Point:
        """Where an action lands: ``hit`` if known, else the centre."""
        return self.hit or self.box.center

    @property
    def interactive(self) -> bool:
        """Whether one can act on it: it offers an action, or its role usually does and it is not disabled."""
        return "disabled" not in self.states and (bool(self.actions) or self.role in INTERACTIVE)

    @property
    def label(self) -> str:
        """Name, else text."""
        return self.name or self.text


class Candidates(Sequence[Candidate]):
    """Immutable table of candidates.

    Boxes and scores are numpy columns for fast geometry; rows are made once and shared by slices.

    Args:
        rows: Candidates with unique ids.

    Raises:
        ValueError: Two rows share an id, or a parent is not in the table.
    """

    __slots__ = ("_boxes", "_index", "_rows", "_scores")

    def __init__(self, rows: Iterable[Candidate] = (), *, check_parents: bool = True) -> None:
        self._rows = tuple(rows)
        self._index: Mapping[str, int] = {r.id: i for i, r in enumerate(self._rows)}
        if len(self._index) != len(self._rows):
            raise ValueError("candidate ids must be unique")
        if check_parents:
            lost = [r.id for r in self._rows if r.parent and r.parent not in self._index]
            if lost:
                raise ValueError(f"parents of {', '.join(lost[:5])} are not in the table")
        self._boxes = np.array([r.box.xyxy for r in self._rows], dtype=np.float64).reshape(-1, 4)
        self._scores = np.array([r.score for r in self._rows], dtype=np.float64)
        self._boxes.flags.writeable = self._scores.flags.writeable = False

    @classmethod
    def numbered(cls, rows: Iterable[Candidate]) -> Self:
        """Table in reading order with fresh ids ``c01``…; parents are renamed along.

        Reading order is top to bottom in bands of half a row height, then left to right.
        """
        ordered = sorted(rows, key=_reading_key)
        digits = max(2, len(str(len(ordered))))
        names = {r.id: f"c{i:0{digits}d}" for i, r in enumerate(ordered, 1)}
        if len(names) != len(ordered):
            raise ValueError("candidate ids must be unique before numbering")
        return cls(
            replace(r, id=names[r.id], parent=names.get(r.parent, ""), reading_order=i) for i, r in enumerate(ordered)
        )

    @property
    def boxes(self) -> NDArray[np.float64]:
        """(N, 4) xyxy in physical pixels, read-only."""
        return self._boxes

    @property
    def scores(self) -> NDArray[np.float64]:
        """(N,) confidences, read-only."""
        return self._scores

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids in table order."""
        return tuple(self._index)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._rows)

    def __contains__(self, what: object) -> bool:
        return what in self._index if isinstance(what, str) else what in self._rows

    @overload
    def __getitem__(self, key: int | str) -> Candidate: ...
    @overload
    def __getitem__(self, key: slice) -> Candidates: ...
    def __getitem__(self, key: int | str | slice) -> Candidate | Candidates:
        """Row by position or id, or a smaller table.

        Raises:
            KeyError: No row with that id.
            IndexError: Position out of range.
        """
        if isinstance(key, str):
            return self._rows[self._index[key]]
        if isinstance(key, slice):
            return Candidates(self._rows[key], check_parents=False)
        return self._rows[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Candidates) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def get(self, id: str) -> Candidate | None:
        """Row by id, or None."""
        at = self._index.get(id)
        return None if at is None else self._rows[at]

    def where(
        self, test: Callable[[Candidate], bool] | None = None, *, role: str | None = None, name: str | None = None
    ) -> Candidates:
        """Rows that satisfy all given conditions; ``name`` matches the whole label, ignoring case."""
        return Candidates(
            (
                r
                for r in self._rows
                if (test is None or test(r))
                and (role is None or r.role == role)
                and (name is None or r.label.casefold() == name.casefold())
            ),
            check_parents=False,
        )

    def to_records(self) -> list[dict[str, Any]]:
        """One flat dict per row, for a DataFrame."""
        return [
            {
                "id": r.id,
                "role": r.role,
                "name": r.name,
                "text": r.text,
                "value": r.value,
                "left": r.box.left,
                "top": r.box.top,
                "right": r.box.right,
                "bottom": r.box.bottom,
                "source": r.source,
                "score": r.score,
                "actions": " ".join(r.actions),
                "states": " ".join(r.states),
                "parent": r.parent,
            }
            for r in self._rows
        ]

    def _repr_html_(self) -> str:
        from cuakit.core import html

        return html.table(self)

    def __repr__(self) -> str:
        head = [f"Candidates({len(self)})"]
        head += [f"  {r.id} {r.role:<9} {r.label[:40]!r}" for r in self._rows[:10]]
        return "\n".join([*head, *(["  …"] if len(self) > 10 else [])])


def _reading_key(row: Candidate) -> tuple[int, float, float]:
    band = 12
    return int(row.box.center.y // band), row.box.left, row.box.top
