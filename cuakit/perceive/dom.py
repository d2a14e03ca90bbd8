"""Objects of a live page, read from its document in one script call.

The script sees what a person could use: open shadow roots and same-origin frames, hit-tested, named by the
accessible-name rules. Text of the page is data; none of it is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, ClassVar, Final, Protocol

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot

HANDLE: Final = "globalThis[Symbol.for('cuakit.dom')]"
"""JavaScript expression for the reader in a page; ``.element(key)`` gives the node behind ``dom:<key>``."""

_PARTS: Final = ("tools", "names", "roles", "hits", "walk")


class Scriptable(Protocol):
    """A page that evaluates JavaScript in its main frame."""

    def evaluate(self, expression: str, *, inspector: bool = False) -> Any:
        """Value of an expression; with ``inspector``, the inspector's helper functions are in scope."""


@dataclass(frozen=True, kw_only=True)
class DomElements:
    """Elements and text lines of a page.

    Elements that something covers have the state ``occluded`` and offer no action, as do those out of view
    (``offscreen``). ``hit`` is a point that reaches the element. Values of secret fields never leave the page.
    Cross-origin frames and closed shadow roots are not seen.

    Args:
        text: Whether lines of text that name no control are listed, with role ``text`` or ``heading``.
        offscreen: Operable elements out of view that are listed at most.
        limit: Candidates at most.
    """

    stage_id: ClassVar[str] = "dom-v1"

    text: bool = True
    offscreen: int = 100
    limit: int = 3000

    def bind(self, page: Scriptable) -> Callable[[Screenshot], Candidates]:
        """A callable that reads ``page``; boxes are in the pixels of the screenshot that it is given."""
        options = json.dumps({"text": self.text, "offscreen": self.offscreen, "limit": self.limit})

        def read(shot: Screenshot) -> Candidates:
            call = f"{HANDLE}?.read({options})"
            found = page.evaluate(call)
            if found is None:  # a new document
                found = page.evaluate(f"{reader_source()}\n{call}", inspector=True)
            return to_candidates(found["rows"], shot.scale)

        return read


@cache
def reader_source() -> str:
    """Source of the reader, which installs itself once per document."""
    folder = resources.files("cuakit.perceive").joinpath("dom_reader")
    parts = "\n".join(folder.joinpath(f"{name}.js").read_text("utf-8") for name in _PARTS)
    return f'(() => {{\n"use strict";\nif ({HANDLE}) return;\n{parts}\n}})();'


def to_candidates(rows: Sequence[Sequence[Any]], scale: float) -> Candidates:
    """Candidates from the reader's rows.

    Args:
        rows: key, role, name, text, value, left, top, right, bottom, hit x, hit y, actions, states, parent, score;
            lengths in CSS pixels, parent as a row number or -1.
        scale: Physical pixels per CSS pixel.
    """
    return Candidates.numbered(_candidate(i, row, scale, len(rows)) for i, row in enumerate(rows))


def _candidate(index: int, row: Sequence[Any], scale: float, count: int) -> Candidate:
    key, role, name, text, value, left, top, right, bottom, hit_x, hit_y, actions, states, parent, score = row
    return Candidate(
        id=f"r{index}",
        box=Box(left * scale, top * scale, right * scale, bottom * scale),
        role=role,
        name=name,
        text=text,
        value=value,
        source="dom",
        score=score,
        actions=tuple(actions.split()),
        states=tuple(states.split()),
        parent=f"r{parent}" if 0 <= parent < count else "",
        hit=None if hit_x is None else Point(hit_x * scale, hit_y * scale),
        provenance=(f"dom:{key}",),
    )
