"""The layouts in which others publish screens and targets: COCO, Pascal VOC, ScreenSpot, OSWorld-G."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.data.annotations import Element, Screen, explained, inside


def load_coco(path: Path | str, images: Path | str | None = None) -> tuple[Screen, ...]:
    """Screens of a COCO detection file; categories become roles.

    Args:
        path: The JSON file.
        images: Folder of the pictures; that of the file by default.

    Raises:
        UsageError: The file is not of this layout.
    """
    path = Path(path)
    data = _json(path)
    with explained(str(path)):
        role = {c["id"]: str(c["name"]) for c in data["categories"]}
        found: dict[Any, list[Element]] = {i["id"]: [] for i in data["images"]}
        for a in data["annotations"]:
            x, y, w, h = map(float, a["bbox"])
            found[a["image_id"]].append(Element(box=Box.from_xywh(x, y, w, h), role=role[a["category_id"]]))
        folder = Path(images or path.parent)
        return tuple(
            Screen(image=inside(folder, i["file_name"]), app=path.stem, elements=tuple(found[i["id"]]), source="coco")
            for i in data["images"]
        )


def load_voc(folder: Path | str, images: Path | str | None = None) -> tuple[Screen, ...]:
    """Screens of a folder of Pascal VOC files, one XML a picture. VOC counts pixels from 1 and includes the last one.

    Raises:
        UsageError: No XML file there, or one that is not of this layout.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.xml"))
    if not files:
        raise UsageError(f"no .xml file in {folder}", hint="name the folder that holds the annotations")
    return tuple(_voc(f, Path(images or folder)) for f in files)


def _voc(path: Path, images: Path) -> Screen:
    with explained(str(path)):
        root = _xml(path)
        return Screen(
            image=inside(images, _text(root, "filename")),
            app=path.parent.name,
            elements=tuple(
                Element(box=_voc_box(found.find("bndbox")), role=_text(found, "name")) for found in root.iter("object")
            ),
            source="voc",
        )


def _xml(path: Path) -> ET.Element:
    try:
        return ET.fromstring(path.read_text("utf-8"))  # noqa: S314 - expat expands no external entity and stops bombs
    except ET.ParseError as wrong:
        raise ValueError(f"no XML: {wrong}") from wrong


def _voc_box(box: ET.Element | None) -> Box:
    if box is None:
        raise ValueError("an object has no bndbox")
    left, top, right, bottom = (float(_text(box, key)) for key in ("xmin", "ymin", "xmax", "ymax"))
    return Box(left - 1, top - 1, right, bottom)


def _text(node: ET.Element, tag: str) -> str:
    found = node.findtext(tag)
    if found is None:
        raise ValueError(f"<{node.tag}> has no <{tag}>")
    return found.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One target of a grounding benchmark.

    Args:
        image: File of the picture.
        text: What is asked for.
        box: Where it is, in pixels of the image.
        kind: ``text`` or ``icon`` as the benchmark says, or empty.
        group: Platform or application, as the benchmark says.
    """

    image: Path
    text: str
    box: Box
    kind: str = ""
    group: str = ""


def load_screenspot(path: Path | str, images: Path | str) -> tuple[Instruction, ...]:
    """ScreenSpot-v2 (``bbox`` as x, y, width, height) or -Pro (as left, top, right, bottom).

    A file is taken for -Pro where its rows have ``img_size``, as that benchmark's have.

    Raises:
        UsageError: The file is not of this layout.
    """

    def read(row: Mapping[str, Any]) -> Instruction:
        a, b, c, d = map(float, row["bbox"])
        return Instruction(
            image=inside(Path(images), row["img_filename"]),
            text=str(row["instruction"]),
            box=Box(a, b, c, d) if "img_size" in row else Box.from_xywh(a, b, c, d),
            kind=str(row.get("ui_type") or row.get("data_type") or ""),
            group=str(row.get("application") or row.get("data_source") or ""),
        )

    return _instructions(Path(path), read)


def load_osworld_g(path: Path | str, images: Path | str) -> tuple[Instruction, ...]:
    """OSWorld-G: ``image_path``, ``instruction``, ``box_coordinates`` as x, y, width, height, ``box_type`` ``bbox``.

    Polygons become the box around them; rows of another type, such as refusals, have no target and are left out.

    Raises:
        UsageError: The file is not of this layout.
    """

    def read(row: Mapping[str, Any]) -> Instruction | None:
        places = [float(v) for v in row["box_coordinates"]]
        if row["box_type"] == "bbox":
            box = Box.from_xywh(*places)
        elif row["box_type"] == "polygon":
            box = Box(min(places[::2]), min(places[1::2]), max(places[::2]), max(places[1::2]))
        else:
            return None
        return Instruction(
            image=inside(Path(images), row["image_path"]),
            text=str(row["instruction"]),
            box=box,
            kind="; ".join(row.get("GUI_types") or ()),
        )

    return _instructions(Path(path), read)


def _instructions(path: Path, read: Callable[[Mapping[str, Any]], Instruction | None]) -> tuple[Instruction, ...]:
    """The targets of a file; a row that cannot be read is an error that names it."""
    out = []
    for number, row in enumerate(_rows(path)):
        with explained(f"{path}: row {number}"):
            out.append(read(row))
    return tuple(found for found in out if found is not None)


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    data = _json(path)
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise UsageError(f"{path} is not a list of objects", hint="name the annotation file, not the folder")
    return data


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as wrong:
        raise UsageError(f"{path} cannot be read: {wrong.strerror}") from wrong
    except ValueError as wrong:
        raise UsageError(f"{path} is no JSON: {wrong}") from wrong
