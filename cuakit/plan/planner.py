"""From one sentence to a whole plan, without a model: a small grammar of diagram descriptions.

Chains ``A -> B -> C``, with ``A -yes-> B`` for a label; trees ``A > B, C``; ``ring of A, B, C``; ``star with hub H and
A, B, C``; and single orders: ``add an ellipse "X" right of A``, ``connect A to B as "yes"``, ``rename A to "B"``,
``move A below B``, ``resize A to 160 x 80``, ``duplicate A``, ``delete A``, ``undo``. ``A (diamond)`` gives a shape. Statements end with
``;``, a full stop or a new line; quotes protect anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from cuakit.core.errors import UsageError
from cuakit.plan.arguments import Words
from cuakit.plan.effects import Board
from cuakit.plan.place import layered, ring
from cuakit.plan.rehearse import MOST
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Step

_QUOTED: Final = re.compile(r'"([^"]*)"|“([^”]*)”')
_HOLD: Final = re.compile("\ue000(\\d+)\ue001")
_END: Final = re.compile(r"\s*(?:;|\n|\.(?:\s|$))\s*")
_ARROW: Final = re.compile(r"\s*-(?:([^->]+)-)?>\s*|\s*→\s*")
_SHAPED: Final = re.compile(r"(.+?)\s*\(([^()]+)\)")
_HEAD: Final = re.compile(
    r"(?:draw |make |create )?(?:an? |the )?(?:flow ?chart|org(?:anisation|anization)? ?chart|diagram|tree|chain)\s*:\s*",
    re.IGNORECASE,
)
_MOST: Final = 200
"""Most objects in one description."""

_LONGEST: Final = 10_000
"""Most characters in one description."""


@dataclass(slots=True)
class _Draft:
    """Objects and links of the description that are still to be laid out."""

    shapes: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    tree: list[tuple[str, str]] = field(default_factory=list)
    """Those of the links that a tree has made: parent, child."""
    hub: str | None = None
    """Middle of a ring, empty for a ring without one; None for layers."""


def plan(task: str, scene: Scene, words: Words, board: Board) -> tuple[Step, ...]:
    """Steps that carry out a description.

    Args:
        task: The description.
        scene: What is on the canvas; a name that is there already is not drawn again.
        words: The application's shapes.
        board: Sizes and the visible canvas.

    Raises:
        UsageError: A statement is not understood (``not_understood``); its words are quoted. Or there is no room.
    """
    if len(task) > _LONGEST or "\ue000" in task or "\ue001" in task:
        raise UsageError(
            f"a description has at most {_LONGEST} characters, and none from the private ones U+E000 and U+E001",
            hint="describe a part of it",
            code="not_understood",
        )
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[1] if found[1] is not None else found[2])
        return f"\ue000{len(held) - 1}\ue001"

    text = _HEAD.sub("", _QUOTED.sub(hold, task).strip())
    steps: list[Step] = []
    draft = _Draft()
    for statement in filter(None, _END.split(text)):
        made = _order(statement, draft, words, held)
        if made is None:
            raise UsageError(
                f"not understood: {_plain(statement, held)!r}",
                hint='for example: A -> B -> C; add a box "X" right of A; connect A to B; ring of A, B, C',
                code="not_understood",
            )
        if made and draft.shapes:
            steps += _drawn(draft, scene, board)
            draft = _Draft()
        steps += made
    steps += _drawn(draft, scene, board)
    if not steps:
        raise UsageError("there is nothing to do", hint="describe a diagram or a change", code="not_understood")
    if len(steps) > MOST:
        raise UsageError(
            f"{len(steps)} steps are more than {MOST}", hint="describe a part of it", code="not_understood"
        )
    return tuple(steps)


def _order(statement: str, draft: _Draft, words: Words, held: Sequence[str]) -> list[Step] | None:
    """Steps of one statement; an empty list when it only adds to the draft, None when it is not understood."""
    for pattern, make in _ORDERS.items():
        if found := re.fullmatch(pattern, statement, re.IGNORECASE):
            values = {k: _plain(v, held) for k, v in found.groupdict().items() if v is not None}
            if "shape" in values:
                values["shape"] = words.shape(values["shape"])
            return make(values)
    if found := re.fullmatch(
        r"(?:a )?ring of (.+)|star with (?:hub |center )?(.+?) and (.+)", statement, re.IGNORECASE
    ):
        return _round(found, draft, words, held)
    if _ARROW.search(statement):
        _chain(statement, draft, words, held)
        return []
    if ">" in statement:
        boss, _, rest = statement.partition(">")
        parent = _name(boss, draft, words, held)
        children = [_name(child, draft, words, held) for child in rest.split(",") if child.strip()]
        if not children:
            raise UsageError(f"nobody is under {parent!r}", hint="A > B, C", code="not_understood")
        for child in children:
            _under(parent, child, draft)
        return []
    return None


def _under(parent: str, child: str, draft: _Draft) -> None:
    """Add a child to a tree.

    Raises:
        UsageError: It would stand above itself.
    """
    above, seen = {parent}, set[str]()
    while above := above - seen:
        seen |= above
        above = {a for a, b in draft.tree if b in above}
    if child in seen:
        raise UsageError(
            f"{child!r} would stand above itself", hint="A > B for trees, A -> B for circles", code="not_understood"
        )
    draft.tree.append((parent, child))
    draft.links.append((parent, child, ""))


def _chain(statement: str, draft: _Draft, words: Words, held: Sequence[str]) -> None:
    parts = _ARROW.split(statement)
    names = [_name(p, draft, words, held) for p in parts[::2]]
    labels = [_plain(label or "", held).strip() for label in parts[1::2]]
    draft.links += list(zip(names, names[1:], labels, strict=False))


def _name(text: str, draft: _Draft, words: Words, held: Sequence[str]) -> str:
    """The name of an object, with its shape kept in the draft."""
    shaped = _SHAPED.fullmatch(text.strip())
    name = _plain(shaped[1] if shaped else text, held).strip()
    if not name:
        raise UsageError(f"a name is missing in {_plain(text, held)!r}", hint="A -> B", code="not_understood")
    if shaped:
        draft.shapes[name] = words.shape(_plain(shaped[2], held))
    draft.shapes.setdefault(name, words.shapes[0])
    if len(draft.shapes) > _MOST:
        raise UsageError(f"more than {_MOST} objects", hint="describe a part of it", code="not_understood")
    return name


def _round(found: re.Match[str], draft: _Draft, words: Words, held: Sequence[str]) -> list[Step]:
    hub = _name(found[2], draft, words, held) if found[2] else ""
    around = [_name(part, draft, words, held) for part in (found[1] or found[3]).split(",") if part.strip()]
    named = around + [hub] * bool(hub)
    if len(around) < 2 or len(set(named)) < len(named):
        raise UsageError(
            f"a ring or star needs at least two objects around, each named once, got {', '.join(named) or 'none'}",
            hint="ring of A, B, C",
            code="not_understood",
        )
    if hub:
        draft.links += [(hub, name, "") for name in around]
    else:
        draft.links += list(zip(around, [*around[1:], around[0]], [""] * len(around), strict=True))
    draft.hub = hub
    return []


def _drawn(draft: _Draft, scene: Scene, board: Board) -> list[Step]:
    """Steps that place, label and connect a draft."""
    there = {n.label for n in scene.nodes.values()}
    new = [n for n in draft.shapes if n not in there]
    sizes = {n: board.size(draft.shapes[n]) for n in new}
    if len(new) == len(draft.shapes) and not scene.nodes:
        pairs = [(a, b) for a, b, _ in draft.links]
        places: Mapping[str, tuple[float, float]] = (
            ring(new, sizes, board.canvas, hub=draft.hub)
            if draft.hub is not None and len(new) > 1
            else layered(new, pairs, sizes, board.canvas)
        )
        where = {n: f"{p[0]:g},{p[1]:g}" for n, p in places.items()}
    else:
        where = dict.fromkeys(new, "auto")
    steps = [Step(tool="place_and_label", args=_args(shape=draft.shapes[n], label=n, place=where[n])) for n in new]
    for a, b, label in draft.links:
        if label:
            steps.append(Step(tool="connect_and_label", args=_args(source=a, target=b, text=label)))
        else:
            steps.append(Step(tool="connect", args=_args(source=a, target=b)))
    return steps


def _plain(text: str, held: Sequence[str]) -> str:
    return _HOLD.sub(lambda m: held[int(m[1])], text)


def _args(**values: object) -> Mapping[str, object]:
    return MappingProxyType(values)


def _add(v: Mapping[str, str]) -> list[Step]:
    place = v.get("place", "auto")
    if "label" in v:
        return [Step(tool="place_and_label", args=_args(shape=v["shape"], label=v["label"], place=place))]
    return [Step(tool="place_shape", args=_args(shape=v["shape"], place=place))]


def _connect(v: Mapping[str, str]) -> list[Step]:
    if "label" in v:
        return [Step(tool="connect_and_label", args=_args(source=v["a"], target=v["b"], text=v["label"]))]
    return [Step(tool="connect", args=_args(source=v["a"], target=v["b"]))]


def _resize(v: Mapping[str, str]) -> list[Step]:
    return [Step(tool="resize_object", args=_args(object=v["a"], width=float(v["w"]), height=float(v["h"])))]


_PLACE: Final = r"(?:right of|left of|above|below|under|beside|next to) .+?"

_ORDERS: Final[Mapping[str, Callable[[Mapping[str, str]], list[Step]]]] = MappingProxyType(
    {
        rf"(?:add|draw|place|insert|put) (?:an? )?(?P<shape>[\w -]+?)(?: (?:labell?ed|called|named|with label))? ?(?P<label>\ue000\d+\ue001)?(?: (?P<place>{_PLACE}))?": _add,
        r"connect (?P<a>.+?) (?:to|with|and) (?P<b>.+?)(?: (?:as|labell?ed|with label) (?P<label>.+))?": _connect,
        r"(?:rename|relabel) (?P<a>.+?) (?:to|as) (?P<b>.+)": lambda v: [
            Step(tool="write_label", args=_args(object=v["a"], text=v["b"]))
        ],
        rf"move (?P<a>.+?) (?P<place>{_PLACE})": lambda v: [
            Step(tool="move_object", args=_args(object=v["a"], place=v["place"]))
        ],
        r"resize (?P<a>.+?) to (?P<w>\d+(?:\.\d+)?) ?(?:x|×|by) ?(?P<h>\d+(?:\.\d+)?)": _resize,
        r"(?:delete|remove) (?:the )?(?:connector|edge|line|arrow) (?:from )?(?P<a>.+?) (?:to|->) (?P<b>.+)": lambda v: [
            Step(tool="delete_edge", args=_args(edge=f"{v['a']} -> {v['b']}"))
        ],
        r"(?:delete|remove) (?P<a>.+)": lambda v: [Step(tool="delete_object", args=_args(object=v["a"]))],
        r"(?:duplicate|copy) (?P<a>.+)": lambda v: [Step(tool="duplicate_object", args=_args(object=v["a"]))],
        r"undo": lambda v: [Step(tool="undo", args=_args(**v))],
        r"redo": lambda v: [Step(tool="redo", args=_args(**v))],
    }
)
"""Statement → its steps. Earlier patterns go first."""
