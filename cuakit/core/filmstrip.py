"""A run as a strip of small pictures: what was seen, where the action went, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from PIL import Image, ImageDraw

from cuakit.core.action import action_dict
from cuakit.core.geometry import Box, Point
from cuakit.core.html import data_uri

if TYPE_CHECKING:
    from cuakit.core.observation import Observation
    from cuakit.core.trajectory import Step, Trajectory

Tone = Literal["done", "idle", "refused"]

WIDTH: Final = 320
"""Width of one picture in pixels; a screen of 1280 is readable at a quarter."""

COLORS: Final[dict[Tone, str]] = {"done": "#1a7f37", "idle": "#6e7781", "refused": "#cf222e"}

_STYLE: Final = (
    "<style>.ck-f{display:flex;flex-wrap:wrap;gap:10px;font:13px system-ui,sans-serif}"
    ".ck-f figure{margin:0;width:min(240px,100%)}.ck-f img{width:100%;display:block;border:1px solid #8888}"
    ".ck-f figcaption{overflow-wrap:anywhere}</style>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One picture of the strip.

    Args:
        picture: Already marked, any size.
        head: What was chosen.
        foot: What became of it.
        tone: Decides the colour of the mark and of ``foot``.
    """

    picture: Image.Image
    head: str
    foot: str = ""
    tone: Tone = "done"


def mark(
    picture: Image.Image, box: Box | None, point: Point | None, tone: Tone = "done", *, width: int = WIDTH
) -> Image.Image:
    """A smaller copy with the target framed and the place of the action as a cross.

    Args:
        picture: The whole frame.
        box: Target in the frame's pixels; None when nothing was aimed at.
        point: Where the action went, in the frame's pixels.
        tone: Colour of the mark.
        width: Width of the copy in pixels; a smaller picture is not enlarged.
    """
    ratio = min(1.0, width / picture.width)
    small = picture.convert("RGB").resize((max(1, round(picture.width * ratio)), max(1, round(picture.height * ratio))))
    pen = ImageDraw.Draw(small)
    if box is not None:
        left, top, right, bottom = (v * ratio for v in box.xyxy)
        for grown, color in ((3, "white"), (2, COLORS[tone]), (1, COLORS[tone])):
            pen.rectangle((left - grown, top - grown, right + grown, bottom + grown), outline=color)
    if point is not None:
        x, y = point.x * ratio, point.y * ratio
        for color, thick in (("white", 4), (COLORS[tone], 2)):
            pen.line((x - 7, y, x + 7, y), fill=color, width=thick)
            pen.line((x, y - 7, x, y + 7), fill=color, width=thick)
    return small


def said(step: Step) -> str:
    """What a step chose, in a few words: ``2 · click 'Send' (c05)``."""
    action = step.decision.action
    if action is None:
        return f"{step.index + 1} · {step.decision.outcome}"
    fields = action_dict(action)
    words = [f"{step.index + 1} · {action.kind.replace('_', ' ')}"]
    words += [repr(str(fields[k])[:40]) for k in ("text", "value", "key") if fields.get(k)]
    words += ["+".join(fields["keys"])] if fields.get("keys") else []
    words += [_named(step.observation, id) for k in ("target", "to") if (id := fields.get(k))]
    return " ".join(words)


def _named(seen: Observation, id: str) -> str:
    c = seen.candidates.get(id)
    return f"{c.label[:40]!r} ({id})" if c is not None and c.label else id


def became(step: Step) -> tuple[str, Tone]:
    """What became of a step, and the tone to say it in."""
    ms = sum(s.ms for s in step.spans)
    time = f" · {ms:.0f} ms" if ms else ""
    if step.receipt is None:
        return f"{step.decision.reason}{time}".removeprefix(" · "), "idle"
    if not step.receipt.injected:
        return f"refused: {step.receipt.code}{time}", "refused"
    seen = ", ".join(e.kind.replace("_", " ") for e in step.receipt.evidence)
    return f"{step.receipt.effect.replace('_', ' ')}{f' ({seen})' if seen else ''}{time}", "done"


def frame(step: Step, *, width: int = WIDTH) -> Frame:
    """The picture of one step."""
    foot, tone = became(step)
    id = getattr(step.decision.action, "target", "")
    target = step.observation.candidates.get(id) if id else None
    at = getattr(step.decision.action, "at", None)
    point = None if target is None else target.box.at(*at) if at else target.point
    shot = step.observation.screenshot.image()
    picture = mark(shot, target.box if target else None, point, tone, width=width)
    return Frame(picture=picture, head=said(step), foot=foot, tone=tone)


def filmstrip(frames: Sequence[Frame], *, caption: str = "", quality: int = 80) -> str:
    """Self-contained HTML of a strip, JPEG inside.

    Args:
        frames: In order.
        caption: Stands above.
        quality: Of the JPEG pictures, 1 to 95.
    """
    figures = "".join(
        f'<figure><figcaption><b>{escape(f.head)}</b></figcaption><img alt="{escape(f.head, quote=True)}" '
        f'src="{data_uri(f.picture, quality=quality)}">'
        f'<figcaption style="color:{COLORS[f.tone]}">{escape(f.foot)}</figcaption></figure>'
        for f in frames
    )
    head = f"<div><b>{escape(caption)}</b></div>" if caption else ""
    return f'{_STYLE}{head}<div class="ck-f">{figures}</div>'


def trajectory(run: Trajectory) -> str:
    """Film strip of a whole run, its end above it."""
    return filmstrip([frame(s) for s in run.steps], caption=f"{run.status}: {run.reason}")


def text(run: Trajectory) -> str:
    """The same in plain text, for a terminal."""
    lines = [f"Trajectory {run.status}: {run.reason}"]
    lines += [f"  {said(s)}: {became(s)[0]}" for s in run.steps]
    return "\n".join(lines)
