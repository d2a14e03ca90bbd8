"""What a tool does to the scene, as data beside its steps: ``{"op": "connect", "source": "$source", …}``.

The same effects serve twice: a plan is tried on the scene graph before anything moves, and the scene graph follows
what was done. Where pixels then say otherwise, pixels win.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.plan.history import History
from cuakit.plan.place import facing, place
from cuakit.plan.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What effects need to know of the application.

    Args:
        canvas: Visible drawing area, in points of the window.
        sizes: Default width and height by shape.
    """

    canvas: Box
    sizes: Mapping[str, tuple[float, float]]

    def size(self, kind: str) -> tuple[float, float]:
        """Width and height that a new shape gets."""
        return self.sizes.get(kind, (120.0, 60.0))


def apply(history: History, effect: Mapping[str, Any], board: Board) -> tuple[History, str]:
    """Carry out one effect; gives the id of what it made, or an empty string.

    Raises:
        UsageError: The effect is unknown, or the scene does not allow it.
    """
    op = effect.get("op", "")
    if op == "undo":
        return history.undo(), ""
    if op == "redo":
        return history.redo(), ""
    if op not in _EFFECTS:
        raise UsageError(f"no effect {op!r}", hint=f"effects: {', '.join(_EFFECTS)}", code="bad_tool")
    values = {k: v for k, v in effect.items() if k != "op"}
    scene, made = _EFFECTS[op](history.present, values, board)
    return (history.amend(scene) if op == "select" else history.record(scene, op)), made


def _add(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    box = place(e.get("place", "auto"), board.size(e["kind"]), scene, board.canvas)
    scene, id = scene.add(e["kind"], label=e.get("label", ""), box=box)
    return scene.select([id]), id


def _label(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    return scene.change(e["object"], label=e["text"]), ""


def _move(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    node = scene.nodes[scene.find(e["object"])]
    if node.box is None:
        raise UsageError(f"it is not known where {node.id} is", hint="look again", code="no_room")
    size = (node.box.width, node.box.height)
    return scene.change(node.id, box=place(e["place"], size, scene, board.canvas, moving=node.id)), ""


def _resize(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    node = scene.nodes[scene.find(e["object"])]
    if node.box is None:
        raise UsageError(f"it is not known where {node.id} is", hint="look again", code="no_room")
    return scene.change(node.id, box=Box.from_xywh(node.box.left, node.box.top, e["width"], e["height"])), ""


def _rotate(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    return scene.change(e["object"], angle=scene.nodes[scene.find(e["object"])].angle + e["angle"]), ""


def _remove(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    return scene.remove([e["what"]] if isinstance(e["what"], str) else e["what"]), ""


def _connect(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    source, target = scene.nodes[scene.find(e["source"])], scene.nodes[scene.find(e["target"])]
    faced = facing(source.box, target.box) if source.box and target.box else ("", "")
    start, end = e.get("source_anchor", "auto"), e.get("target_anchor", "auto")
    return scene.connect(
        source.id,
        target.id,
        source_anchor=faced[0] if start == "auto" else start,
        target_anchor=faced[1] if end == "auto" else end,
    )


def _edge_label(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    return scene.change_edge(e["edge"], label=e["text"]), ""


def _select(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    what = e["what"]
    if what == "all":
        return scene.select([*scene.nodes, *scene.edges]), ""
    return scene.select([what] if isinstance(what, str) and what else what or []), ""


def _duplicate(scene: Scene, e: Mapping[str, Any], board: Board) -> tuple[Scene, str]:
    del board
    node = scene.nodes[scene.find(e["object"])]
    box = node.box and node.box.shift(10, 10)
    return scene.add(node.kind, label=node.label, box=box, angle=node.angle)


_EFFECTS: Final[Mapping[str, Callable[[Scene, Mapping[str, Any], Board], tuple[Scene, str]]]] = MappingProxyType(
    {
        "add": _add,
        "label": _label,
        "move": _move,
        "resize": _resize,
        "rotate": _rotate,
        "remove": _remove,
        "connect": _connect,
        "edge_label": _edge_label,
        "select": _select,
        "duplicate": _duplicate,
    }
)
"""Effect → what it does."""
