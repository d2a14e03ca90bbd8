"""What a detector adds to shapes and text: controls that no shape outlines, and roles that geometry cannot tell.

Outlines are exact to the pixel and a detector's boxes are not, so where both see a control the outline stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import iou_matrix
from cuakit.perceive.merge import coverage
from cuakit.perceive.roles import ACTIONS

ECHO: Final = 0.4
"""IoU from which a shape and a detected control are one."""

MARKS: Final = frozenset({"checkbox", "radio", "switch"})

LABEL_PT: Final = 14.0
"""Widest gap between a mark and its label, in points."""

TELLS: Final = MappingProxyType({"link": 0.35, "textbox": 0.65, "combobox": 0.65})
"""Role → least score from which the detector's word counts, chosen on the validation applications."""

TOLD: Final = MappingProxyType(
    {
        "link": frozenset({"text"}),
        "textbox": frozenset({"button", "icon", "link", "tab"}),
        "combobox": frozenset({"button", "icon", "link", "tab"}),
    }
)
"""Role → roles from geometry that it corrects."""


def unclaimed(shapes: Sequence[Candidate], lines: Candidates, found: Candidates, *, scale: float) -> Candidates:
    """Detected controls, text aside, that nothing else tells of: no outline, no link, no mark with its label.

    Args:
        shapes: From contours, and icons of another detector.
        lines: Lines of text, among them links that are known to the letter.
        found: Detected controls.
        scale: Pixels per point.
    """
    controls = Candidates(c for c in found if c.role != "text")
    boxes, own = _corners(controls), _corners(shapes)
    marks = own[[s.role in MARKS for s in shapes]]
    links = _corners(Candidates(c for c in lines if c.role == "link"))
    reasons = [
        iou_matrix(boxes, own).max(axis=1, initial=0) >= ECHO,
        (coverage(links, boxes) >= 0.7).any(axis=0),
        (coverage(marks, boxes) >= 0.9).any(axis=0),
        _beside(marks, boxes, LABEL_PT * scale),
    ]
    claimed = np.logical_or.reduce(reasons)
    return Candidates(c for c, known in zip(controls, claimed, strict=True) if not known)


def _beside(marks: NDArray[np.float64], boxes: NDArray[np.float64], gap: float) -> NDArray[np.bool_]:
    """Boxes that begin on a mark or right of it, on its level, as its label does."""
    left = boxes[None, :, 0]
    level = np.abs((boxes[:, 1] + boxes[:, 3])[None] - (marks[:, 1] + marks[:, 3])[:, None]) / 2
    high = np.maximum(boxes[:, 3] - boxes[:, 1], 1)[None]
    starts = (left >= marks[:, None, 0]) & (left <= marks[:, None, 2] + gap)
    beside: NDArray[np.bool_] = np.any(starts & (level <= 0.4 * high), axis=0)
    return beside


def with_told_roles(rows: Candidates, seen: Candidates) -> Candidates:
    """Rows whose role the detector knows better: links among text, fields among buttons.

    Args:
        rows: Candidates with the roles that geometry told.
        seen: Everything that the detector saw, however faintly.
    """
    links = [c.box for c in rows if c.role == "link"]
    sure = [
        c
        for c in seen
        if c.score >= TELLS.get(c.role, 2)
        and not (c.role == "link" and any(c.box.intersect(b).area > 0.5 * b.area for b in links))
    ]
    if not sure or not len(rows):
        return rows
    overlap = iou_matrix(_corners(rows), np.array([c.box.xyxy for c in sure]))
    best = overlap.argmax(axis=1)
    return Candidates(
        _told(row, sure[k].role) if overlap[i, k] >= 0.5 else row
        for i, (row, k) in enumerate(zip(rows, best, strict=True))
    )


def _told(row: Candidate, role: str) -> Candidate:
    if row.role not in TOLD[role] or row.source == "detector":
        return row
    value = row.text if role != "link" and not row.value else row.value
    return replace(row, role=role, value=value, actions=ACTIONS[role])


def _corners(found: Iterable[Candidate]) -> NDArray[np.float64]:
    return np.array([c.box.xyxy for c in found], np.float64).reshape(-1, 4)
