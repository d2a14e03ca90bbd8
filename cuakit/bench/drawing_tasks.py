"""What is to be drawn: sentences for the planner, and the graph that draw.io's document must hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Link = tuple[str, str, str]
"""From, to, label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One task.

    Args:
        name: Identifier.
        group: What it is about.
        say: Sentences, carried out one after the other; a later one changes what an earlier one drew.
        nodes: Label and shape of every object at the end; the shape as draw.io's document names it.
        links: Every connector at the end.
        order: ``(first, word, second)`` with the words ``left of`` and ``above``: places that must hold at the end.
        sizes: Label, width and height of objects that must have a size.
    """

    name: str
    group: str
    say: tuple[str, ...]
    nodes: tuple[tuple[str, str], ...]
    links: tuple[Link, ...] = ()
    order: tuple[tuple[str, str, str], ...] = ()
    sizes: tuple[tuple[str, int, int], ...] = ()


_R, _E, _D = "rectangle", "ellipse", "rhombus"


def _boxes(names: str) -> tuple[tuple[str, str], ...]:
    return tuple((n, _R) for n in names.split())


def _links(*pairs: str) -> tuple[Link, ...]:
    """``"A B"`` or ``"A B label"``."""
    split = [[*p.split(), ""] for p in pairs]
    return tuple((p[0], p[1], p[2]) for p in split)


_BOSSES: Final = ("Q1", "Q1", "Q1", "Q2", "Q2", "Q3", "Q3", "Q4", "Q4")
_STAFF: Final = ("Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10")

DRAWINGS: Final[tuple[Drawing, ...]] = (
    Drawing(name="place-box", group="place", say=('add a box "ALPHA"',), nodes=_boxes("ALPHA")),
    Drawing(name="place-ellipse", group="place", say=('add an ellipse "Beta"',), nodes=(("Beta", _E),)),
    Drawing(
        name="place-three",
        group="place",
        say=('add a box "A1"; add a diamond "B2"; add an ellipse "C3"',),
        nodes=(("A1", _R), ("B2", _D), ("C3", _E)),
    ),
    Drawing(
        name="place-beside",
        group="place",
        say=('add a box "HOME"; add a box "SHOP" right of HOME',),
        nodes=_boxes("HOME SHOP"),
        order=(("HOME", "left of", "SHOP"),),
    ),
    Drawing(name="label-accents", group="label", say=('add a box "GRÖSSE Ñ"',), nodes=(("GRÖSSE Ñ", _R),)),
    Drawing(name="label-markup", group="label", say=('add a box "A < B & C"',), nodes=(("A < B & C", _R),)),
    Drawing(name="label-script", group="label", say=('add an ellipse "日本語 Ж"',), nodes=(("日本語 Ж", _E),)),
    Drawing(
        name="rename", group="label", say=('add a box "OLD"', 'rename OLD to "Straße 42"'), nodes=(("Straße 42", _R),)
    ),
    Drawing(
        name="connect-two",
        group="connect",
        say=('add a box "IN"; add a box "OUT" right of IN', "connect IN to OUT"),
        nodes=_boxes("IN OUT"),
        links=_links("IN OUT"),
    ),
    Drawing(
        name="connect-label",
        group="connect",
        say=('add a box "IN"; add a box "OUT" below IN', 'connect IN to OUT as "yes"'),
        nodes=_boxes("IN OUT"),
        links=_links("IN OUT yes"),
    ),
    Drawing(
        name="move-below",
        group="move",
        say=('add a box "A1"; add a box "B2" right of A1', "move B2 below A1"),
        nodes=_boxes("A1 B2"),
        order=(("A1", "above", "B2"),),
    ),
    Drawing(
        name="move-connected",
        group="move",
        say=("A1 -> B2", "move B2 right of A1"),
        nodes=_boxes("A1 B2"),
        links=_links("A1 B2"),
        order=(("A1", "left of", "B2"),),
    ),
    Drawing(
        name="resize",
        group="resize",
        say=('add a box "BIG"', "resize BIG to 200 x 100"),
        nodes=_boxes("BIG"),
        sizes=(("BIG", 200, 100),),
    ),
    Drawing(
        name="extend-chain",
        group="extend",
        say=("A1 -> B2", 'add a box "C3" right of B2; connect B2 to C3'),
        nodes=_boxes("A1 B2 C3"),
        links=_links("A1 B2", "B2 C3"),
        order=(("B2", "left of", "C3"),),
    ),
    Drawing(
        name="delete-end",
        group="delete",
        say=("A1 -> B2 -> C3", "delete C3"),
        nodes=_boxes("A1 B2"),
        links=_links("A1 B2"),
    ),
    Drawing(
        name="delete-connector", group="delete", say=("A1 -> B2", "delete connector A1 -> B2"), nodes=_boxes("A1 B2")
    ),
    Drawing(
        name="undo-delete",
        group="undo",
        say=("A1 -> B2", "delete B2; undo"),
        nodes=_boxes("A1 B2"),
        links=_links("A1 B2"),
    ),
    Drawing(
        name="flow-decision",
        group="flowchart",
        say=("Flowchart: Start (ellipse) -> Ready (decision) -yes-> Ship",),
        nodes=(("Start", _E), ("Ready", _D), ("Ship", _R)),
        links=_links("Start Ready", "Ready Ship yes"),
    ),
    Drawing(
        name="flow-branch",
        group="flowchart",
        say=("Check (decision) -yes-> Go; Check -no-> Stop",),
        nodes=(("Check", _D), ("Go", _R), ("Stop", _R)),
        links=_links("Check Go yes", "Check Stop no"),
    ),
    Drawing(
        name="org-chart",
        group="org chart",
        say=("Org chart: CEO > CTO, CFO, COO",),
        nodes=_boxes("CEO CTO CFO COO"),
        links=_links("CEO CTO", "CEO CFO", "CEO COO"),
    ),
    Drawing(
        name="ring-four",
        group="ring",
        say=("ring of N1, E2, S3, W4",),
        nodes=_boxes("N1 E2 S3 W4"),
        links=_links("N1 E2", "E2 S3", "S3 W4", "W4 N1"),
    ),
    Drawing(
        name="star-four",
        group="star",
        say=("star with hub HUB and A1, B2, C3, D4",),
        nodes=_boxes("HUB A1 B2 C3 D4"),
        links=_links("HUB A1", "HUB B2", "HUB C3", "HUB D4"),
    ),
    Drawing(
        name="er-places",
        group="ER diagram",
        say=("Customer -> Places (diamond) -> Order",),
        nodes=(("Customer", _R), ("Places", _D), ("Order", _R)),
        links=_links("Customer Places", "Places Order"),
    ),
    Drawing(
        name="edit-rename-delete",
        group="edit",
        say=("A1 -> B2 -> C3", 'rename A1 to "ZERO"; delete C3'),
        nodes=_boxes("ZERO B2"),
        links=_links("ZERO B2"),
    ),
    Drawing(
        name="ten-objects",
        group="flowchart",
        say=("; ".join(f"{a} -> {b}" for a, b in zip(_BOSSES, _STAFF, strict=True)),),
        nodes=_boxes(" ".join(("Q1", *_STAFF))),
        links=tuple((a, b, "") for a, b in zip(_BOSSES, _STAFF, strict=True)),
    ),
)
"""The tasks, simple ones first."""
