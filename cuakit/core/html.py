"""Self-contained HTML for notebooks and reports: strings in, strings out, no network, a text fallback always.

The numbered boxes are burnt into the picture, so that a viewer that strips SVG still shows them; hovering adds role,
name, source and score.
"""

from __future__ import annotations

import base64
import colorsys
import io
from html import escape
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from cuakit.core.candidate import Candidate, Candidates
    from cuakit.core.decision import Decision
    from cuakit.core.screenshot import Screenshot

MAX_DRAWN: Final = 2000
"""Boxes drawn at most; more would only hide the picture."""

_STYLE = (
    "<style>.ck-o{position:relative;display:inline-block;max-width:100%;font:13px system-ui,sans-serif}"
    ".ck-o img{display:block;max-width:100%;height:auto}.ck-o svg{position:absolute;inset:0;width:100%;height:100%}"
    ".ck-o rect{fill:transparent;stroke:transparent;stroke-width:2;vector-effect:non-scaling-stroke}"
    ".ck-o rect:hover{stroke:#e11;fill:#e112}.ck-t{border-collapse:collapse}"
    ".ck-t td,.ck-t th{padding:2px 8px;text-align:left}</style>"
)


def role_color(role: str) -> tuple[int, int, int]:
    """A steady, readable colour for a role word, RGB."""
    hue = (sum(ord(c) * (i + 7) for i, c in enumerate(role)) * 0.618034) % 1
    r, g, b = colorsys.hls_to_rgb(hue, 0.42, 0.85)
    return round(r * 255), round(g * 255), round(b * 255)


def draw(shot: Screenshot, candidates: Candidates) -> Image.Image:
    """The screenshot with numbered boxes, as a picture of the same size."""
    picture = shot.image().convert("RGB")
    pen = ImageDraw.Draw(picture)
    size = max(9, round(9 * shot.scale))
    font = ImageFont.load_default(size)
    line = max(1, round(shot.scale))
    for c in candidates[:MAX_DRAWN]:
        color = role_color(c.role)
        left, top, right, bottom = c.box.rounded()
        pen.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), outline=color, width=line)
        tag = c.id.lstrip("c0") or c.id
        width = pen.textlength(tag, font=font) + 3
        x = min(max(0, left), max(0, shot.width - width))
        y = top - size - 2 if top >= size + 2 else top
        pen.rectangle((x, y, x + width, y + size + 1), fill=color)
        pen.text((x + 1.5, y), tag, fill="white", font=font)
    return picture


def data_uri(picture: Image.Image, *, quality: int | None = None) -> str:
    """A ``data:`` URI: PNG, or JPEG at the given quality."""
    out = io.BytesIO()
    if quality is None:
        picture.save(out, "PNG", compress_level=3)
        kind = "png"
    else:
        picture.convert("RGB").save(out, "JPEG", quality=quality)
        kind = "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode()}"


def describe(c: Candidate) -> str:
    """One line on a candidate: id, role, name, source and score."""
    states = f" [{', '.join(c.states)}]" if c.states else ""
    value = f" = {c.value!r}" if c.value else ""
    return f"{c.id} {c.role} {c.label!r}{value}{states} · {c.source} {c.score:.2f}"


def overlay(shot: Screenshot, candidates: Candidates, *, caption: str = "", quality: int | None = None) -> str:
    """Picture with boxes burnt in and a hover layer on top."""
    rects = "".join(
        f'<rect x="{c.box.left:g}" y="{c.box.top:g}" width="{c.box.width:g}" height="{c.box.height:g}">'
        f"<title>{escape(describe(c))}</title></rect>"
        for c in sorted(candidates[:MAX_DRAWN], key=lambda c: -c.box.area)
    )
    head = f"<div>{escape(caption)}</div>" if caption else ""
    width = max(1, round(shot.width / shot.scale))
    return (
        f'{_STYLE}{head}<div class="ck-o"><img width="{width}" alt="{len(candidates)} candidates" '
        f'src="{data_uri(draw(shot, candidates), quality=quality)}">'
        f'<svg viewBox="0 0 {shot.width} {shot.height}" preserveAspectRatio="none">{rects}</svg></div>'
    )


def decision(made: Decision) -> str:
    """A decision with a bar per option, most probable first."""
    parts = [_STYLE, f"<div><b>{escape(repr(made.action) if made.action else made.outcome)}</b> ", escape(made.reason)]
    parts.append("</div>")
    for name, answer in made.answers.items():
        ranked = sorted(answer.probabilities.items(), key=lambda kv: -kv[1])[:12]
        rows = "".join(
            f"<tr><td>{escape(option)}</td><td><meter min=0 max=1 value={p:.4f}></meter></td><td>{p:.3f}</td></tr>"
            for option, p in ranked
        )
        parts.append(f'<table class="ck-t"><caption>{escape(name)} → {escape(answer.choice)}</caption>{rows}</table>')
    return "".join(parts)
