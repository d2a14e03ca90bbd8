"""How well selection handles are found on real draw.io, over scale, zoom and theme, against the app's own geometry.

The scenes are random and seeded; they share nothing with those that the detector was made on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from cuakit.backends.cdp import Browser, Page
from cuakit.bench.stats import wilson
from cuakit.core.candidate import Candidates
from cuakit.core.geometry import Box
from cuakit.envs.drawio import DrawIo
from cuakit.perceive.handles import Handles

SCALES: Final = (1.0, 1.25, 1.5, 2.0, 3.0)
ZOOMS: Final = (0.5, 0.75, 1.0, 1.5, 2.5)
CLOSE_PX: Final = 2.0
"""How far each side of a box may be off, in pixels of a 100 % display."""

_TRUTH: Final = Path(__file__).with_name("handles_truth.js")

_SELECT: Final = """((ids, zoom) => {
  const graph = window.__cuakit_drawio.editor.graph, pane = graph.container;
  graph.view.setScale(zoom);
  const cells = ids.map((id) => graph.model.getCell(id));
  graph.setSelectionCells(cells);
  const b = graph.getBoundingBox(cells);
  pane.scrollLeft = b.x + b.width / 2 - pane.clientWidth / 2;
  pane.scrollTop = b.y + b.height / 2 - pane.clientHeight / 2;
  const at = pane.getBoundingClientRect();
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    done([at.left + pane.clientWidth / 2, at.top + pane.clientHeight / 2]))));
})"""

_ARROWS: Final = "window.__cuakit_drawio.hoverIcons.arrowUp.parentNode != null"


@dataclass(frozen=True, slots=True)
class Judged:
    """One handle or shape of one scene.

    Args:
        name: What the app calls it.
        named: Whether a candidate of that name is at its place.
        off_px: Largest difference of a side, in pixels of a 100 % display; None when it was not found.
        scale: Device pixels per point.
        zoom: Zoom of the canvas.
        dark: Theme.
    """

    name: str
    named: bool
    off_px: float | None
    scale: float
    zoom: float
    dark: bool


def scene(rng: Random) -> tuple[str, list[str]]:
    """A diagram and the ids to select: one or two shapes, thin, tiny, large, turned or filled."""
    styles = ("", "rounded=1;", "ellipse;", "rhombus;", "fillColor=#dae8fc;", "fillColor=#f8cecc;", "dashed=1;")
    cells = []
    count = rng.choice((1, 1, 2))
    for k in range(count):
        w, h = (rng.choice((20, 40, 80, 120, 200, 260)) + rng.randrange(20) for _ in range(2))
        turn = f"rotation={rng.choice((15, 30, 45, 75, 120, 200, 315))};" if rng.random() < 0.2 else ""
        style = f"{rng.choice(styles)}{turn}whiteSpace=wrap;html=1;"
        cells.append(
            f'<mxCell id="c{k}" value="" style="{style}" vertex="1" parent="1"><mxGeometry x="{100 + 330 * k}" '
            f'y="{120 + rng.randrange(80)}" width="{w}" height="{h}" as="geometry"/></mxCell>'
        )
    inside = "".join(cells)
    xml = f'<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>{inside}</root></mxGraphModel>'
    return xml, [f"c{k}" for k in range(count)]


def show(app: DrawIo, xml: str, ids: Sequence[str], zoom: float, *, hover: bool) -> list[dict[str, Any]]:
    """Select shapes in the middle of the view and return what the app says it shows."""
    app.open(xml)
    page: Page = app.surface
    x, y = page.evaluate(f"{_SELECT}({json.dumps(list(ids))}, {zoom})")
    if hover:
        for dx in (9, 4, 0):
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx, y=y + dx)
        waiting = (
            f"new Promise(d => {{let n = 0; const f = () => {_ARROWS} || n++ > 90 ? d(1) : setTimeout(f, 20); f()}})"
        )
        page.evaluate(waiting)
        page.evaluate("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => d(1))))")
    truth: list[dict[str, Any]] = page.evaluate(_TRUTH.read_text("utf-8"))
    return truth


def judge(found: Candidates, truth: Sequence[dict[str, Any]], scale: float, zoom: float, *, dark: bool) -> list[Judged]:
    """Each thing of the truth against the candidates: nearest of the same name."""
    out = []
    for thing in truth:
        box = Box(*(v * scale for v in thing["box"]))
        off = [
            max(abs(a - b) for a, b in zip(c.box.xyxy, box.xyxy, strict=True)) / scale
            for c in found.where(name=thing["name"])
        ]
        best = min(off, default=None)
        turned = bool(thing.get("rotation", 0) % 90)  # its handles are judged; draw.io keeps the box unturned
        named = bool(off) if turned else best is not None and best <= 4 * CLOSE_PX
        out.append(Judged(thing["name"], named, None if turned or not named else best, scale, zoom, dark))
    return out


def sweep(browser: Browser, *, scenes: int = 2, seed: int = 0, stage: Handles | None = None) -> Iterator[Judged]:
    """Random scenes at every scale, zoom and theme.

    Args:
        browser: Where draw.io runs.
        scenes: Scenes per setting.
        seed: Seed of the scenes.
        stage: What is measured.
    """
    stage = stage or Handles()
    rng = Random(seed)
    for dark in (False, True):
        for scale in SCALES:
            with DrawIo(browser, width=1280, height=900, scale=scale, dark=dark) as app:
                for zoom in ZOOMS:
                    for _ in range(scenes):
                        xml, ids = scene(rng)
                        truth = show(app, xml, ids, zoom, hover=len(ids) == 1)
                        yield from judge(stage(app.surface.grab()), truth, scale, zoom, dark=dark)


def summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """Shares with intervals: names over all handles, and boxes within :data:`CLOSE_PX` over those that have one."""
    named = wilson(sum(j.named for j in judged), len(judged))
    boxed = [j for j in judged if j.off_px is not None]
    close = wilson(sum(j.off_px is not None and j.off_px <= CLOSE_PX for j in boxed), len(boxed))
    missed = sorted(
        {f"{j.name} @{j.scale:g}x zoom {j.zoom:g} {'dark' if j.dark else 'light'}" for j in judged if not j.named}
    )
    return {
        "n": named.n,
        "accuracy": named.rate,
        "low": float(named.low),
        "high": float(named.high),
        "boxes_close": close.rate,
        "boxes_n": close.n,
        "boxes_low": float(close.low),
        "missed": missed,
    }
