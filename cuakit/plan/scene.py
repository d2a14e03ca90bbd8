"""The scene graph: what is on the canvas, as objects and edges with ids. A pure value; every change makes a new one.

It is what a planner reasons about, so it is never allowed to be silently wrong: edges hold ids, never labels; a label
that two objects share names none of them; a file that breaks a rule raises instead of becoming an empty scene. Where
a fact comes from (a tool's intention, pixels, a person) is kept per field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, Self

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point

Anchor = Literal["", "n", "e", "s", "w"]
Origin = Literal["tool", "pixels", "person", "given"]

ANCHORS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"n": (0.5, 0.0), "e": (1.0, 0.5), "s": (0.5, 1.0), "w": (0.0, 0.5)}
)
"""Side of an object → place on its box, as fractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One object on the canvas.

    Args:
        id: ``obj_001``…, never given twice in a scene's life.
        kind: Shape, in the words of the application's palette.
        label: Text on it, exactly.
        box: Extent in points of the window, or None while it has not been seen.
        angle: Clockwise rotation in degrees, in [0, 360).
        group: Id of the group object that holds it, or empty.
        origin: Field name → where its value comes from.
    """

    id: str
    kind: str
    label: str = ""
    box: Box | None = None
    angle: float = 0.0
    group: str = ""
    origin: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))

    def anchor(self, side: str) -> Point | None:
        """Middle of a side, or None while the place is unknown."""
        return None if self.box is None else self.box.at(*ANCHORS[side])


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One connector between two objects, by their ids.

    Args:
        id: ``edge_001``…, never given twice in a scene's life.
        source: Id of the object it starts at.
        target: Id of the object it ends at.
        source_anchor: Side it leaves from; empty where the application chooses.
        target_anchor: Side it arrives at; empty where the application chooses.
        label: Text on it, exactly.
        origin: Field name → where its value comes from.
    """

    id: str
    source: str
    target: str
    source_anchor: Anchor = ""
    target_anchor: Anchor = ""
    label: str = ""
    origin: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Objects and edges, in drawing order.

    Args:
        nodes: Id → object.
        edges: Id → edge.
        selected: Ids of what is selected.
        next_node: Number of the next object.
        next_edge: Number of the next edge.

    Raises:
        UsageError: A rule is broken (code ``corrupt_scene``); see :func:`check`.
    """

    nodes: Mapping[str, Node] = field(default_factory=lambda: MappingProxyType({}))
    edges: Mapping[str, Edge] = field(default_factory=lambda: MappingProxyType({}))
    selected: frozenset[str] = frozenset()
    next_node: int = 1
    next_edge: int = 1

    def __post_init__(self) -> None:
        check(self)

    # -- looking -------------------------------------------------------------------------------------------------

    def find(self, ref: str) -> str:
        """Id of the object that an id or an exact label names.

        Raises:
            UsageError: No such object (``unknown_object``), or several of that label (``ambiguous_object``).
        """
        if ref in self.nodes:
            return ref
        found = [n.id for n in self.nodes.values() if n.label == ref]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{len(found)} objects are labelled {ref!r}: {', '.join(found)}",
                hint="name one of them by its id",
                code="ambiguous_object",
            )
        known = ", ".join(f"{n.id} {n.label!r}" for n in list(self.nodes.values())[:12])
        raise UsageError(
            f"no object is called {ref!r}", hint=f"objects: {known or 'the canvas is empty'}", code="unknown_object"
        )

    def find_edge(self, ref: str) -> str:
        """Id of the edge that an id, an exact label, or ``source -> target`` names.

        Raises:
            UsageError: ``unknown_edge`` or ``ambiguous_edge``.
        """
        if ref in self.edges:
            return ref
        source, arrow, target = (part.strip() for part in ref.partition("->"))
        if arrow:
            ends = self.find(source), self.find(target)
            found = [e.id for e in self.edges.values() if (e.source, e.target) == ends]
        else:
            found = [e.id for e in self.edges.values() if e.label == ref]
        if len(found) == 1:
            return found[0]
        word, code = (f"{len(found)} edges are", "ambiguous_edge") if found else ("no edge is", "unknown_edge")
        raise UsageError(f"{word} called {ref!r}", hint="use an edge id, or 'source -> target'", code=code)

    def at(self, point: Point) -> Node | None:
        """The topmost object under a point."""
        return next((n for n in reversed(tuple(self.nodes.values())) if n.box and n.box.contains(point)), None)

    def touching(self, id: str) -> tuple[Edge, ...]:
        """Edges that start or end at an object."""
        return tuple(e for e in self.edges.values() if id in (e.source, e.target))

    def members(self, group: str) -> tuple[Node, ...]:
        """Objects directly inside a group object."""
        return tuple(n for n in self.nodes.values() if n.group == group)

    # -- changing ------------------------------------------------------------------------------------------------

    def add(
        self, kind: str, *, label: str = "", box: Box | None = None, angle: float = 0.0, by: Origin = "tool"
    ) -> tuple[Self, str]:
        """A scene with one more object on top, and its id."""
        id = f"obj_{self.next_node:03d}"
        origin = MappingProxyType(dict.fromkeys(("kind", "label", "box", "angle"), by))
        node = Node(id=id, kind=kind, label=label, box=box, angle=_turn(angle), origin=origin)
        return replace(self, nodes=_with(self.nodes, node), next_node=self.next_node + 1), id

    def connect(
        self,
        source: str,
        target: str,
        *,
        source_anchor: Anchor = "",
        target_anchor: Anchor = "",
        label: str = "",
        by: Origin = "tool",
    ) -> tuple[Self, str]:
        """A scene with one more edge, and its id. Ends are ids or unique labels.

        Raises:
            UsageError: An end does not exist or is ambiguous.
        """
        id = f"edge_{self.next_edge:03d}"
        edge = Edge(
            id=id,
            source=self.find(source),
            target=self.find(target),
            source_anchor=source_anchor,
            target_anchor=target_anchor,
            label=label,
            origin=MappingProxyType(dict.fromkeys(("source", "target", "label"), by)),
        )
        return replace(self, edges=_with(self.edges, edge), next_edge=self.next_edge + 1), id

    def change(self, ref: str, *, by: Origin = "tool", **values: Any) -> Self:
        """A scene where some fields of one object (``label``, ``box``, ``angle``, ``kind``) have new values.

        Raises:
            UsageError: The object does not exist, is ambiguous, or a field cannot be changed.
        """
        _changeable(values, {"kind", "label", "box", "angle"})
        node = self.nodes[self.find(ref)]
        if "angle" in values:
            values["angle"] = _turn(values["angle"])
        origin = MappingProxyType({**node.origin, **dict.fromkeys(values, by)})
        return replace(self, nodes=_with(self.nodes, replace(node, origin=origin, **values)))

    def change_edge(self, ref: str, *, by: Origin = "tool", **values: Any) -> Self:
        """A scene where some fields of one edge (``label``, anchors, ends) have new values.

        Raises:
            UsageError: The edge does not exist, is ambiguous, or a field cannot be changed.
        """
        _changeable(values, {"label", "source", "target", "source_anchor", "target_anchor"})
        edge = self.edges[self.find_edge(ref)]
        values |= {end: self.find(values[end]) for end in ("source", "target") if end in values}
        origin = MappingProxyType({**edge.origin, **dict.fromkeys(values, by)})
        return replace(self, edges=_with(self.edges, replace(edge, origin=origin, **values)))

    def remove(self, refs: Iterable[str]) -> Self:
        """A scene without some objects or edges, what is in removed groups, and every edge that would hang loose.

        Raises:
            UsageError: One of them does not exist or is ambiguous.
        """
        gone = {r if r in self.edges else self.find(r) for r in refs}
        while inner := {n.id for n in self.nodes.values() if n.group in gone} - gone:
            gone |= inner
        gone |= {e.id for e in self.edges.values() if {e.source, e.target} & gone}
        return replace(
            self,
            nodes=_without(self.nodes, gone),
            edges=_without(self.edges, gone),
            selected=self.selected - gone,
        )

    def select(self, refs: Iterable[str]) -> Self:
        """A scene where exactly these objects or edges are selected.

        Raises:
            UsageError: One of them does not exist or is ambiguous.
        """
        return replace(self, selected=frozenset(r if r in self.edges else self.find(r) for r in refs))

    def regroup(self, refs: Iterable[str], group: str) -> Self:
        """A scene where some objects lie in a group object, or in none when ``group`` is empty.

        Raises:
            UsageError: One of them does not exist, or the group would hold itself (``corrupt_scene``).
        """
        inside = {self.find(r) for r in refs}
        into = self.find(group) if group else ""
        moved = {id: replace(n, group=into) if id in inside else n for id, n in self.nodes.items()}
        return replace(self, nodes=MappingProxyType(moved))


def check(scene: Scene) -> None:
    """Whether a scene keeps its rules.

    Keys are the ids of their values; ids are well-formed, and below the next number; edges join objects that exist;
    what is selected exists; angles lie in [0, 360); groups exist and none holds itself, also not through others.

    Raises:
        UsageError: The first rule that is broken, with code ``corrupt_scene``.
    """
    for prefix, items, limit in (("obj", scene.nodes, scene.next_node), ("edge", scene.edges, scene.next_edge)):
        for key, item in items.items():
            number = key.removeprefix(f"{prefix}_")
            if key != item.id or not key.startswith(f"{prefix}_") or not number.isdecimal():
                raise _corrupt(f"{key!r} is no id of {item.id!r}")
            if not 0 < int(number) < limit:
                raise _corrupt(f"{key} was never given; the next number is {limit}")
    for edge in scene.edges.values():
        lost = {edge.source, edge.target} - set(scene.nodes)
        if lost:
            raise _corrupt(f"{edge.id} joins {', '.join(sorted(lost))}, which does not exist")
    if missing := scene.selected - set(scene.nodes) - set(scene.edges):
        raise _corrupt(f"selected but not there: {', '.join(sorted(missing))}")
    for node in scene.nodes.values():
        if not 0 <= node.angle < 360:
            raise _corrupt(f"{node.id} is turned by {node.angle}, not in [0, 360)")
        seen, outer = {node.id}, node.group
        while outer:
            if outer not in scene.nodes or outer in seen:
                raise _corrupt(f"{node.id} lies in {outer}, which does not exist or lies in itself")
            seen.add(outer)
            outer = scene.nodes[outer].group


def _corrupt(why: str) -> UsageError:
    return UsageError(f"the scene graph is corrupt: {why}", hint="look at the canvas again", code="corrupt_scene")


def _changeable(values: Mapping[str, Any], allowed: set[str]) -> None:
    if extra := set(values) - allowed:
        raise UsageError(
            f"cannot change {', '.join(sorted(extra))}", hint=f"can be changed: {', '.join(sorted(allowed))}"
        )


def _turn(degrees: float) -> float:
    return degrees % 360 % 360  # a tiny negative angle comes to 360 itself in the first step


def _with(items: Mapping[str, Any], item: Any) -> Mapping[str, Any]:
    return MappingProxyType({**items, item.id: item})


def _without(items: Mapping[str, Any], gone: set[str]) -> Mapping[str, Any]:
    return MappingProxyType({k: v for k, v in items.items() if k not in gone})
