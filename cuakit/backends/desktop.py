"""A private X11 desktop: display, window manager, message buses and home of its own, gone without trace afterwards.

Nothing is waited for by sleeping: the server and the bus report on a pipe, the window manager by a root property, and
the accessibility bus by answering.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, Final, Self

from cuakit.backends import warden
from cuakit.core.errors import DisplayUnavailable, UsageError

INSTALL: Final = "install it: apt-get install --no-install-recommends xvfb openbox at-spi2-core dbus"
"""What to say when a piece of the desktop is missing."""

TOOLKIT_ENV: Final[Mapping[str, str]] = MappingProxyType(
    {
        "GDK_BACKEND": "x11",
        "GDK_CORE_DEVICE_EVENTS": "1",
        "GTK_MODULES": "gail:atk-bridge",
        "LC_ALL": "C.UTF-8",
        "NO_AT_BRIDGE": "0",
        "QT_ACCESSIBILITY": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "QT_QPA_PLATFORM": "xcb",
        "QT_XCB_NO_XI2": "1",
        "SAL_USE_VCLPLUGIN": "gtk3",
    }
)
"""Environment that makes toolkits speak accessibility and take events that are sent to their window.

``GDK_CORE_DEVICE_EVENTS`` and ``QT_XCB_NO_XI2`` matter most: without the first GTK 3 listens for XInput 2 events only,
which cannot be sent; without the second Qt takes wheel events only from there.
"""

_INHERITED: Final = ("PATH", "LANG", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH", "COVERAGE_PROCESS_START")


class Desktop:
    """A running private desktop. Use :meth:`launch`, and ``with``.

    Attributes:
        display: X display name such as ``:99``.
        env: Environment for programs on this desktop.
        size: ``(width, height)`` of the screen in pixels.
        home: Private home folder, removed on close.
        accessibility: Whether the accessibility bus answers.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self.display = ""
        self.accessibility = False
        self.home = Path(tempfile.mkdtemp(prefix="cuakit-desktop-"))
        self._mark = secrets.token_hex(8)
        self._children: list[subprocess.Popen[bytes]] = []
        self._env = _private_env(self.home, self._mark)
        self._warden = _start_warden(self._mark, self.home)
        self._closed = False

    @classmethod
    def launch(
        cls,
        *,
        width: int = 1280,
        height: int = 800,
        depth: int = 24,
        dpi: int = 96,
        window_manager: bool = True,
        accessibility: bool = True,
        timeout_s: float = 20.0,
    ) -> Self:
        """Start a desktop and return when it is ready for programs.

        Args:
            width: Screen width in pixels.
            height: Screen height in pixels.
            depth: Bits per pixel, 16 or 24.
            dpi: Resolution that toolkits are told; 192 makes them draw at 200 %.
            window_manager: Whether to start openbox; without one, windows have neither frames nor stacking rules.
            accessibility: Whether to start the message bus and the accessibility bus.
            timeout_s: Most seconds for the whole start.

        Raises:
            DisplayUnavailable: A piece is not installed or did not start; nothing is left running.
            UsageError: A size that no X server can have.
        """
        if not (1 <= width <= 16384 and 1 <= height <= 16384 and depth in (16, 24)):
            raise UsageError(f"a screen of {width}×{height}×{depth} cannot be made", hint="1 to 16384, depth 16 or 24")
        _require("Xvfb", *(["openbox"] if window_manager else []), *(["dbus-daemon"] if accessibility else []))
        end = time.monotonic() + timeout_s
        desktop = cls((width, height))
        try:
            desktop._start_server(depth, dpi, end)
            if window_manager:
                desktop._start_window_manager(end)
            if accessibility:
                desktop._start_buses(end)
        except BaseException:
            desktop.close()
            raise
        return desktop

    @property
    def env(self) -> Mapping[str, str]:
        """Environment for programs on this desktop, read-only."""
        return MappingProxyType(self._env)

    def spawn(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
        stdin: int | None = subprocess.DEVNULL,
        stdout: int | IO[bytes] | None = subprocess.DEVNULL,
        stderr: int | IO[bytes] | None = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        """Start a program on this desktop, in its process group; it ends with the desktop.

        Args:
            command: Program and arguments.
            env: Added to :attr:`env`.
            cwd: Working folder; the private home by default.
            stdin: As for :class:`subprocess.Popen`; nothing by default.
            stdout: As for :class:`subprocess.Popen`; dropped by default.
            stderr: As for :class:`subprocess.Popen`; dropped by default.
            pass_fds: Descriptors that the program keeps.

        Raises:
            DisplayUnavailable: The desktop was closed.
            UsageError: There is no such program.
        """
        if self._closed:
            raise DisplayUnavailable("this desktop was closed", hint="launch another one")
        try:
            child = subprocess.Popen(
                [str(part) for part in command],
                env=self._env | dict(env or {}) | {warden.MARK: self._mark},
                cwd=cwd or self.home,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=pass_fds,
                process_group=self._warden.pid,
            )
        except FileNotFoundError as missing:
            raise UsageError(f"no program named {command[0]}", hint="check the name, or install it") from missing
        self._children.append(child)
        return child

    def pids(self) -> tuple[int, ...]:
        """Process ids of everything that runs on this desktop."""
        return warden.members(self._mark, self._warden.pid)

    def close(self) -> None:
        """End every process of the desktop and remove its home. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        warden.end_all(self._mark, self._warden.pid)
        for child in self._children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(5)
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()
        if self._warden.stdin is not None:
            self._warden.stdin.close()
        self._warden.wait(10)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else self.display
        return f"Desktop({state}, {self.size[0]}×{self.size[1]})"

    def _start_server(self, depth: int, dpi: int, end: float) -> None:
        screen = f"{self.size[0]}x{self.size[1]}x{depth}"
        options = ["-screen", "0", screen, "-dpi", str(dpi), "-nolisten", "tcp", "-noreset"]
        number = self._report("Xvfb", lambda fd: ["Xvfb", "-displayfd", str(fd), *options], end)
        self.display = self._env["DISPLAY"] = f":{number}"
        if dpi != 96:
            self._set_dpi(dpi)

    def _set_dpi(self, dpi: int) -> None:
        from cuakit.backends.x11 import X11  # noqa: PLC0415 - a desktop at the usual resolution needs no X client

        with X11.open(self.display) as x:
            x.set_root_text("RESOURCE_MANAGER", f"Xft.dpi:\t{dpi}\n")

    def _start_window_manager(self, end: float) -> None:
        from cuakit.backends.x11 import X11  # noqa: PLC0415 - a bare display needs no X client

        with X11.open(self.display) as x, (self.home / "openbox.log").open("wb") as log:
            child = self.spawn(["openbox"], stderr=log)
            x.wait_root_property("_NET_SUPPORTING_WM_CHECK", end, alive=lambda: child.poll() is None)

    def _start_buses(self, end: float) -> None:
        from cuakit.backends.atspi_bus import enable_accessibility  # noqa: PLC0415 - only with the bus

        options = ["--session", "--nofork", "--nopidfile", "--nosyslog"]
        address = self._report("dbus-daemon", lambda fd: ["dbus-daemon", *options, f"--print-address={fd}"], end)
        self._env["DBUS_SESSION_BUS_ADDRESS"] = address
        self.accessibility = enable_accessibility(address, timeout_s=max(0.1, end - time.monotonic()))

    def _report(self, name: str, command: Callable[[int], Sequence[str]], end: float) -> str:
        """Start a program that writes one line on a descriptor when it is ready, and return that line."""
        read, write = os.pipe()
        log = self.home / f"{name}.log"
        try:
            with log.open("wb") as sink:
                self.spawn(command(write), stderr=sink, pass_fds=(write,))
            os.close(write)
            write = -1
            line = _read_line(read, end)
        finally:
            os.close(read)
            if write >= 0:
                os.close(write)
        if not line:
            said = log.read_text(errors="replace").strip()[-500:] or "nothing"
            raise DisplayUnavailable(f"{name} did not become ready; it said: {said}", hint=INSTALL)
        return line


def _read_line(fd: int, end: float) -> str:
    data = b""
    while not data.endswith(b"\n"):
        ready, _, _ = select.select([fd], [], [], max(0.0, end - time.monotonic()))
        chunk = os.read(fd, 512) if ready else b""
        if not chunk:
            return ""
        data += chunk
    return data.decode().strip()


def _require(*programs: str) -> None:
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        raise DisplayUnavailable(f"not installed: {', '.join(missing)}", hint=INSTALL, retryable=False)


def _private_env(home: Path, mark: str) -> dict[str, str]:
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    kept = {k: os.environ[k] for k in _INHERITED if k in os.environ}
    private = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        warden.MARK: mark,
    }
    return kept | dict(TOOLKIT_ENV) | private


def _start_warden(mark: str, home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", str(Path(warden.__file__)), mark, str(home), str(os.getpid())]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
