from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.act.effects import judge
from cuakit.core.action import Click
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.lease import Target
from cuakit.core.observation import Observation
from cuakit.core.outcome import Evidence, Receipt
from tests.strategies import shot, tables

SAVE = Candidate(id="c01", role="button", name="Save", box=Box(0, 0, 20, 20))
BEFORE = Observation(
    screenshot=shot(60, 40),
    candidates=Candidates([SAVE]),
    target=Target("page", "1"),
    capture_id="cap_" + "0" * 24,
    title="A",
)
SENT = Receipt(effect="unverifiable", route="trusted_input", delivery="background")
CLICK = Click(target="c01")


def after(*, paint: tuple[int, int] | None = None, candidates: Candidates | None = None, **more) -> Observation:
    """What was seen next: a 10 × 10 spot painted, or other objects."""
    frame = BEFORE.screenshot
    if paint:
        pixels = frame.pixels.copy()
        x, y = paint
        pixels[y : y + 10, x : x + 10] = 0
        frame = replace(frame, pixels=pixels)
    return replace(BEFORE, screenshot=frame, candidates=BEFORE.candidates if candidates is None else candidates, **more)


def test_nothing_different_at_all_is_suspected_to_be_nothing():
    seen = judge(BEFORE, after(), SENT)
    assert seen.effect == "suspected_noop"
    assert seen.escalation.target == "reobserve"
    assert not seen.evidence


@pytest.mark.parametrize(
    ("next_look", "kind"),
    [
        (after(paint=(5, 5)), "pixel_change"),
        (after(candidates=Candidates([replace(SAVE, states=("disabled",))])), "tree_change"),
        (after(candidates=Candidates([replace(SAVE, value="x")])), "tree_change"),
        (after(candidates=Candidates()), "tree_change"),
        (after(target=Target("page", "1", "next")), "window_change"),
        (after(title="B"), "window_change"),
        (replace(BEFORE, screenshot=shot(50, 40)), "window_change"),
    ],
    ids=["pixels", "state", "value", "gone", "navigated", "title", "resized"],
)
def test_each_kind_of_evidence_confirms(next_look, kind):
    seen = judge(BEFORE, next_look, SENT, action=CLICK)
    assert seen.effect == "confirmed"
    assert kind in {e.kind for e in seen.evidence}
    assert seen.escalation is None


def test_pixels_that_change_elsewhere_confirm_nothing_but_are_no_proof_of_nothing():
    assert judge(BEFORE, after(paint=(40, 25)), SENT, action=CLICK) == SENT


def test_without_knowing_where_the_whole_frame_is_looked_at():
    assert judge(BEFORE, after(paint=(40, 25)), SENT).effect == "confirmed"


def test_a_moved_object_is_no_change_of_the_object():
    moved = Candidates([replace(SAVE, id="c07", box=Box(1, 1, 21, 21))])
    assert judge(BEFORE, after(candidates=moved), SENT).effect == "suspected_noop"


@pytest.mark.parametrize(
    "settled",
    [
        None,
        Receipt(effect="refused", code="capture_stale"),
        Receipt(effect="confirmed", evidence=(Evidence(kind="value_readback"),), route="trusted_input"),
        Receipt(effect="partial", evidence=(Evidence(kind="value_readback"),), route="trusted_input"),
        Receipt(effect="unverifiable", message="waited"),
    ],
    ids=["none", "refused", "confirmed", "partial", "waited"],
)
def test_what_is_settled_stays(settled):
    assert judge(BEFORE, after(paint=(5, 5)), settled) is settled


def test_a_write_that_seemed_lost_is_confirmed_by_what_is_seen_later():
    lost = Receipt(effect="suspected_noop", route="trusted_input")
    assert judge(BEFORE, after(paint=(5, 5)), lost, action=CLICK).effect == "confirmed"


@given(tables, tables, st.integers(0, 255), st.sampled_from(["unverifiable", "suspected_noop"]))
def test_nothing_is_ever_confirmed_without_a_difference(old, new, shade, effect):
    before = replace(BEFORE, candidates=old)
    next_look = replace(BEFORE, candidates=new, screenshot=shot(60, 40, value=shade))
    seen = judge(before, next_look, replace(SENT, effect=effect))
    if seen.effect == "confirmed":
        assert old != new or shade != 255
    if (old, shade) == (new, 255):
        assert seen.effect == "suspected_noop"


def test_small_noise_is_no_evidence():
    pixels = (BEFORE.screenshot.pixels - np.uint8(10)).copy()
    noisy = replace(BEFORE, screenshot=replace(BEFORE.screenshot, pixels=pixels))
    assert judge(BEFORE, noisy, SENT, action=CLICK) == SENT
