from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass, field
from threading import Barrier

import numpy as np
import pytest

from cuakit.act.broker import AUDIT_LENGTH, CaptureBroker
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import LeaseError
from cuakit.core.geometry import Box
from cuakit.core.lease import LIFETIME_NS, Target
from tests.strategies import shot

TABLE = Candidates([Candidate(id="c01", box=Box(1, 1, 5, 5))])


@dataclass
class Clock:
    now: int = 0

    def __call__(self) -> int:
        return self.now


@dataclass
class Still:
    """A surface that shows one frame."""

    shown: Target = field(default_factory=lambda: Target("page", "1"))

    def target(self):
        return self.shown

    def size(self):
        return (40, 30)

    def grab(self):
        return shot(40, 30)

    def patch(self, box):
        return self.grab().crop(box)

    def title(self):
        return "still"


def code(call, *args) -> str:
    with pytest.raises(LeaseError) as refused:
        call(*args)
    return refused.value.error_code


def test_a_capture_recalls_what_it_showed_until_it_is_spent():
    broker, surface = CaptureBroker(), Still()
    frame = surface.grab()
    capture = broker.issue(surface, frame, TABLE)
    assert broker.check(capture.id) == capture
    assert broker.recall(capture.id) == (frame, TABLE)
    assert capture.screenshot_digest == frame.digest
    assert broker.admit(capture.id, surface.target(), (40, 30)) == capture
    for gone in (broker.check, broker.recall):
        assert code(gone, capture.id) == "capture_not_found"


def test_the_clock_is_the_one_that_was_given():
    clock = Clock()
    broker = CaptureBroker(clock=clock)
    capture = broker.issue(Still(), shot(), TABLE)
    clock.now = LIFETIME_NS - 1
    assert broker.check(capture.id)
    clock.now = LIFETIME_NS
    assert code(broker.check, capture.id) == "capture_expired"
    assert code(broker.admit, capture.id, Target("page", "1"), (40, 30)) == "capture_expired"


def test_a_target_read_before_the_frame_is_kept_even_if_the_page_was_replaced_meanwhile():
    broker, surface = CaptureBroker(), Still()
    before = surface.target()
    surface.shown = Target("page", "1", "next document")
    capture = broker.issue(surface, shot(), TABLE, target=before)
    assert code(broker.admit, capture.id, surface.target(), (40, 30)) == "capture_generation_mismatch"


def test_a_refused_admission_spends_nothing():
    broker, surface = CaptureBroker(), Still()
    capture = broker.issue(surface, shot(), TABLE)
    assert code(broker.admit, capture.id, Target("page", "2"), (40, 30)) == "capture_target_mismatch"
    assert code(broker.admit, capture.id, surface.target(), (41, 30)) == "capture_frame_mismatch"
    assert broker.admit(capture.id, surface.target(), (40, 30))


def test_admission_retires_every_sibling_and_drops_its_frame():
    broker, surface, other = CaptureBroker(), Still(), Still(Target("page", "2"))
    first, second = (broker.issue(surface, shot(), TABLE) for _ in range(2))
    elsewhere = broker.issue(other, shot(), TABLE)
    broker.admit(first.id, surface.target(), (40, 30))
    assert code(broker.recall, second.id) == "capture_not_found"
    assert broker.recall(elsewhere.id)


def test_a_closed_target_can_be_retired():
    broker, surface = CaptureBroker(), Still()
    capture = broker.issue(surface, shot(), TABLE)
    broker.retire(surface.target())
    assert code(broker.check, capture.id) == "capture_not_found"


def test_frame_memory_is_bounded_and_the_oldest_capture_goes_first():
    frame_bytes = shot(40, 30).pixels.nbytes
    broker = CaptureBroker(frame_bytes=2 * frame_bytes)
    made = [broker.issue(Still(), shot(40, 30), TABLE) for _ in range(3)]
    assert code(broker.check, made[0].id) == "capture_not_found"
    assert [broker.recall(c.id)[0].size for c in made[1:]] == [(40, 30)] * 2


def test_one_frame_too_large_for_the_memory_is_still_usable():
    broker = CaptureBroker(frame_bytes=1)
    assert broker.recall(broker.issue(Still(), shot(), TABLE).id)


def test_ids_are_fresh_and_cannot_be_guessed_from_each_other():
    broker = CaptureBroker()
    ids = {broker.issue(Still(), shot(), TABLE).id for _ in range(50)}
    assert len(ids) == 50
    bits = np.array([[int(b) for b in f"{int(id[4:], 16):096b}"] for id in ids])
    assert 0.4 < bits.mean() < 0.6
    assert all(len(id) == 28 for id in ids)


def test_the_audit_log_tells_what_happened_in_order_and_cannot_be_edited():
    clock = Clock(5)
    broker, surface = CaptureBroker(clock=clock), Still()
    capture = broker.issue(surface, shot(), TABLE)
    broker.note("refused", capture.id, "click c09: candidate_not_found")
    broker.admit(capture.id, surface.target(), (40, 30))
    broker.note("injected", capture.id, "click c01")
    log = broker.audit()
    assert [e.event for e in log] == ["issued", "refused", "admitted", "injected"]
    assert {e.capture_id for e in log} == {capture.id}
    assert {e.target for e in log} == {"page:1"}
    assert {e.at_ns for e in log} == {5}
    with pytest.raises(FrozenInstanceError):
        log[0].event = "admitted"
    assert isinstance(log, tuple)


def test_the_audit_log_is_bounded_and_survives_nonsense():
    broker = CaptureBroker()
    for _ in range(AUDIT_LENGTH + 10):
        broker.note("refused", "x" * 500, "click")
    broker.note("refused", None, "click")
    assert len(broker.audit()) == AUDIT_LENGTH
    assert len(broker.audit()[0].capture_id) <= 80


def test_of_a_hundred_threads_racing_for_one_capture_exactly_one_wins():
    broker, surface = CaptureBroker(), Still()
    for _ in range(5):
        capture, sibling = (broker.issue(surface, shot(), TABLE) for _ in range(2))
        start = Barrier(100)

        def race(i, capture=capture, sibling=sibling, start=start):
            start.wait()
            try:
                broker.admit((capture, sibling)[i % 2].id, surface.target(), (40, 30))
            except LeaseError as refused:
                return refused.error_code
            return "admitted"

        with ThreadPoolExecutor(100) as pool:
            results = list(pool.map(race, range(100)))
        assert results.count("admitted") == 1
        assert results.count("capture_not_found") == 99
    assert [e.event for e in broker.audit()].count("admitted") == 5
