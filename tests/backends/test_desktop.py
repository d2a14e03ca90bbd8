import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cuakit.backends import warden
from cuakit.backends.atspi_bus import Bus, Call, Failure, accessibility_address
from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.core.errors import DisplayUnavailable, UsageError

needs_xvfb = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
pytestmark = [pytest.mark.x11, needs_xvfb]


def wait_until(holds: Callable[[], bool], *, within_s: float = 15.0) -> None:
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def desktop():
    with Desktop.launch(width=640, height=480) as made:
        yield made


def test_it_is_ready_when_it_returns(desktop):
    with X11.open(desktop.display) as x:
        assert x.size == (640, 480) == desktop.size
        assert x.cardinals(x.root, "_NET_SUPPORTING_WM_CHECK"), "no window manager"
    assert desktop.accessibility
    address = accessibility_address(desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    with Bus.open(address) as bus:
        me = bus.call(Call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"))
    assert not isinstance(me, Failure)


def test_its_programs_see_a_private_home_and_runtime_folder(desktop):
    said = desktop.spawn(["sh", "-c", "echo $HOME $XDG_RUNTIME_DIR $DISPLAY; pwd"], stdout=subprocess.PIPE)
    out, _ = said.communicate(timeout=10)
    home, runtime, display, cwd = out.decode().split()
    assert home == cwd == str(desktop.home) != os.environ.get("HOME")
    assert Path(runtime).stat().st_mode & 0o777 == 0o700
    assert display == desktop.display


def test_the_environment_cannot_be_changed_from_outside(desktop):
    with pytest.raises(TypeError):
        desktop.env["DISPLAY"] = ":0"


def test_two_desktops_do_not_share_a_display(desktop):
    with Desktop.launch(width=320, height=200, window_manager=False, accessibility=False) as other:
        assert other.display != desktop.display
        assert other.home != desktop.home
        assert not other.accessibility


def test_a_resolution_is_passed_on_to_toolkits():
    launch = Desktop.launch(width=320, height=200, dpi=192, window_manager=False, accessibility=False)
    with launch as made, X11.open(made.display) as x:
        assert b"Xft.dpi:\t192" in x.property_bytes(x.ask_property(x.root, "RESOURCE_MANAGER"))


def test_closing_ends_everything_also_what_left_the_group():
    made = Desktop.launch(width=320, height=200)
    made.spawn(["setsid", "sh", "-c", "sleep 300 & exec sleep 301"])
    made.spawn(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
    made.spawn(["env", "-i", "sleep", "302"])  # carries no mark
    wait_until(lambda: len(made.pids()) >= 8)
    pids = made.pids()
    made.close()
    made.close()
    assert made.pids() == ()
    wait_until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()])  # init has collected the rest
    assert not made.home.exists()
    with pytest.raises(DisplayUnavailable):
        made.spawn(["true"])


def test_nothing_outlives_an_owner_that_was_killed():
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent("""
                import sys, time
                from cuakit.backends.desktop import Desktop
                d = Desktop.launch(width=320, height=200)
                d.spawn(["setsid", "sleep", "300"])
                print(d.env["CUAKIT_DESKTOP_ID"], d.home, flush=True)
                time.sleep(300)
            """),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        mark, home = owner.stdout.readline().split()
        assert len(warden.members(mark, -1)) >= 4
    finally:
        owner.send_signal(signal.SIGKILL)
        owner.communicate(timeout=10)
    wait_until(lambda: not warden.members(mark, -1) and not Path(home).exists())


def test_a_missing_server_is_a_sentence_that_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DisplayUnavailable, match=r"not installed: Xvfb(.|\n)*apt-get install"):
        Desktop.launch()


def test_a_server_that_dies_at_once_is_reported_with_its_words(monkeypatch, tmp_path):
    fake = tmp_path / "Xvfb"
    fake.write_text("#!/bin/sh\necho 'no room for a screen' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(DisplayUnavailable, match="no room for a screen"):
        Desktop.launch(window_manager=False, accessibility=False)


def test_a_server_that_never_answers_runs_into_the_deadline(monkeypatch, tmp_path):
    fake = tmp_path / "Xvfb"
    fake.write_text("#!/bin/sh\nexec sleep 300\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(DisplayUnavailable, match="did not become ready"):
        Desktop.launch(window_manager=False, accessibility=False, timeout_s=0.3)


@pytest.mark.parametrize("wrong", [{"width": 0}, {"height": -1}, {"width": 99999}, {"depth": 7}])
def test_impossible_screens_are_refused_before_anything_starts(wrong):
    with pytest.raises(UsageError):
        Desktop.launch(**wrong)


def test_an_unknown_program_is_a_sentence(desktop):
    with pytest.raises(UsageError, match="no program named no-such-program"):
        desktop.spawn(["no-such-program"])
