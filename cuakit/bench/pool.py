"""Worker processes as the parent sees them: started in a session of their own, spoken to in JSON lines, killed whole.

Each worker has a private folder for temporary files and a mark in its environment that all its descendants inherit.
On Linux a warden process watches both: when the parent dies, however it dies, or a worker is given up, everything
that carries the mark dies and the folder goes.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import psutil

from cuakit.backends import warden

Message = dict[str, Any]
Deliver = Callable[["Worker", Message | None], None]
"""Takes a worker's message, or None when its output has ended. Called from the worker's reader thread."""


class Worker:
    """One worker process.

    Args:
        deliver: Takes its messages.
        log: File that what it printed is added to when it has ended.
    """

    def __init__(self, deliver: Deliver, log: Path) -> None:
        self._log = log
        self._mark = uuid.uuid4().hex
        self._folder = Path(tempfile.mkdtemp(prefix="cuakit-worker-"))
        self._warden = _start_warden(self._mark, self._folder)
        self._printed = self._folder / "printed.log"
        with self._printed.open("wb") as sink:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "cuakit.bench.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                env={**os.environ, warden.MARK: self._mark, "TMPDIR": str(self._folder)},
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, args=(deliver,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Process id, which is also its session and process group."""
        return self._process.pid

    def _read(self, deliver: Deliver) -> None:
        out = _pipe(self._process.stdout)
        with out:
            for line in out:
                try:
                    message = json.loads(line)
                except ValueError:
                    break  # half a line: it died while writing
                deliver(self, message)
        deliver(self, None)

    def send(self, message: Message) -> None:
        """Give it a job. One that has died already says so through its messages."""
        with contextlib.suppress(OSError):
            pipe = _pipe(self._process.stdin)
            pipe.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            pipe.flush()

    def retire(self) -> None:
        """Ask it to end after closing its environment; its messages end with None."""
        with contextlib.suppress(OSError):
            _pipe(self._process.stdin).close()

    def end(self) -> str:
        """Kill it and everything it started, at once, and clean up. Safe to call twice.

        Returns:
            How it ended, for an error message.
        """
        _kill_tree(self._process, self._mark)
        code = self._process.wait(30)
        self.retire()
        self._reader.join(10)
        self._keep_printed()
        if self._warden is not None:
            _pipe(self._warden.stdin).close()
            self._warden.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def last_words(self, size: int = 400) -> str:
        """The end of what it has printed, while it has not been ended."""
        try:
            return self._printed.read_bytes()[-size:].decode("utf-8", "replace").strip()
        except OSError:
            return ""

    def _keep_printed(self) -> None:
        with contextlib.suppress(OSError):  # a log is a help, not a result: a full disk must not stop the clean-up
            text = self._printed.read_bytes()
            if text:
                with self._log.open("ab") as log:
                    log.write(text)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process was started without this pipe")
    return pipe


def _start_warden(mark: str, folder: Path) -> subprocess.Popen[bytes] | None:
    if not Path("/proc/self/environ").exists():
        return None
    command = [sys.executable, "-I", "-S", str(Path(warden.__file__)), mark, str(folder), str(os.getpid())]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)


def _kill_tree(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process, its group, its descendants, and all that carries its mark."""
    family: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        family = psutil.Process(process.pid).children(recursive=True)
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for one in family:
        with contextlib.suppress(psutil.Error):
            one.kill()
    if Path("/proc/self/environ").exists():
        warden.end_all(mark, process.pid, grace_s=0.0)
