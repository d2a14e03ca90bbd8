"""Self-contained HTML for notebooks and reports: strings in, strings out, no network, a text fallback always.

The numbered boxes are burnt into the picture, so that a viewer that strips SVG still shows them; hovering adds role,
name, source and score.
"""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from PIL import Image

from cuakit.core.action import Action, action_dict
from cuakit.core.draw import MAX_DRAWN, draw

if TYPE_CHECKING:
    from cuakit.core.candidate import Candidate, Candidates
    from cuakit.core.decision import Decision
    from cuakit.core.outcome import Receipt
    from cuakit.core.screenshot import Screenshot

_STYLE = (
    "<style>.ck-o{position:relative;display:inline-block;max-width:100%;font:13px system-ui,sans-serif}"
    ".ck-o img{display:block;max-width:100%;height:auto}.ck-o svg{position:absolute;inset:0;width:100%;height:100%}"
    ".ck-o rect{fill:transparent;stroke:transparent;stroke-width:2;vector-effect:non-scaling-stroke}"
    ".ck-o g:hover rect{stroke:#e11;fill:#e112}.ck-o g .ck-l,.ck-o text{display:none;pointer-events:none}"
    ".ck-o g:hover .ck-l,.ck-o g:hover text{display:block}.ck-o g:hover .ck-l{fill:#222;stroke:none}"
    ".ck-o text{fill:#fff;font-family:ui-monospace,monospace;white-space:pre}"
    ".ck-t{border-collapse:collapse}.ck-t td,.ck-t th{padding:2px 8px;text-align:left}</style>"
)


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


def _hover(c: Candidate, shot: Screenshot) -> str:
    """A transparent box that, under the pointer, shows what it is."""
    said, size = describe(c), 12 * shot.scale
    width = 0.62 * size * (len(said) + sum(east_asian_width(ch) in "WF" for ch in said)) + size
    x = max(0.0, min(c.box.left, shot.width - width))
    room_above = c.box.top > 3 * size
    y = c.box.top - 3 * size if room_above else min(c.box.bottom + size / 2, shot.height - 1.6 * size)
    return (
        f'<g><rect x="{c.box.left:g}" y="{c.box.top:g}" width="{c.box.width:g}" height="{c.box.height:g}"/>'
        f'<rect class="ck-l" x="{x:g}" y="{y:g}" width="{width:g}" height="{1.6 * size:g}"/>'
        f'<text x="{x + size / 2:g}" y="{y + 1.15 * size:g}" font-size="{size:g}">{escape(said)}</text></g>'
    )


def overlay(shot: Screenshot, candidates: Candidates, *, caption: str = "", quality: int | None = None) -> str:
    """Picture with boxes burnt in and a hover layer on top."""
    rects = "".join(_hover(c, shot) for c in sorted(candidates[:MAX_DRAWN], key=lambda c: -c.box.area))
    head = f"<div>{escape(caption)}</div>" if caption else ""
    width = max(1, round(shot.width / shot.scale))
    return (
        f'{_STYLE}{head}<div class="ck-o"><img width="{width}" alt="{len(candidates)} candidates" '
        f'src="{data_uri(draw(shot, candidates), quality=quality)}">'
        f'<svg viewBox="0 0 {shot.width} {shot.height}" preserveAspectRatio="none">{rects}</svg></div>'
    )


def decision(made: Decision) -> str:
    """A decision with a bar per option, most probable first."""
    what = _words(made.action) if made.action else made.outcome
    parts = [f"{_STYLE}<div><b>{escape(what)}</b> {escape(made.reason)}</div>"]
    for name, answer in made.answers.items():
        ranked = sorted(answer.probabilities.items(), key=lambda kv: -kv[1])[:12]
        rows = "".join(
            f"<tr><td>{escape(option)}</td><td><meter min=0 max=1 value={p:.4f}></meter></td><td>{p:.3f}</td></tr>"
            for option, p in ranked
        )
        parts.append(f'<table class="ck-t"><caption>{escape(name)} → {escape(answer.choice)}</caption>{rows}</table>')
    return "".join(parts)


def _words(action: Action) -> str:
    """An action's kind and the fields that say something: ``click target=c05``."""
    said = {k: v for k, v in action_dict(action).items() if k != "kind" and v not in (None, "", [])}
    return " ".join([action.kind.replace("_", " "), *(f"{k}={v}" for k, v in said.items())])


def table(candidates: Candidates) -> str:
    """Candidates as rows, at most :data:`~cuakit.core.draw.MAX_DRAWN` of them."""
    columns = ("id", "role", "name", "value", "source", "score")
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(v)}</td>' for v in (c.id, c.role, c.label, c.value, c.source, f'{c.score:.2f}'))}</tr>"
        for c in candidates[:MAX_DRAWN]
    )
    head = "".join(f"<th>{c}</th>" for c in columns)
    return f'{_STYLE}<table class="ck-t"><tr>{head}</tr>{rows}</table>'


def receipt(made: Receipt) -> str:
    """A receipt in words: effect and way, evidence or the reason of a refusal with what to do next."""
    head = (
        f"{made.effect}: {made.code}"
        if made.code
        else f"{made.effect.replace('_', ' ')} by {made.route.replace('_', ' ')}"
    )
    facts = [f"{e.kind.replace('_', ' ')} {e.detail}".strip() for e in made.evidence]
    lines = [*facts, *made.message.splitlines()]
    return f"<div><b>{escape(head)}</b>{''.join(f'<br>{escape(line)}' for line in lines)}</div>"
