"""Text documents, presentations and PDF files, each written by a real library and changed in one thing."""

import zipfile
from pathlib import Path

import pytest

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.metrics import metric

docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")
pypdf = pytest.importorskip("pypdf")

from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK  # noqa: E402 - needs the extra
from docx.shared import Pt  # noqa: E402 - needs the extra
from PIL import Image  # noqa: E402 - after the extras
from pptx.util import Inches, Pt as SlidePt  # noqa: E402 - needs the extra


def written(path: Path, change=lambda _: None) -> str:
    document = docx.Document()
    for text in ("Title", "First line", "Last line"):
        document.add_paragraph(text)
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "cell"
    change(document)
    document.save(path)
    return str(path)


def reworded(document) -> None:
    document.paragraphs[1].runs[0].text = "Another line"


def spaced(document) -> None:
    document.paragraphs[1].paragraph_format.line_spacing = 2.0


def other_cell(document) -> None:
    document.tables[0].cell(0, 0).text = "other"


def pictured(document) -> None:
    file = Path(document.core_properties.comments or ".") / "red.png"
    Image.new("RGB", (4, 4), "red").save(file)
    document.add_picture(str(file))


def struck(document) -> None:
    document.paragraphs[-1].runs[0].font.strike = True


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("compare_docx_files", reworded),
        ("compare_docx_tables", other_cell),
        ("compare_line_spacing", spaced),
    ],
)
def test_a_comparison_of_documents_sees_its_change_and_nothing_else(tmp_path, name, change):
    plain, now, again = (written(tmp_path / f"{i}.docx", c) for i, c in enumerate((lambda _: None, change, change)))
    compare = metric(name)
    assert [compare(plain, now), compare(now, plain)] == [0, 0]
    assert [compare(plain, plain), compare(now, again)] == [1, 1]


def test_pictures_in_documents_are_compared_by_what_they_show(tmp_path):
    def with_picture(document) -> None:
        document.core_properties.comments = str(tmp_path)
        pictured(document)

    plain, now = written(tmp_path / "1.docx"), written(tmp_path / "2.docx", with_picture)
    again = written(tmp_path / "3.docx", with_picture)
    compare = metric("compare_docx_images")
    assert [compare(plain, now), compare(now, again), compare(plain, plain)] == [0, 1, 1]


def centred(document) -> None:
    document.paragraphs[0].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER


def broken(document) -> None:
    document.paragraphs[1].runs[0].add_break(WD_BREAK.PAGE)


def in_one_font(document) -> None:
    for paragraph in document.paragraphs:
        for run in paragraph.runs:
            run.font.name = "Times"


@pytest.mark.parametrize(
    ("name", "change", "rules"),
    [
        ("is_first_line_centered", centred, {}),
        ("contains_page_break", broken, {}),
        ("contains_page_break", broken, {"page_break_count": 1}),
        ("compare_font_names", in_one_font, {"font_name": "Times"}),
    ],
)
def test_a_property_of_a_document_holds_only_after_its_change(tmp_path, name, change, rules):
    assert metric(name)(written(tmp_path / "now.docx", change), rules) == 1
    assert metric(name)(written(tmp_path / "plain.docx"), rules) == 0


def large_italics(document) -> None:
    document.paragraphs[1].runs[0].italic = True
    document.paragraphs[1].runs[0].font.size = Pt(14)


def small_italics(document) -> None:
    document.paragraphs[1].runs[0].italic = True


def lowered(document) -> None:
    document.paragraphs[1].runs[0].font.subscript = True


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("check_italic_font_size_14", large_italics, small_italics),
        ("compare_subscript_contains", lowered, lambda _: None),
        ("evaluate_strike_through_last_paragraph", struck, lambda _: None),
    ],
)
def test_a_change_is_told_from_none(tmp_path, name, right, wrong):
    expected = written(tmp_path / "e.docx", right)
    assert metric(name)(written(tmp_path / "right.docx", right), expected) == 1
    assert metric(name)(written(tmp_path / "wrong.docx", wrong), expected) == 0


def test_words_can_be_compared_without_blanks_case_or_order(tmp_path):
    def loud(document) -> None:
        document.paragraphs[1].runs[0].text = "FIRST   LINE"

    def turned(document) -> None:
        document.paragraphs[1].runs[0].text, document.paragraphs[2].runs[0].text = "Last line", "First line"

    plain, loud_, other = (written(tmp_path / f"{i}.docx", c) for i, c in enumerate((lambda _: None, loud, turned)))
    compare = metric("compare_docx_files")
    assert [compare(loud_, plain), compare(loud_, plain, ignore_case=True)] == [0, 1]
    assert compare(loud_, plain, ignore_case=True, ignore_blanks=False) == 0
    assert [compare(other, plain), compare(other, plain, ignore_order=True)] == [0, 1]
    assert 0.4 < compare(loud_, plain, content_only=True) < 1


def test_an_open_document_is_read_too(tmp_path):
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    for name, line in (("1", "one"), ("2", "one"), ("3", "two")):
        with zipfile.ZipFile(tmp_path / f"{name}.odt", "w") as archive:
            archive.writestr("content.xml", f'<d xmlns:text="{text}"><text:p>{line}</text:p></d>')
    one, same, other = (str(tmp_path / f"{n}.odt") for n in "123")
    assert [metric("compare_docx_files")(one, x) for x in (same, other)] == [1, 0]


def shown(path: Path, change=lambda _: None) -> str:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
    box.text_frame.text = "Words"
    table = slide.shapes.add_table(1, 1, Inches(1), Inches(3), Inches(3), Inches(1)).table
    table.cell(0, 0).text = "cell"
    change(show)
    show.save(path)
    return str(path)


def run_of(show):
    return show.slides[0].shapes[0].text_frame.paragraphs[0].runs[0]


def coloured(show) -> None:
    fill = show.slides[0].background.fill
    fill.solid()
    fill.fore_color.rgb = pptx.dml.color.RGBColor(255, 0, 0)


SLIDE_CHANGES = {
    "shape": lambda s: setattr(s.slides[0].shapes[0], "left", Inches(5)),
    "font_size": lambda s: setattr(run_of(s).font, "size", SlidePt(40)),
    "font_bold": lambda s: setattr(run_of(s).font, "bold", True),
    "font_italic": lambda s: setattr(run_of(s).font, "italic", True),
    "font_underline": lambda s: setattr(run_of(s).font, "underline", True),
    "font_name": lambda s: setattr(run_of(s).font, "name", "Times"),
    "indent": lambda s: setattr(s.slides[0].shapes[0].text_frame.paragraphs[0], "level", 2),
    "alignment": lambda s: setattr(s.slides[0].shapes[0].text_frame.paragraphs[0], "alignment", 2),
    "note": lambda s: setattr(s.slides[0].notes_slide.notes_text_frame, "text", "Say hello"),
    "background_color": coloured,
    "number_of_slides": lambda s: s.slides.add_slide(s.slide_layouts[6]),
}


@pytest.mark.parametrize("what", SLIDE_CHANGES)
def test_a_change_of_slides_is_seen_unless_it_is_left_out(tmp_path, what):
    change = SLIDE_CHANGES[what]
    plain, now, again = (shown(tmp_path / f"{i}.pptx", c) for i, c in enumerate((lambda _: None, change, change)))
    compare = metric("compare_pptx_files")
    assert [compare(plain, now), compare(now, plain)] == [0, 0]
    assert [compare(plain, plain), compare(now, again)] == [1, 1]
    assert compare(now, plain, **{f"examine_{what}": False}) == 1


def test_words_in_tables_of_slides_are_compared(tmp_path):
    def other(show) -> None:
        show.slides[0].shapes[1].table.cell(0, 0).text = "other"

    assert metric("compare_pptx_files")(shown(tmp_path / "1.pptx", other), shown(tmp_path / "2.pptx")) == 0


def test_an_option_that_nobody_knows_is_the_tasks_mistake(tmp_path):
    with pytest.raises(InvalidTask, match="examine_smell"):
        metric("compare_pptx_files")(shown(tmp_path / "1.pptx"), shown(tmp_path / "2.pptx"), examine_smell=True)


def printed(path: Path, *pages: str) -> str:
    """A PDF with one line of text per page."""
    writer = pypdf.PdfWriter()
    generic = pypdf.generic
    name = generic.NameObject
    font = generic.DictionaryObject(
        {name("/Type"): name("/Font"), name("/Subtype"): name("/Type1"), name("/BaseFont"): name("/Helvetica")}
    )
    for text in pages:
        page = writer.add_blank_page(300, 300)
        stream = generic.DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
        fonts = generic.DictionaryObject({name("/F1"): font})
        page[name("/Resources")] = generic.DictionaryObject({name("/Font"): fonts})
        page[name("/Contents")] = writer._add_object(stream)
    writer.write(path)
    return str(path)


def test_texts_of_pdf_files_are_compared(tmp_path):
    one, same, other = (printed(tmp_path / f"{i}.pdf", t) for i, t in enumerate(("hello", "hello", "xyz")))
    compare = metric("compare_pdfs")
    assert [compare(one, same), compare([one, other], [one, one])] == [1, 0.5]
    assert compare(one, other) == 0
    assert compare([one], [one, one]) == 0.5


@pytest.mark.parametrize(
    ("relation", "pages", "score"), [("eq", 2, 1), ("gt", 1, 1), ("lt", 2, 0), ("__class__", 2, 0)]
)
def test_pages_are_counted(tmp_path, relation, pages, score):
    file = printed(tmp_path / "2.pdf", "a", "b")
    assert metric("check_pdf_pages")(file, {"relation": relation, "ref_value": pages}) == score


@pytest.mark.parametrize("name", ["compare_docx_files", "compare_docx_tables", "compare_pptx_files", "compare_pdfs"])
@pytest.mark.parametrize("content", [b"", b"neither", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_document_scores_zero(tmp_path, name, content):
    good = {"compare_pptx_files": shown, "compare_pdfs": lambda p: printed(p, "a")}.get(name, written)
    (tmp_path / "bad").write_bytes(content)
    assert metric(name)(str(tmp_path / "bad"), good(tmp_path / "good")) == 0
