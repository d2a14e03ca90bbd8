"""Metrics of Writer's documents: DOCX by python-docx, ODT by its XML."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, Final

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.exceptions import PackageNotFoundError
from lxml import etree
from rapidfuzz import fuzz

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ITALIC_PT: Final = 14
_LARGEST: Final = 1 << 28
"""Most bytes that the text of a document unpacks to."""


def opened(path: str | None) -> Any:
    """A DOCX document; None when there is none."""
    if not path or not _fits(path):
        return None
    try:
        return docx.Document(path)
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError, OSError):
        return None


def _fits(path: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(i.file_size for i in archive.infolist()) <= _LARGEST
    except (OSError, zipfile.BadZipFile):
        return False


def paragraphs(path: str | None) -> list[str] | None:
    """Texts of the paragraphs of a DOCX or ODT document; None when it is neither."""
    if path and path.casefold().endswith(".odt"):
        return _odt(path)
    document = opened(path)
    return None if document is None else [p.text for p in document.paragraphs]


def _odt(path: str) -> list[str] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("content.xml").file_size > _LARGEST:
                return None
            root = etree.fromstring(
                archive.read("content.xml"), etree.XMLParser(resolve_entities=False, no_network=True)
            )
    except (OSError, zipfile.BadZipFile, KeyError, etree.XMLSyntaxError):
        return None
    return ["".join(p.itertext()) for p in root.iter(f"{_TEXT}p", f"{_TEXT}h")]


def compare_docx_files(
    result: str | None,
    expected: str,
    *,
    ignore_blanks: bool = True,
    ignore_case: bool = False,
    ignore_order: bool = False,
    content_only: bool = False,
    fuzzy_match: bool = False,
    delete_empty_lines: bool = False,
    **_: Any,
) -> float:
    """Whether two documents say the same; a likeness with ``content_only`` or ``fuzzy_match``."""
    texts = [paragraphs(result), paragraphs(expected)]
    if texts[0] is None or texts[1] is None:
        return 0.0
    mine, theirs = (_in_order(t, ignore_order, delete_empty_lines, ignore_case) for t in texts if t is not None)
    if content_only or ignore_blanks:
        a, b = (re.sub(r"\s+", " ", "\n".join(t)).strip() for t in (mine, theirs))
        return fuzz.ratio(a, b) / 100 if content_only or fuzzy_match else float(a == b)
    if len(mine) != len(theirs):
        return 0.0
    if fuzzy_match:
        return sum(fuzz.ratio(a, b) / 100 for a, b in zip(mine, theirs, strict=True)) / max(1, len(mine))
    return float(mine == theirs)


def _in_order(texts: list[str], sort: bool, drop_empty: bool, fold: bool) -> list[str]:
    kept = [t for t in texts if t.strip() or not drop_empty]
    said = [t.casefold() if fold else t for t in kept]
    return sorted(said) if sort else said


def compare_docx_tables(result: str | None, expected: str) -> float:
    """Whether the tables of two documents have the same cells."""
    mine, theirs = opened(result), opened(expected)
    if mine is None or theirs is None:
        return 0.0

    def cells(document: Any) -> list[list[list[str]]]:
        return [[[c.text.strip() for c in row.cells] for row in table.rows] for table in document.tables]

    return float(cells(mine) == cells(theirs))


def compare_docx_images(result: str | None, expected: str) -> float:
    """Whether two documents hold the same pictures in the same order."""
    mine, theirs = opened(result), opened(expected)
    if mine is None or theirs is None:
        return 0.0
    from cuakit.envs.desktop.metrics.images import same_pixels  # noqa: PLC0415 - documents without pictures need none

    def pictures(document: Any) -> list[bytes]:
        return [r.target_part.blob for r in document.part.rels.values() if "image" in r.reltype]

    a, b = pictures(mine), pictures(theirs)
    return float(len(a) == len(b) and all(map(same_pixels, a, b)))


def compare_line_spacing(result: str | None, expected: str) -> float:
    """Whether two documents say the same with the same line spacing."""
    return _alike(result, expected, lambda p: p.paragraph_format.line_spacing)


def _alike(result: str | None, expected: str, of: Callable[[Any], Any]) -> float:
    mine, theirs = opened(result), opened(expected)
    if mine is None or theirs is None or not compare_docx_files(result, expected):
        return 0.0
    return float([of(p) for p in mine.paragraphs] == [of(p) for p in theirs.paragraphs])


def compare_font_names(result: str | None, rules: Mapping[str, Any]) -> float:
    """Whether everything is written in one font."""
    document = opened(result)
    return float(
        document is not None and all(r.font.name == rules["font_name"] for p in document.paragraphs for r in p.runs)
    )


def compare_subscript_contains(result: str | None, expected: str) -> float:
    """Whether both documents have a subscript in the same place."""
    mine, theirs = opened(result), opened(expected)
    if mine is None or theirs is None:
        return 0.0
    pairs = (
        (a, b)
        for p, q in zip(mine.paragraphs, theirs.paragraphs, strict=False)
        for a, b in zip(p.runs, q.runs, strict=False)
    )
    return float(any(a.font.subscript and b.font.subscript for a, b in pairs))


def contains_page_break(result: str | None, rules: Mapping[str, Any] | None = None) -> float:
    """Whether there are page breaks, or exactly so many."""
    document = opened(result)
    if document is None:
        return 0.0
    runs = (r for p in document.paragraphs for r in p.runs)
    count = sum(b.get(f"{_W}type") == "page" for r in runs for b in r.element.iter(f"{_W}br"))
    wanted = (rules or {}).get("page_break_count")
    return float(count > 0 and (wanted is None or count == wanted))


def is_first_line_centered(result: str | None, *_: Any) -> float:
    """Whether the first paragraph is centred."""
    document = opened(result)
    if document is None or not document.paragraphs:
        return 0.0
    return float(document.paragraphs[0].paragraph_format.alignment == WD_ALIGN_PARAGRAPH.CENTER)


def check_italic_font_size_14(result: str | None, expected: str) -> float:
    """Whether a document says the same and everything in italics has 14 points."""
    document = opened(result)
    if document is None or not compare_docx_files(result, expected):
        return 0.0
    italics = [r for p in document.paragraphs for r in p.runs if r.italic]
    return float(all(r.font.size is not None and r.font.size.pt == _ITALIC_PT for r in italics))


def evaluate_strike_through_last_paragraph(result: str | None, expected: str) -> float:
    """Whether a document says the same and its last paragraph is struck through."""
    document = opened(result)
    if document is None or not document.paragraphs or not compare_docx_files(result, expected):
        return 0.0
    runs = document.paragraphs[-1].runs
    return float(bool(runs) and all(r.font.strike for r in runs))
