"""``cuakit parse``: what is on a picture, a page or the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cuakit.cli.options import Flag

if TYPE_CHECKING:
    from cuakit.core.observation import Observation


def parse(
    image: Path | None = None,
    *,
    url: str | None = None,
    screen: Flag = False,
    perceive: Literal["auto", "dom", "pixels"] = "auto",
    scale: float = 1.0,
    overlay: Path | None = None,
) -> None:
    """Find the objects on a picture, a page or the screen, and print them as a JSON menu.

    Args:
        image: A picture file.
        url: A page, opened in a headless browser.
        screen: The whole screen.
        perceive: Read the page's own elements, or pixels only. A page is read through its elements by default.
        scale: Physical pixels per logical point, for a picture or a page.
        overlay: Also write a picture with numbered boxes: .png, .svg or .html.
    """
    from cuakit.core.errors import UsageError

    if sum((image is not None, url is not None, screen)) != 1:
        raise UsageError("name one thing to parse", hint="cuakit parse IMAGE, or --url URL, or --screen")
    stage = {"auto": None, "dom": "dom-v1", "pixels": "pixels-v1"}[perceive]
    if stage == "dom-v1" and url is None:
        raise UsageError("only a page has elements", hint="--perceive dom goes with --url; leave it out for pixels")
    seen = _observe(image, url, stage, scale)
    if overlay is not None:
        from cuakit.viz.overlay import save

        save(seen, overlay)
    print(json.dumps(seen.menu(), ensure_ascii=False, indent=1))


def _observe(image: Path | None, url: str | None, stage: str | None, scale: float) -> Observation:
    from cuakit.facade import observe

    if image is not None:
        from cuakit.capture.image import load_image

        return observe(load_image(image, scale=scale), stage)
    if url is not None:
        from cuakit.backends.cdp import Browser

        with Browser.launch() as browser:
            page = browser.new_page(scale=scale)
            page.navigate(url)
            return observe(page, stage)
    from cuakit.capture.screen import Screen

    with Screen.open() as live:
        return observe(live, stage)
