"""What draw.io is asked to do in the quickstart, and how its document must look afterwards.

A seed fixes which option, shape or label an instance is about. An instance is solved only if the document is exactly
as asked: what was asked for is there, and nothing else changed.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final
from xml.sax.saxutils import quoteattr

from cuakit.core.subtask import Subtask
from cuakit.envs.drawio.document import Cell, Document

Check = Callable[[Document, Document], bool]
"""Takes the document before and after, returns whether the task is done."""

OPTIONS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "Grid": ("grid", "0"),
        "Page View": ("page", "0"),
        "Shadow": ("shadow", "1"),
        "Connection Arrows": ("arrows", "0"),
        "Connection Points": ("connect", "0"),
        "Guides": ("guides", "0"),
    }
)
"""Name in the Diagram panel → attribute of the document, and its value after the switch."""

SHAPES: Final = ("Rectangle", "Ellipse", "Rhombus")
"""Shapes of the menu Arrange > Insert."""

LABELS: Final = (
    "GRÖSSE",
    "Straße 42",
    "NAÏVE CAFÉ",
    "ŁÓDŹ – PÓŁNOC",
    "SEÑAL Nº 7",
    "Ελλάδα",
    "ПРИВЕТ Мир",
    "日本語",
    "A < B & C",
    "x² ≥ 0",
    "ÅNGSTRÖM",
    "Überblick (NEU)",
)
"""Labels to type exactly: upper case, accents, other scripts, and characters that mark-up would eat."""

NAMES: Final = ("ALPHA", "BRAVO", "DELTA", "KILO", "LIMA", "OSCAR", "SIERRA", "TANGO", "VICTOR", "ZULU")
"""Labels of shapes that are there already: distinct and plain, so that they can be read from pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One task with its seed applied.

    Args:
        subtask: What the agent is told. ``metadata`` holds what the oracle needs and is not shown to a model.
        start: Diagram to start from, as XML; empty for an empty one.
        check: The judge.
    """

    subtask: Subtask
    start: str = ""
    check: Check


def switch_option(rng: Random) -> Instance:
    """Switch one option of the Diagram panel, and nothing else."""
    name = rng.choice(list(OPTIONS))
    attribute, value = OPTIONS[name]

    def check(before: Document, after: Document) -> bool:
        return after.settings == {**before.settings, attribute: value} and after.cells == before.cells

    way = "on" if value == "1" else "off"
    return Instance(
        subtask=Subtask(
            goal=f'Switch the option "{name}" {way}.',
            verification=(f'The option "{name}" is {way}',),
            max_actions=5,
            metadata={"option": name},
        ),
        check=check,
    )


def insert_shape(rng: Random) -> Instance:
    """Insert one shape through the menu."""
    shape = rng.choice(SHAPES)

    def check(before: Document, after: Document) -> bool:
        return after.settings == before.settings and _only(after, shape, label="")

    return Instance(
        subtask=Subtask(
            goal=f"Use the menu once: Arrange > Insert > {shape}.",
            verification=(f"The diagram holds one {shape.lower()} and nothing else",),
            max_actions=10,
            metadata={"shape": shape},
        ),
        check=check,
    )


def label_shape(rng: Random) -> Instance:
    """Insert one shape and type its label exactly."""
    shape, label = rng.choice(SHAPES), rng.choice(LABELS)

    def check(before: Document, after: Document) -> bool:
        return after.settings == before.settings and _only(after, shape, label=label)

    return Instance(
        subtask=Subtask(
            goal=f"Use the menu once: Arrange > Insert > {shape}. Then type the label into it.",
            verification=(f"The diagram holds one {shape.lower()} that is labelled exactly as given",),
            inputs={"label": label},
            max_actions=15,
            metadata={"shape": shape},
        ),
        check=check,
    )


def rename_shape(rng: Random) -> Instance:
    """Give one of three labelled shapes another label."""
    names, label = rng.sample(NAMES, 3), rng.choice(LABELS)
    old = names[rng.randrange(3)]

    def check(before: Document, after: Document) -> bool:
        wanted = [(label if c.label == old else c.label, c.box, c.shape) for c in before.cells]
        return after.settings == before.settings and [(c.label, c.box, c.shape) for c in after.cells] == wanted

    return Instance(
        subtask=Subtask(
            goal=f"Double-click {old} and replace its label.",
            verification=(f"The shape that was called {old} has the label given, and nothing else changed",),
            inputs={"label": label},
            max_actions=15,
            metadata={"name": old},
        ),
        start=three_shapes(names),
        check=check,
    )


def delete_shape(rng: Random) -> Instance:
    """Delete one of three labelled shapes."""
    names = rng.sample(NAMES, 3)
    victim = names[rng.randrange(3)]

    def check(before: Document, after: Document) -> bool:
        rest = tuple(c for c in before.cells if c.label != victim)
        return after.settings == before.settings and after.cells == rest

    return Instance(
        subtask=Subtask(
            goal=f"Click {victim}, then use the menu: Edit > Delete.",
            verification=(f"The shape {victim} is gone, and nothing else changed",),
            allowed_risks=frozenset({"delete"}),
            max_actions=10,
            metadata={"name": victim},
        ),
        start=three_shapes(names),
        check=check,
    )


TASKS: Final[Mapping[str, Callable[[Random], Instance]]] = MappingProxyType(
    {
        "switch-option": switch_option,
        "insert-shape": insert_shape,
        "label-shape": label_shape,
        "rename-shape": rename_shape,
        "delete-shape": delete_shape,
    }
)
"""Task name → maker of an instance."""


def instance(task: str, seed: int) -> Instance:
    """The instance of a task for a seed; equal arguments give equal instances.

    Raises:
        KeyError: No such task.
    """
    return TASKS[task](Random(f"{task}:{seed}"))


def three_shapes(names: list[str]) -> str:
    """XML of a diagram with a rectangle per name, side by side in the upper part of the page."""
    cells = "".join(
        f'<mxCell id="s{i}" value={quoteattr(html.escape(name))} style="rounded=0;whiteSpace=wrap;html=1;" vertex="1" '
        f'parent="1"><mxGeometry x="{40 + 180 * i}" y="{140 + 120 * (i % 2)}" width="140" height="60" as="geometry"/>'
        "</mxCell>"
        for i, name in enumerate(names)
    )
    return f'<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>{cells}</root></mxGraphModel>'


def _only(document: Document, shape: str, *, label: str) -> bool:
    match document.cells:
        case (Cell(kind="vertex", parent="1") as cell,):
            return cell.shape == shape.lower() and cell.label == label
        case _:
            return False
