import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import RecordError, UsageError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.screenshot import Screenshot
from cuakit.viz import overlay


@pytest.fixture
def seen():
    shot = Screenshot(pixels=np.full((80, 120, 3), 240, np.uint8), scale=2.0)
    rows = [
        Candidate(id="c01", role="button", name="Send & go", box=Box(10, 20, 50, 40), source="dom"),
        Candidate(id="c02", role="text", text="<none>", box=Box(60, 20, 110, 40), source="ocr", score=0.4),
    ]
    return Observation(screenshot=shot, candidates=Candidates(rows), title="A <form>")


def test_png_has_the_screens_size(seen, tmp_path):
    with Image.open(overlay.save(seen, tmp_path / "o.png")) as picture:
        assert picture.size == (120, 80)


def test_svg_is_well_formed_and_has_a_box_per_candidate(seen, tmp_path):
    root = ET.parse(overlay.save(seen, tmp_path / "o.svg")).getroot()
    ns = "{http://www.w3.org/2000/svg}"
    assert [g.find(f"{ns}text").text for g in root.iter(f"{ns}g")] == ["2", "1"]
    assert "Send & go" in "".join(t.text for t in root.iter(f"{ns}title"))
    href = next(root.iter(f"{ns}image")).attrib["href"]
    assert href.startswith("data:image/png;base64,")


def test_html_holds_picture_and_table_and_nothing_from_outside(seen, tmp_path):
    page = overlay.save(seen, str(tmp_path / "o.html")).read_text("utf-8")
    assert "<td>Send &amp; go</td>" in page
    assert "<title>A &lt;form&gt;</title>" in page
    assert 'src="http' not in page
    assert "data:image/png;base64," in page


def test_another_suffix_is_refused_before_anything_is_drawn(seen, tmp_path):
    with pytest.raises(UsageError, match="gif") as told:
        overlay.save(seen, tmp_path / "o.gif")
    assert told.value.hint == "use .png, .svg, .html"
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_a_sentence_and_leaves_nothing(seen, tmp_path):
    with pytest.raises(RecordError, match="No such file"):
        overlay.save(seen, tmp_path / "no/o.png")
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_survives_a_failed_write(seen, tmp_path, monkeypatch):
    old = tmp_path / "o.png"
    old.write_bytes(b"old")
    monkeypatch.setattr(
        "pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(RecordError, match="No space left"):
        overlay.save(seen, old)
    assert [p.name for p in tmp_path.iterdir()] == ["o.png"]
    assert old.read_bytes() == b"old"


def test_png_bytes_are_a_png(seen):
    assert Image.open(io.BytesIO(overlay.png(seen))).format == "PNG"
