"""Build synthetic screens with exact truth, for training: seeded, resumable, in the format of ``datasets/screens``.

    python datasets/synthetic/build.py [--out DIR] [--seed N] [--frames N]

A frame is made of its seed alone, and one that is there is not made again. Pictures are lossless WebP.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "screens")]

import numpy as np  # noqa: E402 - beside this script
import scenes  # noqa: E402
import sources  # noqa: E402
import style  # noqa: E402
from drawn import SEEN, Taken, elements  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from web import take  # noqa: E402

from cuakit.backends.cdp import Browser, Page  # noqa: E402
from cuakit.backends.npm import cache_dir  # noqa: E402
from cuakit.backends.static import StaticServer  # noqa: E402
from cuakit.data.annotations import FILE, Screen, as_row  # noqa: E402

SIZES = ((1280, 800), (1280, 720), (1024, 768), (1440, 900), (800, 600))
SCALES = (1.0, 1.0, 1.0, 1.25, 1.5, 2.0)
CANVASES = (HERE / "canvases.js").read_text("utf-8")
TEMPLATE_SHARE = 0.08


def main() -> int:
    """Make what is missing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=cache_dir() / "synthetic")
    options.add_argument("--seed", type=int, default=0, help="first seed")
    options.add_argument("--frames", type=int, default=100)
    given = options.parse_args()
    (given.out / "images").mkdir(parents=True, exist_ok=True)
    templates = template_pages()
    root = sources.KITS[0].folder().parent
    with Browser.launch() as browser, StaticServer(root) as server:
        for seed in range(given.seed, given.seed + given.frames):
            image = given.out / "images" / f"{seed:06}.webp"
            if image.exists():
                continue
            rng = Random(seed)
            page, scale, dark = None, rng.choice(SCALES), rng.random() < 0.3
            try:
                width, height = rng.choice(SIZES)
                page = browser.new_page(width=width, height=height, scale=scale, dark=dark)
                template = rng.choice(templates) if rng.random() < TEMPLATE_SHARE else ""
                frame(page, server.url, rng, template)
                write(given.out, image, take(page), scale, dark=dark, trusted=not template)
            except Exception as wrong:  # noqa: BLE001 - one frame that fails must not cost the others
                print(f"{seed}: {type(wrong).__name__}: {wrong}", file=sys.stderr)
            finally:
                if page is not None:
                    page.close()
    return 0


def template_pages() -> Sequence[str]:
    """Pages of whole templates, relative to the packages' common folder."""
    folders = [t.folder() for t in sources.TEMPLATES]
    pages = [p for f in folders for p in sorted(f.rglob("*.html")) if "node_modules" not in p.parts]
    return [p.relative_to(folders[0].parent).as_posix() for p in pages]


def frame(page: Page, url: str, rng: Random, template: str = "") -> None:
    """Fill a page with what the draws say, and wait until it is drawn."""
    if template:
        page.navigate(f"{url}{template}", timeout_s=30)
        page.evaluate(f"scrollTo(0, {rng.choice((0, 0, 300, 800))});0")
    else:
        look = style.draw(rng)
        head = "".join(f'<link rel="stylesheet" href="{url}{sheet}">' for sheet in look.sheets)
        theme = "dark" if look.dark else "light"
        markup = (
            f'<!doctype html><html data-bs-theme="{theme}" data-theme="{theme}"><meta charset="utf-8">{head}'
            f"<style>{look.css}</style><body>{scenes.page(look)}</body></html>"
        )
        page.navigate(f"{url}{sources.KITS[0].folder().name}/package.json")
        page.evaluate(f"document.open(); document.write({json.dumps(markup)}); document.close(); 0")
    page.evaluate(
        "new Promise(go => document.readyState === 'complete' ? go(0) : addEventListener('load', () => go(0)))",
        timeout_s=30,
    )
    page.evaluate("document.fonts.ready.then(() => 0)", timeout_s=30)
    page.evaluate(CANVASES)
    page.evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => go(0))))", timeout_s=30)


def drawn(patch: NDArray[np.uint8]) -> bool:
    """Whether anything is to be seen in a patch: text that its container cuts off is in the document all the same."""
    flat = patch.reshape(-1, 3)
    return bool(len(flat)) and bool((flat.max(axis=0) - flat.min(axis=0)).max() > SEEN)


def write(out: Path, image: Path, taken: Taken, scale: float, *, dark: bool, trusted: bool) -> None:
    """One picture and its line of truth; on our own pages nothing is unknown, so nothing is blind."""
    lines = tuple(replace(t, box=t.box.clip(*taken.shot.size)) for t in taken.lines)
    taken = replace(taken, lines=tuple(t for t in lines if t.box.area > 0 and drawn(taken.shot.crop(t.box))))
    screen = Screen(
        image=image,
        app="synthetic",
        split="train",
        scale=scale,
        theme="dark" if dark else "light",
        elements=elements(taken),
        lines=taken.lines,
        source="dom",
        blind=() if trusted else taken.blind,
    )
    taken.shot.image().save(image, "WEBP", lossless=True, method=0)
    with (out / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(as_row(screen, out), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
