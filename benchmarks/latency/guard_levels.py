"""How far harmless and harmful changes move the content guard, on real Chromium pages; the source of its thresholds.

    python benchmarks/latency/guard_levels.py

Prints the densest glyph-sized window per change, the largest over harmless and the smallest over harmful ones.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import quote

import numpy as np
from PIL import Image

from cuakit.act import guard
from cuakit.backends.cdp import Browser, Page
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot

SCALES = (1.0, 1.25, 1.5, 2.0, 3.0)

PAGE = """<!doctype html><style>
body { margin: 0; font: 14px sans-serif; background: BACK; color: INK }
.at { position: absolute; left: 40px; top: 40px; min-width: 140px; padding: 6px }
button.at { background: #0d6efd; color: white; border: 0; border-radius: 4px }
button.at.hover { background: #0b5ed7 }
.row { background: FIELD; width: 400px; box-sizing: border-box } .row.hover { background: HOVER }
.low { color: #999; background: #eee }
</style>BODY"""

THEMES = {"light": ("#fff", "#111", "#fff", "#eef"), "dark": ("#202124", "#e8eaed", "#292a2d", "#35363a")}

HARMLESS = {
    "again": ("<button class=at>Save</button>", "0"),
    "button hover": ("<button class=at>Save draft</button>", "x.classList.add('hover')"),
    "row hover": ("<div class='at row'>Item 1</div>", "x.classList.add('hover')"),
    "caret": ("<input class='at' value='Ada Lovelace' autofocus>", "CARET"),
}
HARMFUL = {
    "one digit": ("<div class='at row'>Item 1</div>", "x.textContent='Item 2'"),
    "1 to 7": ("<div class='at row'>Item 1</div>", "x.textContent='Item 7'"),
    "8 to 6, 10 px": ("<div class='at row' style='font-size:10px'>Row 8</div>", "x.textContent='Row 6'"),
    "i to l": ("<div class='at row' style='font-size:12px'>Item i</div>", "x.textContent='Item l'"),
    "point to comma": ("<div class='at row' style='font-size:12px'>Total: 1.5</div>", "x.textContent='Total: 1,5'"),
    "low contrast digit": ("<div class='at low'>Item 1</div>", "x.textContent='Item 2'"),
    "one word": ("<button class=at>Save draft</button>", "x.textContent='Save final'"),
    "swapped button": ("<button class=at>Accept</button>", "x.textContent='Reject'"),
    "moved 1 px": ("<button class=at>Save</button>", "x.style.left='41px'"),
    "moved 3 px": ("<div class='at row'>Item 1</div>", "x.style.top='43px'"),
    "moved 8 px": ("<div class='at row'>Item 1</div>", "x.style.top='48px'"),
    "dialog": (
        "<button class=at>Save</button>",
        "x.insertAdjacentHTML('afterend','<div style=\"position:fixed;inset:10px;background:#fff;color:#000\">Sure?</div>')",
    ),
    "backdrop 50 %": (
        "<button class=at>Save</button>",
        "x.insertAdjacentHTML('afterend','<div style=\"position:fixed;inset:0;background:#0008\"></div>')",
    ),
    "backdrop 30 %": (
        "<div class='at row'>Item 1</div>",
        "x.insertAdjacentHTML('afterend','<div style=\"position:fixed;inset:0;background:#0005\"></div>')",
    ),
    "backdrop 10 %": (
        "<button class=at>Save</button>",
        "x.insertAdjacentHTML('afterend','<dialog style=\"top:120px\">Sure?</dialog>');document.querySelector('dialog').showModal()",
    ),
    "backdrop 10 %, row": (
        "<div class='at row'>Item 1</div>",
        "x.insertAdjacentHTML('afterend','<dialog style=\"top:120px\">Sure?</dialog>');document.querySelector('dialog').showModal()",
    ),
    "box ticked": ("<label class=at><input type=checkbox> Agree</label>", "x.querySelector('input').checked=true"),
    "row selected": ("<div class='at row'>Item 1</div>", "x.style.background='#1a73e8'"),
    "removed": ("<button class=at>Save</button>", "x.remove()"),
}


def open_page(page: Page, body: str, theme: str) -> None:
    """Show one element in one theme."""
    back, ink, field, hover = THEMES[theme]
    html = PAGE.replace("BACK", back).replace("INK", ink).replace("FIELD", field).replace("HOVER", hover)
    page.navigate("data:text/html," + quote(html.replace("BODY", body)))


def noisy(quality: int) -> Callable[[Screenshot], Screenshot]:
    """A picture after lossy compression."""

    def recompress(shot: Screenshot) -> Screenshot:
        out = io.BytesIO()
        shot.image().save(out, "JPEG", quality=quality, subsampling=0)
        return replace(shot, pixels=np.asarray(Image.open(out).convert("RGB")))

    return recompress


def blinks(page: Page) -> Iterator[int]:
    """Moments over more than one period of the caret, which is 1 s."""
    for moment in range(24):
        page.evaluate("new Promise(go => setTimeout(go, 60))")
        yield moment


def density(before: Screenshot, after: Screenshot, box: Box, role: str) -> float:
    """What the guard sees between two frames, around one element."""
    limits = guard.Limits()
    where = guard.patch_box(box, box.center, before.size, before.scale, limits)
    seen = guard.compare(
        before.crop(where),
        after.crop(where),
        limits,
        element=box.shift(-where.left, -where.top),
        scale=before.scale,
        role=role,
    )
    return seen.density


def measure(page: Page, theme: str) -> Iterator[tuple[str, str, float]]:
    """Name, kind and density of every change."""
    scale = page.scale
    for kind, changes in (("harmless", HARMLESS), ("harmful", HARMFUL)):
        for name, (body, script) in changes.items():
            open_page(page, body, theme)
            edges = page.evaluate(
                "(()=>{const r=document.querySelector('.at').getBoundingClientRect();return [r.x,r.y,r.width,r.height]})()"
            )
            box = Box.from_xywh(*(v * scale for v in edges))
            before = page.grab()
            if script == "CARET":
                page.evaluate("document.querySelector('.at').focus()")
                yield name, kind, max(density(before, page.grab(), box, "textbox") for _ in blinks(page))
                continue
            page.evaluate(f"{{const x=document.querySelector('.at');{script};undefined}}")
            yield name, kind, density(before, page.grab(), box, "button")
    open_page(page, "<button class=at>Save draft</button>", theme)
    before, box = page.grab(), Box.from_xywh(*(v * scale for v in (40, 40, 140, 30)))
    for quality in (95, 90, 80):
        yield f"JPEG {quality}", "harmless", density(before, noisy(quality)(before), box, "button")


def main() -> None:
    """Measure at all scales in both themes and print the table."""
    found: dict[str, tuple[str, list[float]]] = {}
    with Browser.launch() as browser:
        for scale in SCALES:
            page = browser.new_page(width=500, height=200, scale=scale)
            for theme in THEMES:
                for name, kind, value in measure(page, theme):
                    found.setdefault(name, (kind, []))[1].append(value)
            page.close()
    for name, (kind, values) in found.items():
        print(f"{kind:9} {name:20} min {min(values):.3f} max {max(values):.3f}")
    print(f"harmless at most {max(max(v) for k, v in found.values() if k == 'harmless'):.3f}")
    print(f"harmful at least {min(min(v) for k, v in found.values() if k == 'harmful'):.3f}")


if __name__ == "__main__":
    main()
