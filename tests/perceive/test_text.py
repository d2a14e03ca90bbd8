import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.screenshot import Screenshot
from cuakit.perceive.ocr_detect import DetectOptions, Quad, network_size, regions
from cuakit.perceive.ocr_read import Alphabet, decode
from cuakit.perceive.text import PpOcrText
from tests.perceive.pages import shoot

LINES = ["The quick brown fox", "jumps over 13 lazy dogs", "Total: $1,234.56 (tax incl.)", "user@example.org"]
PAGE = "".join(f"<div style='margin:8px 0'>{line}</div>" for line in LINES)


@pytest.fixture(scope="module")
def ocr():
    return PpOcrText()


@pytest.mark.browser
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("dark", [False, True])
def test_lines_are_read_in_order_at_every_scale_and_theme(browser, ocr, scale, dark):
    found = ocr(shoot(browser, PAGE, scale=scale, dark=dark))
    assert [c.text for c in found] == LINES
    assert {(c.role, c.source) for c in found} == {("text", "ocr")}


@pytest.mark.browser
def test_a_tiny_frame_is_enlarged_until_it_can_be_read(browser, ocr):
    shot = shoot(browser, "<body style='margin:4px;font-size:11px'>Submit order", width=90, height=40)
    assert [c.text for c in ocr(shot)] == ["Submit order"]


@pytest.mark.browser
def test_boxes_hold_their_ink(browser, ocr):
    shot = shoot(browser, "<div style='position:absolute;left:100px;top:50px'>Hello world</div>", scale=2.0)
    (line,) = ocr(shot)
    ink = np.argwhere((shot.pixels < 128).any(axis=2))
    top, left, bottom, right = *ink.min(axis=0), *(ink.max(axis=0) + 1)
    assert line.box.left <= left + 2
    assert line.box.right >= right - 2
    assert abs(line.box.center.y - (top + bottom) / 2) < 4
    assert line.box.height < 2.6 * (bottom - top)


@pytest.mark.browser
def test_words_stand_where_they_are(browser, ocr):
    body = "first second <span style='color:#c00'>third</span>"
    shot = shoot(browser, body, scale=2.0)
    (line,) = ocr.lines(shot)
    words = line.words()
    assert [t for t, _ in words] == ["first", "second", "third"]
    red = np.flatnonzero((shot.pixels[..., 0].astype(int) - shot.pixels[..., 1] > 150).any(axis=0))
    assert abs(words[2][1].left - red[0]) < 10
    assert abs(words[2][1].right - red[-1]) < 16


@pytest.mark.browser
def test_a_rotated_line_is_not_lost(browser, ocr):
    body = "<div style='margin:90px 30px;transform:rotate(-20deg);font-size:20px'>Rotated heading here</div>"
    lines = ocr.lines(shoot(browser, body, scale=2.0))
    assert [line.text for line in lines] == ["Rotated heading here"]
    assert -26 < lines[0].angle < -14


@pytest.mark.browser
def test_an_upright_line_is_read_turned(browser, ocr):
    body = "<div style='writing-mode:vertical-rl;font-size:18px;margin:20px'>Sideways label</div>"
    assert [line.text for line in ocr.lines(shoot(browser, body, scale=2.0))] == ["Sideways label"]


@pytest.mark.browser
@pytest.mark.parametrize("options", [{"workers": 2}, {"threads": 2, "batch": 1}, {"runtime": "auto"}])
def test_speed_settings_do_not_change_what_is_read(browser, options):
    assert [c.text for c in PpOcrText(**options)(shoot(browser, PAGE))] == LINES


@pytest.mark.browser
def test_accents_are_read(browser, ocr):
    shot = shoot(browser, "<div style='font-size:20px'>Größe über Ångström façade</div>", scale=2.0)
    assert [c.text for c in ocr(shot)] == ["Größe über Ångström façade"]


@pytest.mark.browser
@pytest.mark.parametrize("words", ["terms of use before here", "one two", "illicit willing fill"])
def test_no_space_is_lost_between_coloured_words(browser, ocr, words):
    first, rest = words.split(" ", 1)
    body = f"<span style='color:#00e;text-decoration:underline'>{first}</span> {rest}"
    assert [c.text for c in ocr(shoot(browser, body))] == [words]


@pytest.mark.browser
def test_letters_of_a_fixed_pitch_are_not_torn_apart(browser, ocr):
    body = "<pre style='font-size:15px'>filling_li = illicit(tilt)</pre>"
    assert [c.text.replace(" ", "") for c in ocr(shoot(browser, body))] == ["filling_li=illicit(tilt)"]
    assert "fil ling" not in ocr(shoot(browser, body))[0].text


@pytest.mark.parametrize(
    ("script", "score", "expected"),
    [("auto", 0.95, "中文"), ("auto", 0.5, "ab"), ("latin", 0.95, "ab"), ("any", 0.5, "中文")],
)
def test_another_script_is_believed_only_when_sure(script, score, expected):
    probability = np.full((4, 5), 0.01, np.float32)
    for step, (foreign, latin) in {0: (3, 1), 2: (4, 2)}.items():
        probability[step, foreign], probability[step, latin] = score, 0.04
    probability[[1, 3], 0] = 0.95
    alphabet = Alphabet(("", "a", "b", "中", "文"), np.array([0, 1, 2]), script)
    assert alphabet.decode(probability).text == expected


def test_one_ideograph_is_an_icon_misread():
    probability = np.array([[0.01, 0.03, 0.95]], np.float32)
    alphabet = Alphabet(("", "a", "中"), np.array([0, 1]), "auto")
    assert alphabet.decode(probability).score < 0.1


@pytest.mark.parametrize("shape", [(1, 1), (2, 700), (700, 2), (64, 64)])
def test_blank_frames_hold_no_text(ocr, shape):
    assert len(ocr(Screenshot(pixels=np.full((*shape, 3), 255, np.uint8)))) == 0


def test_noise_is_not_made_into_words(ocr):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    assert len(ocr(Screenshot(pixels=noise))) == 0


def test_ctc_merges_repeats_and_keeps_doubles():
    steps = [1, 1, 0, 1, 2, 2, 0]
    probability = np.full((len(steps), 3), 0.05, np.float32)
    probability[np.arange(len(steps)), steps] = 0.9
    reading = decode(probability, ["", "a", "b"])
    assert reading.text == "aab"
    assert reading.score == pytest.approx(0.9)
    assert list(reading.places) == sorted(reading.places)


def test_ctc_of_blanks_is_empty():
    probability = np.zeros((5, 3), np.float32)
    probability[:, 0] = 1
    assert decode(probability, ["", "a", "b"]).text == ""


@given(width=st.integers(1, 5000), height=st.integers(1, 5000), zoom=st.floats(0.05, 4))
def test_the_network_gets_multiples_of_its_stride(width, height, zoom):
    w, h = network_size(width, height, zoom)
    assert w % 32 == h % 32 == 0
    assert min(w, h) >= 32
    assert abs(w - width * zoom) <= max(16.5, 32)


def test_a_level_region_becomes_a_level_box_around_it():
    probability = np.zeros((100, 200), np.float32)
    probability[40:50, 30:120] = 0.9
    (quad,) = regions(probability, (200, 100), DetectOptions())
    assert quad.angle == 0.0
    left, top = quad.corners()[0]
    assert left < 30
    assert top < 40
    assert quad.width > 90
    assert quad.score == pytest.approx(0.9, abs=0.1)


@given(angle=st.floats(-44, 45), width=st.floats(10, 90), height=st.floats(2, 9))
def test_the_corners_of_a_quad_span_its_sides(angle, width, height):
    a, b, c, _ = Quad(50, 50, width, height, angle, 1.0).corners()
    assert np.hypot(*(b - a)) == pytest.approx(width, rel=1e-3)
    assert np.hypot(*(c - b)) == pytest.approx(height, rel=1e-3)
