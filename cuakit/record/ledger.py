"""An append-only file of JSON lines that survives kills, torn writes and full disks.

Each line is one canonical JSON object. Its first two keys are the ledger's own: ``_n`` counts lines from 0, ``_sum``
is the first 16 hex digits of the SHA-256 of the rest, so every line proves itself and a lost or doubled line shows.

* One writer: the file is locked while it is open; a second writer is refused.
* A line is one write at the end of the file. If that fails, the file is cut back to where it was.
* ``append(sync=True)`` waits until the disk has the line and all before it. A runner syncs with the row that ends a
  trial and not with each step: a killed process loses nothing that was written, a power cut at most the running trial.
* A damaged tail is moved to ``NAME.torn`` when the ledger is opened. Damage with good lines after it is no torn write:
  opening is refused and the line is named.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from cuakit.core import codec
from cuakit.core.errors import RecordError
from cuakit.record.lock import try_lock

_LINE: Final = re.compile(rb'\{"_n":(\d+),"_sum":"([0-9a-f]{16})"((?:,.*)?\})\n', re.DOTALL)
_KEY: Final = re.compile(r"[a-z]\w*")
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True)
class _Scan:
    """What a ledger file holds: where its good part ends, the next number, and how much follows that is no line."""

    end: int
    next_n: int
    torn: int


def encode(row: Mapping[str, Any], n: int) -> bytes:
    """One ledger line.

    Raises:
        UsageError: A value has no JSON form.
        ValueError: A key does not begin with a small letter; the ledger's own keys must stay first.
    """
    wrong = [k for k in row if not _KEY.fullmatch(k)]
    if wrong:
        raise ValueError(f"ledger keys begin with a small letter: {', '.join(wrong[:5])}")
    text = codec.dumps(row).encode()
    rest = b"," + text[1:] if len(text) > 2 else b"}"
    return b'{"_n":%d,"_sum":"%s"%s\n' % (n, _checksum(n, rest), rest)


def _checksum(n: int, rest: bytes) -> bytes:
    return hashlib.sha256(b"%d" % n + rest).hexdigest()[:16].encode()


def _number(line: bytes) -> int | None:
    """The line's own number, or None when it does not prove itself."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    n = int(found[1])
    return n if _checksum(n, found[3]) == found[2] else None


def _good_lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, bytes]]:
    """(number, end offset, line) of every good line; stops at a torn tail.

    Raises:
        RecordError: ``ledger_damaged`` where good lines follow a bad one, or numbers do not grow.
    """
    end, last, bad_at = 0, -1, 0
    for at, line in enumerate(file, 1):
        end += len(line)
        n = _number(line)
        if n is None:
            bad_at = bad_at or at
            continue
        if bad_at or n <= last:
            what = f"line {bad_at} is damaged" if bad_at else f"line {at} repeats number {n}"
            raise RecordError(
                f"{path}: {what}, and good lines follow, so this is no torn write",
                code="ledger_damaged",
                hint="keep a copy, delete that line in the file and resume: only what it held runs again",
            )
        last = n
        yield n, end, line


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a ledger, in order, without the ledger's own keys. Another process may be writing it.

    Raises:
        RecordError: The file cannot be read, or is damaged before its tail.
    """
    try:
        file = path.open("rb")
    except OSError as wrong:
        raise RecordError(
            f"{path} cannot be read: {wrong.strerror}", hint="name the folder of a run, or its ledger.jsonl"
        ) from wrong
    with file:
        for _, _, line in _good_lines(file, path):
            row: dict[str, Any] = json.loads(line)
            del row["_n"], row["_sum"]
            yield row


class Ledger:
    """A ledger open for writing, by one process at a time.

    Args:
        path: The file; made when missing, with its folder.

    Attributes:
        torn: Bytes of a damaged tail that were moved to ``NAME.torn`` on opening.

    Raises:
        RecordError: ``ledger_locked`` when another process writes it, ``ledger_damaged``, or it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as wrong:
            raise _failed(path, wrong) from wrong
        try:
            self._take_over()
        except BaseException:
            self.close()
            raise

    def _take_over(self) -> None:
        if not try_lock(self._fd):
            raise RecordError(
                f"another runner is writing {self.path}",
                code="ledger_locked",
                hint="wait for it, stop it, or give this run its own --out",
            )
        scan = self._scan()
        self._next, self._end = scan.next_n, scan.end
        if scan.torn:
            try:
                self._move_tail(scan)
            except OSError as wrong:
                raise _failed(self.path, wrong) from wrong
            self.torn = scan.torn

    def _scan(self) -> _Scan:
        end, next_n = 0, 0
        with self.path.open("rb") as file:
            for n, at, _ in _good_lines(file, self.path):
                end, next_n = at, n + 1
        return _Scan(end, next_n, os.fstat(self._fd).st_size - end)

    def _move_tail(self, scan: _Scan) -> None:
        """Copy first, cut second: a kill between the two leaves the tail in both places, never in none."""
        with self.path.open("rb") as file:
            file.seek(scan.end)
            tail = file.read()
        with self.path.with_name(self.path.name + ".torn").open("ab") as aside:
            aside.write(tail.rstrip(b"\n") + b"\n")
            aside.flush()
            os.fsync(aside.fileno())
        os.ftruncate(self._fd, scan.end)
        os.fsync(self._fd)

    def append(self, row: Mapping[str, Any], *, sync: bool = True) -> None:
        """Add one row.

        Args:
            row: JSON data or core values; keys begin with a small letter.
            sync: Whether to wait until the disk has it, and all rows before it.

        Raises:
            RecordError: ``disk_full`` or ``record_failed``; the ledger is as it was before.
        """
        line = encode(row, self._next)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            if sync:
                os.fsync(self._fd)
        except OSError as wrong:
            self._cut_back()
            raise _failed(self.path, wrong) from wrong
        self._next += 1
        self._end += len(line)

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._end)
        except OSError:
            # The write's own error is the one to report; the half line is moved aside at the next opening.
            return

    def close(self) -> None:
        """Let go of the file and its lock. Calling it again does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _failed(path: Path, wrong: OSError) -> RecordError:
    if wrong.errno in _FULL:
        return RecordError(
            f"no room left to write {path}: {wrong.strerror}",
            code="disk_full",
            hint="free some space and run the same command with the same --out: what is finished is kept",
        )
    return RecordError(
        f"{path} cannot be written: {wrong.strerror}",
        hint="check that the folder exists and is yours, or choose another --out",
    )
