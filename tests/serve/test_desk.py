"""A session with real windows: what a read promises, that a hung program stalls only its own, that bad input does nothing.

The program's own log is the judge of whether anything was done.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cuakit.act.broker import CaptureBroker
from cuakit.backends.desktop import Desktop
from cuakit.core.action import Click
from cuakit.core.errors import CuakitError
from cuakit.serve.desk import Desk

APP = Path(__file__).parents[2] / "benchmarks" / "apps" / "gtk_app.py"
SYSTEM_PYTHON = "/usr/bin/python3"
GTK3 = [SYSTEM_PYTHON, "-c", "import gi; gi.require_version('Gtk', '3.0')"]

pytestmark = [
    pytest.mark.x11,
    pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed"),
    pytest.mark.skipif(
        not Path(SYSTEM_PYTHON).exists() or subprocess.run(GTK3, capture_output=True, check=False).returncode != 0,
        reason="GTK 3 is missing: python3-gi gir1.2-gtk-3.0",
    ),
]


def poll(holds, *, within_s=30.0, what="it"):
    end = time.monotonic() + within_s
    while not (found := holds()):
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)
    return found


class Clock:
    """Nanoseconds that pass only when told."""

    def __init__(self):
        self.now = time.monotonic_ns()

    def __call__(self):
        return self.now


class Program:
    """The GTK 3 program, and what it says happened to it."""

    def __init__(self, desktop, name):
        self.log = desktop.home / f"{name}.log"
        self.process = desktop.spawn([SYSTEM_PYTHON, APP, "3", self.log])
        poll(lambda: self.log.exists() and "ready" in self.log.read_text(), what=name)

    def events(self):
        return [json.loads(line)["event"] for line in self.log.read_text().splitlines()]


@pytest.fixture(scope="module")
def desktop():
    with Desktop.launch(width=1024, height=768) as made:
        yield made


@pytest.fixture(scope="module")
def program(desktop):
    return Program(desktop, "one")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def desk(desktop, clock):
    session = desktop.env["DBUS_SESSION_BUS_ADDRESS"]
    with Desk(display=desktop.env["DISPLAY"], session=session, broker=CaptureBroker(clock=clock)) as made:
        yield made


def window_of(desk, program):
    def found():
        return [w for w in desk.list_windows()["windows"] if w["pid"] == program.process.pid]

    return poll(found, what="the window")[0]["window_id"]


def button_of(desk, window, **options):
    def found():
        state, _ = desk.get_window_state(window, source="accessibility", **options)
        buttons = [e for e in state["elements"] if e["role"] == "button" and "click" in e.get("actions", ())]
        return (state, buttons[0]["id"]) if buttons else None

    return poll(found, what="the button")


def refusal(call):
    try:
        out = call()
    except CuakitError as wrong:
        return wrong.error_code
    return out["code"] if out["effect"] == "refused" else ""


def test_a_read_says_how_long_its_lease_lasts_and_that_nothing_is_missing(desk, program):
    state, _ = button_of(desk, window_of(desk, program))
    assert state["expires_in_seconds"] == 60
    assert "truncated" not in state
    assert state["elements_total"] == len(state["elements"])


@pytest.mark.parametrize("longest", [100, 333, 10_000])
def test_a_small_picture_maps_back_onto_the_window(desk, program, longest):
    state, picture = desk.get_window_state(window_of(desk, program), longest=longest)
    assert list(picture.size) == state["image"]["size"]
    assert max(picture.size) <= longest
    factors = state["image"]["frame_per_image"]
    assert [side * f for side, f in zip(picture.size, factors, strict=True)] == pytest.approx(state["size"])
    if longest > max(state["size"]):
        assert factors == [1, 1]


def test_what_changed_since_an_earlier_read_is_told(desk, program):
    window = window_of(desk, program)
    first, _ = button_of(desk, window)
    same, _ = button_of(desk, window, since=first["capture_id"])
    assert same["changes"] == {"since": first["capture_id"], "added": [], "removed": [], "changed": [], "moved": []}
    assert refusal(lambda: desk.get_window_state(window, since="cap_unknown")) == "invalid_arguments"


def test_a_newer_read_ends_the_older_lease(desk, program):
    window = window_of(desk, program)
    stale, button = button_of(desk, window)
    before = program.events()
    button_of(desk, window)
    assert refusal(lambda: desk.act("click", Click(target=button), stale["capture_id"])) == "capture_not_found"
    assert program.events() == before


@pytest.mark.parametrize(
    ("element", "lease", "code"),
    [
        ("n0", "", "capture_id_invalid"),
        ("n0", "cap_" + "0" * 24, "capture_not_found"),
        ("no such element", None, "candidate_not_found"),
    ],
    ids=["no lease", "unknown lease", "unknown element"],
)
def test_bad_input_is_refused_and_nothing_is_done(desk, program, element, lease, code):
    state, _ = button_of(desk, window_of(desk, program))
    before = program.events()
    lease = state["capture_id"] if lease is None else lease
    assert refusal(lambda: desk.act("click", Click(target=element), lease)) == code
    assert program.events() == before


def test_a_lease_that_ran_out_pays_for_nothing(desk, program, clock):
    state, button = button_of(desk, window_of(desk, program))
    before = program.events()
    clock.now += 60 * 10**9
    assert refusal(lambda: desk.act("click", Click(target=button), state["capture_id"])) == "capture_expired"
    assert program.events() == before


@pytest.mark.parametrize(
    "options",
    [{"deadline_ms": 0}, {"deadline_ms": 1e9}, {"longest": 0}, {"source": "dreams"}, {"pid": 1}],
    ids=lambda o: next(iter(o)),
)
def test_an_option_out_of_range_is_refused_with_a_code(desk, program, options):
    window = window_of(desk, program)
    code = "window_target_not_found" if "pid" in options else "invalid_arguments"
    assert refusal(lambda: desk.get_window_state(window, **options)) == code


def test_of_a_hundred_clients_with_one_lease_one_acts_once(desk, program):
    state, button = button_of(desk, window_of(desk, program))
    before = len(program.events())
    go = threading.Barrier(100)

    def client(_):
        go.wait()
        return refusal(lambda: desk.act("click", Click(target=button), state["capture_id"]))

    with ThreadPoolExecutor(100) as pool:
        codes = list(pool.map(client, range(100)))
    assert sorted(set(codes)) == ["", "capture_not_found"]
    assert codes.count("") == 1
    poll(lambda: len(program.events()) > before, what="the click")
    button_of(desk, window_of(desk, program))  # a second click would have been logged before this answer
    assert program.events()[before:].count("clicked") <= 1


def test_a_program_that_hangs_stalls_only_its_own_window(desk, desktop, program):
    hung = Program(desktop, "hung")
    window, other = window_of(desk, hung), window_of(desk, program)
    button_of(desk, window)
    button_of(desk, other)
    os.kill(hung.process.pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(1) as pool:
            stuck = pool.submit(refusal, lambda: desk.get_window_state(window, source="accessibility"))
            state, _ = button_of(desk, other)
            assert not stuck.done()
            assert state["elements"]
            assert desk.list_windows()["windows"]
            assert stuck.result(timeout=60) == "not_answering"
        assert refusal(lambda: desk.get_window_state(window, deadline_ms=50)) == "not_answering"
    finally:
        os.kill(hung.process.pid, signal.SIGCONT)
        hung.process.kill()
        hung.process.wait()


def test_a_window_that_was_closed_is_said_to_be_gone(desk, desktop):
    short = Program(desktop, "short")
    window = window_of(desk, short)
    state, button = button_of(desk, window)
    short.process.kill()
    short.process.wait()
    poll(lambda: window not in {w["window_id"] for w in desk.list_windows()["windows"]}, what="its end")
    before = short.events()
    assert refusal(lambda: desk.act("click", Click(target=button), state["capture_id"])) != ""
    assert refusal(lambda: desk.get_window_state(window)) != ""
    assert short.events() == before


@pytest.mark.parametrize(
    ("predicates", "result"),
    [
        ([{"kind": "title", "contains": "gtk3"}], "passed"),
        ([{"kind": "title", "contains": "somewhere else"}], "failed"),
    ],
)
def test_a_verdict_takes_two_looks_that_agree(desk, program, predicates, result):
    button_of(desk, window_of(desk, program))
    verdict = desk.verify_state(window_of(desk, program), predicates)
    assert (verdict["result"], verdict["samples"]) == (result, 2)


@pytest.mark.parametrize("predicates", [[], [{"kind": "nonsense"}], [{}], [{"kind": "title"}] * 9], ids=range(4))
def test_a_malformed_predicate_is_refused(desk, program, predicates):
    assert refusal(lambda: desk.verify_state(window_of(desk, program), predicates)) == "invalid_arguments"
