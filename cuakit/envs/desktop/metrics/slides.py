"""Metrics of presentations, by python-pptx."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, Final

import pptx
from pptx.enum.dml import MSO_FILL
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.enum.text import PP_ALIGN
from pptx.exc import PackageNotFoundError

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.vocabulary import PPTX_ASKED_FOR, PPTX_OPTIONS

_TOLERANCE: Final = 0.005
_A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def opened(path: str | None) -> Any:
    """A presentation; None when there is none."""
    if not path:
        return None
    try:
        return pptx.Presentation(path)
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError, OSError):
        return None


def compare_pptx_files(result: str | None, expected: str, **options: Any) -> float:
    """Whether two presentations are the same in everything that is examined.

    ``examine_WHAT=False`` leaves something out: shape, text, indent, font_name, font_size, font_bold, font_italic,
    color_rgb, font_underline, strike_through, alignment, bullets, background_color, note, number_of_slides, run_count.
    Off unless asked for: image_size, modify_height, shape_for_shift_size, and the four that say where a title, table
    or picture was moved to.

    Raises:
        InvalidTask: An option that nobody knows.
    """
    unknown = set(options) - PPTX_OPTIONS
    if any(not name.startswith("_") for name in unknown):
        raise InvalidTask(
            f"compare_pptx_files knows no {min(unknown)!r}", hint=f"options: {', '.join(sorted(PPTX_OPTIONS))}"
        )
    mine, theirs = opened(result), opened(expected)
    if mine is None or theirs is None:
        return 0.0

    def asked(what: str) -> bool:
        return bool(options.get(f"examine_{what}", what not in PPTX_ASKED_FOR))

    if asked("number_of_slides") and len(mine.slides) != len(theirs.slides):
        return 0.0
    tolerance = float(options.get("approximately_tolerance", _TOLERANCE))
    pairs = enumerate(zip(mine.slides, theirs.slides, strict=False), 1)
    return float(all(_slide(a, b, number, asked, tolerance) for number, (a, b) in pairs))


Asked = Callable[[str], bool]


def _slide(a: Any, b: Any, number: int, asked: Asked, tolerance: float) -> bool:
    if asked("background_color") and _background(a) != _background(b):
        return False
    if asked("note") and _note(a) != _note(b):
        return False
    if len(a.shapes) != len(b.shapes):
        return False
    return all(_shape(s, t, number, asked, tolerance) for s, t in zip(a.shapes, b.shapes, strict=True))


def _background(slide: Any) -> Any:
    fill = slide.background.fill
    if fill.type == MSO_FILL.BACKGROUND:
        fill = slide.slide_layout.slide_master.background.fill
    return _rgb(fill.fore_color) if fill.type == MSO_FILL.SOLID else None


def _note(slide: Any) -> str:
    return slide.notes_slide.notes_text_frame.text.strip() if slide.has_notes_slide else ""


def _shape(a: Any, b: Any, number: int, asked: Asked, tolerance: float) -> bool:
    if not _geometry(a, b, number, asked, tolerance):
        return False
    if a.shape_type == MSO_SHAPE_TYPE.TABLE:
        return b.shape_type == MSO_SHAPE_TYPE.TABLE and _table(a.table, b.table, asked)
    if not (a.has_text_frame and b.has_text_frame):
        return True
    if asked("text") and a.text_frame.text.strip() != b.text_frame.text.strip():
        return False
    return _frame(a.text_frame, b.text_frame, asked)


def _geometry(a: Any, b: Any, number: int, asked: Asked, tolerance: float) -> bool:
    sides = ("left", "top", "width", "height")
    same = all(_near(getattr(a, s), getattr(b, s), tolerance) for s in sides)
    texts = a.has_text_frame and b.has_text_frame
    if asked("shape") and not same:
        return False
    if asked("image_size") and not (
        all(_near(getattr(a, s), getattr(b, s), tolerance) for s in sides[2:])
        if a.shape_type == b.shape_type == MSO_SHAPE_TYPE.PICTURE
        else same
    ):
        return False
    if asked("modify_height") and not (same if texts else _near(a.height, b.height, tolerance)):
        return False
    if asked("shape_for_shift_size") and not same and not (texts and a.text_frame.text == b.text_frame.text):
        return False
    return _moved(a, b, number, asked, same=same)


def _moved(a: Any, b: Any, number: int, asked: Asked, *, same: bool) -> bool:
    """The four places that published tasks ask for, in English Metric Units."""
    if asked("title_bottom_position"):
        both = a.has_text_frame and b.has_text_frame and a.text_frame.text == b.text_frame.text
        if both and a.text_frame.text == "Product Comparison" and (a.top <= b.top or a.top < 3_600_000):
            return False
        if not both and not same:
            return False
    if asked("table_bottom_position"):
        table = number == 3 and a.shape_type == b.shape_type == MSO_SHAPE_TYPE.TABLE
        if (a.top <= b.top or a.top < 3_600_000) if table else not same:
            return False
    if asked("right_position") and number == 2 and not a.has_text_frame and not b.has_text_frame:
        return bool(a.left > b.left and a.left >= 4_320_000)
    if asked("top_position") and number == 2 and a.shape_type == b.shape_type == MSO_SHAPE_TYPE.PICTURE:
        return bool(a.top < b.top and a.top <= 1_980_000)
    return True


def _near(a: Any, b: Any, tolerance: float) -> bool:
    if a == b:
        return True
    return bool(a and b and abs(a - b) / max(abs(a), abs(b)) <= tolerance)


def _table(a: Any, b: Any, asked: Asked) -> bool:
    if len(a.rows) != len(b.rows) or len(a.columns) != len(b.columns):
        return False
    return all(
        _frame(a.cell(r, c).text_frame, b.cell(r, c).text_frame, asked)
        for r in range(len(a.rows))
        for c in range(len(a.columns))
    )


def _frame(a: Any, b: Any, asked: Asked) -> bool:
    return all(
        p is not None and q is not None and _paragraph(p, q, asked) for p, q in zip_longest(a.paragraphs, b.paragraphs)
    )


def _paragraph(p: Any, q: Any, asked: Asked) -> bool:
    if asked("alignment") and (p.alignment or PP_ALIGN.LEFT) != (q.alignment or PP_ALIGN.LEFT):
        return False
    if asked("text") and p.text != q.text:
        return False
    if asked("indent") and p.level != q.level:
        return False
    if asked("bullets") and _bullet(p) != _bullet(q):
        return False
    if len(p.runs) != len(q.runs):
        return not asked("run_count") and set(_looks(p, asked)) == set(_looks(q, asked))
    return list(_looks(p, asked)) == list(_looks(q, asked))


def _looks(paragraph: Any, asked: Asked) -> Iterator[tuple[Any, ...]]:
    """How each run looks, as far as it is examined; what is not said means plain."""
    for run in paragraph.runs:
        font = run.font
        strike = font._element.get("strike", "noStrike")  # noqa: SLF001 - the library has no name for it
        looks = {
            "font_name": font.name,
            "font_size": font.size,
            "font_bold": bool(font.bold),
            "font_italic": bool(font.italic),
            "color_rgb": _rgb(font.color),
            "font_underline": bool(font.underline),
            "strike_through": strike,
        }
        yield tuple(value for what, value in looks.items() if asked(what))


def _rgb(colour: Any) -> str | None:
    try:
        return str(colour.rgb) if colour is not None and colour.type is not None else None
    except AttributeError:
        return None  # a colour of the theme has no numbers of its own


def _bullet(paragraph: Any) -> tuple[str, ...]:
    properties = paragraph._p.find(f"{_A}pPr")  # noqa: SLF001 - the library has no name for it
    if properties is None:
        return ()
    marks = [properties.find(f"{_A}{tag}") for tag in ("buChar", "buAutoNum")]
    return tuple(str(m.get("char") or m.get("type")) for m in marks if m is not None)
