"""Reads the accessible tree of one window: level by level, pipelined, bounded in nodes, children and time.

Only what shows is followed, so the cost depends on the window and not on the document behind it. Two things are never
done, because applications die of them: reading all properties at once (Qt 6.4 crashes), and asking an office table for
its children or the cache for everything (LibreOffice has two billion cells).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from cuakit.backends.atspi import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    TABLE,
    TEXT,
    VALUE,
    WINDOW_COORDINATES,
    Accessibility,
    App,
    Frame,
    Ref,
    extents,
    number,
    refs,
    text,
    variant,
)
from cuakit.backends.atspi_bus import Answer, Call, Failure, get_property
from cuakit.backends.atspi_words import role_word, state_words
from cuakit.core.geometry import Box

Truncation = Literal["", "deadline", "node_limit", "huge_container", "not_answering"]

_TEXT_ROLES: Final = frozenset(
    {"text", "entry", "terminal", "paragraph", "document text", "spin button", "table cell", "combo box", "editbar"}
)
_NUMBER_ROLES: Final = frozenset({"slider", "spin button", "progress bar", "level bar", "dial", "scroll bar", "rating"})
_INERT_ROLES: Final = frozenset({"label", "filler", "panel", "static", "image", "paragraph", "section", "scroll pane"})
_CELL_STATES: Final = frozenset({"enabled", "sensitive", "showing", "visible", "editable", "focusable", "selectable"})
_MOST_TEXT: Final = 2000
_EDGE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one read.

    Args:
        deadline_s: Most seconds for the whole read.
        nodes: Most nodes.
        children: Most children that one object is asked for.
        cells: Most cells of a table that is too large to list.
    """

    deadline_s: float = 5.0
    nodes: int = 5000
    children: int = 1000
    cells: int = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One accessible object.

    Args:
        ref: The object, for actions.
        parent: Position of its parent in the tree; -1 for the window.
        depth: 0 for the window.
        role: AT-SPI's word.
        name: Accessible name.
        description: Accessible description.
        states: AT-SPI's words.
        interfaces: Short names, such as ``Action``.
        box: Extent in the window's pixels; None when it has none.
        value: Text or number it holds; empty for a secret field.
        actions: Names of its actions, in AT-SPI's order; Chromium's are empty strings.
        children: How many children it says it has.
        index: Position among its parent's children.
    """

    ref: Ref
    parent: int
    depth: int
    role: str
    name: str
    states: frozenset[str]
    interfaces: frozenset[str]
    box: Box | None
    children: int
    index: int = 0
    description: str = ""
    value: str = ""
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Accessible objects of one window, parents first.

    Args:
        nodes: The objects.
        truncated: Why some are missing; empty when none are.
        seconds: Time the read took.
    """

    nodes: tuple[Node, ...] = ()
    truncated: Truncation = ""
    seconds: float = 0.0


@dataclass(slots=True)
class _Read:
    """A read in progress."""

    access: Accessibility
    app: App
    limits: Limits
    offset: tuple[float, float]
    end: float
    nodes: list[Node] = field(default_factory=list)
    truncated: Truncation = ""

    def left(self) -> float:
        return max(0.0, self.end - time.monotonic())

    def ask(self, calls: Sequence[Call]) -> list[Answer]:
        answers = self.access.bus.batch(calls, self.left())
        if Failure("timeout") in answers:
            self.truncated = "deadline" if self.nodes else "not_answering"
        return answers


@dataclass(frozen=True, slots=True)
class _Pending:
    ref: Ref
    parent: int
    depth: int
    index: int


def read_tree(access: Accessibility, app: App, frame: Frame, limits: Limits | None = None) -> Tree:
    """Objects that show in one window.

    Args:
        access: The bus.
        app: Whose window it is.
        frame: The window.
        limits: Bounds; what lies beyond them is reported in ``truncated``.
    """
    start = time.monotonic()
    limits = limits or Limits()
    read = _Read(access, app, limits, _offset(app, frame), start + limits.deadline_s)
    level = [_Pending(frame.ref, -1, 0, 0)]
    while level and not read.truncated:
        level = _read_level(read, level)
    if read.truncated != "not_answering":
        _read_details(read)
    return Tree(nodes=tuple(read.nodes), truncated=read.truncated, seconds=time.monotonic() - start)


def _offset(app: App, frame: Frame) -> tuple[float, float]:
    """What to subtract from extents to get window pixels: Qt reports screen positions whatever it is asked for."""
    return (frame.box.left, frame.box.top) if app.toolkit == "Qt" and frame.box else (0.0, 0.0)


def _shows(app: App, states: frozenset[str]) -> bool:
    """Whether to follow an object. GTK 4.8 leaves SHOWING out on most children."""
    return ("visible" if app.toolkit == "GTK" else "showing") in states


def _read_level(read: _Read, level: Sequence[_Pending]) -> list[_Pending]:
    """Add the objects of one level that show; returns the next level."""
    asked = read.ask([Call(at.ref.dest, at.ref.path, ACCESSIBLE, "GetState") for at in level])
    shown: list[tuple[_Pending, frozenset[str]]] = []
    for at, answer in zip(level, asked, strict=True):
        states = frozenset() if isinstance(answer, Failure) else state_words(answer[0])
        if states and (at.depth == 0 or _shows(read.app, states)):
            shown.append((at, states))
    room = read.limits.nodes - len(read.nodes)
    if len(shown) > room:
        read.truncated, shown = "node_limit", shown[:room]
    first = len(read.nodes)
    _read_shown(read, shown)
    return _read_below(read, range(first, len(read.nodes)))


def _read_shown(read: _Read, shown: Sequence[tuple[_Pending, frozenset[str]]]) -> None:
    calls: list[Call] = []
    for at, _ in shown:
        dest, path = at.ref.dest, at.ref.path
        calls += [
            Call(dest, path, ACCESSIBLE, "GetRole"),
            get_property(dest, path, ACCESSIBLE, "Name"),
            Call(dest, path, ACCESSIBLE, "GetInterfaces"),
            Call(dest, path, COMPONENT, "GetExtents", "u", (WINDOW_COORDINATES,)),
            get_property(dest, path, ACCESSIBLE, "ChildCount"),
        ]
    answers = read.ask(calls)
    for i, (at, states) in enumerate(shown):
        role, name, interfaces, box, children = answers[5 * i : 5 * i + 5]
        offered = () if isinstance(interfaces, Failure) else interfaces[0]
        node = Node(
            ref=at.ref,
            parent=at.parent,
            depth=at.depth,
            index=at.index,
            role=role_word(number(role)),
            name=_name(text(name), read.app),
            states=states,
            interfaces=frozenset(i.rpartition(".")[2] for i in offered),
            box=_moved(extents(box), read.offset),
            children=variant(children) or 0,
        )
        read.nodes.append(node)


def _read_below(read: _Read, level: range) -> list[_Pending]:
    """Children of the objects of one level, as far as they can show."""
    parents = [at for at in level if read.nodes[at].children > 0 and not _closed(read, read.nodes[at])]
    huge = [at for at in parents if read.nodes[at].children > read.limits.children]
    usual = [at for at in parents if at not in set(huge)]
    lists = read.ask(
        [Call(n.ref.dest, n.ref.path, ACCESSIBLE, "GetChildren") for n in (read.nodes[at] for at in usual)]
    )
    below = [
        _Pending(ref, at, read.nodes[at].depth + 1, i)
        for at, answer in zip(usual, lists, strict=True)
        for i, ref in enumerate(refs(answer))
        if ref.path != read.nodes[at].ref.path
    ]
    for at in huge:
        _read_huge(read, read.nodes[at], at)
    return below


def _closed(read: _Read, node: Node) -> bool:
    """Whether it is a menu that is not open: its entries do not show, and an office has hundreds of them."""
    return read.app.toolkit == "gtk" and node.role == "menu" and not node.states & {"selected", "expanded"}


def _read_huge(read: _Read, node: Node, here: int) -> None:
    """Add the children of an object that has too many of them: the visible cells of a table, else none."""
    cells = list(_visible_cells(read, node)) if "Table" in node.interfaces and node.box is not None else []
    if not cells:
        read.truncated = read.truncated or "huge_container"
    calls: list[Call] = []
    for ref in cells:
        calls += [
            get_property(ref.dest, ref.path, ACCESSIBLE, "Name"),
            Call(ref.dest, ref.path, COMPONENT, "GetExtents", "u", (WINDOW_COORDINATES,)),
            Call(ref.dest, ref.path, TEXT, "GetText", "ii", (0, -1)),
        ]
    answers = read.ask(calls)
    for i, ref in enumerate(cells):
        name, box, content = answers[3 * i : 3 * i + 3]
        cell = Node(
            ref=ref,
            parent=here,
            depth=node.depth + 1,
            index=i,
            role="table cell",
            name=text(name),
            states=_CELL_STATES,
            interfaces=frozenset({"Accessible", "Component", "Text"}),
            box=_moved(extents(box), read.offset),
            value="" if isinstance(content, Failure) else str(content[0]),
            children=0,
        )
        read.nodes.append(cell)


def _visible_cells(read: _Read, table: Node) -> Iterator[Ref]:
    assert table.box is not None
    box = table.box.shift(*read.offset)
    corners = [(box.left + _EDGE, box.top + _EDGE), (box.right - _EDGE, box.bottom - _EDGE)]
    dest, path = table.ref.dest, table.ref.path
    hits = read.ask(
        [
            Call(dest, path, COMPONENT, "GetAccessibleAtPoint", "iiu", (int(x), int(y), WINDOW_COORDINATES))
            for x, y in corners
        ]
    )
    if any(isinstance(hit, Failure) for hit in hits):
        return
    inside = [Ref(*hit[0]) for hit in hits if not isinstance(hit, Failure)]
    places = read.ask([Call(r.dest, r.path, ACCESSIBLE, "GetIndexInParent") for r in inside])
    at = [number(place) for place in places]
    ends = read.ask([Call(dest, path, TABLE, f"Get{axis}AtIndex", "i", (i,)) for i in at for axis in ("Row", "Column")])
    top, left, bottom, right = (number(end) for end in ends)
    if min(top, left) < 0 or bottom < top or right < left:
        return
    wanted = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
    if len(wanted) > read.limits.cells:
        read.truncated, wanted = "huge_container", wanted[: read.limits.cells]
    for answer in read.ask([Call(dest, path, TABLE, "GetAccessibleAt", "ii", cell) for cell in wanted]):
        if not isinstance(answer, Failure):
            yield Ref(*answer[0])


def _read_details(read: _Read) -> None:
    """Actions, values and texts, for the objects that have them."""
    wanted: list[tuple[int, str, Call]] = []
    end = -1 if read.app.name == "soffice" else _MOST_TEXT  # LibreOffice has no text beyond its end, GTK 4 none to -1
    for at, node in enumerate(read.nodes):
        dest, path = node.ref.dest, node.ref.path
        if node.value or node.role in ("table cell", "password text"):
            continue
        if "Action" in node.interfaces and node.role not in _INERT_ROLES:
            wanted.append((at, "actions", Call(dest, path, ACTION, "GetActions")))
        if "Value" in node.interfaces and node.role in _NUMBER_ROLES:
            wanted.append((at, "number", get_property(dest, path, VALUE, "CurrentValue")))
        elif "Text" in node.interfaces and ("EditableText" in node.interfaces or node.role in _TEXT_ROLES):
            wanted.append((at, "text", Call(dest, path, TEXT, "GetText", "ii", (0, end))))
    for (at, what, _), answer in zip(wanted, read.ask([call for _, _, call in wanted]), strict=True):
        if isinstance(answer, Failure) or not answer:
            continue
        node = read.nodes[at]
        if what == "actions":
            read.nodes[at] = replace(node, actions=tuple(action[0] for action in answer[0]))
        else:
            found = f"{answer[0][1]:g}" if what == "number" else str(answer[0])[:_MOST_TEXT]
            read.nodes[at] = replace(node, value=found)


def _name(name: str, app: App) -> str:
    """A name that means something: GTK 4 calls what has none after its class."""
    return "" if app.toolkit == "GTK" and _CLASS_NAME.fullmatch(name) else name


_CLASS_NAME: Final = re.compile(r"Gtk[A-Z][A-Za-z]+")


def _moved(box: Box | None, offset: tuple[float, float]) -> Box | None:
    return box.shift(-offset[0], -offset[1]) if box else None
