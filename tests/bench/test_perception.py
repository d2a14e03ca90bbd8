import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuakit.bench import perception
from cuakit.bench.matching import Found
from cuakit.bench.perception_report import measure, table
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.data.annotations import FILE, Element, Screen, TextLine, as_row

SEND = Element(box=Box(10, 10, 70, 30), role="button", name="Send", text="Send")
NOTE = Element(box=Box(10, 50, 60, 62), role="text", name="a note", text="a note")
LINES = (TextLine(box=Box(20, 14, 60, 26), text="Send"), TextLine(box=Box(10, 50, 60, 62), text="a note"))


def screen(**more):
    given = {"elements": (SEND, NOTE), "lines": LINES, "app": "mail"} | more
    return Screen(image=Path("mail.png"), **given)


RIGHT = (Found(box=SEND.box, role="button", text="Send"), Found(box=NOTE.box, role="text", text="a note"))


def figures(found, **more):
    return perception.figures(perception.judge(screen(**more), found))


def test_everything_right_is_one_everywhere():
    f = figures(RIGHT)
    shares = (f.recall, f.precision, f.centre_recall, f.text_recall, f.role_accuracy, f.name_accuracy)
    assert [s.value for s in shares] == [1.0] * 6
    assert (f.f1, f.cer.value, f.n) == (1.0, 0.0, 2)


def test_nothing_found_is_no_recall_and_no_precision():
    f = figures(())
    assert f.recall.value == 0
    assert f.precision is None
    assert f.f1 is None


def test_a_second_box_on_a_control_is_its_part_but_one_elsewhere_is_a_false_alarm():
    part, alarm = Found(box=Box(20, 14, 60, 26), text="Send"), Found(box=Box(100, 100, 120, 120))
    assert figures((*RIGHT, part)).precision.value == 1.0
    assert figures((*RIGHT, alarm)).precision.value == pytest.approx(2 / 3)


def test_what_is_found_where_nothing_is_known_counts_neither_way():
    inside = Found(box=Box(110, 110, 120, 120))
    f = figures((*RIGHT, inside), blind=(Box(100, 100, 200, 200),))
    assert (f.precision.value, f.counts["precision"]) == (1.0, 2)


def test_containers_are_not_counted():
    assert figures((*RIGHT, Found(box=Box(0, 0, 200, 200), role="group"))).precision.value == 1.0


def test_a_link_that_is_drawn_as_a_button_may_be_called_one():
    plain = Element(box=SEND.box, role="link", text="Send")
    drawn = Element(box=SEND.box, role="link", text="Send", looks=("button",))
    assert figures(RIGHT, elements=(plain,)).role_accuracy.value == 0
    assert figures(RIGHT, elements=(drawn,)).role_accuracy.value == 1


def test_a_wrong_letter_is_one_error_and_a_line_that_is_mostly_wrong_is_not_found():
    close = figures((Found(box=NOTE.box, role="text", text="a nate"),), lines=LINES[1:])
    assert (close.text_recall.value, close.cer.value) == (1.0, pytest.approx(1 / 5))
    far = figures((Found(box=NOTE.box, role="text", text="xyz"),), lines=LINES[1:])
    assert far.text_recall.value == 0


def test_a_line_read_in_pieces_is_found():
    pieces = (Found(box=Box(10, 50, 30, 62), text="a"), Found(box=Box(30, 50, 60, 62), text="note"))
    assert figures(pieces, lines=LINES[1:]).text_recall.value == 1


def test_a_text_elsewhere_does_not_count():
    assert figures((Found(box=Box(100, 100, 160, 112), text="a note"),), lines=LINES[1:]).text_recall.value == 0


def test_small_is_in_points_and_holds_for_controls_alone():
    judged = perception.judge(screen(scale=2.0), RIGHT)
    assert [e.small for e in judged.elements] == [True, False]


def test_no_screen_is_said():
    with pytest.raises(UsageError, match="no screen"):
        perception.run([], {})


@pytest.fixture
def data(tmp_path):
    """A folder of two screens with a button-like rectangle each."""
    rows = []
    (tmp_path / "images").mkdir()
    for app in ("a", "b"):
        pixels = np.full((120, 200, 3), 250, np.uint8)
        pixels[40:70, 40:120] = (30, 90, 200)
        image = tmp_path / "images" / f"{app}.png"
        Image.fromarray(pixels).save(image)
        element = Element(box=Box(40, 40, 120, 70), role="button")
        rows.append(as_row(Screen(image=image, app=app, elements=(element,), source="dom"), tmp_path))
    (tmp_path / FILE).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def test_the_report_holds_what_was_promised_and_is_json(data):
    report = measure(data=data, speed=False, handles=False, progress=False)
    wanted = "n recall precision f1 centre_recall small_recall text_recall cer role_accuracy name_accuracy "
    wanted += "handles_accuracy cold_ms cold_speedup warm_ratio same_frame_ms uhd_ratio peak_mb amx peers"
    assert set(wanted.split()) <= set(json.loads(json.dumps(report)))
    assert (report["n"], report["recall"], report["precision"]) == (2, 1.0, 1.0)
    assert set(report["peers"]) == {"seed_contours", "rapidocr", "omniparser", "kira"}
    assert "2 screens of 2 applications" in table(report)


def test_a_limit_is_spread_over_the_applications_and_globs_choose(data):
    some = {"data": data, "peers": False, "speed": False, "handles": False, "progress": False}
    assert measure(limit=1, **some)["screens"] == 1
    assert measure(applications=["b"], **some)["applications"] == ["b"]
    with pytest.raises(UsageError, match="no screen"):
        measure(applications=["c"], **some)


def test_times_are_measured_in_a_process_of_their_own(data):
    report = measure(data=data, peers=False, handles=False, progress=False, limit=1)
    assert report["cold_ms"] > 0
    assert report["peak_mb"] > 0
    assert report["id_persistence"] == 1.0
