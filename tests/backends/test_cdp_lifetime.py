"""A launched browser is found, starts or says why not, and is gone afterwards, whatever happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from cuakit.backends import chromium
from cuakit.backends.cdp import Browser
from cuakit.core.errors import BrowserUnavailable, DisplayUnavailable, MissingExtra, TargetGone

pytestmark = pytest.mark.processes

posix = pytest.mark.skipif(os.name == "nt", reason="process groups and signals are POSIX")


def alive(group: int) -> list[int]:
    """Living members of a process group; a zombie is dead, it only waits to be counted."""
    found = []
    for process in psutil.process_iter(["status"]):
        try:
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def gone(group: int, profile: Path, within_s: float = 15.0) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not alive(group) and not profile.exists():
            return True
        time.sleep(0.02)
    return False


@posix
@pytest.mark.browser
def test_close_leaves_no_process_and_no_profile():
    with Browser.launch() as browser:
        browser.new_page(width=50, height=50)
        group, profile = browser.pid, browser._launched.profile
        socket = (profile / "SingletonSocket").readlink()
        assert alive(group)
        browser.close()
    assert gone(group, profile)
    assert not socket.parent.exists()


@posix
@pytest.mark.browser
@pytest.mark.parametrize("hung", [False, True], ids=["quiet", "hung page"])
def test_the_browser_dies_with_us_even_when_we_are_killed(hung: bool):
    script = textwrap.dedent(f"""
        import signal
        from cuakit.backends.cdp import Browser
        browser = Browser.launch()
        page = browser.new_page(width=50, height=50)
        if {hung}:
            page.evaluate("setTimeout(() => {{ while (true) {{}} }}, 0); 0")
        profile = browser._launched.profile
        print(browser.pid, profile, (profile / "SingletonSocket").readlink().parent, flush=True)
        signal.pause()
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        pid, profile, socket = child.stdout.readline().split()
        assert alive(int(pid))
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert gone(int(pid), Path(profile))
    assert not Path(socket).exists()


@posix
@pytest.mark.browser
def test_a_browser_that_was_killed_says_so_and_is_cleared_away():
    with Browser.launch() as browser:
        page = browser.new_page(width=50, height=50)
        group, profile = browser.pid, browser._launched.profile
        os.killpg(group, signal.SIGKILL)
        with pytest.raises(TargetGone, match="browser went away"):
            page.evaluate("new Promise(() => {})", timeout_s=30)
        with pytest.raises(BrowserUnavailable):
            browser.new_page()
    assert gone(group, profile)


@posix
@pytest.mark.browser
def test_a_browser_that_stopped_is_ended_the_hard_way():
    with Browser.launch() as browser:
        group, profile = browser.pid, browser._launched.profile
        os.killpg(group, signal.SIGSTOP)
    assert gone(group, profile)


@pytest.mark.browser
def test_a_browser_without_pages_waits_for_the_next():
    with Browser.launch() as browser:
        assert browser.targets() == ()
        for _ in range(2):
            page = browser.new_page(width=50, height=50)
            assert page.evaluate("1 + 1") == 2
            page.close()
            assert browser.targets() == ()


@posix
@pytest.mark.browser
def test_two_browsers_do_not_know_each_other():
    with Browser.launch() as one, Browser.launch() as two:
        page = one.new_page(width=50, height=50)
        assert page.id not in {t["targetId"] for t in two.targets()}
        one.close()
        assert two.new_page(width=50, height=50).evaluate("1 + 1") == 2


@pytest.mark.browser
def test_a_browser_on_a_port_works_like_one_on_a_pipe():
    profile = chromium._new_profile()
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    command = [chromium.find_chromium(), f"--user-data-dir={profile}", *chromium.FLAGS, "--headless=new", *root]
    launched = chromium._start_on_port(command, profile, {**os.environ, "TMPDIR": str(profile)}, 20.0)
    browser = Browser(launched.transport, launched)
    try:
        browser._start(20.0)
        assert browser.new_page(width=60, height=40).grab().size == (60, 40)
        address = (profile / "DevToolsActivePort").read_text().split()[0]
        with Browser.connect(f"http://127.0.0.1:{address}") as second:
            assert second.pid is None
            page = second.new_page(width=60, height=40)
            assert page.evaluate("1 + 1") == 2
            known = second.attach(page.id)
            assert known.evaluate("2 + 2") == 4
            assert known.size() == known.grab().size
        assert browser.targets()  # closing a connection leaves the browser alone
    finally:
        browser.close()
    assert gone(launched.process.pid, profile)


def test_nothing_to_connect_to_is_said_with_a_hint():
    with pytest.raises(BrowserUnavailable, match="no browser answers") as caught:
        Browser.connect("http://127.0.0.1:9", timeout_s=2)
    assert "--remote-debugging-port" in caught.value.hint


def test_a_websocket_address_that_is_none_is_said_with_a_hint():
    with pytest.raises(BrowserUnavailable, match="no browser answers"):
        Browser.connect("ws://127.0.0.1:9/devtools/browser/x", timeout_s=2)


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUAKIT_CHROMIUM", "/no/such/chromium")
    with pytest.raises(BrowserUnavailable, match="CUAKIT_CHROMIUM names '/no/such/chromium'"):
        Browser.launch()
    with pytest.raises(BrowserUnavailable, match="executable names '/neither'"):
        Browser.launch(executable="/neither")


def test_no_chromium_anywhere_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("CUAKIT_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "_PLACES", {})
    with pytest.raises(BrowserUnavailable, match="no Chromium was found") as caught:
        Browser.launch()
    assert "apt-get install chromium" in caught.value.hint
    assert caught.value.error_code == "browser_unavailable"


@posix
@pytest.mark.parametrize(
    ("body", "said", "limit_s"),
    [("echo the disk is on fire >&2; exit 7", "status 7", 60.0), ("exec sleep 60", "in time", 1.0)],
)
def test_a_program_that_does_not_start_is_quoted(tmp_path: Path, body: str, said: str, limit_s: float):
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    with pytest.raises(BrowserUnavailable, match=said) as caught:
        Browser.launch(executable=str(program), timeout_s=limit_s)
    if "fire" in body:
        assert "the disk is on fire" in caught.value.message


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a window needs no X server elsewhere")
@pytest.mark.browser
def test_a_window_without_a_display_is_its_own_error():
    with pytest.raises(DisplayUnavailable, match="no display") as caught:
        Browser.launch(headless=False, env={"DISPLAY": ":9999", "WAYLAND_DISPLAY": ""})
    assert "headless" in caught.value.hint


def test_a_missing_websocket_package_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "websockets.exceptions", None)
    with pytest.raises(MissingExtra, match="websockets") as caught:
        Browser.connect("ws://127.0.0.1:9/devtools/browser/x")
    assert "cuakit[browser]" in caught.value.hint
