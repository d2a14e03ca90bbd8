"""Screens with what is truly on them: a folder with ``annotations.jsonl``, a line per screen, beside ``images/``.

Boxes are half-open, in pixels of the image, ``[left, top, right, bottom]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box

Split = Literal["train", "validation", "test"]

FILE: Final = "annotations.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A control, or a line of text outside any control.

    Args:
        box: Extent in pixels of the image.
        role: Role word; ``text`` for a line.
        name: Its name; empty where it has none or none is known.
        text: What is drawn inside it, as far as it is known.
        states: Such as ``checked`` or ``disabled``.
        also: Other extents that are as right, such as a link with its padding, which nothing shows.
        looks: Other roles that are as right by its looks, such as ``button`` for a link that is drawn as one.
    """

    box: Box
    role: str
    name: str = ""
    text: str = ""
    states: tuple[str, ...] = ()
    also: tuple[Box, ...] = ()
    looks: tuple[str, ...] = ()

    @property
    def extents(self) -> tuple[Box, ...]:
        """Every extent that is right."""
        return (self.box, *self.also)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line of text as it is drawn, inside a control or not."""

    box: Box
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A picture with its truth.

    Args:
        image: File of the picture.
        app: Application that it shows; splits are by application.
        split: Which part of the data it belongs to.
        scale: Pixels per point.
        theme: ``light`` or ``dark``.
        elements: Controls and free lines of text.
        lines: Every line of text.
        source: Where the truth was read from, such as ``dom`` or ``accessibility``.
        blind: Areas without truth: pictures, charts, what an application does not report. Nothing found there is wrong.
    """

    image: Path
    app: str
    split: Split = "test"
    scale: float = 1.0
    theme: str = "light"
    elements: tuple[Element, ...] = ()
    lines: tuple[TextLine, ...] = ()
    source: str = ""
    blind: tuple[Box, ...] = ()


def as_row(screen: Screen, folder: Path) -> dict[str, Any]:
    """A screen as one JSON object; the image is named relative to ``folder``."""
    return {
        "image": screen.image.relative_to(folder).as_posix(),
        "app": screen.app,
        "split": screen.split,
        "scale": screen.scale,
        "theme": screen.theme,
        "source": screen.source,
        "blind": [_corners(b) for b in screen.blind],
        "elements": [
            {**asdict(e), "box": _corners(e.box), "also": [_corners(b) for b in e.also]} for e in screen.elements
        ],
        "lines": [{"box": _corners(t.box), "text": t.text} for t in screen.lines],
    }


def load_screens(folder: Path | str, *, split: Split | None = None) -> tuple[Screen, ...]:
    """Screens of a folder in our own format.

    Args:
        folder: Holds ``annotations.jsonl`` and the images.
        split: Only this part.

    Raises:
        UsageError: No such file, or a line that is not of this format; the message names the line.
    """
    folder = Path(folder)
    path = folder / FILE
    if not path.is_file():
        raise UsageError(f"{folder} has no {FILE}", hint="build it with: python datasets/screens/build.py --out DIR")
    screens = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        with explained(f"{path}:{number}"):
            screens.append(_screen(json.loads(line), folder))
    return tuple(s for s in screens if split is None or s.split == split)


def _screen(row: Mapping[str, Any], folder: Path) -> Screen:
    return Screen(
        image=inside(folder, row["image"]),
        app=row["app"],
        split=row["split"],
        scale=float(row["scale"]),
        theme=row["theme"],
        source=row.get("source", ""),
        elements=tuple(
            Element(
                box=_box(e["box"]),
                role=e["role"],
                name=e["name"],
                text=e["text"],
                states=tuple(e["states"]),
                also=tuple(_box(b) for b in e.get("also", ())),
                looks=tuple(e.get("looks", ())),
            )
            for e in row["elements"]
        ),
        lines=tuple(TextLine(box=_box(t["box"]), text=t["text"]) for t in row["lines"]),
        blind=tuple(_box(b) for b in row.get("blind", ())),
    )


def _box(corners: Sequence[Any]) -> Box:
    left, top, right, bottom = map(float, corners)
    return Box(left, top, right, bottom)


def to_coco(screens: Sequence[Screen], sizes: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The elements in COCO's detection layout: ``images``, ``annotations`` with ``bbox`` [x, y, w, h], ``categories``.

    Args:
        screens: What to write.
        sizes: Width and height of each picture.
    """
    roles = sorted({e.role for s in screens for e in s.elements})
    number = {role: i for i, role in enumerate(roles, 1)}
    boxes: list[dict[str, Any]] = []
    for image, screen in enumerate(screens, 1):
        for e in screen.elements:
            b = e.box
            boxes.append(
                {
                    "id": len(boxes) + 1,
                    "image_id": image,
                    "category_id": number[e.role],
                    "bbox": [b.left, b.top, b.width, b.height],
                    "area": b.area,
                    "iscrowd": 0,
                    "name": e.name,
                }
            )
    return {
        "images": [
            {"id": i, "file_name": s.image.name, "width": w, "height": h}
            for i, (s, (w, h)) in enumerate(zip(screens, sizes, strict=True), 1)
        ],
        "annotations": boxes,
        "categories": [{"id": i, "name": role} for role, i in number.items()],
    }


def _corners(box: Box) -> list[float]:
    return [round(v, 2) for v in (box.left, box.top, box.right, box.bottom)]


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what a malformed row raises into an error that names the place.

    Raises:
        UsageError: Something is missing or of the wrong kind.
    """
    try:
        yield
    except KeyError as wrong:
        raise UsageError(f"{place}: {wrong.args[0]!r} is missing") from wrong
    except (ValueError, TypeError, AttributeError) as wrong:
        raise UsageError(f"{place}: {wrong}") from wrong


def inside(folder: Path, name: str) -> Path:
    """A file of a folder.

    Raises:
        ValueError: The name leads out of it.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name!r} leads out of {folder}")
    return path


def by_app(screens: Iterable[Screen]) -> Iterator[tuple[str, tuple[Screen, ...]]]:
    """Screens by application, in alphabetical order."""
    groups: dict[str, list[Screen]] = {}
    for screen in screens:
        groups.setdefault(screen.app, []).append(screen)
    for app in sorted(groups):
        yield app, tuple(groups[app])
