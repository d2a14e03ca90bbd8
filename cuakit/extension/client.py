"""Our end of a worker: start it, ask it with a deadline, check every word it says, end it.

Whatever it does, hang, crash or talk nonsense, becomes an :class:`~cuakit.extension.errors.ExtensionError`; the request is
not repeated, and the next one starts a new worker.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from cuakit.extension import frames
from cuakit.extension.catalogue import PROTOCOL
from cuakit.extension.errors import EXTENSION_CODES, ExtensionError
from cuakit.extension.sandbox import NO_NETWORK

Runtime = Literal["auto", "onnxruntime", "openvino"]

ROWS_LIMIT: Final = 10_000
"""Most boxes of one answer."""

_ROW: Final = 5 * 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """How a worker runs: runtime with version, number format, protections in force, and why it is not what was asked."""

    runtime: str
    precision: str
    sandbox: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Live:
    process: subprocess.Popen[bytes]
    stderr: IO[bytes]
    info: Info
    end: Any


@dataclass(kw_only=True)
class Worker:
    """A network in a process of its own. Started when it is first needed; safe to call from several threads, one at a time.

    Args:
        model: ONNX file.
        size: Its bytes.
        sha256: Its digest; the worker compares before it loads.
        runtime: ``onnxruntime``, ``openvino``, or ``auto`` for OpenVINO where it can be had.
        threads: Threads of one call.
        memory_mb: Most address space of the process, in MiB.
        start_s: Longest time until the network is loaded, in seconds.
        command: What to start; our own worker by default.
    """

    model: Path
    size: int
    sha256: str
    runtime: Runtime = "onnxruntime"
    threads: int = 1
    memory_mb: int = 6144
    start_s: float = 120.0
    command: Sequence[str] = ()
    _live: _Live | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _count: int = field(default=0, init=False, repr=False)

    def detect(
        self, pixels: NDArray[np.uint8], *, confidence: float, most: int = ROWS_LIMIT, deadline_s: float = 60.0
    ) -> NDArray[np.float32]:
        """Boxes on a picture.

        Args:
            pixels: (H, W, 3) RGB, sides in multiples of 32.
            confidence: Least score.
            most: Most rows, the surest first.
            deadline_s: Longest time for the answer, in seconds; a start has its own.

        Returns:
            (N, 5) left, top, right, bottom in pixels of the picture, and score.

        Raises:
            ExtensionError: The worker could not be started, or gave no sound answer in time; the code says how.
        """
        height, width = pixels.shape[:2]
        head = {"method": "detect", "height": height, "width": width, "confidence": confidence, "most": most}
        with self._turn(deadline_s):
            live = self._started()
            said, body = self._ask(live, head, np.ascontiguousarray(pixels).data.cast("B"), deadline_s)
            if len(body) % _ROW or len(body) != _ROW * said.get("count", -1) or len(body) > _ROW * most:
                raise self._broken(live, "invalid_frame", f"{len(body)} bytes are not {said.get('count')} boxes")
            found = np.frombuffer(body, np.float32).reshape(-1, 5)
            if not np.isfinite(found).all() or ((found[:, 4] < 0) | (found[:, 4] > 1)).any():
                raise self._broken(live, "invalid_frame", "a box has no finite place or a score outside 0 to 1")
            return found

    def info(self) -> Info:
        """How it runs; starts it when it does not.

        Raises:
            ExtensionError: It could not be started.
        """
        with self._turn(self.start_s):
            return self._started().info

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._live.process.pid if self._live is not None else None

    def close(self) -> None:
        """End the process, if there is one."""
        live, self._live = self._live, None
        if live is not None:
            live.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _turn(self, wait_s: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=wait_s):
            raise ExtensionError("timeout", f"the worker was busy for {wait_s:g} s")
        try:
            yield
        finally:
            self._lock.release()

    def _started(self) -> _Live:
        """The live worker; a new one when there is none, or when it died between two requests."""
        if self._live is not None and self._live.process.poll() is None:
            return self._live
        self.close()
        with contextlib.ExitStack() as undo:
            stderr = undo.enter_context(tempfile.TemporaryFile())
            process = _spawn(self.command or _command(self.memory_mb), stderr)
            self._live = live = _Live(
                process, stderr, Info(runtime="", precision="", sandbox=()), _ender(self, process, stderr)
            )
            undo.pop_all()
        hello, _ = self._within(live, self.start_s, lambda: None)
        if hello.get("protocol") != PROTOCOL:
            raise self._broken(live, "incompatible_protocol", f"the worker speaks {str(hello.get('protocol'))[:40]!r}")
        sandbox = tuple(str(s) for s in hello.get("sandbox", ()))
        if sys.platform == "linux" and not NO_NETWORK & set(sandbox):
            raise self._broken(live, "unsupported_platform", "the worker could not give up the network")
        head = {
            "method": "load",
            "path": str(self.model),
            "size": self.size,
            "sha256": self.sha256,
            "runtime": self.runtime,
            "threads": self.threads,
        }
        said, _ = self._ask(live, head, b"", self.start_s)
        info = Info(
            runtime=str(said.get("runtime")),
            precision=str(said.get("precision")),
            sandbox=sandbox,
            note=str(said.get("note", "")),
        )
        self._live = _Live(live.process, live.stderr, info, live.end)
        return self._live

    def _ask(
        self, live: _Live, head: Mapping[str, Any], body: bytes | memoryview, deadline_s: float
    ) -> tuple[dict[str, Any], bytes]:
        """One request and its answer."""
        self._count += 1
        stdin = live.process.stdin
        assert stdin is not None

        def send() -> None:
            frames.write(stdin, {"id": self._count, **head}, body)

        said, blob = self._within(live, deadline_s, send)
        if said.get("id") != self._count:
            raise self._broken(live, "invalid_frame", "the answer is to another question")
        if "code" in said:
            code = said["code"] if said["code"] in EXTENSION_CODES else "invalid_frame"
            raise ExtensionError(code, str(said.get("message", ""))[:500])
        return said, blob

    def _within(self, live: _Live, deadline_s: float, send: Any) -> tuple[dict[str, Any], bytes]:
        """Send, and receive one message; a worker that takes longer is ended, which ends the wait as well."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            live.process.kill()

        timer = threading.Timer(deadline_s, give_up)
        timer.daemon = True
        timer.start()
        stdout = live.process.stdout
        assert stdout is not None
        try:
            send()
            got = frames.read(stdout, body_limit=ROWS_LIMIT * _ROW)
        except frames.BadFrame as wrong:
            if not late.is_set() and live.process.poll() is None:
                raise self._broken(
                    live, "invalid_frame", f"the worker said something else than a message: {wrong}"
                ) from wrong
            got = None
        except (OSError, ValueError):
            got = None
        finally:
            timer.cancel()
        if got is not None:
            return got
        if late.is_set():
            raise self._broken(live, "timeout", f"no answer within {deadline_s:g} s")
        raise self._broken(live, *_how_it_ended(live))

    def _broken(self, live: _Live, code: str, message: str) -> ExtensionError:
        """The error, after the worker was ended: nothing that it says from now on would be believed."""
        live.end()
        self._live = None
        return ExtensionError(code, message)


def _command(memory_mb: int) -> list[str]:
    return [sys.executable, "-I", "-m", "cuakit.extension.worker", str(memory_mb)]


def _spawn(command: Sequence[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMPDIR")}
    # BLAS starts a thread per core when numpy is imported, each with memory of its own; the worker has no use for them.
    kept |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=kept,
            start_new_session=True,  # Ctrl-C is for us
        )
    except OSError as wrong:
        raise ExtensionError("worker_launch_failed", f"{command[0]} does not start: {wrong}") from wrong


def _ender(owner: Worker, process: subprocess.Popen[bytes], stderr: IO[bytes]) -> Any:
    """Ends the process and closes what belongs to it: when called, when the owner is forgotten, or when we end."""
    return weakref.finalize(owner, _end, process, stderr)


def _end(process: subprocess.Popen[bytes], stderr: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, stderr):
        if stream is not None:
            with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
                stream.close()


def _how_it_ended(live: _Live) -> tuple[str, str]:
    """Code and sentence for a worker that went away."""
    end = time.monotonic() + 5.0
    while live.process.poll() is None and time.monotonic() < end:  # its streams close a moment before it is gone
        time.sleep(0.005)
    code = live.process.returncode
    live.stderr.seek(0, os.SEEK_END)
    live.stderr.seek(max(0, live.stderr.tell() - 500))
    last = live.stderr.read().decode(errors="replace").strip().splitlines()
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    early = not live.info.runtime and code is not None and code > 0
    return "worker_launch_failed" if early else "worker_crashed", f"the worker ended with {how}" + (
        f": {last[-1][:200]}" if last else ""
    )
