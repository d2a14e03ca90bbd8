import numpy as np
import pytest

from cuakit.core.action import Click
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Answer, Decision
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Evidence, Receipt
from cuakit.core.screenshot import Screenshot

ROWS = Candidates([Candidate(id="c01", role="link", name="<Home>", value="a&b", box=Box(0, 0, 5, 5), source="dom")])


def test_candidates_show_themselves_as_a_table():
    page = ROWS._repr_html_()
    assert "<td>&lt;Home&gt;</td><td>a&amp;b</td><td>dom</td><td>1.00</td>" in page


@pytest.mark.parametrize(
    ("receipt", "words"),
    [
        (Receipt(effect="refused", code="capture_stale", message="moved\nobserve again"), "<b>refused: capture_stale</b><br>moved<br>observe again"),
        (Receipt(effect="confirmed", route="trusted_input", evidence=(Evidence(kind="value_readback", detail="'x<y'"),)), "<b>confirmed by trusted input</b><br>value readback &#x27;x&lt;y&#x27;"),
        (Receipt(effect="suspected_noop", route="dom"), "<b>suspected noop by dom</b>"),
    ],
)  # fmt: skip
def test_a_receipt_says_what_happened(receipt, words):
    assert words in receipt._repr_html_()


def test_a_decision_shows_its_options_most_probable_first():
    answer = Answer(choice="c02", probabilities={"c01": 0.2, "c02": 0.7, "reobserve": 0.1})
    page = Decision(outcome="act", action=Click(target="c02"), answers={"click_target": answer})._repr_html_()
    assert "<b>click target=c02</b>" in page
    assert page.index("0.700") < page.index("0.200") < page.index("0.100")


def test_an_observation_shows_picture_and_title():
    shot = Screenshot(pixels=np.zeros((20, 30, 3), np.uint8))
    page = Observation(screenshot=shot, candidates=ROWS, title="A <b>")._repr_html_()
    assert "A &lt;b&gt;" in page
    assert "data:image/png;base64," in page


def test_every_shown_object_has_a_text_fallback():
    shot = Screenshot(pixels=np.zeros((20, 30, 3), np.uint8))
    assert "link" in repr(Observation(screenshot=shot, candidates=ROWS))
    assert repr(shot) == "Screenshot(30×20 @1x, memory)"
    assert shot._repr_png_().startswith(b"\x89PNG")
