"""Between core values and ledger rows. A row is plain JSON; what has its default value is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any, Final

from cuakit.core import codec
from cuakit.core.action import action_dict
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.observation import Observation
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step, Trial
from cuakit.record.redact import redact_tree

SCHEMA: Final = 1
"""Version of the row layout; a reader refuses newer ones."""

_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(
    {f.name: f.default for f in fields(Candidate) if f.default is not MISSING}
)


def step_row(step: Step, subtask: Subtask, frame: str = "") -> dict[str, Any]:
    """One step, without any secret of the subtask.

    Args:
        step: What happened.
        subtask: Names the secret inputs.
        frame: Digest under which the frame was kept; empty when it was not.

    Returns:
        ``index``, ``observation``, ``decision``, ``receipt``, ``settled``, ``verdict`` and ``spans`` (name → ms).
    """
    decision = codec.jsonable(step.decision)
    if step.decision.action is not None:
        decision["action"] = action_dict(step.decision.action, redact=subtask.secret_inputs)
    row = {
        "index": step.index,
        "observation": _observation(step.observation, frame),
        "decision": _lean(decision),
        "receipt": _lean(codec.jsonable(step.receipt)) if step.receipt else None,
        "settled": codec.jsonable(step.settled),
        "verdict": codec.jsonable(step.verdict),
        "spans": _spans(step),
    }
    clean: dict[str, Any] = redact_tree({k: v for k, v in row.items() if v is not None}, subtask)
    return clean


def _observation(seen: Observation, frame: str) -> dict[str, Any]:
    shot = seen.screenshot
    return _lean(
        {
            "frame": frame,
            "size": list(shot.size),
            "scale": shot.scale,
            "shot_source": shot.source,
            "live": codec.jsonable(seen.target),
            "capture_id": seen.capture_id,
            "title": seen.title,
            "context": codec.jsonable(seen.context),
            "candidates": [_candidate(c) for c in seen.candidates],
        }
    )


def _candidate(c: Candidate) -> dict[str, Any]:
    box = [round(v, 2) for v in c.box.xyxy]
    values = {name: getattr(c, name) for name, default in _DEFAULTS.items() if getattr(c, name) != default}
    return {"id": c.id, "box": box, **codec.jsonable(values)}


def _lean(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without empty entries at the top level."""
    return {k: v for k, v in data.items() if v not in ("", None, [], {})}


def _spans(step: Step) -> dict[str, float]:
    total: dict[str, float] = {}
    for span in step.spans:
        total[span.name] = round(total.get(span.name, 0.0) + span.ms, 3)
    return total


def candidates(row: Mapping[str, Any]) -> Candidates:
    """The candidates of a step row."""
    keys = ("left", "top", "right", "bottom")
    found = row["observation"].get("candidates", ())
    return Candidates(
        (codec.candidate_from_dict(c | {"box": dict(zip(keys, c["box"], strict=True))}) for c in found),
        check_parents=False,
    )


def trial_row(trial: Trial) -> dict[str, Any]:
    """One finished trial."""
    row: dict[str, Any] = codec.jsonable(trial)
    return row


def trial_from_row(row: Mapping[str, Any]) -> Trial:
    """Inverse of :func:`trial_row`; keys it does not know are the ledger's business and are left out.

    Raises:
        TypeError, ValueError: The row is no trial.
    """
    known = {f.name for f in fields(Trial)}
    values = {k: v for k, v in row.items() if k in known}
    return Trial(**values | {"extra": MappingProxyType(dict(values.get("extra", {})))})
