"""An observation as a file: PNG to look at, SVG to put into a paper, HTML to hover over."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path

from cuakit.core import html
from cuakit.core.draw import draw, role_color, tag
from cuakit.core.observation import Observation
from cuakit.viz.files import document, write


def save(observation: Observation, path: str | Path) -> Path:
    """Write an overlay; the suffix decides: ``.png``, ``.svg`` or ``.html``.

    Returns:
        The path.

    Raises:
        UsageError: Another suffix.
        RecordError: The file cannot be written.
    """
    return write(
        path,
        {
            ".png": lambda: png(observation),
            ".svg": lambda: svg(observation).encode(),
            ".html": lambda: document(observation.title or "overlay", _page(observation)),
        },
    )


def png(observation: Observation) -> bytes:
    """The screenshot with its numbered boxes burnt in, same size, PNG."""
    out = io.BytesIO()
    draw(observation.screenshot, observation.candidates).save(out, "PNG")
    return out.getvalue()


def svg(observation: Observation) -> str:
    """The screenshot with boxes and numbers as vectors, sharp at every size; each box says what it is on hover."""
    shot, size = observation.screenshot, 10 * observation.screenshot.scale
    marks = []
    for c in sorted(observation.candidates, key=lambda c: -c.box.area):
        color = "#{:02x}{:02x}{:02x}".format(*role_color(c.role))
        width = 0.62 * size * len(tag(c)) + 4
        top = max(0, c.box.top - size - 2)
        marks.append(
            f"<g><title>{escape(html.describe(c))}</title>"
            f'<rect x="{c.box.left:g}" y="{c.box.top:g}" width="{c.box.width:g}" height="{c.box.height:g}" '
            f'fill="transparent" stroke="{color}" stroke-width="{shot.scale * (2 if c.interactive else 1):g}"/>'
            f'<rect x="{c.box.left:g}" y="{top:g}" width="{width:g}" height="{size + 2:g}" fill="{color}"/>'
            f'<text x="{c.box.left + 2:g}" y="{top + size:g}" font-size="{size:g}" font-family="monospace" '
            f'fill="white">{escape(tag(c))}</text></g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {shot.width} {shot.height}" width="{shot.width}" '
        f'height="{shot.height}"><image width="{shot.width}" height="{shot.height}" '
        f'href="{html.data_uri(shot.image())}"/>{"".join(marks)}</svg>\n'
    )


def _page(observation: Observation) -> str:
    picture = html.overlay(observation.screenshot, observation.candidates, caption=observation.title)
    return picture + html.table(observation.candidates)
