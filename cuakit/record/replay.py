"""Steps again from their rows, so that what was recorded can be shown and replayed like what just happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np

from cuakit.core.action import action_from_dict
from cuakit.core.decision import Answer, Decision
from cuakit.core.errors import RecordError
from cuakit.core.lease import Target
from cuakit.core.observation import Observation
from cuakit.core.outcome import Escalation, Evidence, Receipt, Settled, Verdict
from cuakit.core.screenshot import Screenshot
from cuakit.core.timing import Span
from cuakit.core.trajectory import Step
from cuakit.record.blobs import Blobs
from cuakit.record.rows import candidates


def step(row: Mapping[str, Any], blobs: Blobs) -> Step:
    """The step of a row. Secrets stay replaced, and times of day are gone: spans begin at 0.

    A frame that is missing or damaged becomes a grey one whose source says so.

    Raises:
        RecordError: The row is no step.
    """
    try:
        return Step(
            index=row["index"],
            observation=_observation(row, blobs),
            decision=_decision(row["decision"]),
            receipt=_receipt(row["receipt"]) if "receipt" in row else None,
            settled=Settled(**row["settled"]) if "settled" in row else None,
            verdict=Verdict(**row["verdict"]) if "verdict" in row else None,
            spans=tuple(Span(name, 0, round(ms * 1e6)) for name, ms in row["spans"].items()),
        )
    except (KeyError, TypeError, ValueError) as wrong:
        raise RecordError(f"not a step row: {wrong!r}", hint="was the ledger written by another version?") from wrong


def _observation(row: Mapping[str, Any], blobs: Blobs) -> Observation:
    seen = row["observation"]
    return Observation(
        screenshot=_frame(seen, blobs),
        candidates=candidates(row),
        target=Target(**seen["live"]),
        capture_id=seen.get("capture_id", ""),
        title=seen.get("title", ""),
        context=MappingProxyType(dict(seen.get("context", {}))),
    )


def _frame(seen: Mapping[str, Any], blobs: Blobs) -> Screenshot:
    try:
        pixels, source = blobs.get(seen["frame"]).pixels, seen.get("shot_source", "")
    except (KeyError, RecordError) as lost:
        width, height = seen["size"]
        pixels = np.full((height, width, 3), 225, np.uint8)
        source = lost.error_code if isinstance(lost, RecordError) else "frame_not_kept"
    return Screenshot(pixels=pixels, scale=seen["scale"], source=source)


def _decision(data: Mapping[str, Any]) -> Decision:
    known = _known(Decision, data)
    answers = {name: Answer(**a) for name, a in data.get("answers", {}).items()}
    action = action_from_dict(data["action"]) if data.get("action") else None
    return Decision(**known | {"answers": answers, "action": action})


def _receipt(data: Mapping[str, Any]) -> Receipt:
    known = _known(Receipt, data)
    known["evidence"] = tuple(Evidence(**e) for e in data.get("evidence", ()))
    known["escalation"] = Escalation(**data["escalation"]) if data.get("escalation") else None
    return Receipt(**known)


def _known(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(kind)}
    return {k: v for k, v in data.items() if k in names}
