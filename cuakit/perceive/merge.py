"""Rows of several sources that are one element become one row; and the box arithmetic for that, in blocks of memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import iou_matrix

RANK: Final = {
    s: i for i, s in enumerate(("accessibility", "dom", "detector", "omniparser", "fused", "contours", "ocr"))
}
"""Whose role and box win when sources agree on an element: what the application says, then models, then geometry."""

SAME: Final = 0.6
"""IoU from which two boxes of different sources are one element."""

TEXTS: Final = frozenset({"text", "heading", "link"})
"""Roles of pieces of text; a piece of text and a control are never one element, one is inside the other."""

BLOCK: Final = 512
"""Rows compared at once: 10 000 rows against 10 000 need 40 MB at a time instead of 800."""


def is_line(row: Candidate) -> bool:
    """Whether a row is a piece of text that was read. A link that a detector saw is a control, whatever it says."""
    return row.role in TEXTS and row.source != "detector"


def blocks(count: int) -> Iterator[slice]:
    """Consecutive ranges of :data:`BLOCK` rows."""
    return (slice(at, at + BLOCK) for at in range(0, count, BLOCK))


def coverage(inner: NDArray[np.float64], outer: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, M) share of each inner box that lies in each outer box."""
    low = np.maximum(inner[:, None, :2], outer[None, :, :2])
    high = np.minimum(inner[:, None, 2:], outer[None, :, 2:])
    sides = np.clip(high - low, 0, None)
    area = (inner[:, 2:] - inner[:, :2]).prod(axis=1)
    share: NDArray[np.float64] = sides[..., 0] * sides[..., 1] / np.maximum(area, 1e-9)[:, None]
    return share


def merge_sources(tables: Sequence[Candidates]) -> list[Candidate]:
    """Rows of all tables, those that sources agree on merged; ids made unique, parents forgotten.

    Args:
        tables: Candidates of any sources on the same frame; rows of one table are never merged with each other.
    """
    rows = [replace(r, id=f"{t}.{r.id}", parent="") for t, table in enumerate(tables) for r in table]
    twins = _twins(tables, rows)
    order = sorted(range(len(rows)), key=lambda i: (RANK[rows[i].source], -rows[i].score))
    into: dict[int, int] = {}
    merged: dict[int, Candidate] = {}
    for i in order:
        at = next((into[k] for k in twins.get(i, ()) if k in into), None)
        if at is None:
            merged[i], into[i] = rows[i], i
        else:
            merged[at], into[i] = joined(merged[at], rows[i]), at
    return [merged[i] for i in range(len(rows)) if i in merged]


def _twins(tables: Sequence[Candidates], rows: Sequence[Candidate]) -> dict[int, list[int]]:
    """Row → rows of other tables with the same extent and kind, the best match first."""
    if len([t for t in tables if len(t)]) < 2:
        return {}
    origin = np.array([t for t, table in enumerate(tables) for _ in table])
    kind = np.array([is_line(r) for r in rows])
    boxes = np.array([r.box.xyxy for r in rows])
    out: dict[int, list[int]] = {}
    for part in blocks(len(rows)):
        other = (origin[part, None] != origin[None]) & (kind[part, None] == kind[None])
        if not other.any():
            continue
        overlap = np.where(other, iou_matrix(boxes[part], boxes), 0.0)
        for i in np.flatnonzero((overlap >= SAME).any(axis=1)):
            near = np.flatnonzero(overlap[i] >= SAME)
            out[part.start + int(i)] = near[np.argsort(-overlap[i, near], kind="stable")].tolist()
    return out


def joined(first: Candidate, second: Candidate) -> Candidate:
    """One row from two sources of one element; ``first`` has the better rank."""
    vague = first.role in ("unknown", "icon")
    return replace(
        first,
        role=second.role if vague and second.role != "unknown" else first.role,
        name=first.name or second.name,
        text=first.text or second.text,
        value=first.value or second.value,
        score=max(first.score, second.score),
        actions=tuple(dict.fromkeys((*first.actions, *second.actions))),
        states=tuple(dict.fromkeys((*first.states, *second.states))),
        hit=first.hit or second.hit,
        provenance=tuple(dict.fromkeys((*first.provenance, *second.provenance))),
    )
