"""Photograph the sample screens of ``cuakit.data``: run it, look at the pictures, commit them and the printed digests.

The pictures depend on the fonts and the browser of the machine, so they are made once and pinned, not made by CI.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from cuakit.backends.cdp import Browser
from cuakit.core.screenshot import Screenshot
from cuakit.envs.drawio import TASKS, DrawIo

HERE = Path(__file__).parent
SCREENS = HERE.parent.parent / "cuakit" / "data" / "screens"


def form(browser: Browser, scale: float) -> Screenshot:
    """The form page at one scale, 640×420 points."""
    page = browser.new_page(width=640, height=420, scale=scale)
    content = base64.b64encode((SCREENS / "form.html").read_bytes()).decode()
    page.navigate(f"data:text/html;charset=utf-8;base64,{content}")
    shot = page.grab()
    page.close()
    return shot


def drawio(browser: Browser) -> Screenshot:
    """The draw.io editor with the flow chart of ``flowchart.xml``."""
    with DrawIo(browser) as app:
        app.reset(next(iter(TASKS)), 0)
        xml = (HERE / "flowchart.xml").read_text("utf-8")
        app.surface.evaluate(
            "((xml) => { const ui = window.__cuakit_drawio;"
            " ui.editor.setGraphXml(mxUtils.parseXml(xml).documentElement); ui.editor.graph.clearSelection();"
            " ui.resetScrollbars(); ui.getCurrentFile().setModified(false); ui.editor.setStatus('');"
            " return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1)))); })"
            f"({xml!r})"
        )
        return app.surface.grab()


def main() -> None:
    """Write all pictures and print their digests."""
    with Browser.launch() as browser:
        shots = {"form.png": form(browser, 1), "form-2x.png": form(browser, 2), "drawio.png": drawio(browser)}
    for name, shot in shots.items():
        shot.image().save(SCREENS / name, "PNG", optimize=True)
    for path in sorted(SCREENS.iterdir()):
        print(f'        "{path.name}": "{hashlib.sha256(path.read_bytes()).hexdigest()}",')


if __name__ == "__main__":
    main()
