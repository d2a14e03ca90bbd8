"""Taking secrets out of what is kept: from text exactly, from pictures where the text was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cuakit.core.candidate import Candidates
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask

_CLOSED: Final = frozenset(
    "id role source kind parent actions states outcome effect route delivery result frame capture_id target to".split()
)
"""Fields whose words come from a fixed vocabulary or from us, so that nothing on a screen can put a secret there."""

_FREE: Final = frozenset({"context", "needs_input", "answers", "evidence", "usage"})
"""Fields with free content, where even those words may hold a secret."""


def secret_values(subtask: Subtask) -> tuple[str, ...]:
    """The secret texts of a subtask, longest first, without empty ones."""
    values = {str(subtask.inputs[k]) for k in subtask.secret_inputs} - {""}
    return tuple(sorted(values, key=len, reverse=True))


def redact_tree(data: Any, subtask: Subtask) -> Any:
    """JSON data with every secret replaced, in free content also in keys; fields of fixed vocabulary are left alone."""
    return _clean(data, subtask, _CLOSED) if subtask.secret_inputs else data


def _clean(data: Any, subtask: Subtask, closed: frozenset[str]) -> Any:
    if isinstance(data, str):
        return subtask.redact(data)
    if isinstance(data, Mapping):
        return {
            key if closed else subtask.redact(key): value
            if key in closed and not isinstance(value, Mapping)
            else _clean(value, subtask, frozenset() if key in _FREE else closed)
            for key, value in data.items()
        }
    if isinstance(data, Sequence):
        return [_clean(value, subtask, closed) for value in data]
    return data


def redact_frame(shot: Screenshot, candidates: Candidates, subtask: Subtask) -> Screenshot:
    """The frame with a black box over every candidate that shows a secret; the same object when none does.

    What no perceiver has read cannot be found here. Password fields are drawn as dots by the application itself.
    """
    secrets = secret_values(subtask)
    shown = [c for c in candidates if any(s in field for s in secrets for field in (c.name, c.text, c.value))]
    if not shown:
        return shot
    pixels = np.array(shot.pixels)
    for c in shown:
        left, top, right, bottom = c.box.clip(shot.width, shot.height).rounded()
        pixels[top:bottom, left:right] = 0
    return Screenshot(
        pixels=pixels, scale=shot.scale, taken_ns=shot.taken_ns, source=shot.source, to_input=shot.to_input
    )
