"""draw.io's own document as values: its settings and its cells, read from the mxGraph XML.

This is what the judge looks at. It is read over DevTools and never reaches an agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Final
from xml.etree import ElementTree as ET

from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box

_VOLATILE: Final = frozenset({"dx", "dy"})
"""Attributes of the model that follow the scroll position."""

_BLOCKS: Final = frozenset({"div", "p", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One vertex or edge.

    Args:
        id: draw.io's own id.
        kind: ``vertex`` or ``edge``.
        label: Text of its label, without mark-up.
        shape: Base shape: ``rectangle``, ``ellipse``, ``rhombus``, ``text``, or what the style names.
        style: Style keys and values.
        parent: Id of the cell that holds it; ``1`` is the default layer.
        source: Id of the cell that an edge starts at, or empty.
        target: Id of the cell that an edge ends at, or empty.
        box: Extent in diagram units (1 unit = 1 CSS pixel at 100 %), relative to the parent; empty for an edge.
    """

    id: str
    kind: str
    label: str = ""
    shape: str = "rectangle"
    style: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    parent: str = "1"
    source: str = ""
    target: str = ""
    box: Box = field(default_factory=lambda: Box(0, 0, 0, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One page of a diagram.

    Args:
        settings: Attributes of the model, such as ``grid`` or ``pageWidth``; scroll positions are left out.
        cells: Vertices and edges in drawing order.
    """

    settings: Mapping[str, str]
    cells: tuple[Cell, ...] = ()

    @property
    def vertices(self) -> tuple[Cell, ...]:
        """Shapes."""
        return tuple(c for c in self.cells if c.kind == "vertex")

    @property
    def edges(self) -> tuple[Cell, ...]:
        """Connectors."""
        return tuple(c for c in self.cells if c.kind == "edge")

    def labelled(self, label: str) -> tuple[Cell, ...]:
        """Cells with exactly this label."""
        return tuple(c for c in self.cells if c.label == label)


def parse(xml: str) -> Document:
    """Document from ``<mxGraphModel>`` XML.

    Raises:
        BackendError: It is no such XML (``bad_document``).
    """
    try:
        model = ET.fromstring(xml)  # noqa: S314 - comes from the application under test, which declares no entities
    except ET.ParseError as broken:
        raise BackendError(f"draw.io's document cannot be read: {broken}", code="bad_document") from broken
    root = model.find("root")
    if model.tag != "mxGraphModel" or root is None:
        raise BackendError(f"draw.io's document is a <{model.tag}>, not a graph model", code="bad_document")
    settings = {k: v for k, v in model.attrib.items() if k not in _VOLATILE}
    cells = (_cell(element) for element in root)
    return Document(settings=MappingProxyType(settings), cells=tuple(c for c in cells if c is not None))


def _cell(element: ET.Element) -> Cell | None:
    """A cell; None for the root and the layers. A cell with data of its own is wrapped in an ``<object>``."""
    inner = element if element.tag == "mxCell" else element.find("mxCell")
    if inner is None:
        return None
    kind = "vertex" if inner.get("vertex") == "1" else "edge" if inner.get("edge") == "1" else ""
    if not kind:
        return None
    value = inner.get("value", "") if inner is element else element.get("label", "")
    base, style = parse_style(inner.get("style", ""))
    geometry = inner.find("mxGeometry")
    return Cell(
        id=element.get("id", ""),
        kind=kind,
        label=plain(value) if style.get("html") == "1" else value,
        shape=style.get("shape", base or "rectangle"),
        style=style,
        parent=inner.get("parent", ""),
        source=inner.get("source", ""),
        target=inner.get("target", ""),
        box=_box(geometry) if kind == "vertex" and geometry is not None else Box(0, 0, 0, 0),
    )


def _box(geometry: ET.Element) -> Box:
    x, y, width, height = (float(geometry.get(k, "0")) for k in ("x", "y", "width", "height"))
    return Box.from_xywh(x, y, width, height)


def parse_style(style: str) -> tuple[str, Mapping[str, str]]:
    """Base name and settings of a style string.

    >>> parse_style("ellipse;html=1;")
    ('ellipse', mappingproxy({'html': '1'}))
    """
    parts = [p for p in style.split(";") if p]
    base = parts[0] if parts and "=" not in parts[0] else ""
    pairs = (p.partition("=") for p in parts)
    return base, MappingProxyType({key: value for key, equals, value in pairs if equals})


def plain(markup: str) -> str:
    r"""Text of an HTML label as it reads: lines end where blocks and breaks do, and a no-break space is a space.

    >>> plain("a &amp;amp;&nbsp;b<div>c<br></div>")
    'a &amp; b\nc'
    """
    reader = _Text()
    reader.feed(markup)
    reader.close()
    return "".join(reader.parts).replace("\u00a0", " ").strip("\n")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "br" or (tag in _BLOCKS and self.parts and not self.parts[-1].endswith("\n")):
            self.parts.append("\n")
