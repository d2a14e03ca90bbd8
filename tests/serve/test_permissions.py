"""What a client may do is decided by the policy alone, and every answer is written down."""

import threading

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import UsageError
from cuakit.serve.permissions import READING, Gate, Manifest, PermissionRefused, Policy

pytestmark = pytest.mark.processes

MANIFEST = Manifest(tools=("get_*", "click"), windows=("Mousepad", "*.txt - *"), expires_s=100, idle_s=30)
BOUNDED = Policy(mode="bounded", manifest=MANIFEST)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("tool", ["click", "type_text", "hotkey", "drag", "anything"])
def test_observe_only_refuses_every_action(tool):
    with pytest.raises(PermissionRefused, match="only observe"):
        Gate(Policy(mode="observe")).admit(tool)


@pytest.mark.parametrize("tool", sorted(READING))
def test_observe_only_lets_every_read_pass(tool):
    Gate(Policy(mode="observe")).admit(tool)


@pytest.mark.parametrize(
    ("tool", "window", "allowed"),
    [
        ("click", ("a.txt - Editor", "Mousepad"), True),
        ("click", ("Bank", "Chromium"), False),
        ("type_text", ("a.txt - Editor", "Mousepad"), False),
        ("get_window_state", ("x", "Mousepad"), True),
        ("list_windows", (), False),
    ],
)
def test_a_manifest_denies_what_it_does_not_list(tool, window, allowed):
    gate = Gate(BOUNDED)
    if allowed:
        gate.admit(tool, window)
    else:
        with pytest.raises(PermissionRefused, match="does not list") as caught:
            gate.admit(tool, window)
        assert caught.value.error_code == "authorization_required"


def test_an_expired_manifest_stays_expired():
    clock = Clock()
    gate = Gate(BOUNDED, clock=clock)
    for _ in range(4):
        clock.now += 24.9
        gate.admit("click")
    clock.now += 0.5
    for _ in range(3):
        with pytest.raises(PermissionRefused, match="expired") as caught:
            gate.admit("click")
        assert caught.value.error_code == "authorization_suspended"


def test_an_idle_session_stays_suspended():
    clock = Clock()
    gate = Gate(BOUNDED, clock=clock)
    clock.now += 29.9
    gate.admit("click")
    clock.now += 30
    for _ in range(2):
        with pytest.raises(PermissionRefused, match="idle"):
            gate.admit("click")
        clock.now += 1


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=3))
def test_an_empty_manifest_allows_nothing(tool, window):
    empty = Policy(mode="bounded", manifest=Manifest(tools=(), windows=(), expires_s=1, idle_s=1))
    assert empty.why_not(tool, tuple(window), 0, 0)


def test_every_answer_is_in_the_audit_log_in_order():
    gate = Gate(BOUNDED)
    gate.admit("click", ("Mousepad",))
    with pytest.raises(PermissionRefused):
        gate.admit("drag", ("Mousepad",))
    assert [(e.tool, e.outcome) for e in gate.audit()] == [
        ("click", "allowed"),
        ("drag", "the manifest does not list drag"),
    ]


def test_a_hundred_threads_are_all_written_down():
    gate = Gate(Policy())
    threads = [threading.Thread(target=gate.admit, args=("click",)) for _ in range(100)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(gate.audit()) == 100


GOOD = {"tools": ["click"], "windows": ["*"], "expires_s": 60, "idle_s": 10}


def test_a_manifest_is_read_from_plain_data():
    assert Manifest.from_dict(GOOD).tools == ("click",)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        GOOD | {"more": 1},
        {k: v for k, v in GOOD.items() if k != "idle_s"},
        GOOD | {"tools": "click"},
        GOOD | {"tools": [""]},
        GOOD | {"windows": [1]},
        GOOD | {"expires_s": 0},
        GOOD | {"expires_s": True},
        GOOD | {"idle_s": float("nan")},
        GOOD | {"idle_s": "10"},
    ],
)
def test_a_malformed_manifest_is_refused(bad):
    with pytest.raises(UsageError, match="manifest"):
        Manifest.from_dict(bad)


@pytest.mark.parametrize(("mode", "manifest"), [("bounded", None), ("standard", MANIFEST), ("observe", MANIFEST)])
def test_a_manifest_goes_with_the_bounded_mode_only(mode, manifest):
    with pytest.raises(UsageError, match="manifest"):
        Policy(mode=mode, manifest=manifest)
