"""Killing a run at random moments, resuming it, and counting what that cost. Nothing should be lost but time.

Victims are the runner, a worker, whatever a worker started (a browser, a display, another program), and the disk, which
becomes full in the middle of a write. After each kill the same command goes on with the same folder, as a person would.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import psutil

from cuakit.core.errors import RecordError, UsageError
from cuakit.record.blobs import Blobs
from cuakit.record.ledger import read
from cuakit.record.writer import FRAMES, LEDGER

VICTIMS: Final = ("runner", "worker", "descendant", "disk")
"""What is killed, in equal shares as far as it is there. A descendant is counted as what it is, see :data:`KINDS`."""

KINDS: Final = {"chrom": "browser", "Xvfb": "display"}
"""Beginning of a descendant's name → how its kill is counted; others are programs."""

_GONE_S: Final = 15.0
"""Longest time that processes may take to die with their runner, in seconds."""


@dataclass(slots=True, kw_only=True)
class Damage:
    """What the kills cost.

    Args:
        kills: Kills that hit something.
        lost: Finished trials that were missing later.
        duplicated: Trials that were finished more than once.
        half_written: Ledgers that could not be read to their end after resuming, and frames that were damaged.
        orphans: Processes that outlived their runner.
        trials: Trials that were finished in all rounds.
        by_victim: Kills by victim.
    """

    kills: int = 0
    lost: int = 0
    duplicated: int = 0
    half_written: int = 0
    orphans: int = 0
    trials: int = 0
    by_victim: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, kw_only=True)
class Chaos:
    """One experiment.

    Args:
        command: Words after ``cuakit bench run``; they must plan at least a few trials.
        folder: For the runs, one folder per round.
        kills: Kills to do.
        seed: Of the moments and victims.
        longest_s: Longest time to let a run go on before the next kill, in seconds.
    """

    command: Sequence[str]
    folder: Path
    kills: int = 20
    seed: int = 0
    longest_s: float = 6.0
    damage: Damage = field(default_factory=Damage)
    _finished: set[str] = field(default_factory=set)

    def __call__(self) -> Damage:
        """Run it. A round ends when its plan is done; rounds go on until all kills are done.

        Raises:
            UsageError: The command fails without being hit.
        """
        random, rounds = Random(self.seed), 0
        while self.damage.kills < self.kills:
            rounds += 1
            out = self.folder / f"round-{rounds:03d}"
            self._finished = set()
            while not self._one_start(out, random):
                pass
            self._check(out, final=True)
        return self.damage

    def _one_start(self, out: Path, random: Random) -> bool:
        """Start or resume, perhaps kill. True when the plan is done."""
        runner = subprocess.Popen(
            [sys.executable, "-m", "cuakit.cli", "bench", "run", *self.command, "--out", str(out), "--quiet"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        seen: set[psutil.Process] = set()
        hit = False
        try:
            if self.damage.kills < self.kills:
                self._wait(runner, random.uniform(0.0, self.longest_s), seen)
                hit = self._kill(runner, random, seen)
            _, told = runner.communicate()
        finally:
            runner.kill()
            runner.wait()
        self._bury(seen)
        self._check(out, final=False)
        if runner.returncode and not hit:
            raise UsageError(f"the run does not work by itself: {told.decode('utf-8', 'replace')[-600:]}")
        return runner.returncode == 0

    def _wait(self, runner: subprocess.Popen[bytes], seconds: float, seen: set[psutil.Process]) -> None:
        stop_at = time.monotonic() + seconds
        while time.monotonic() < stop_at and runner.poll() is None:
            seen |= _family(runner.pid)
            time.sleep(0.02)

    def _kill(self, runner: subprocess.Popen[bytes], random: Random, seen: set[psutil.Process]) -> bool:
        seen |= _family(runner.pid)
        if runner.poll() is not None:
            return False
        victim, stop_at = random.choice(VICTIMS), time.monotonic() + self.longest_s
        while not (struck := _strike(victim, runner.pid, random)) and time.monotonic() < stop_at:
            seen |= _family(runner.pid)
            time.sleep(0.02)  # it may not have been started yet
        if not struck:
            struck = "runner"
            runner.kill()
        self.damage.kills += 1
        self.damage.by_victim[struck] += 1
        return True

    def _bury(self, seen: set[psutil.Process]) -> None:
        _, alive = psutil.wait_procs(seen, timeout=_GONE_S)
        self.damage.orphans += len(alive)
        for one in alive:
            with contextlib.suppress(psutil.Error):
                one.kill()

    def _check(self, out: Path, *, final: bool) -> None:
        """Compare what is finished now with what was finished before."""
        if not (out / LEDGER).exists():
            return
        try:
            rows = list(read(out / LEDGER))
        except RecordError:
            self.damage.half_written += 1
            return
        ends = Counter(row["id"] for row in rows if row["kind"] == "trial" and row["outcome"] == "scored")
        self.damage.lost += len(self._finished - ends.keys())
        self._finished |= ends.keys()
        if final:
            planned = max(row["planned"] for row in rows if row["kind"] == "run")
            self.damage.lost += planned - len(ends)
            self.damage.duplicated += sum(n - 1 for n in ends.values())
            self.damage.trials += len(ends)
            self.damage.half_written += _damaged_frames(out)


def _family(pid: int) -> set[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return set(psutil.Process(pid).children(recursive=True))
    return set()


def _strike(victim: str, runner: int, random: Random) -> str:
    """Hit a victim and say what it was; empty when there is none of its kind."""
    try:
        parent = psutil.Process(runner)
        workers = [p for p in parent.children() if "cuakit.bench.worker" in p.cmdline()]
        if victim == "runner":
            parent.kill()
        elif victim == "worker":
            random.choice(workers).kill()
        elif victim == "descendant":
            return _end(random.choice([c for w in workers for c in w.children(recursive=True)]))
        elif hasattr(parent, "rlimit"):
            parent.rlimit(psutil.RLIMIT_FSIZE, (1, 1))  # every further write fails, as on a full disk
        else:
            return ""
    except (psutil.Error, IndexError):
        return ""
    return victim


def _end(one: psutil.Process) -> str:
    name = one.name()
    one.kill()
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), "program")


def _damaged_frames(out: Path) -> int:
    blobs, bad = Blobs(out / FRAMES), 0
    for place in blobs.root.rglob("*.png"):
        try:
            blobs.get(place.stem)
        except RecordError:
            bad += 1
    return bad
