"""A recorded trial as a row of small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np

from cuakit.core import filmstrip
from cuakit.core.candidate import Candidates
from cuakit.core.screenshot import Screenshot
from cuakit.core.trajectory import Step, Trial

MOST: Final = 24
"""Pictures in one strip at most; from a longer trial the first and last are shown."""

_GREY: Final = (150, 150, 160)


def strip(trial: Trial, steps: Sequence[Step], *, quality: int = 75) -> str:
    """Self-contained HTML: what the trial came to, then its steps with candidates in grey and the target framed."""
    frames = [filmstrip.frame(_outlined(s)) for s in _ends(steps, MOST)]
    hidden = len(steps) - len(frames)
    note = f"<div>{hidden} steps in the middle are left out</div>" if hidden else ""
    return f"{headline(trial)}{note}{filmstrip.filmstrip(frames, quality=quality)}"


def headline(trial: Trial) -> str:
    """What was asked and what the trial came to, as HTML."""
    worth = f"score {trial.score:g}" if trial.score is not None else trial.outcome
    why = trial.error or f"{trial.status} {trial.extra.get('reason', '')}"
    return (
        f"<div><b>{escape(trial.agent)}</b> on {escape(trial.task)}, seed {trial.seed}: <b>{escape(worth)}</b>, "
        f"{trial.actions} actions, {trial.seconds:.1f} s<br>{escape(str(trial.extra.get('goal', '')))}<br>"
        f"<small>{escape(why)}</small></div>"
    )


def _ends(steps: Sequence[Step], most: int) -> list[Step]:
    return list(steps) if len(steps) <= most else [*steps[: most // 2], *steps[-(most // 2) :]]


def _outlined(step: Step) -> Step:
    seen = step.observation
    return replace(step, observation=replace(seen, screenshot=outlined(seen.screenshot, seen.candidates)))


def outlined(shot: Screenshot, candidates: Candidates) -> Screenshot:
    """The frame with a thin grey outline around each candidate."""
    pixels = np.array(shot.pixels)
    for c in candidates:
        left, top, right, bottom = c.box.clip(shot.width, shot.height).rounded()
        if right > left and bottom > top:
            pixels[top, left:right] = pixels[bottom - 1, left:right] = _GREY
            pixels[top:bottom, left] = pixels[top:bottom, right - 1] = _GREY
    return replace(shot, pixels=pixels)
