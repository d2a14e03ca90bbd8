"""What is on the screen, brought together with what the scene says. Pixels win on geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box, Point
from cuakit.plan.place import SIDES, facing
from cuakit.plan.scene import Edge, Node, Scene

REACH: Final = 40.0
"""Farthest that a shape may stand from where the scene expects it, in points, and still be the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A scene held against one frame.

    Args:
        scene: With boxes as they are on the screen.
        missing: Objects that should be in view and are not.
        strangers: Shapes in view that no object explains, as boxes in points.
        moved: Object → distance between expected and seen, in points; only beyond 2.
    """

    scene: Scene
    missing: tuple[str, ...] = ()
    strangers: tuple[tuple[str, Box], ...] = ()
    moved: Mapping[str, float]

    @property
    def agrees(self) -> bool:
        """Whether scene and screen show the same objects."""
        return not (self.missing or self.strangers)


def points(candidate: Candidate, scale: float) -> Box:
    """A candidate's box in points of the window."""
    b = candidate.box
    return Box(b.left / scale, b.top / scale, b.right / scale, b.bottom / scale)


def reconcile(scene: Scene, shapes: Sequence[Candidate], canvas: Box, scale: float) -> Seen:
    """Match objects with shapes, nearest pairs first, and take over what the screen says.

    An object without a known place is matched last, with a shape of its kind that nothing else explains, if there is
    only one such pair; a guess is never made.

    Args:
        scene: Objects with the boxes they are expected at.
        shapes: Shapes found on the canvas, boxes in pixels, named by outline.
        canvas: Visible drawing area, in points.
        scale: Pixels per point.
    """
    boxes = [points(s, scale) for s in shapes]
    pairs = sorted(
        (distance(node.box, box), id, i)
        for id, node in scene.nodes.items()
        if node.box is not None
        for i, box in enumerate(boxes)
    )
    match: dict[str, int] = {}
    for far, id, i in pairs:
        if far <= REACH and id not in match and i not in match.values():
            match[id] = i
    match |= _only_choice(scene, shapes, match)
    moved: dict[str, float] = {}
    now = scene
    for id, i in match.items():
        old = scene.nodes[id].box
        off = distance(old, boxes[i]) if old is not None else 0.0
        if off > 2:
            moved[id] = off
        now = now.change(id, box=boxes[i], by="pixels")
    expected = [n for n in scene.nodes.values() if n.id not in match and _in_view(n, canvas) and not _covered(n, now)]
    rest = tuple((shapes[i].name, b) for i, b in enumerate(boxes) if i not in match.values())
    return Seen(scene=now, missing=tuple(n.id for n in expected), strangers=rest, moved=moved)


def adopt(seen: Seen, labels: Mapping[Box, str]) -> Scene:
    """A scene where every stranger is an object, with the label that was read on it."""
    scene = seen.scene
    for kind, box in seen.strangers:
        scene, _ = scene.add(kind, label=labels.get(box, ""), box=box, by="pixels")
    return scene


def table(
    scene: Scene, canvas: Candidate, chrome: Sequence[Candidate], scale: float, *, editing: bool = False
) -> Candidates:
    """Everything that an atom can act on in one table: the canvas, the app's own parts, and each object by its id.

    Labels stay out of it: an object labelled *Send* sends nothing, and would be refused for want of consent.

    Args:
        scene: Objects with their boxes in points.
        canvas: The drawing area.
        chrome: Parts of the application.
        scale: Pixels per point.
        editing: Whether a label's editor is open, so that objects are text fields: a caret may blink in them.
    """
    role = "textbox" if editing else "image"
    rows = [canvas, *chrome]
    for node in scene.nodes.values():
        if node.box is not None:
            b = node.box
            box = Box(b.left * scale, b.top * scale, b.right * scale, b.bottom * scale)
            if box.intersect(canvas.box).area:
                rows.append(
                    Candidate(
                        id=node.id,
                        box=box,
                        role=role,
                        name=node.kind,
                        source="fused",
                        actions=("click", "drag"),
                        provenance=("scene", node.origin.get("box", "tool")),
                    )
                )
    rows += [c for edge in scene.edges.values() if (c := _edge(scene, edge, canvas, scale, role)) is not None]
    return Candidates(replace(r, reading_order=i) for i, r in enumerate(rows))


def _edge(scene: Scene, edge: Edge, canvas: Candidate, scale: float, role: str) -> Candidate | None:
    """The middle of a connector, where its label is: halfway between its ends."""
    a, b = scene.nodes[edge.source].box, scene.nodes[edge.target].box
    if a is None or b is None:
        return None
    sides = facing(a, b)
    start, stop = a.at(*SIDES[edge.source_anchor or sides[0]]), b.at(*SIDES[edge.target_anchor or sides[1]])
    x, y = (start.x + stop.x) / 2 * scale, (start.y + stop.y) / 2 * scale
    box = Box(x, y, x, y).pad(8 * scale)
    if not canvas.box.contains(box):
        return None
    return Candidate(id=edge.id, box=box, role=role, name="connector", source="fused", actions=("click",))


def distance(a: Box | None, b: Box) -> float:
    """How far two boxes are apart: of their corners, the larger distance."""
    if a is None:
        return float("inf")
    return max(
        _far(Point(a.left, a.top), Point(b.left, b.top)), _far(Point(a.right, a.bottom), Point(b.right, b.bottom))
    )


def _far(a: Point, b: Point) -> float:
    return float(((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5)


def _in_view(node: Node, canvas: Box) -> bool:
    return node.kind != "text" and node.box is not None and canvas.contains(node.box)


def _covered(node: Node, scene: Scene) -> bool:
    """Whether something else may hide it: it is not missing only because it is not seen."""
    box = node.box
    if box is None:
        return False
    others = (n.box for n in scene.nodes.values() if n.id != node.id and n.box is not None)
    return any(box.intersect(other).area > 0.1 * box.area for other in others)


def _only_choice(scene: Scene, shapes: Sequence[Candidate], match: Mapping[str, int]) -> dict[str, int]:
    lost = [n for n in scene.nodes.values() if n.box is None and n.id not in match]
    free = [i for i in range(len(shapes)) if i not in match.values()]
    return {lost[0].id: free[0]} if len(lost) == len(free) == 1 else {}
