"""Makes the fixtures of desktop-40 again: what tasks start from, and what should be there in the end.

    python benchmarks/suites/desktop-40/build.py

Everything in them was made up for this suite. Files in ``fixtures/`` are what this writes; the text files are the same
byte for byte, documents differ in the time that they were made.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import docx
import openpyxl

HERE = Path(__file__).parent / "fixtures"

NOTES = "Things to do\nWater the plants\nCall the bank\n"
LETTER = "Dear colour committee,\nthe colour of the door is a bad colour.\nYours, R. Hue\n"
STAFF = "Name;Room;Phone\nAda Novak;12;4410\nBo Lind;7;4423\nCyd Marsh;31;4409\n"
SALES = (("Item", "Price", "Sold"), ("Tea", 3, 40), ("Cake", 5, 18), ("Juice", 4, 25))
TITLE, BODY = "Report on the north garden", ("The roses are late this year.", "The pond was cleaned in May.")
FORM = """<!doctype html><meta charset="utf-8"><title>Order form</title>
<h1>Order form</h1>
<p><label>Name <input id="name"></label>
<p><label>Tea <select id="tea"><option>green<option>black<option>mint</select></label>
<p><label><input type="checkbox" id="gift"> It is a gift</label>
<p><button id="save">Save order</button> <output id="told"></output>
<script>
document.getElementById('save').onclick = () => {
  const value = (id) => document.getElementById(id).value;
  const order = {name: value('name'), tea: value('tea'), gift: document.getElementById('gift').checked};
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(order)], {type: 'application/json'}));
  link.download = 'order.json';
  link.click();
  document.getElementById('told').textContent = 'Saved';
};
</script>
"""


ROOMS = """<!doctype html><meta charset="utf-8"><title>Rooms</title>
<h1>Who sits where</h1>
<table border="1"><tr><th>Name<th>Room<th>Phone
<tr><td>Ada Novak<td>12<td>4410<tr><td>Bo Lind<td>7<td>4423<tr><td>Cyd Marsh<td>31<td>4409</table>
<p><label>Your answer <input id="answer"></label> <button id="send">Save answer</button>
<script>
document.getElementById('send').onclick = () => {
  const link = document.createElement('a');
  const said = JSON.stringify({answer: document.getElementById('answer').value.trim()});
  link.href = URL.createObjectURL(new Blob([said], {type: 'application/json'}));
  link.download = 'answer.json';
  link.click();
};
</script>
"""


SURVEY = """<!doctype html><meta charset="utf-8"><title>Survey</title>
<h1>Survey</h1>
<p><label>Town <input id="town"></label>
<p><label><input type="radio" name="way" value="bus"> By bus</label>
<label><input type="radio" name="way" value="bike"> By bike</label>
<p><label><input type="checkbox" id="news"> Send me news</label>
<p><button id="send">Send survey</button>
<script>
document.getElementById('send').onclick = () => {
  const way = document.querySelector('input[name=way]:checked');
  const town = document.getElementById('town').value, news = document.getElementById('news').checked;
  const link = document.createElement('a');
  const said = JSON.stringify({town, way: way ? way.value : '', news});
  link.href = URL.createObjectURL(new Blob([said], {type: 'application/json'}));
  link.download = 'survey.json';
  link.click();
};
</script>
"""


def main() -> None:
    """Write every fixture."""
    HERE.mkdir(exist_ok=True)
    _text("notes.txt", NOTES)
    _text("notes-milk.txt", NOTES + "Buy milk\n")
    _text("letter.txt", LETTER)
    _text("letter-color.txt", LETTER.replace("colour", "color"))
    _text("staff.csv", STAFF)
    _text(
        "staff-sorted.csv",
        "".join(sorted(STAFF.splitlines(keepends=True)[1:], key=lambda line: int(line.split(";")[1]))),
    )
    _text("order.html", FORM)
    _text("rooms.html", ROOMS)
    _text("survey.html", SURVEY)
    _text("sum.txt", "1591\n")
    _text("product.txt", "408\n")
    _text("done.txt", "Done\n")
    _text("all.txt", NOTES + LETTER)
    _text("staff-low.csv", "".join(x for x in STAFF.splitlines(keepends=True)[1:] if int(x.split(";")[1]) < 20))
    _sheets()
    _documents()


def _sheets() -> None:
    _book("sales.xlsx", SALES)
    _book("sales-total.xlsx", (*SALES, (None, None, sum(row[2] for row in SALES[1:]))))
    _book("sales-takings.xlsx", [(*r, t) for r, t in zip(SALES, ("Takings", 120, 90, 100), strict=True)])
    _book("sales-sorted.xlsx", (SALES[0], *sorted(SALES[1:], key=lambda row: row[1])))
    _book("sales-renamed.xlsx", SALES, name="Spring")
    _book("sales-bold.xlsx", SALES, change=_bold)
    _book("sales-frozen.xlsx", SALES, change=_freeze)
    _book("sales-heading.xlsx", SALES, change=lambda sheet: (_bold(sheet), _freeze(sheet)))
    _book("sales-italic.xlsx", SALES, change=_italic)
    _book("sales-average.xlsx", (*SALES, (None, 4)))
    _book("sales-most.xlsx", (*SALES, (None, None, 40)))
    _book("sales-soup.xlsx", (*SALES, ("Soup", 6, 12)))
    _book("sales-dearer.xlsx", [("Cake", 6, 18) if row[0] == "Cake" else row for row in SALES])
    _book("sales-by-sold.xlsx", (SALES[0], *sorted(SALES[1:], key=lambda row: -row[2])))
    _text("sales.csv", "".join(",".join(map(str, row)) + "\n" for row in SALES))


def _documents() -> None:
    _document("garden.docx", (TITLE, *BODY))
    _document("garden-tulips.docx", (TITLE, *(line.replace("roses", "tulips") for line in BODY)))
    _document("garden-lake.docx", (TITLE, *(line.replace("pond", "lake") for line in BODY)))
    with tempfile.TemporaryDirectory() as profile:
        office = ["soffice", f"-env:UserInstallation={Path(profile).as_uri()}", "--headless", "--convert-to", "pdf"]
        subprocess.run([*office, "--outdir", HERE, HERE / "garden.docx"], check=True, stdout=subprocess.DEVNULL)


def _text(name: str, text: str) -> None:
    (HERE / name).write_text(text, "utf-8")


def _book(
    file: str, rows: Iterable[Sequence[Any]], *, name: str = "Sheet1", change: Callable[[Any], None] = lambda _: None
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = name
    for row in rows:
        sheet.append(row)
    change(sheet)
    book.save(HERE / file)


def _bold(sheet: Any) -> None:
    for cell in sheet[1]:
        cell.font = openpyxl.styles.Font(bold=True)


def _italic(sheet: Any) -> None:
    for cell in sheet[1]:
        cell.font = openpyxl.styles.Font(italic=True)


def _freeze(sheet: Any) -> None:
    sheet.freeze_panes = "A2"


def _document(name: str, paragraphs: Iterable[str]) -> None:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(HERE / name)


if __name__ == "__main__":
    main()
