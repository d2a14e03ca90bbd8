"""Spreadsheets compared rule by rule: data, printed values, single cells, styles, charts, pivot tables."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import openpyxl
from openpyxl.cell.cell import MergedCell
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.cell_range import MultiCellRange
from rapidfuzz import fuzz

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.metrics.files import text_of
from cuakit.envs.desktop.metrics.rules import holds

_DIGITS: Final = 4
_FUZZY: Final = 85.0
_LARGEST: Final = 1 << 28
"""Most bytes that a workbook unpacks to."""


@dataclass(frozen=True, slots=True)
class Book:
    """One workbook, with formulas and with the values that were last calculated.

    Args:
        path: Its file.
        styled: As written.
        valued: As calculated.
    """

    path: str
    styled: Any
    valued: Any

    def names(self) -> list[str]:
        """Sheets in order."""
        return list(self.styled.sheetnames)


@dataclass(frozen=True, slots=True)
class Pair:
    """What the agent left, and what should be there."""

    result: Book
    expected: Book | None

    def sheet(self, index: Any) -> tuple[Book, str]:
        """The sheet that ``0``, ``RI0``, ``RNName``, ``EI0`` or ``ENName`` stands for.

        Raises:
            LookupError: There is none.
        """
        word = str(index)
        if isinstance(index, int):
            return self.result, self.result.names()[index]
        book = self.result if word[:1] == "R" else self.expected
        if book is None or word[:2] not in ("RI", "RN", "EI", "EN"):
            raise LookupError(f"no sheet {word!r}")
        name = book.names()[int(word[2:])] if word[1] == "I" else word[2:]
        if name not in book.names():
            raise LookupError(f"no sheet {name!r}")
        return book, name


def compare_table(
    result: str | None, expected: str | None = None, *, rules: Sequence[Mapping[str, Any]], **_: Any
) -> float:
    """Whether a spreadsheet keeps every rule.

    Raises:
        InvalidTask: A rule of a kind that nobody knows.
    """
    mine = _book(result)
    if mine is None:
        return 0.0
    pair = Pair(mine, _book(expected))
    for rule in rules:
        if rule["type"] not in RULES:
            raise InvalidTask(f"no rule for spreadsheets named {rule['type']!r}", hint=f"rules: {', '.join(RULES)}")
        try:
            if not RULES[rule["type"]](pair, rule):
                return 0.0
        except (LookupError, OSError):
            return 0.0  # a sheet, cell or printed copy that is not there
    return 1.0


def _book(path: str | None) -> Book | None:
    if path is None or not Path(path).is_file():
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(i.file_size for i in archive.infolist()) > _LARGEST:
                return None  # it unpacks to more than any spreadsheet of a task
        return Book(path, openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, InvalidFileException):
        return None


def _both(pair: Pair, rule: Mapping[str, Any]) -> tuple[tuple[Book, str], tuple[Book, str]]:
    return pair.sheet(rule["sheet_idx0"]), pair.sheet(rule["sheet_idx1"])


def _rows(book: Book, name: str, digits: int) -> list[tuple[Any, ...]]:
    """Values without empty rows and columns at the end."""
    rows = [tuple(_value(v, digits) for v in row) for row in book.valued[name].iter_rows(values_only=True)]
    while rows and not any(v is not None for v in rows[-1]):
        rows.pop()
    width = max((i + 1 for row in rows for i, v in enumerate(row) if v is not None), default=0)
    return [row[:width] for row in rows]


def _value(value: Any, digits: int) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return None if math.isnan(value) else round(float(value), digits)


def _data(pair: Pair, rule: Mapping[str, Any]) -> bool:
    one, other = _both(pair, rule)
    digits = int(rule.get("precision", _DIGITS))
    return _rows(*one, digits) == _rows(*other, digits)


def _print(pair: Pair, rule: Mapping[str, Any]) -> bool:
    """Sheets as LibreOffice printed them to ``book-sheet.csv`` beside the book."""

    def lines(book: Book, name: str) -> list[str]:
        text = text_of(f"{book.path.rpartition('.')[0]}-{name}.csv")
        said = [line.strip() for line in (text.casefold() if rule.get("ignore_case") else text).splitlines()]
        while said and not said[-1]:
            said.pop()
        return said

    one, other = _both(pair, rule)
    return lines(*one) == lines(*other)


def _fuzzy(pair: Pair, rule: Mapping[str, Any]) -> bool:
    (mine, name), (theirs, other) = _both(pair, rule)
    for part in rule["rules"]:
        for cell in _cells(part["range"]):
            a = _trimmed(mine.valued[name][cell].value, part)
            b = _trimmed(theirs.valued[other][cell].value, part)
            kind = part["type"]
            fits = (
                (kind == "includes" and b in a)
                or (kind == "included_by" and a in b)
                or (kind == "exact_match" and a == b)
                or (kind == "fuzzy_match" and fuzz.ratio(a, b) >= part.get("threshold", _FUZZY))
            )
            if not fits:
                return False
    return True


def _trimmed(value: Any, part: Mapping[str, Any]) -> str:
    text = str(value)
    for was, now in part.get("normalization", ()):
        text = text.replace(was, now)
    text = text.lstrip(part["trim_leadings"]) if part.get("trim_leadings") else text
    text = text.rstrip(part["trim_trailings"]) if part.get("trim_trailings") else text
    text = "".join(c for c in text if c not in part.get("ignore_chars", ""))
    return text.casefold() if part.get("ignore_case") else text


def _cells(ranges: Sequence[str]) -> Iterator[str]:
    for area in MultiCellRange(" ".join(ranges)).ranges:
        for row, column in area.cells:
            yield f"{get_column_letter(column)}{row}"


def _names(pair: Pair, rule: Mapping[str, Any]) -> bool:
    del rule
    return pair.expected is not None and pair.result.names() == pair.expected.names()


def _cell(pair: Pair, rule: Mapping[str, Any]) -> bool:
    book, name = pair.sheet(rule["sheet_idx"])
    at = rule["coordinate"]
    for prop, wanted in rule["props"].items():
        value = book.valued[name][at].value if prop == "value" else _style(prop, book.styled[name][at])
        if not holds(value, wanted):
            return False
    return True


def _style(prop: str, cell: Any) -> Any:
    """A property of a cell, by its published name; text properties of empty cells are nothing."""
    if prop == "merge":
        return isinstance(cell, MergedCell)
    if prop in ("bgcolor", "fgcolor"):
        return cell.fill.fgColor.rgb
    if prop == "fill_type":
        return cell.fill.fill_type
    if cell.value is None:
        return None
    match prop:
        case "number_format":
            return cell.number_format if cell.data_type == "n" else None
        case "hyperlink":
            return cell.hyperlink or ""
        case "font_color":
            return cell.font.color.rgb if cell.font.color is not None else None
        case _ if prop.startswith("font_"):
            return getattr(cell.font, {"font_bold": "b", "font_italic": "i", "font_underline": "u"}.get(prop, prop[5:]))
        case _:
            raise InvalidTask(f"no property of cells named {prop!r}", hint="such as bgcolor or font_bold")


def _styles(pair: Pair, rule: Mapping[str, Any]) -> bool:
    plain = [_UNSTYLED.get(p, "None") for p in rule["props"]]

    def styles(book: Book, name: str) -> dict[str, list[Any]]:
        cells = (c for row in book.styled[name].iter_rows() for c in row)
        read = {c.coordinate: [str(_style(p, c)) for p in rule["props"]] for c in cells}
        return {k: v for k, v in read.items() if v != plain}  # books differ in how many untouched cells they store

    one, other = _both(pair, rule)
    return styles(*one) == styles(*other)


_UNSTYLED: Final = {"merge": "False", "bgcolor": "00000000", "fgcolor": "00000000"}
"""Properties of an empty cell that nobody touched; all others are nothing."""


def _freeze(pair: Pair, rule: Mapping[str, Any]) -> bool:
    (mine, name), (theirs, other) = _both(pair, rule)
    return bool(mine.styled[name].freeze_panes == theirs.styled[other].freeze_panes)


def _zoom(pair: Pair, rule: Mapping[str, Any]) -> bool:
    book, name = pair.sheet(rule["sheet_idx"])
    return holds(book.styled[name].sheet_view.zoomScale or 100.0, rule)


def _validation(pair: Pair, rule: Mapping[str, Any]) -> bool:
    book, name = pair.sheet(rule["sheet_idx"])
    found = book.styled[name].data_validations.dataValidation
    return len(found) >= len(rule["dv_props"]) and all(
        any(all(holds(getattr(v, _DV.get(k, k)), r) for k, r in p.items()) for p in rule["dv_props"]) for v in found
    )


_DV: Final = {"ranges": "sqref"}


def _dimensions(kind: str) -> Callable[[Pair, Mapping[str, Any]], bool]:
    def compare(pair: Pair, rule: Mapping[str, Any]) -> bool:
        def props(book: Book, name: str) -> dict[Any, list[Any]]:
            found = getattr(book.styled[name], f"{kind}_dimensions")
            read = {k: [getattr(d, p, None) for p in rule["props"]] for k, d in found.items()}
            return {k: v for k, v in read.items() if any(v)}  # only what differs from the default

        one, other = _both(pair, rule)
        return props(*one) == props(*other)

    return compare


def _filter(pair: Pair, rule: Mapping[str, Any]) -> bool:
    (mine, name), (theirs, other) = _both(pair, rule)
    return bool(mine.styled[name].auto_filter.ref == theirs.styled[other].auto_filter.ref)


def _charts(pair: Pair, rule: Mapping[str, Any]) -> bool:
    def charts(book: Book, name: str) -> list[list[Any]]:
        return sorted(
            [[_series(c), *(_chart_prop(c, p) for p in rule["chart_props"])] for c in book.styled[name]._charts],  # noqa: SLF001 - the library's only name for it
            key=repr,
        )

    one, other = _both(pair, rule)
    return charts(*one) == charts(*other)


def _series(chart: Any) -> list[str]:
    return [f"{_formula(s.val)},{_formula(s.cat)}" for s in chart.series]


def _formula(source: Any) -> str:
    for kind in ("numRef", "strRef"):
        ref = getattr(source, kind, None)
        if ref is not None:
            return str(ref.f).replace("$", "").replace("'", "")
    return ""


def _chart_prop(chart: Any, prop: str) -> Any:
    if prop == "type":
        return chart.tagname
    if prop == "direction":
        return getattr(chart, "barDir", None)
    if prop == "title":
        rich = chart.title.tx.rich if chart.title is not None and chart.title.tx is not None else None
        return "".join(r.t for p in rich.p for r in p.r or ()) if rich is not None else None
    raise InvalidTask(f"no property of charts named {prop!r}", hint="type, title or direction")


def _pivots(pair: Pair, rule: Mapping[str, Any]) -> bool:
    def pivots(book: Book, name: str) -> list[list[Any]]:
        return sorted([[_pivot(p, prop) for prop in rule["pivot_props"]] for p in book.styled[name]._pivots], key=repr)  # noqa: SLF001 - the library's only name for it

    one, other = _both(pair, rule)
    return pivots(*one) == pivots(*other)


def _pivot(table: Any, prop: str) -> Any:
    fields = [f.name for f in table.cache.cacheFields]

    def named(found: Any) -> list[str]:
        return [fields[f.x] if 0 <= f.x < len(fields) else "values" for f in found or ()]

    match prop:
        case "col_fields":
            return named(table.colFields)
        case "row_fields":
            return named(table.rowFields)
        case "data_fields":
            return [(fields[f.fld], f.subtotal) for f in table.dataFields or ()]
        case "filter":
            hidden = {
                fields[i]: sorted(n.x for n in f.items if n.h) for i, f in enumerate(table.pivotFields) if f.items
            }
            return {k: v for k, v in hidden.items() if v}
        case _:
            raise InvalidTask(f"no property of pivot tables named {prop!r}", hint="such as row_fields")


RULES: Final[Mapping[str, Callable[[Pair, Mapping[str, Any]], bool]]] = MappingProxyType(
    {
        "sheet_name": _names,
        "sheet_data": _data,
        "sheet_print": _print,
        "sheet_fuzzy": _fuzzy,
        "check_cell": _cell,
        "style": _styles,
        "freeze": _freeze,
        "zoom": _zoom,
        "data_validation": _validation,
        "row_props": _dimensions("row"),
        "col_props": _dimensions("column"),
        "filter": _filter,
        "chart": _charts,
        "pivot_table": _pivots,
    }
)
"""Kind of rule → whether a pair of workbooks keeps it."""
