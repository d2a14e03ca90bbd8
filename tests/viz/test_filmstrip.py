import io

import numpy as np
import pytest
from PIL import Image

from cuakit.core import filmstrip as strip
from cuakit.core.action import Click, Drag, Hotkey, PressKey, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point
from cuakit.core.observation import Observation
from cuakit.core.outcome import Evidence, Receipt
from cuakit.core.screenshot import Screenshot
from cuakit.core.timing import Span
from cuakit.core.trajectory import Step, Trajectory
from cuakit.viz import filmstrip

SEEN = Observation(
    screenshot=Screenshot(pixels=np.full((400, 640, 3), 230, np.uint8)),
    candidates=Candidates(
        [
            Candidate(id="c01", role="button", name="Send", box=Box(100, 100, 200, 140)),
            Candidate(id="c02", role="textbox", box=Box(300, 100, 500, 140)),
        ]
    ),
)


def step(index, action=None, receipt=None, reason=""):
    made = Decision(outcome="act", action=action) if action else Decision(outcome="abstain", reason=reason)
    return Step(index=index, observation=SEEN, decision=made, receipt=receipt, spans=(Span("act", 0, 7_000_000),))


DONE = Receipt(effect="confirmed", route="trusted_input", evidence=(Evidence(kind="pixel_change"),))
REFUSED = Receipt(effect="refused", code="capture_stale", message="moved")
RUN = Trajectory(
    status="NEEDS_AGENT",
    steps=(step(0, Click(target="c01"), DONE), step(1, Click(target="c01"), REFUSED), step(2, reason="no <match>")),
    reason="abstained",
)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(target="c01"), "1 · click 'Send' (c01)"),
        (Click(target="c02"), "1 · click c02"),
        (TypeText(target="c02", text="Ada"), "1 · type text 'Ada' c02"),
        (Drag(target="c01", to="c02"), "1 · drag 'Send' (c01) c02"),
        (PressKey(key="ENTER"), "1 · press key 'ENTER'"),
        (Hotkey(keys=("MOD", "S")), "1 · hotkey MOD+S"),
    ],
)
def test_a_step_is_said_in_words(action, words):
    assert strip.said(step(0, action)) == words


def test_what_became_of_a_step_names_evidence_or_code_and_time():
    assert [strip.became(s) for s in RUN.steps] == [
        ("confirmed (pixel change) · 7 ms", "done"),
        ("refused: capture_stale · 7 ms", "refused"),
        ("no <match> · 7 ms", "idle"),
    ]


def test_a_trajectory_shows_itself_as_a_strip_and_as_text():
    page = RUN._repr_html_()
    assert page.count("<figure>") == 3
    assert "no &lt;match&gt;" in page
    assert "no <match>" not in page
    assert "refused: capture_stale" in repr(RUN)
    assert len(repr(RUN).splitlines()) == 4


def test_the_target_is_marked_where_it_is():
    small = np.asarray(strip.mark(SEEN.screenshot.image(), Box(100, 100, 200, 140), Point(150, 120), width=320))
    assert small.shape == (200, 320, 3)
    changed = np.argwhere((small != 230).any(axis=2))
    assert changed.min(axis=0).tolist() == [47, 47]
    assert changed.max(axis=0).tolist() == [73, 103]


def test_a_small_screen_is_not_enlarged():
    assert strip.mark(Image.new("RGB", (100, 50)), None, None, width=320).size == (100, 50)


def test_sheet_and_page_are_written(tmp_path):
    with Image.open(filmstrip.save(RUN, tmp_path / "run.png")) as sheet:
        assert sheet.width > 3 * 320
    assert b"capture_stale" in filmstrip.save(RUN, tmp_path / "run.html").read_bytes()


def test_many_steps_wrap_into_rows():
    frames = [strip.frame(RUN.steps[0])] * 5
    wide, tall = (Image.open(io.BytesIO(filmstrip.png(frames, columns=c))) for c in (5, 2))
    assert wide.width > tall.width
    assert tall.height > 2 * wide.height


def test_a_run_without_steps_has_no_sheet_but_a_page(tmp_path):
    empty = Trajectory(status="BLOCKED", reason="nothing seen")
    with pytest.raises(UsageError, match="at least one step"):
        filmstrip.save(empty, tmp_path / "run.png")
    assert b"nothing seen" in filmstrip.save(empty, tmp_path / "run.html").read_bytes()
