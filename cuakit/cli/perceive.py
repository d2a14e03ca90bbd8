"""``cuakit parse``: what is on a picture, a page or the screen."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cuakit.cli.options import Flag

if TYPE_CHECKING:
    from cuakit.core.regions import VisualRegions


def parse(
    image: Path | None = None,
    *,
    url: str | None = None,
    screen: Flag = False,
    perceive: Literal["auto", "dom", "pixels"] = "auto",
    scale: float = 1.0,
    format: Literal["menu", "regions"] = "menu",
    kinds: tuple[Literal["text", "icon"], ...] = ("text", "icon"),
    min_confidence: float = 0.0,
    max_regions: int | None = None,
    deadline_ms: float | None = None,
    tuned: Flag = False,
    overlay: Path | None = None,
) -> None:
    """Find the objects on a picture, a page or the screen, and print them as JSON.

    Args:
        image: A picture file.
        url: A page, opened in a headless browser.
        screen: The whole screen.
        perceive: Read the page's own elements, or pixels only. A page is read through its elements by default.
        scale: Physical pixels per logical point, for a picture or a page.
        format: The flat menu, or regions with parents, groups, confidence, timings and models (cua.visual_regions_v1).
        kinds: Text, icons (controls among them), or both.
        min_confidence: Least confidence to keep, in [0, 1].
        max_regions: Most objects; the least confident are left out, with a warning.
        deadline_ms: Longest time that the parse may take.
        tuned: Read pixels with what cuakit tune found to be fastest here.
        overlay: Also write a picture with numbered boxes: .png, .svg or .html.
    """
    from cuakit.core.errors import UsageError

    if sum((image is not None, url is not None, screen)) != 1:
        raise UsageError("name one thing to parse", hint="cuakit parse IMAGE, or --url URL, or --screen")
    if perceive == "dom" and url is None:
        raise UsageError("only a page has elements", hint="--perceive dom goes with --url; leave it out for pixels")
    stage = "dom-v1" if url is not None and perceive != "pixels" else "pixels-v1"
    limits = {
        "kinds": kinds,
        "min_confidence": min_confidence,
        "max_regions": max_regions,
        "deadline_ms": deadline_ms,
    }
    if tuned and stage == "pixels-v1":
        from cuakit.perceive.tuned import read

        options, note = read()
        limits |= options
        if note:
            print(note, file=sys.stderr)
    found = _parse(image, url, stage, scale, limits)
    assert found.observation is not None
    if overlay is not None:
        from cuakit.viz.overlay import save

        save(found.observation, overlay)
    for warning in found.warnings:
        print(warning, file=sys.stderr)
    shown = found.as_dict() if format == "regions" else found.menu()
    print(json.dumps(shown, ensure_ascii=False, indent=1))


def _parse(image: Path | None, url: str | None, stage: str, scale: float, limits: dict[str, Any]) -> VisualRegions:
    from cuakit.facade import parse_visual_regions

    if image is not None:
        from cuakit.capture.image import load_image

        return parse_visual_regions(load_image(image, scale=scale), stage, **limits)
    if url is not None:
        from cuakit.backends.cdp import Browser

        with Browser.launch() as browser:
            page = browser.new_page(scale=scale)
            page.navigate(url)
            return parse_visual_regions(page, stage, **limits)
    from cuakit.capture.screen import Screen

    with Screen.open() as live:
        return parse_visual_regions(live, stage, **limits)
