"""A trial as a row of small pictures: what was seen, where it acted, what came of it."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from PIL import Image, ImageDraw

from cuakit.core.errors import RecordError
from cuakit.core.trajectory import Trial
from cuakit.record.blobs import Blobs

WIDTH: Final = 320
"""Longest side of a thumbnail in pixels."""

MOST: Final = 24
"""Pictures in one strip at most; from a longer trial the first and last are shown."""

_GREY: Final = (140, 140, 150)
_RED: Final = (220, 20, 40)


def strip(trial: Trial, steps: Sequence[Mapping[str, Any]], blobs: Blobs) -> str:
    """A self-contained film strip.

    Args:
        trial: What it came to.
        steps: Its step rows.
        blobs: Where the frames are; a frame that is missing or damaged leaves a gap with a word.
    """
    shown, gap = _ends(steps, MOST)
    frames = [_figure(row, blobs) for row in shown]
    if gap:
        frames.insert(MOST // 2, f"<figure><figcaption>… {gap} more steps …</figcaption></figure>")
    return f'<div class="ck-strip">{_STYLE}{_headline(trial)}<div class="ck-film">{"".join(frames)}</div></div>'


_STYLE: Final = (
    "<style>.ck-film{display:flex;flex-wrap:wrap;gap:8px}.ck-film figure{margin:0;max-width:320px;"
    "font:12px system-ui,sans-serif}.ck-film img{max-width:100%;border:1px solid #bbb;display:block}</style>"
)


def _ends(steps: Sequence[Mapping[str, Any]], most: int) -> tuple[list[Mapping[str, Any]], int]:
    if len(steps) <= most:
        return list(steps), 0
    half = most // 2
    return [*steps[:half], *steps[-half:]], len(steps) - 2 * half


def _headline(trial: Trial) -> str:
    worth = f"score {trial.score:g}" if trial.score is not None else trial.outcome
    goal = str(trial.extra.get("goal", ""))
    why = trial.error or f"{trial.status} {trial.extra.get('reason', '')}"
    return (
        f"<div><b>{escape(trial.agent)}</b> on {escape(trial.task)}, seed {trial.seed}: <b>{escape(worth)}</b>, "
        f"{trial.actions} actions, {trial.seconds:.1f} s<br>{escape(goal)}<br><small>{escape(why)}</small></div>"
    )


def _figure(row: Mapping[str, Any], blobs: Blobs) -> str:
    return f"<figure>{_picture(row, blobs)}<figcaption>{escape(caption(row))}</figcaption></figure>"


def caption(row: Mapping[str, Any]) -> str:
    """One line on a step: what was decided on what, and what came of it."""
    decision, receipt = row["decision"], row.get("receipt") or {}
    action = decision.get("action")
    names = {c["id"]: c.get("name") or c.get("text") or c.get("role", "") for c in _candidates(row)}
    what = decision["outcome"]
    if action:
        target = action.get("target", "")
        what = f"{action['kind']} {target} {names.get(target, '')!r}"
        what += f" {action.get('text') or action.get('value') or action.get('key') or ''}"
    effect = " ".join(filter(None, (receipt.get("effect"), receipt.get("code"))))
    took = sum(row["spans"].values())
    return f"{row['index']}. {what.strip()}{' → ' + effect if effect else ''} · {took:.0f} ms"


def _candidates(row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = row["observation"].get("candidates", ())
    return found


def _picture(row: Mapping[str, Any], blobs: Blobs) -> str:
    digest = row["observation"].get("frame", "")
    if not digest:
        return "<div>(no frame kept)</div>"
    try:
        picture = blobs.get(digest).image()
    except RecordError as lost:
        return f"<div>({escape(lost.error_code)})</div>"
    small = thumbnail(picture, row)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=72)
    return f'<img loading="lazy" alt="step {row["index"]}" src="data:image/jpeg;base64,{b64encode(out.getvalue()).decode()}">'


def thumbnail(picture: Image.Image, row: Mapping[str, Any]) -> Image.Image:
    """The frame, at most :data:`WIDTH` pixels on its longer side, candidates outlined in grey and the target in red."""
    factor = min(1.0, WIDTH / max(picture.size))
    size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    small = picture.resize(size, Image.Resampling.LANCZOS).convert("RGB")
    pen = ImageDraw.Draw(small)
    action = row["decision"].get("action") or {}
    acted_on = {action.get("target"), action.get("to")}
    for c in sorted(_candidates(row), key=lambda c: c["id"] in acted_on):
        left, top, right, bottom = (v * factor for v in c["box"])
        chosen = c["id"] in acted_on
        pen.rectangle(
            (left, top, max(left, right - 1), max(top, bottom - 1)),
            outline=_RED if chosen else _GREY,
            width=2 if chosen else 1,
        )
    return small
