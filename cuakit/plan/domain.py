"""The contract of a domain plug-in: what a canvas application is made of, and nothing about plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cuakit.core.action import Fraction
from cuakit.core.candidate import Candidate
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.plan.arguments import Words
from cuakit.plan.effects import Board
from cuakit.plan.tools import Catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a domain sees on one frame.

    Args:
        canvas: The drawing area, as a candidate.
        shapes: Shapes on it, named by outline; ids are of no account.
        chrome: Parts of the application that tools act on, such as palette entries ``shape:Ellipse``.
    """

    canvas: Candidate
    shapes: tuple[Candidate, ...]
    chrome: tuple[Candidate, ...]


class Domain(Protocol):
    """One canvas application."""

    @property
    def name(self) -> str:
        """Identifier."""

    @property
    def words(self) -> Words:
        """Its shapes and their other names."""

    @property
    def catalogue(self) -> Catalogue:
        """Its tools."""

    def see(self, shot: Screenshot) -> Sight:
        """Look at a frame.

        Raises:
            UsageError: The canvas is not in sight (``canvas_not_found``).
        """

    def board(self, canvas: Box) -> Board:
        """Sizes that new shapes get, and the visible canvas, in points."""

    def drop(self, box: Box) -> tuple[float, float]:
        """Where the pointer must let go of a palette entry for it to land on a box, in points."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that an atom acts on: always inside a candidate."""

    target: str
    at: Fraction | None = None


def inside(candidates: Sequence[Candidate], x: float, y: float, canvas: Candidate) -> Spot:
    """The spot at a point in pixels: within an object if one covers it, else on the canvas."""
    for candidate in reversed(candidates):
        b = candidate.box
        if candidate.id.startswith("obj_") and b.left <= x <= b.right and b.top <= y <= b.bottom and b.area:
            return Spot(candidate.id, ((x - b.left) / b.width, (y - b.top) / b.height))
    b = canvas.box
    clamp = (min(1.0, max(0.0, (x - b.left) / b.width)), min(1.0, max(0.0, (y - b.top) / b.height)))
    return Spot(canvas.id, clamp)
