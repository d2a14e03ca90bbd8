"""Spreadsheets, each written by a real library and compared rule by rule."""

from pathlib import Path

import pytest

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.metrics import metric

openpyxl = pytest.importorskip("openpyxl")
from openpyxl.chart import BarChart, Reference  # noqa: E402 - needs the extra
from openpyxl.styles import Font, PatternFill  # noqa: E402 - needs the extra
from openpyxl.worksheet.datavalidation import DataValidation  # noqa: E402 - needs the extra

SHEETS = {"sheet_idx0": 0, "sheet_idx1": "EI0"}


def plain(book) -> None:
    """The book as it is."""


def other_value(book) -> None:
    book.active["B2"] = 9


def bold(book) -> None:
    book.active["A1"].font = Font(bold=True)


def coloured_empty_cell(book) -> None:
    book.active["D9"].fill = PatternFill("solid", fgColor="FFFF0000")


def touched_empty_cell(book) -> None:
    book.active.cell(row=20, column=20)


def frozen(book) -> None:
    book.active.freeze_panes = "A2"


def filtered(book) -> None:
    book.active.auto_filter.ref = "A1:B3"


def wide(book) -> None:
    book.active.column_dimensions["A"].width = 40


def hidden_row(book) -> None:
    book.active.row_dimensions[2].hidden = True


def renamed(book) -> None:
    book.active.title = "Other"


def zoomed(book) -> None:
    book.active.sheet_view.zoomScale = 150


def charted(book) -> None:
    chart = BarChart()
    chart.title = "Sales"
    chart.add_data(Reference(book.active, min_col=2, min_row=2, max_row=3))
    book.active.add_chart(chart, "D2")


def listed(book) -> None:
    choice = DataValidation(type="list", formula1='"yes,no"')
    choice.add("C2:C3")
    book.active.add_data_validation(choice)


def saved(path: Path, change=plain) -> str:
    book = openpyxl.Workbook()
    book.active.title = "Data"
    for row in (("name", "n"), ("Pear", 1.00001), ("Plum", 2)):
        book.active.append(row)
    change(book)
    book.save(path)
    return str(path)


PAIRED = {
    "sheet_data": other_value,
    "sheet_name": renamed,
    "freeze": frozen,
    "filter": filtered,
}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        *(({"type": kind, **SHEETS}, change) for kind, change in PAIRED.items()),
        ({"type": "style", "props": ["font_bold"], **SHEETS}, bold),
        ({"type": "style", "props": ["bgcolor"], **SHEETS}, coloured_empty_cell),
        ({"type": "col_props", "props": ["width"], **SHEETS}, wide),
        ({"type": "row_props", "props": ["hidden"], **SHEETS}, hidden_row),
        ({"type": "chart", "chart_props": ["type", "title", "direction"], **SHEETS}, charted),
        (
            {"type": "sheet_fuzzy", "rules": [{"range": ["B1:B3"], "type": "exact_match"}], **SHEETS},
            other_value,
        ),
    ],
)
def test_a_rule_of_pairs_sees_its_change_and_nothing_else(tmp_path, rule, change):
    was = saved(tmp_path / "plain.xlsx")
    now = saved(tmp_path / "now.xlsx", change)
    again = saved(tmp_path / "again.xlsx", change)
    touched = saved(tmp_path / "touched.xlsx", touched_empty_cell)
    compare = metric("compare_table")
    assert compare(was, now, rules=[rule]) == 0
    assert compare(now, was, rules=[rule]) == 0
    assert compare(now, again, rules=[rule]) == 1
    assert compare(touched, was, rules=[rule]) == 1


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (zoomed, {"type": "zoom", "sheet_idx": 0, "method": "eq", "ref": 150}),
        (
            bold,
            {
                "type": "check_cell",
                "sheet_idx": 0,
                "coordinate": "A1",
                "props": {"font_bold": {"method": "eq", "ref": True}},
            },
        ),
        (
            other_value,
            {"type": "check_cell", "sheet_idx": 0, "coordinate": "B2", "props": {"value": {"method": "eq", "ref": 9}}},
        ),
        (
            listed,
            {
                "type": "data_validation",
                "sheet_idx": 0,
                "dv_props": [
                    {
                        "ranges": {"method": "spreadsheet_range", "ref": ["C2:C3", "C1:C9"]},
                        "type": {"method": "eq", "ref": "list"},
                    }
                ],
            },
        ),
    ],
)
def test_a_rule_of_one_book_holds_only_after_its_change(tmp_path, change, rule):
    compare = metric("compare_table")
    assert compare(saved(tmp_path / "now.xlsx", change), rules=[rule]) == 1
    assert compare(saved(tmp_path / "plain.xlsx"), rules=[rule]) == 0


def test_figures_are_compared_to_four_digits_or_as_the_rule_says(tmp_path):
    mine, theirs = saved(tmp_path / "1.xlsx"), saved(tmp_path / "2.xlsx", lambda b: b.active.__setitem__("B2", 1.00002))
    rule = {"type": "sheet_data", **SHEETS}
    assert metric("compare_table")(mine, theirs, rules=[rule]) == 1
    assert metric("compare_table")(mine, theirs, rules=[{**rule, "precision": 6}]) == 0


def test_printed_sheets_are_compared_beside_the_book(tmp_path):
    mine, theirs = saved(tmp_path / "1.xlsx"), saved(tmp_path / "2.xlsx")
    rule = {"type": "sheet_print", **SHEETS}
    assert metric("compare_table")(mine, theirs, rules=[rule]) == 0
    (tmp_path / "1-Data.csv").write_text("a,b\n\n")
    (tmp_path / "2-Data.csv").write_text("a,b\n")
    assert metric("compare_table")(mine, theirs, rules=[rule]) == 1


@pytest.mark.parametrize("content", [None, b"", b"no workbook", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_workbook_scores_zero(tmp_path, content):
    if content is not None:
        (tmp_path / "x.xlsx").write_bytes(content)
    rule = {"type": "sheet_name", **SHEETS}
    assert metric("compare_table")(str(tmp_path / "x.xlsx"), saved(tmp_path / "e.xlsx"), rules=[rule]) == 0


def test_a_sheet_that_is_not_there_scores_zero(tmp_path):
    rule = {"type": "sheet_data", "sheet_idx0": 4, "sheet_idx1": "ENNone"}
    assert metric("compare_table")(saved(tmp_path / "1.xlsx"), saved(tmp_path / "2.xlsx"), rules=[rule]) == 0


def test_an_unknown_rule_is_the_tasks_mistake(tmp_path):
    with pytest.raises(InvalidTask, match="sheet_smell"):
        metric("compare_table")(saved(tmp_path / "1.xlsx"), rules=[{"type": "sheet_smell"}])
