"""The process that runs trials, one after another, for a parent that counts them.

Jobs come in as JSON lines on standard input, and what happens goes out as JSON lines on what was standard output; any
other output of the process goes to its log. It keeps its environment warm between trials. It knows nothing about the
ledger. When standard input closes between trials it ends; when that happens during one, its parent has died, and it
takes its whole process group along.

    in   {"job": …, "attempt": 1, "frames": "folder", "budget": null}
    out  {"t": "ready"} · {"t": "phase", "phase": …} · {"t": "step", "row": …} · {"t": "trial", "row": …}
         {"t": "fatal", "error": …}
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from cuakit.bench.budget import Budget
from cuakit.bench.plan import Job
from cuakit.bench.trial import TrialRun
from cuakit.core import codec
from cuakit.core.errors import CuakitError, MissingExtra, RecordError
from cuakit.envs.base import Environment
from cuakit.record.blobs import Blobs
from cuakit.record.rows import trial_row
from cuakit.suites.opener import open_env


class WarmEnv:
    """At most one open environment, kept while the same kind is wanted."""

    def __init__(self) -> None:
        self._kind = ""
        self._env: Environment | None = None

    def get(self, kind: str) -> Environment:
        """The open environment of that kind; another kind is closed first."""
        if self._env is None or self._kind != kind:
            self.close()
            self._env, self._kind = open_env(kind), kind
        return self._env

    def close(self) -> None:
        """Close what is open."""
        env, self._env = self._env, None
        if env is not None:
            env.close()


def _private_channel() -> BinaryIO:
    """Take standard output for the protocol; whatever prints from now on lands in the log."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return channel


def _listen(source: BinaryIO, jobs: queue.SimpleQueue[dict[str, Any] | None], idle: threading.Event) -> None:
    for line in source:
        idle.clear()
        jobs.put(json.loads(line))
    if not idle.is_set():
        _end_group()
    jobs.put(None)


def _end_group() -> None:
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)


def _serve(message: dict[str, Any], warm: WarmEnv, send: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run one job. Returns the last message about it."""
    attempt = message["attempt"]
    run = TrialRun(
        job=Job.from_dict(message["job"]),
        attempt=attempt,
        open_env=warm.get,
        blobs=Blobs(Path(message["frames"])),
        emit=lambda row: send({"t": "step", "row": row}),
        enter=lambda phase: send({"t": "phase", "phase": phase}),
        budget=Budget(**message["budget"]) if message["budget"] else None,
    )
    try:
        trial = run()
    except (RecordError, MissingExtra) as wrong:
        return {"t": "fatal", "error": wrong.as_dict()}
    if trial.outcome in ("env_error", "evaluator_error"):
        with contextlib.suppress(CuakitError, OSError):  # it is broken already; the next trial opens a fresh one
            warm.close()
    return {"t": "trial", "row": {"kind": "trial", "attempt": attempt, **trial_row(trial)}}


def main() -> None:
    """Serve jobs until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = _private_channel()
    jobs: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    idle, warm = threading.Event(), WarmEnv()
    idle.set()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs, idle), daemon=True).start()

    def send(message: dict[str, Any]) -> None:
        channel.write(codec.dumps(message).encode() + b"\n")
        channel.flush()

    send({"t": "ready"})
    try:
        while (message := jobs.get()) is not None:
            last = _serve(message, warm, send)
            idle.set()  # before the parent can answer with the next job
            send(last)
    finally:
        warm.close()


if __name__ == "__main__":
    main()
