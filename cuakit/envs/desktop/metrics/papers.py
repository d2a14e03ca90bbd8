"""Metrics of PDF files, by pypdf."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from rapidfuzz import fuzz

_RELATIONS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return "\n".join(page.extract_text() for page in PdfReader(path).pages).strip()
    except (PyPdfError, OSError, ValueError):
        return None


def compare_pdfs(result: str | Sequence[str] | None, expected: str | Sequence[str], **_: Any) -> float:
    """Likeness of the texts of one file or of several, in order."""
    mine = [result] if isinstance(result, str) or result is None else list(result)
    theirs = [expected] if isinstance(expected, str) else list(expected)
    likeness = 0.0
    for one, other in zip(mine, theirs, strict=False):
        a, b = _text(one), _text(other)
        if a is not None and b is not None:
            likeness += fuzz.ratio(a, b) / 100
    return likeness / len(theirs) if theirs else 0.0


def check_pdf_pages(result: str | None, rules: Mapping[str, Any]) -> float:
    """Whether the number of pages stands in a relation to another."""
    if result is None or rules["relation"] not in _RELATIONS:
        return 0.0
    try:
        pages = len(PdfReader(result).pages)
    except (PyPdfError, OSError, ValueError):
        return 0.0
    return float(getattr(operator, rules["relation"])(pages, rules["ref_value"]))
