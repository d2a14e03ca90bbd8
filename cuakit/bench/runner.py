"""Running a plan: workers, deadlines, retries, resuming. The parent alone writes the ledger.

A trial is over when its ``trial`` row is on the disk; then it is never run again. Whatever is killed, at any moment,
costs at most the trials that were running. Worker crashes and environments that fail are tried again and never scored.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cuakit.bench.budget import Budget
from cuakit.bench.plan import Job
from cuakit.bench.pool import Message, Worker
from cuakit.core.errors import BackendError, CuakitError, MissingExtra, RecordError
from cuakit.core.trajectory import Trial, TrialOutcome
from cuakit.record.ledger import Ledger
from cuakit.record.rows import trial_from_row, trial_row
from cuakit.record.writer import FRAMES

AGAIN: Final[frozenset[TrialOutcome]] = frozenset({"infra_error", "env_error", "cancelled"})
"""Outcomes that say nothing about the agent: tried again at once, and once more when a run is resumed."""

_GIVE_UP: Final = 6
"""Attempts in a row, over the whole run, for which no environment could be opened; more would waste hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How patient a run is, and how much a trial may use.

    Args:
        retries: Further attempts after an error of the infrastructure.
        grace_s: Time beyond a task's own deadline before its process group is killed, in seconds.
        start_s: Longest time for a worker, and then for its environment, to start, in seconds.
        reset_s: Longest time for setting up one task instance, in seconds.
        recycle: Trials after which a worker is replaced by a fresh one.
        budget: What the decision model may use in one trial, in tokens and money; no limit by default.
    """

    retries: int = 2
    grace_s: float = 30.0
    start_s: float = 120.0
    reset_s: float = 120.0
    recycle: int = 200
    budget: Budget | None = None


@dataclass(slots=True, eq=False)
class _Slot:
    """A place for one worker at a time."""

    worker: Worker
    ready: bool = False
    retiring: bool = False
    served: int = 0
    job: Job | None = None
    attempt: int = 0
    phase: str = "open"
    since: float = 0.0
    kill_at: float = 0.0


@dataclass(slots=True)
class Scheduler:
    """Runs jobs on workers until all are done.

    Args:
        ledger: Takes every row.
        folder: The run's folder.
        workers: Processes at once.
        limits: How patient it is.
        finished: Told each finished trial.
    """

    ledger: Ledger
    folder: Path
    workers: int
    limits: Limits
    finished: Callable[[Trial], None]
    attempts: dict[str, int] = field(default_factory=dict)
    _events: queue.SimpleQueue[tuple[Worker, Message | None]] = field(default_factory=queue.SimpleQueue)
    _slots: list[_Slot] = field(default_factory=list)
    _todo: deque[Job] = field(default_factory=deque)
    _tries: dict[str, int] = field(default_factory=dict)
    _failures: int = 0

    def run(self, jobs: Sequence[Job]) -> None:
        """Run all jobs. On any exception, Ctrl-C too, every worker is gone before it leaves.

        Raises:
            RecordError: The ledger or a frame cannot be written.
            MissingExtra, BackendError: No trial can work here.
            KeyboardInterrupt: It was interrupted.
        """
        self._todo.extend(jobs)
        try:
            for _ in range(min(self.workers, len(jobs))):
                self._slots.append(self._hire())
            while self._todo or any(s.job for s in self._slots):
                for slot in self._slots:
                    self._assign(slot)
                self._wait()
                self._expire()
        finally:
            self._dismiss()

    def _hire(self) -> _Slot:
        worker = Worker(lambda w, m: self._events.put((w, m)), self.folder / "workers.log")
        return _Slot(worker, kill_at=time.monotonic() + self.limits.start_s)

    def _assign(self, slot: _Slot) -> None:
        if not self._todo or not slot.ready or slot.retiring or slot.job is not None:
            return
        job = self._todo.popleft()
        attempt = self.attempts[job.id] = self.attempts.get(job.id, 0) + 1
        slot.job, slot.attempt, slot.phase, slot.since = job, attempt, "open", time.monotonic()
        slot.kill_at = slot.since + self.limits.start_s
        budget = self.limits.budget and self.limits.budget.to_dict()
        frames = str(self.folder / FRAMES)
        slot.worker.send({"job": job.to_dict(), "attempt": attempt, "frames": frames, "budget": budget})

    def _wait(self) -> None:
        """Handle what the workers say, until there is nothing for a moment or a deadline strikes."""
        soonest = min((s.kill_at for s in self._slots), default=0.0)
        try:
            worker, message = self._events.get(timeout=min(max(soonest - time.monotonic(), 0.0), 1.0) + 0.001)
        except queue.Empty:
            return
        slot = next((s for s in self._slots if s.worker is worker), None)
        if slot is None:
            return  # the last words of a worker that was replaced
        if message is None:
            self._lost(slot)
        else:
            self._heard(slot, message)

    def _heard(self, slot: _Slot, message: Message) -> None:
        kind = message["t"]
        if kind == "ready":
            slot.ready, slot.kill_at = True, float("inf")
        elif kind == "phase":
            slot.phase = message["phase"]
            slot.kill_at = time.monotonic() + self._patience(slot)
        elif kind == "step":
            self.ledger.append(message["row"], sync=False)
        elif kind == "trial":
            self._ended(slot, message["row"])
        elif kind == "fatal":
            raise _fatal(message["error"])

    def _patience(self, slot: _Slot) -> float:
        """Seconds that the phase which begins now may take."""
        if slot.phase in ("open", "reset"):
            return self.limits.start_s if slot.phase == "open" else self.limits.reset_s
        return self.limits.grace_s + (slot.job.task.deadline_s if slot.job and slot.phase == "run" else 0.0)

    def _ended(self, slot: _Slot, row: dict[str, Any]) -> None:
        job, slot.job, slot.kill_at = slot.job, None, float("inf")
        slot.served += 1
        if job is not None:
            self._settle(job, row)
        if slot.served >= self.limits.recycle:
            slot.retiring, slot.kill_at = True, time.monotonic() + self.limits.grace_s
            slot.worker.retire()

    def _settle(self, job: Job, row: dict[str, Any]) -> None:
        """Keep a trial's end, or have it tried again."""
        outcome, tries = row["outcome"], self._tries.get(job.id, 0) + 1
        self._tries[job.id] = tries
        self._failures = self._failures + 1 if row["extra"].get("failed_in") == "open" else 0
        again = outcome in AGAIN and tries <= self.limits.retries
        self.ledger.append({**row, "kind": "attempt" if again else "trial"})
        if again:
            self._todo.appendleft(job)
        else:
            self.finished(trial_from_row(row))
        if self._failures >= _GIVE_UP:
            raise BackendError(
                f"no environment could be opened in {self._failures} attempts in a row; the last: {row['error']}",
                code="environment_unavailable",
                hint="run cuakit doctor, mend what it names, and resume: what is finished is kept",
            )

    def _lost(self, slot: _Slot) -> None:
        """A worker's output has ended: it crashed, or it has retired."""
        words, how = slot.worker.last_words(), slot.worker.end()
        if slot.job is not None:
            self._settle(slot.job, _row(slot, slot.job, "infra_error", f"worker_lost: {how}. {words}"))
        elif not slot.ready:
            raise BackendError(f"a worker did not start: {how}. {words}", code="worker_unavailable")
        self._refill(slot)

    def _expire(self) -> None:
        now = time.monotonic()
        for slot in [s for s in self._slots if s.kill_at <= now]:
            slot.worker.end()
            if slot.job is not None:
                outcome, what = _OVERTIME[slot.phase]
                told = f"deadline: {what} for {now - slot.since:.0f} s; killed"
                self._settle(slot.job, _row(slot, slot.job, outcome, told))
            elif not slot.ready:
                raise BackendError("a worker did not start in time", code="worker_unavailable")
            self._refill(slot)

    def _refill(self, slot: _Slot) -> None:
        """Put a fresh worker in a slot whose worker is gone, if there is anything left to do."""
        place = self._slots.index(slot)
        if self._todo:
            self._slots[place] = self._hire()
        else:
            del self._slots[place]

    def _dismiss(self) -> None:
        for slot in self._slots:
            if slot.job is None:
                slot.worker.retire()
        stop_at = time.monotonic() + 5.0
        waiting = {s.worker for s in self._slots if s.job is None}
        while waiting and time.monotonic() < stop_at:
            try:
                worker, message = self._events.get(timeout=0.1)
            except queue.Empty:
                continue
            if message is None:
                waiting.discard(worker)
        for slot in self._slots:
            slot.worker.end()
        self._slots.clear()


def _row(slot: _Slot, job: Job, outcome: TrialOutcome, error: str) -> dict[str, Any]:
    """The row of an attempt that its worker could not report."""
    trial = Trial(
        id=job.id,
        suite=job.task.suite,
        task=job.task.id,
        agent=job.agent.name,
        seed=job.seed,
        outcome=outcome,
        seconds=round(time.monotonic() - slot.since, 3),
        error=error[:1000],
        extra={"env": job.task.env, "group": job.task.group, "observe": job.agent.observe, "failed_in": slot.phase},
    )
    return {"attempt": slot.attempt, **trial_row(trial)}


_OVERTIME: Final[dict[str, tuple[TrialOutcome, str]]] = {
    "open": ("env_error", "the environment was opening"),
    "reset": ("env_error", "the environment was resetting"),
    "run": ("timeout", "the agent was at work"),
    "score": ("evaluator_error", "the environment was scoring"),
}


def _fatal(error: dict[str, Any]) -> CuakitError:
    kind = MissingExtra if error["code"] == MissingExtra.code else RecordError
    return kind(error["message"], hint=error["hint"], code=error["code"], retryable=error["retryable"])
