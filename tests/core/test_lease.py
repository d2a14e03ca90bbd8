"""The lease as a state machine: whatever is done in whatever order, a plain model of the contract agrees."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from cuakit.core.errors import LEASE_CODES, LeaseError
from cuakit.core.lease import CAPACITY, LIFETIME_NS, Capture, Leases, LeaseState, Target
from tests.strategies import targets

SIZES = ((800, 600), (1024, 768))
PAGE = Target("page", "1")


def capture(id: str = "cap_000000000001", target: Target = PAGE, size=(800, 600), issued_ns: int = 0) -> Capture:
    return Capture(id=id, target=target, size=size, issued_ns=issued_ns)


def refusal(call, *args) -> str:
    with pytest.raises(LeaseError) as refused:
        call(*args)
    assert refused.value.error_code in LEASE_CODES
    assert refused.value.hint
    return refused.value.error_code


class LeaseMachine(RuleBasedStateMachine):
    """Drives :class:`Leases` and keeps a model beside it: id → [target, size, issued, state], oldest first."""

    captures = Bundle("captures")

    def __init__(self) -> None:
        super().__init__()
        self.leases = Leases()
        self.now = 0
        self.count = 0
        self.model: dict[str, list] = {}
        self.admitted: list[str] = []

    @rule(to=captures, live=targets, size=st.sampled_from(SIZES))
    def issue(self, live, size):
        self.count += 1
        made = capture(f"cap_{self.count:012x}", live, size, self.now)
        self.leases = self.leases.issue(made)
        self.model[made.id] = [live, size, self.now, "issued"]
        while len(self.model) > CAPACITY:
            self.model.pop(next(iter(self.model)))
        return made.id

    @rule(ns=st.one_of(st.integers(1, 10**9), st.sampled_from([LIFETIME_NS - 1, LIFETIME_NS])))
    def time_passes(self, ns):
        self.now += ns

    def expected(self, id: str) -> str:
        known = self.model.get(id)
        if known is None or known[3] != "issued":
            return "capture_not_found"
        return "capture_expired" if self.now >= known[2] + LIFETIME_NS else ""

    @rule(id=captures)
    def check(self, id):
        before = self.leases
        if code := self.expected(id):
            assert refusal(self.leases.check, id, self.now) == code
        else:
            assert self.leases.check(id, self.now).id == id
        assert self.leases is before

    @rule(id=captures, live=targets, size=st.sampled_from(SIZES))
    def admit(self, id, live, size):
        code = self.expected(id)
        if not code:
            shown, frame = self.model[id][:2]
            code = (
                "capture_target_mismatch"
                if shown.key != live.key
                else "capture_generation_mismatch"
                if shown.generation != live.generation
                else "capture_frame_mismatch"
                if frame != size
                else ""
            )
        if code:
            before = self.leases.entries
            assert refusal(self.leases.admit, id, live, size, self.now) == code
            assert self.leases.entries == before
            return
        self.leases = self.leases.admit(id, live, size, self.now)
        self.admitted.append(id)
        for known in self.model.values():
            if known[0].key == live.key and known[3] == "issued":
                known[3] = "retired"
        self.model[id][3] = "spent"

    @rule(live=targets)
    def retire(self, live):
        self.leases = self.leases.retire(live)
        for known in self.model.values():
            if known[0].key == live.key and known[3] == "issued":
                known[3] = "retired"

    @rule(id=consumes(captures))
    def forget(self, id):
        self.leases = self.leases.forget([id])
        self.model.pop(id, None)

    @invariant()
    def no_capture_paid_twice(self):
        assert len(set(self.admitted)) == len(self.admitted)

    @invariant()
    def states_agree_with_the_model(self):
        assert {id: state for id, (_, state) in self.leases.entries.items()} == {
            id: LeaseState(known[3]) for id, known in self.model.items()
        }
        assert len(self.leases.entries) <= CAPACITY


TestLeaseMachine = LeaseMachine.TestCase
TestLeaseMachine.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize(
    ("age_ns", "code"), [(LIFETIME_NS - 1, ""), (LIFETIME_NS, "capture_expired"), (LIFETIME_NS + 1, "capture_expired")]
)
def test_a_capture_lives_sixty_seconds_to_the_nanosecond(age_ns, code):
    leases = Leases().issue(capture(issued_ns=7))
    if code:
        assert refusal(leases.check, "cap_000000000001", 7 + age_ns) == code
        assert refusal(leases.admit, "cap_000000000001", PAGE, (800, 600), 7 + age_ns) == code
    else:
        assert leases.check("cap_000000000001", 7 + age_ns).seconds_left(7 + age_ns) == 1e-9


@pytest.mark.parametrize(
    "id", ["", "c01", "cap_", "cap_XYZ", "cap_000000000001 ", "cap_" + "0" * 41, None, 7, b"cap_0"]
)
def test_what_is_no_capture_id_is_called_so(id):
    assert refusal(Leases().check, id, 0) == "capture_id_invalid"


def test_a_well_formed_id_that_nobody_issued_is_not_found():
    assert refusal(Leases().check, "cap_" + "0" * 24, 0) == "capture_not_found"


def test_an_id_is_issued_once():
    with pytest.raises(ValueError, match="fresh"):
        Leases().issue(capture()).issue(capture())


def test_one_admission_retires_the_siblings_and_leaves_other_targets_alone():
    other = Target("page", "2")
    leases = Leases()
    for i, target in enumerate((PAGE, PAGE, other, Target("page", "1", "older"))):
        leases = leases.issue(capture(f"cap_{i:012x}", target))
    leases = leases.admit("cap_000000000000", PAGE, (800, 600), 1)
    assert [state for _, state in leases.entries.values()] == ["spent", "retired", "issued", "retired"]


def test_a_picture_from_a_file_never_pays_for_an_action():
    picture = Target("image", "form.png")
    leases = Leases().issue(capture(target=picture))
    assert refusal(leases.admit, "cap_000000000001", picture, (800, 600), 1) == "capture_target_mismatch"


def test_the_oldest_capture_is_forgotten_first():
    leases = Leases()
    for i in range(CAPACITY + 3):
        leases = leases.issue(capture(f"cap_{i:012x}"))
    assert len(leases.entries) == CAPACITY
    assert refusal(leases.check, "cap_000000000002", 1) == "capture_not_found"
    assert leases.check("cap_000000000003", 1)


def test_leases_cannot_be_changed_in_place():
    leases = Leases().issue(capture())
    with pytest.raises(FrozenInstanceError):
        leases.entries = {}
    with pytest.raises(TypeError):
        leases.entries["cap_000000000002"] = (capture(), LeaseState.ISSUED)


def test_of_a_hundred_threads_with_a_lock_around_the_machine_exactly_one_is_admitted():
    box = {"leases": Leases().issue(capture())}
    lock, start = threading.Lock(), threading.Barrier(100)

    def race(_):
        start.wait()
        with lock:
            try:
                box["leases"] = box["leases"].admit("cap_000000000001", PAGE, (800, 600), 1)
            except LeaseError as refused:
                return refused.error_code
        return "admitted"

    with ThreadPoolExecutor(100) as pool:
        results = list(pool.map(race, range(100)))
    assert results.count("admitted") == 1
    assert results.count("capture_not_found") == 99
