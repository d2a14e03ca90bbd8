"""A private desktop for one trial: home, display, bus and network of its own, and the applications that a task needs.

Nothing is waited for by sleeping: a window is there or it is not, an application rests or it works.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import psutil

from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import WindowInfo, list_windows
from cuakit.core.errors import BackendError
from cuakit.envs.desktop import fence
from cuakit.envs.desktop.places import Places
from cuakit.envs.desktop.programs import CommandNotAllowed, Program
from cuakit.envs.desktop.surface import ActiveWindow

POLL_S: Final = 0.05
_REST_CPU: Final = 0.04
"""Share of one core below which all applications together are at rest."""

_REST_FOR_S: Final = 0.3
_OUTPUT: Final = 1 << 20


class SetupTimeout(BackendError):
    """Setting a task up took longer than it may."""

    code = "setup_timeout"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How patient a session is.

    Args:
        setup_s: Longest time for all set-up steps of a task together, in seconds.
        window_s: Longest wait for a window, in seconds.
        command_s: Longest time for one command, in seconds.
        rest_s: Longest wait for applications to come to rest, in seconds.
    """

    setup_s: float = 100.0
    window_s: float = 80.0
    command_s: float = 60.0
    rest_s: float = 20.0


@dataclass(kw_only=True)
class Session:
    """One desktop, from its start to its end; a context manager. Use :meth:`start`.

    Attributes:
        desktop: Display, window manager and buses.
        x: Connection to the display.
        home: The private home of the applications.
        places: What task files call it.
        fixtures: Folder with the files of the task set, laid out as its repository is.
        surface: The window in front.
        allow_commands: Whether task files may run commands.
        limits: How patient it is.
        fenced: Whether applications have no network and may write in their home only, see :mod:`.fence`.
        deadline: When the current phase must be over, on the monotonic clock.
    """

    desktop: Desktop
    x: X11
    home: Path
    places: Places
    fixtures: Path | None
    surface: ActiveWindow
    allow_commands: bool = False
    limits: Limits = field(default_factory=Limits)
    fenced: bool = True
    deadline: float = float("inf")
    closing: list[Callable[[], None]] = field(default_factory=list)
    browser: Any = None

    @classmethod
    def start(
        cls,
        *,
        size: tuple[int, int] = (1280, 800),
        fixtures: Path | None = None,
        allow_commands: bool = False,
        limits: Limits | None = None,
        fenced: bool = True,
    ) -> Session:
        """Start a desktop.

        Args:
            size: Of the screen, in pixels.
            fixtures: Folder with the files of the task set, laid out as its repository is.
            allow_commands: Whether task files may run commands; they do so with your rights.
            limits: How patient it is.
            fenced: Whether applications get a network of their own and may write in their home only, where the system
                lets us arrange that.

        Raises:
            DisplayUnavailable: A piece of the desktop is missing.
        """
        with contextlib.ExitStack() as undo:
            desktop = Desktop.launch(width=size[0], height=size[1], timeout_s=60.0)
            undo.callback(desktop.close)
            home = desktop.home / "user"
            for folder in ("Desktop", "Documents", "Downloads", "Pictures", "Music", "Videos", ".config", ".cache"):
                (home / folder).mkdir(parents=True, exist_ok=True)
            x = X11.open(desktop.display)
            undo.callback(x.close)
            session = cls(
                desktop=desktop,
                x=x,
                home=home,
                places=Places(home),
                fixtures=fixtures,
                surface=ActiveWindow(x, desktop.env["DBUS_SESSION_BUS_ADDRESS"]),
                allow_commands=allow_commands,
                limits=limits or Limits(),
                fenced=fenced and fence.possible(),
            )
            undo.pop_all()
        return session

    @property
    def env(self) -> Mapping[str, str]:
        """Environment of the applications."""
        home = self.home
        return {
            "HOME": str(home),
            "USER": "user",
            "LOGNAME": "user",
            "TMPDIR": str(self._folder("tmp")),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "NO_PROXY": "*",
            "GTK_OVERLAY_SCROLLING": "0",
            "GSETTINGS_BACKEND": "memory",
        }

    def spawn(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program here, behind the fence where the system lets us build one."""
        fenced = [*fence.command(self.desktop.home), *command] if self.fenced else list(command)
        return self.desktop.spawn(fenced, env=self.env, cwd=self.home, **options)

    def launch(self, program: Program, arguments: Sequence[str] = ()) -> None:
        """Start an application and wait until it can be operated.

        Raises:
            AppMissing: It is not installed.
            SetupTimeout: No window appeared.
        """
        known = self._titles()
        command = program.command(self.home, arguments)
        if program.urls:
            self._browse(command)
        else:
            self.spawn(command)
        self.wait(lambda: self._titles() - known, f"a window of {program.name}")
        self.rest()

    def _titles(self) -> set[tuple[int, str]]:
        return {(w.id, w.title) for w in self.windows()}

    def _browse(self, command: Sequence[str]) -> None:
        """Start the browser, held by a pipe that nobody else can reach; a second start goes to the first."""
        from cuakit.backends.cdp import Browser  # noqa: PLC0415 - most tasks have no browser
        from cuakit.backends.transport import PipeTransport  # noqa: PLC0415 - as above

        if self.browser is not None:
            self.spawn(command)
            return
        shell = ["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null', "sh"]
        child = self.spawn([*shell, *command, "--remote-debugging-pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdin is not None
        assert child.stdout is not None
        pipe = PipeTransport(os.dup(child.stdout.fileno()), os.dup(child.stdin.fileno()))
        child.stdin.close()
        child.stdout.close()
        self.browser = Browser(pipe)
        self.closing.append(self.browser.close)

    def windows(self) -> tuple[WindowInfo, ...]:
        """Windows that can be seen, lowest first, without menus and hints."""
        return tuple(w for w in list_windows(self.x) if w.on_screen and not w.popup)

    def window(self, name: str, *, strict: bool = False, by_class: bool = False) -> WindowInfo | None:
        """The highest window of that name; a part of the title will do unless ``strict``.

        The browser of the published tasks is called otherwise here.
        """
        name = name.replace("Google Chrome", "Chromium")
        for w in reversed(self.windows()):
            said = w.app if by_class else w.title
            if said == name or (not strict and name.casefold() in said.casefold()):
                return w
        return None

    def run(
        self, command: str | Sequence[str], *, shell: bool = False, place: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of a task file, if that is allowed.

        Raises:
            CommandNotAllowed: It is not.
            SetupTimeout: It took too long; everything it started was ended.
        """
        self.permit(command, place)
        text = isinstance(command, str)
        words = [self.places.fill(w) for w in ([command] if isinstance(command, str) else command)]
        fenced = ["/bin/sh", "-c", words[0]] if text or shell else words
        process = self.spawn(fenced, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        left = min(self.limits.command_s, max(0.1, self.deadline - time.monotonic()))
        try:
            out, err = process.communicate(timeout=left)
        except subprocess.TimeoutExpired as late:
            end_family(process.pid)
            raise SetupTimeout(f"{place or 'a command'} ran longer than {left:.0f} s", hint="it was ended") from late
        said = [part[:_OUTPUT].decode("utf-8", "replace") for part in (out, err)]
        return subprocess.CompletedProcess(fenced, process.returncode, *said)

    def permit(self, command: str | Sequence[str], place: str = "") -> None:
        """Raise unless task files may run commands.

        Raises:
            CommandNotAllowed: They may not.
        """
        if not self.allow_commands:
            said = command if isinstance(command, str) else " ".join(command)
            raise CommandNotAllowed(
                f"{place or 'the task'} wants to run {said[:120]!r}",
                hint="read it; to let task files run commands with your rights, use --allow-task-commands",
            )

    def wait(self, holds: Callable[[], Any], what: str, within_s: float = 0.0) -> Any:
        """Wait until something holds, and return it.

        Raises:
            SetupTimeout: It did not in time.
        """
        end = min(time.monotonic() + (within_s or self.limits.window_s), self.deadline)
        while True:
            with contextlib.suppress(BackendError, OSError):  # what starts is not on every bus yet
                if found := holds():
                    return found
            if time.monotonic() >= end:
                raise SetupTimeout(f"{what} did not come in time", hint="is the machine very busy?")
            time.sleep(POLL_S)

    def rest(self, most_s: float = 0.0, *, quiet_s: float = _REST_FOR_S) -> bool:
        """Wait until the applications do nothing for a moment. False when they go on.

        A process that could run but gets no processor works too: on a busy machine nothing else would tell it from one
        that waits.

        Args:
            most_s: Longest wait; that of the limits by default.
            quiet_s: How long the moment is.
        """
        end = min(time.monotonic() + (most_s or self.limits.rest_s), self.deadline)
        quiet_since: float | None = None
        last, at = self._used()[0], time.monotonic()
        while time.monotonic() < end:
            time.sleep(POLL_S * 2)
            (now, runnable), when = self._used(), time.monotonic()
            busy = runnable or now - last > _REST_CPU * (when - at)
            last, at = now, when
            quiet_since = None if busy else (quiet_since or when)
            if quiet_since is not None and when - quiet_since >= quiet_s:
                return True
        return False

    def _used(self) -> tuple[float, bool]:
        """Processor time of everything on this desktop so far in seconds, and whether anything wants more right now."""
        total, runnable = 0.0, False
        for pid in self.desktop.pids():
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                spent = process.cpu_times()
                total += spent.user + spent.system
                runnable = runnable or process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        return total, runnable

    def end(self, name: str) -> None:
        """End the programs of this desktop that have a name, and no other."""
        for pid in self.desktop.pids():
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                if name in (process.name(), Path(process.exe()).name):
                    process.terminate()

    def check_time(self, place: str) -> None:
        """Raise when the current phase is over its time.

        Raises:
            SetupTimeout: It is.
        """
        if time.monotonic() >= self.deadline:
            raise SetupTimeout(f"{place} came too late: set-up takes longer than {self.limits.setup_s:.0f} s")

    def _folder(self, name: str) -> Path:
        made = self.home / name
        made.mkdir(exist_ok=True)
        return made

    def close(self) -> None:
        """End everything and remove the home. Safe to call twice."""
        self.surface.close()
        while self.closing:
            with contextlib.suppress(BackendError):
                self.closing.pop()()
        self.x.close()
        self.desktop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def end_family(pid: int) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(pid)
        for one in [*top.children(recursive=True), top]:
            with contextlib.suppress(psutil.Error):
                one.kill()
