"""Versions of a scene: what undo and redo walk along, and how a scene is kept in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Self

from cuakit.core.codec import jsonable
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.scene import ANCHORS, Edge, Node, Scene

FORMAT: Final = "cuakit.scene_v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A scene with its past and its undone future.

    Args:
        present: The scene now.
        past: Earlier scenes with what was done to them, oldest first.
        future: Undone scenes with what had led to them, next one last.
        version: Grows by one with every change, undo and redo included.
    """

    present: Scene
    past: tuple[tuple[str, Scene], ...] = ()
    future: tuple[tuple[str, Scene], ...] = ()
    version: int = 0

    def record(self, scene: Scene, what: str) -> Self:
        """A new present; what had been undone is forgotten, as applications do."""
        return replace(
            self, present=scene, past=(*self.past, (what, self.present)), future=(), version=self.version + 1
        )

    def amend(self, scene: Scene) -> Self:
        """A better view of the same present, as after looking again. It cannot be undone on its own."""
        return replace(self, present=_ahead(scene, self.present), version=self.version + 1)

    def undo(self) -> Self:
        """One step back; the next ids stay ahead, so that no id is ever given twice.

        Raises:
            UsageError: There is nothing to undo (``nothing_to_undo``).
        """
        if not self.past:
            raise UsageError("there is nothing to undo", hint="change something first", code="nothing_to_undo")
        what, before = self.past[-1]
        return replace(
            self,
            present=_ahead(before, self.present),
            past=self.past[:-1],
            future=(*self.future, (what, self.present)),
            version=self.version + 1,
        )

    def redo(self) -> Self:
        """One undone step forward.

        Raises:
            UsageError: Nothing was undone (``nothing_to_redo``).
        """
        if not self.future:
            raise UsageError("there is nothing to redo", hint="undo something first", code="nothing_to_redo")
        what, after = self.future[-1]
        return replace(
            self,
            present=_ahead(after, self.present),
            past=(*self.past, (what, self.present)),
            future=self.future[:-1],
            version=self.version + 1,
        )


def _ahead(scene: Scene, other: Scene) -> Scene:
    return replace(
        scene,
        next_node=max(scene.next_node, other.next_node),
        next_edge=max(scene.next_edge, other.next_edge),
    )


def dumps(scene: Scene) -> str:
    """A scene as JSON text, objects in drawing order."""
    return json.dumps({"format": FORMAT, **jsonable(scene)}, ensure_ascii=False, indent=1)


def loads(text: str) -> Scene:
    """Inverse of :func:`dumps`.

    Raises:
        UsageError: The text is not such a scene (``corrupt_scene``); it never becomes an empty one.
    """
    try:
        data = json.loads(text)
        _same_format(data["format"])
        nodes = {k: _node(v) for k, v in data["nodes"].items()}
        edges = {k: _edge(v) for k, v in data["edges"].items()}
        return Scene(
            nodes=MappingProxyType(nodes),
            edges=MappingProxyType(edges),
            selected=frozenset(data["selected"]),
            next_node=_whole(data["next_node"]),
            next_edge=_whole(data["next_edge"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise UsageError(
            f"this is no scene graph: {type(wrong).__name__}: {wrong}",
            hint="restore the file, or look at the canvas again",
            code="corrupt_scene",
        ) from wrong


def _same_format(found: Any) -> None:
    if found != FORMAT:
        raise ValueError(f"format is {found!r}, not {FORMAT!r}")


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value


def _node(data: Mapping[str, Any]) -> Node:
    box = data["box"]
    return Node(
        id=_text(data["id"]),
        kind=_text(data["kind"]),
        label=_text(data["label"]),
        box=None if box is None else Box(**box),
        angle=float(data["angle"]),
        group=_text(data["group"]),
        origin=MappingProxyType(dict(data["origin"])),
    )


def _edge(data: Mapping[str, Any]) -> Edge:
    values: dict[str, Any] = {k: MappingProxyType(dict(v)) if k == "origin" else _text(v) for k, v in data.items()}
    edge = Edge(**values)
    if not {edge.source_anchor, edge.target_anchor} <= {"", *ANCHORS}:
        raise ValueError(f"unknown anchor in {edge.id}")
    return edge


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
