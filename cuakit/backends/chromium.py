"""Finding Chromium, starting it in private, and ending it whatever happens to us.

Knows nothing about pages or the protocol: it hands over a transport and a process group.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from cuakit.backends.transport import PipeTransport, Transport, WebSocketTransport
from cuakit.core.errors import BackendError, BrowserUnavailable, DisplayUnavailable

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "msedge")

_PLACES: Final = {
    "darwin": (
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"%ProgramFiles%\Chromium\Application\chrome.exe",
        r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Chromium\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
    ),
    "linux": ("/usr/bin/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome"),
}

_LONGEST_TMP: Final = 30

_GET: Final = (
    "install it (Debian and Ubuntu: apt-get install chromium; macOS: brew install --cask chromium; "
    "Windows: winget install Chromium.Chromium), or name one in CUAKIT_CHROMIUM"
)

FLAGS: Final = (
    "--no-first-run",
    "--no-default-browser-check",
    # Nothing goes out unasked.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--no-pings",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    # Nothing asks a person.
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--disable-popup-blocking",
    # A page works alike whether or not anybody looks at it.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-features=Translate,OptimizationHints,MediaRouter,CalculateNativeWinOcclusion,PreloadTopChromeWebUI",
    # Pages are opened when they are asked for: halves the processor time of a start.
    "--no-startup-window",
    # The same pixels on every machine.
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-gpu",
    "--mute-audio",
)
"""Command line of every launched browser, apart from profile, head and transport."""

UNPACED: Final = ("--disable-frame-rate-limit",)
"""Frames come when they are asked for, not at the next 60 Hz tick: a small frame is read in 4 ms instead of 34 ms."""


def find_chromium(executable: str | None = None) -> str:
    """Path of a Chromium: the argument, ``CUAKIT_CHROMIUM``, names on the PATH, then the usual places.

    Raises:
        BrowserUnavailable: None is there, or the one that was named is not; the hint says how to get one.
    """
    for said, by in ((executable, "executable"), (os.environ.get("CUAKIT_CHROMIUM"), "CUAKIT_CHROMIUM")):
        if said:
            found = shutil.which(said)
            if found is None:
                raise BrowserUnavailable(f"{by} names {said!r}, which is no program that can be run", hint=_GET)
            return found
    for found in _usual():
        return found
    raise BrowserUnavailable("no Chromium was found on the PATH or in the usual places", hint=_GET)


def _usual() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from (p for p in map(os.path.expandvars, _PLACES.get(sys.platform, ())) if Path(p).is_file())


@dataclass(frozen=True, kw_only=True)
class Launched:
    """A running browser of ours.

    Args:
        process: Its main process, leader of its own group.
        transport: DevTools connection.
        profile: Private profile directory, removed at the end.
        guard: Small shell that ends the group when we vanish; None where there is no POSIX shell.
    """

    process: subprocess.Popen[bytes]
    transport: Transport
    profile: Path
    guard: subprocess.Popen[bytes] | None

    def last_words(self) -> str:
        """Last lines the browser wrote to its standard error."""
        return _last_words(self.profile)

    def end(self) -> None:
        """Kill the group and remove the profile. There is nothing in a private profile worth a slow farewell."""
        _kill_group(self.process)
        self.process.wait()
        _remove(self.profile)
        if self.guard is not None and self.guard.stdin is not None:
            self.guard.stdin.write(b"done\n")
            self.guard.stdin.close()
            self.guard.wait()


def launch(
    *,
    executable: str | None,
    headless: bool,
    paced: bool,
    args: Sequence[str],
    env: Mapping[str, str] | None,
    timeout_s: float,
) -> Launched:
    """Start Chromium with a private profile, in a process group of its own.

    Commands travel over a pipe; on Windows, where a child has no such descriptors, over a loopback websocket.

    Raises:
        BrowserUnavailable: There is none, or it did not start; then with its last words.
    """
    path = find_chromium(executable)
    profile = _new_profile()
    command = [path, f"--user-data-dir={profile}", *FLAGS, *(["--headless=new"] if headless else [])]
    command += UNPACED if headless and not paced else ()
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to run its sandbox as root
    start = _start_on_port if os.name == "nt" else _start_on_pipe
    try:
        return start([*command, *args], profile, {**os.environ, **(env or {}), "TMPDIR": str(profile)}, timeout_s)
    except BaseException:
        _remove(profile)
        raise


def _new_profile() -> Path:
    # Chromium's own temporary files go in here too, so that one folder holds all that it leaves behind. Among them is a
    # socket, whose whole path the system limits to 104 characters.
    short = os.name == "nt" or len(tempfile.gettempdir()) <= _LONGEST_TMP
    return Path(tempfile.mkdtemp(prefix="cuakit-chromium-", dir=None if short else "/tmp"))  # noqa: S108 - mkdtemp makes a private folder


def _start_on_pipe(command: Sequence[str], profile: Path, env: Mapping[str, str], timeout_s: float) -> Launched:  # noqa: ARG001 - one signature for both ways to start
    # Chromium takes its pipe on descriptors 3 and 4. The shell moves ours there, which needs no code of ours between
    # fork and exec, where a threaded program must not run any.
    shell = ["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null', "sh"]
    process = _popen([*shell, *command, "--remote-debugging-pipe"], profile, env, stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    transport = PipeTransport(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))
    process.stdin.close()
    process.stdout.close()
    return Launched(process=process, transport=transport, profile=profile, guard=_guard(process.pid, profile))


def _start_on_port(command: Sequence[str], profile: Path, env: Mapping[str, str], timeout_s: float) -> Launched:
    process = _popen([*command, "--remote-debugging-port=0"], profile, env, stdin=subprocess.DEVNULL)
    try:
        url = _published_url(process, profile, time.monotonic() + timeout_s)
        transport = WebSocketTransport(url, timeout_s=timeout_s)
    except BaseException:
        _kill_group(process)
        process.wait()
        raise
    guard = None if os.name == "nt" else _guard(process.pid, profile)
    return Launched(process=process, transport=transport, profile=profile, guard=guard)


def _popen(command: Sequence[str], profile: Path, env: Mapping[str, str], *, stdin: int) -> subprocess.Popen[bytes]:
    with _stderr(profile).open("wb") as stderr:
        try:
            return subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE if stdin == subprocess.PIPE else subprocess.DEVNULL,
                stderr=stderr,
                env=dict(env),
                bufsize=0,
                start_new_session=os.name != "nt",
            )
        except OSError as failed:
            raise BrowserUnavailable(f"{command[0]} could not be started: {failed}", hint=_GET) from failed


def _published_url(process: subprocess.Popen[bytes], profile: Path, deadline: float) -> str:
    """Address from the file that Chromium writes once it listens."""
    published = profile / "DevToolsActivePort"
    while time.monotonic() < deadline:
        lines = published.read_text().splitlines() if published.is_file() else []
        if len(lines) >= 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise did_not_start(process, profile)


def did_not_start(process: subprocess.Popen[bytes], profile: Path) -> BackendError:
    """The error for a browser that does not answer, with its exit status and last words."""
    status = process.poll()
    how = "did not answer in time" if status is None else f"ended with status {status}"
    words = _last_words(profile) or "nothing"
    if "Missing X server or $DISPLAY" in words:
        return DisplayUnavailable(
            "Chromium cannot open a window: there is no display",
            hint="set DISPLAY, start one with Xvfb, or launch headless",
        )
    return BrowserUnavailable(
        f"Chromium {how}; its last words:\n{words}", hint="run it by hand with --version to see whether it works at all"
    )


def _guard(group: int, profile: Path) -> subprocess.Popen[bytes]:
    # The guard reads a pipe that only we hold. Its end without "done" means that we are gone, even by SIGKILL.
    script = """
        read -r word && exit
        kill -KILL "-$1"
        for again in 1 2 3 4 5; do rm -rf "$2" && break; sleep 0.2; done
    """
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "cuakit-guard", str(group), str(profile)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if os.name != "nt":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return  # macOS says "not permitted" for a group that holds zombies only
        return
    try:
        family = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue


def _stderr(profile: Path) -> Path:
    return profile / "cuakit-stderr.log"


def _last_words(profile: Path, lines: int = 12) -> str:
    try:
        text = _stderr(profile).read_text(errors="replace")
    except OSError:
        return ""
    # A machine without a system bus makes Chromium complain at length; that is never why it does not start.
    told = [line for line in text.splitlines() if "dbus/" not in line]
    return "\n".join(told[-lines:])


def _remove(profile: Path, tries: int = 50) -> None:
    for _ in range(tries):  # killed children may still hold files for a moment
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
        time.sleep(0.02)
