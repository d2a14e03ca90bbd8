"""The little language of spots: where an atom acts, in terms of the scene, never as a coordinate.

``canvas`` an empty place · ``shape:Ellipse`` a palette entry · ``object:ID`` its middle · ``object:ID/e`` a side or
corner · ``object:ID/se+40,20`` that far from it · ``drop:KIND:WHERE`` where to let go of a palette entry ·
``move:ID:WHERE`` where an object's middle goes · ``size:ID:W,H`` where its lower right corner goes · ``out:A:B:SIDE`` and
``in:A:B:SIDE`` where a connector from A to B starts and ends, with ``auto`` for the sides that face each other ·
``edge:ID`` a place on a connector, ``label:ID`` its middle.
"""

from __future__ import annotations

import re
from typing import Final

from cuakit.core.candidate import Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point
from cuakit.plan.arguments import Words
from cuakit.plan.domain import Domain, Spot, inside
from cuakit.plan.place import SIDES, facing, place
from cuakit.plan.scene import Scene

STUB: Final = 14.0
"""How far from an object a connector is sure to run straight out of its side, in points."""

_OBJECT: Final = re.compile(r"([^/]+?)(?:/([a-z]{1,2}|auto))?(?:\+(-?\d{1,6}(?:\.\d+)?),(-?\d{1,6}(?:\.\d+)?))?")
_SIZE: Final = re.compile(r"(\d{1,6}(?:\.\d+)?),(\d{1,6}(?:\.\d+)?)")


def spot(where: str, scene: Scene, table: Candidates, domain: Domain, scale: float) -> Spot:
    """The candidate, and the place in it, that a spot names now.

    Args:
        where: See the module.
        scene: Objects with their boxes in points.
        table: What can be acted on, boxes in pixels.
        domain: The application.
        scale: Pixels per point.

    Raises:
        UsageError: The words mean nothing (``bad_arguments``), or the thing is not in view (``not_in_view``).
    """
    check_spot(where, scene, domain.words)
    word, _, rest = where.partition(":")
    canvas = table["canvas"]
    area = Box(*(v / scale for v in canvas.box.xyxy))
    board = domain.board(area)
    match word:
        case "canvas":
            free = place("auto", (20, 20), scene, area)
            return inside((), free.center.x * scale, free.center.y * scale, canvas)
        case "shape":
            if entry := table.get(f"shape:{domain.words.shape(rest)}"):
                return Spot(entry.id)
            raise UsageError(f"{rest!r} is not in view in the palette", hint="open its section", code="not_in_view")
        case "drop":
            kind, _, target = rest.partition(":")
            x, y = domain.drop(place(target, board.size(kind), scene, area))
            return inside((), x * scale, y * scale, canvas)
        case "move":
            id, _, target = rest.partition(":")
            box = _box(scene, id)
            goal = place(target, (box.width, box.height), scene, area, moving=scene.find(id))
            return inside((), goal.center.x * scale, goal.center.y * scale, canvas)
        case "size":
            id, _, size = rest.partition(":")
            box = _box(scene, id)
            width, height = (float(v) for v in size.split(","))
            return inside((), (box.left + width) * scale, (box.top + height) * scale, canvas)
        case "out" | "in":
            source, target, side = rest.split(":")
            return _object(
                f"{source if word == 'out' else target}/{end(scene, source, target, side, word)}", scene, table, scale
            )
        case "label":
            return _edge_label(scene, rest, table)
        case "edge":
            p = _on_edge(scene, rest)
            return inside((), p.x * scale, p.y * scale, canvas)
        case "object":
            return _object(rest, scene, table, scale)
        case _:
            raise _no_spot(where)


def check_spot(where: str, scene: Scene, words: Words) -> None:
    """Whether a spot can mean anything on this scene, wherever things are.

    Raises:
        UsageError: Its words mean nothing (``bad_arguments``), or it names an object or edge that is not there.
    """
    word, _, rest = where.partition(":")
    parts = rest.split(":")
    match word:
        case "canvas" if not rest:
            return
        case "shape":
            words.shape(rest)
        case "drop" if len(parts) > 1:
            words.shape(parts[0])
        case "move" if len(parts) > 1:
            scene.find(parts[0])
        case "size" if len(parts) == 2 and _SIZE.fullmatch(parts[1]):
            scene.find(parts[0])
        case "out" | "in" if len(parts) == 3 and parts[2] in {"auto", *SIDES}:
            scene.find(parts[0])
            scene.find(parts[1])
        case "edge" | "label":
            scene.find_edge(rest)
        case "object" if found := _OBJECT.fullmatch(rest):
            scene.find(found[1])
            if found[2] not in {None, *SIDES}:
                raise _no_spot(where)
        case _:
            raise _no_spot(where)


def _no_spot(where: str) -> UsageError:
    return UsageError(
        f"{where[:60]!r} is no spot",
        hint="canvas · shape:Ellipse · object:ID · object:ID/e · object:ID/se+40,20 · edge:ID · label:ID",
        code="bad_arguments",
    )


def _object(rest: str, scene: Scene, table: Candidates, scale: float) -> Spot:
    found = _OBJECT.fullmatch(rest)
    if found is None:
        raise UsageError(f"{rest!r} names no object", hint="object:ID, object:ID/e", code="bad_arguments")
    id = scene.find(found[1])
    if table.get(id) is None:
        raise UsageError(f"{id} is not in view", hint="scroll to it", code="not_in_view")
    if found[2] is None:
        return Spot(id, (0.5, 0.5))
    side = SIDES.get(found[2])
    if side is None:
        raise UsageError(f"{found[2]!r} is no side", hint=", ".join(SIDES), code="bad_arguments")
    if found[3] is None:
        return Spot(id, side)
    p = _box(scene, id).at(*side)
    return inside((), (p.x + float(found[3])) * scale, (p.y + float(found[4])) * scale, table["canvas"])


def end(scene: Scene, source: str, target: str, side: str, word: str) -> str:
    """The side of an end of a connector, ``auto`` worked out."""
    if side != "auto":
        return side
    return facing(_box(scene, source), _box(scene, target))[word == "in"]


def _edge_label(scene: Scene, ref: str, table: Candidates) -> Spot:
    id = scene.find_edge(ref)
    if table.get(id) is None:
        raise UsageError(f"{id} is not in view", hint="scroll to it", code="not_in_view")
    return Spot(id, (0.5, 0.5))


def _box(scene: Scene, ref: str) -> Box:
    box = scene.nodes[scene.find(ref)].box
    if box is None:
        raise UsageError(f"it is not known where {ref} is", hint="look again", code="not_in_view")
    return box


def _on_edge(scene: Scene, ref: str) -> Point:
    """Just outside the source, where a connector leaves its side."""
    edge = scene.edges[scene.find_edge(ref)]
    source, target = _box(scene, edge.source), _box(scene, edge.target)
    side = edge.source_anchor or facing(source, target)[0]
    p = source.at(*SIDES[side])
    dx, dy = {"n": (0, -1), "s": (0, 1), "e": (1, 0), "w": (-1, 0)}[side]
    return Point(p.x + dx * STUB, p.y + dy * STUB)
