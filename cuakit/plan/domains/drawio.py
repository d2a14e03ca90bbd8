"""draw.io as a domain: its canvas by its grid, its palette by the fixed layout of the General section."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.canvas import CanvasShapes
from cuakit.plan.arguments import Words
from cuakit.plan.atoms import ATOMS
from cuakit.plan.domain import Sight
from cuakit.plan.effects import Board
from cuakit.plan.tools import Catalogue, load

_ROWS: Final = (
    ("Rectangle", "Rounded Rectangle", "", "", "Ellipse"),
    ("Square", "Circle", "", "Diamond", "Parallelogram"),
    ("Hexagon", "Triangle", "", "Cloud", "Document"),
    ("", "", "Step", "Trapezoid", "Tape"),
)
"""The General section, row by row; empty where a shape has lines inside, which the canvas reader would take apart."""

_FIRST: Final = (10.0, 103.0)
"""Top-left corner of the first entry, in points from the window's left and the canvas's top."""

_PITCH: Final = (36.0, 34.0)
"""Distance between entries, in points."""

_SIZES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "Ellipse": (120.0, 80.0),
        "Square": (80.0, 80.0),
        "Circle": (80.0, 80.0),
        "Diamond": (80.0, 80.0),
        "Hexagon": (120.0, 80.0),
        "Triangle": (60.0, 80.0),
        "Cloud": (120.0, 80.0),
        "Document": (120.0, 80.0),
        "Step": (120.0, 80.0),
        "Tape": (120.0, 100.0),
    }
)
"""Size that a shape has when it is dropped, where it is not 120 × 60 points."""

_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "box": "Rectangle",
        "process": "Rectangle",
        "rounded": "Rounded Rectangle",
        "rounded box": "Rounded Rectangle",
        "terminator": "Rounded Rectangle",
        "oval": "Ellipse",
        "rhombus": "Diamond",
        "decision": "Diamond",
        "data": "Parallelogram",
    }
)

_LEAST_INK: Final = 12
"""Pixels that must differ from the background for a palette entry to be there."""


@dataclass(frozen=True)
class DrawIoDomain:
    """draw.io at 100 % zoom, with its grid shown and the General section open."""

    name: str = "drawio"
    words: Words = field(
        default_factory=lambda: Words(shapes=tuple(n for r in _ROWS for n in r if n), aliases=_ALIASES)
    )
    shapes: CanvasShapes = field(default_factory=CanvasShapes)

    @cached_property
    def catalogue(self) -> Catalogue:
        """Atoms, and the tools of ``catalogue/drawio.json``."""
        return Catalogue.of((*ATOMS, *load(Path(__file__).parents[1] / "catalogue" / "drawio.json")))

    def see(self, shot: Screenshot) -> Sight:
        """Canvas, shapes and palette of a frame.

        Raises:
            UsageError: No grid is in sight (``canvas_not_found``).
        """
        found = self.shapes(shot)
        if not found:
            raise UsageError(
                "draw.io's canvas is not in sight: no grid was found",
                hint="close what covers it, and switch the grid on",
                code="canvas_not_found",
            )
        canvas, *shapes = found
        return Sight(canvas=canvas, shapes=tuple(shapes), chrome=tuple(_palette(shot, canvas)))

    def board(self, canvas: Box) -> Board:
        """Default sizes, and the canvas."""
        return Board(canvas=canvas, sizes=_SIZES)

    def drop(self, box: Box) -> tuple[float, float]:
        """draw.io puts the top-left corner of a dropped shape where the pointer is."""
        return box.left, box.top


def _palette(shot: Screenshot, canvas: Candidate) -> list[Candidate]:
    k, found = shot.scale, []
    for r, row in enumerate(_ROWS):
        for c, name in enumerate(row):
            left, top = (_FIRST[0] + c * _PITCH[0]) * k, canvas.box.top + (_FIRST[1] + r * _PITCH[1]) * k
            box = Box.from_xywh(left, top, _PITCH[0] * k, _PITCH[1] * k)
            if name and box.right < canvas.box.left and box.bottom < canvas.box.bottom and _drawn(shot, box):
                found.append(
                    Candidate(
                        id=f"shape:{name}",
                        box=box,
                        role="icon",
                        name=name,
                        source="contours",
                        actions=("click", "drag"),
                    )
                )
    return found


def _drawn(shot: Screenshot, box: Box) -> bool:
    pixels = shot.crop(box).astype(np.int16)
    return bool((np.abs(pixels - pixels[0, 0]).max(axis=2) > 60).sum() >= _LEAST_INK)
