"""A run as a file: HTML to scroll through, or one PNG sheet."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from cuakit.core import filmstrip
from cuakit.core.errors import UsageError
from cuakit.core.filmstrip import Frame
from cuakit.core.trajectory import Trajectory
from cuakit.viz.files import document, write

GAP: Final = 10
LINE: Final = 16
COLUMNS: Final = 4


def save(run: Trajectory, path: str | Path) -> Path:
    """Write a film strip; the suffix decides: ``.html`` or ``.png``.

    Returns:
        The path.

    Raises:
        UsageError: Another suffix, or a sheet of a run without steps.
        RecordError: The file cannot be written.
    """
    return write(
        path,
        {
            ".html": lambda: document(f"{run.status}: {run.reason}", filmstrip.trajectory(run)),
            ".png": lambda: png([filmstrip.frame(s) for s in run.steps]),
        },
    )


def png(frames: Sequence[Frame], *, columns: int = COLUMNS) -> bytes:
    """One sheet with the frames in rows, what was chosen above each and what became of it below.

    Raises:
        UsageError: No frames.
    """
    if not frames:
        raise UsageError("a film strip needs at least one step", hint="the run ended before it saw anything")
    wide = max(f.picture.width for f in frames) + GAP
    high = max(f.picture.height for f in frames) + 2 * LINE + GAP
    rows = -(-len(frames) // columns)
    sheet = Image.new("RGB", (wide * min(columns, len(frames)) + GAP, high * rows + GAP), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(12)
    for i, f in enumerate(frames):
        x, y = GAP + wide * (i % columns), GAP + high * (i // columns)
        pen.text((x, y), _fit(pen, f.head, font, wide - GAP), fill="black", font=font)
        sheet.paste(f.picture, (x, y + LINE))
        foot = _fit(pen, f.foot, font, wide - GAP)
        pen.text((x, y + LINE + f.picture.height + 2), foot, fill=filmstrip.COLORS[f.tone], font=font)
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def _fit(pen: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    if pen.textlength(text, font=font) <= width:
        return text
    while text and pen.textlength(text + "…", font=font) > width:
        text = text[:-1]
    return text + "…"
