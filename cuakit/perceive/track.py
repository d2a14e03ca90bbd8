"""The same element keeps its id from frame to frame, also when it scrolled or moved a little."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import iou_matrix

NEAR: Final = 0.3
"""IoU, after the common shift is taken out, from which two boxes may be one element."""


def track(before: Candidates, after: Candidates, first_free: int) -> tuple[Candidates, int]:
    """Give the rows of a new frame the ids that they had.

    A row is the same when role and label agree and its box does too, where it was or shifted by as much as most labelled
    rows moved; or when its label is the only one of its kind on both frames; or when role and box agree and both have
    no label.

    Args:
        before: Rows of the earlier frame.
        after: Rows of the new frame, with ids of their own.
        first_free: Smallest number that no row has had yet.

    Returns:
        The new rows, in their order, with old ids where known and fresh ones (``c`` and a number) elsewhere, and the
        next free number. An id is never used again for something else.
    """
    matched = _match(before, after)
    names: dict[str, str] = {}
    for i, c in enumerate(after):
        if i in matched:
            names[c.id] = before[matched[i]].id
        else:
            names[c.id] = f"c{first_free:02d}"
            first_free += 1
    rows = (replace(c, id=names[c.id], parent=names.get(c.parent, "")) for c in after)
    return Candidates(rows), first_free


def _match(before: Candidates, after: Candidates) -> dict[int, int]:
    pairs: dict[int, int] = {}
    shifts = ((0.0, 0.0), shift_of(before, after))
    for dx, dy in dict.fromkeys(shifts):
        _greedy(before, after, np.array([dx, dy, dx, dy]), pairs)
    taken = set(pairs.values())
    old, new = _singles(before), _singles(after)
    for key, i in new.items():
        k = old.get(key)
        if i not in pairs and k is not None and k not in taken:
            pairs[i] = k
    return pairs


def _greedy(before: Candidates, after: Candidates, shift: NDArray[np.float64], pairs: dict[int, int]) -> None:
    """Pair rows of one role and label by overlap, the best first."""
    taken = set(pairs.values())
    old = _by_key([c if i not in taken else None for i, c in enumerate(before)])
    new = _by_key([c if i not in pairs else None for i, c in enumerate(after)])
    for key, rows in new.items():
        others = old.get(key, [])
        if not others:
            continue
        overlap = iou_matrix(after.boxes[rows], before.boxes[others] + shift)
        for at in np.argsort(-overlap, axis=None, kind="stable"):
            i, k = divmod(int(at), len(others))
            if overlap[i, k] < NEAR:
                break
            if rows[i] not in pairs and others[k] not in taken:
                pairs[rows[i]] = others[k]
                taken.add(others[k])


def _key(c: Candidate) -> tuple[str, str]:
    return c.role, c.label.casefold()


def _by_key(rows: Sequence[Candidate | None]) -> dict[tuple[str, str], list[int]]:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, c in enumerate(rows):
        if c is not None:
            groups[_key(c)].append(i)
    return groups


def _singles(table: Candidates) -> dict[tuple[str, str], int]:
    """Labelled rows that are the only one of their role and label."""
    return {key: rows[0] for key, rows in _by_key(list(table)).items() if len(rows) == 1 and key[1]}


def shift_of(before: Candidates, after: Candidates) -> tuple[float, float]:
    """The commonest movement of rows that have a label of their own, in whole pixels; (0, 0) when none is common."""
    old, new = _singles(before), _singles(after)
    moves = Counter(
        (round(after[i].box.left - before[old[key]].box.left), round(after[i].box.top - before[old[key]].box.top))
        for key, i in new.items()
        if key in old
    )
    moves.pop((0, 0), None)
    (best, votes), *_ = moves.most_common(1) or [((0, 0), 0)]
    return (float(best[0]), float(best[1])) if votes >= 2 else (0.0, 0.0)
