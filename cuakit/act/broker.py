"""Issues captures and remembers what each one showed.

The rules are :mod:`cuakit.core.lease`; this adds a lock, a clock and an audit log. A frame is kept only while its capture can still pay for an action.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from cuakit.core.candidate import Candidates
from cuakit.core.lease import Capture, Leases, LeaseState, Target
from cuakit.core.screenshot import Screenshot
from cuakit.core.stages import Surface

FRAME_BYTES: Final = 512 * 2**20
"""Most pixels remembered, in bytes: about 20 frames of a 4K screen. The oldest capture is forgotten first."""

AUDIT_LENGTH: Final = 4096
"""Audit entries kept; the oldest is dropped first."""

Event = Literal["issued", "admitted", "injected", "refused", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that happened to a lease. Holds no text that was typed.

    Args:
        at_ns: Monotonic clock in nanoseconds.
        event: What happened.
        capture_id: Which capture; as it was given, when it is not one of ours.
        target: ``kind:id`` of what it shows; empty when unknown.
        detail: Action kind and candidate, or the refusal's code.
    """

    at_ns: int
    event: Event
    capture_id: str
    target: str = ""
    detail: str = ""


def _fresh_id() -> str:
    return f"cap_{secrets.token_hex(12)}"


class CaptureBroker:
    """The one place where captures are issued, looked up and spent. Safe to share between threads.

    Args:
        clock: Monotonic nanoseconds; injected in tests.
        new_id: Makes unguessable capture ids.
        frame_bytes: Most frame memory held; see :data:`FRAME_BYTES`.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        new_id: Callable[[], str] = _fresh_id,
        frame_bytes: int = FRAME_BYTES,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._frame_bytes = frame_bytes
        self._lock = threading.Lock()
        self._leases = Leases()
        self._seen: dict[str, tuple[Screenshot, Candidates]] = {}
        self._audit: deque[AuditEntry] = deque(maxlen=AUDIT_LENGTH)

    def issue(
        self, surface: Surface, shot: Screenshot, candidates: Candidates, *, target: Target | None = None
    ) -> Capture:
        """A capture for a frame that was just taken.

        Args:
            surface: What the frame shows.
            shot: The frame.
            candidates: What was found on it.
            target: The surface's identity read *before* the frame was taken, where the caller has it: a page that is
                replaced in between then never lends its identity to the old picture. Read now by default.

        Raises:
            TargetGone: The surface was closed.
        """
        digest = shot.digest
        now_shown = surface.target() if target is None else target
        with self._lock:
            capture = Capture(
                id=self._new_id(),
                target=now_shown,
                size=shot.size,
                issued_ns=self._clock(),
                screenshot_digest=digest,
            )
            self._leases = self._leases.issue(capture)
            self._seen[capture.id] = (shot, candidates)
            self._forget()
            self._write("issued", capture.id, capture.target)
        return capture

    def check(self, capture_id: str) -> Capture:
        """The capture, if it could pay for an action now. Spends nothing.

        Raises:
            LeaseError: ``capture_id_invalid``, ``capture_not_found`` or ``capture_expired``.
        """
        with self._lock:
            return self._leases.check(capture_id, self._clock())

    def recall(self, capture_id: str) -> tuple[Screenshot, Candidates]:
        """What a live capture showed.

        Raises:
            LeaseError: As :meth:`check`.
        """
        with self._lock:
            self._leases.check(capture_id, self._clock())
            return self._seen[capture_id]

    def admit(self, capture_id: str, target: Target, size: tuple[int, int]) -> Capture:
        """Spend a capture on its target as it is now; every other capture of that target is retired with it.

        Of any number of threads exactly one succeeds.

        Args:
            capture_id: Capture to spend.
            target: Identity of the live target, read just now.
            size: Its frame size, read just now.

        Raises:
            LeaseError: As :meth:`check`, and ``capture_target_mismatch``, ``capture_generation_mismatch``,
                ``capture_frame_mismatch``. Nothing was spent then.
        """
        with self._lock:
            now = self._clock()
            capture = self._leases.check(capture_id, now)
            self._leases = self._leases.admit(capture_id, target, size, now)
            self._forget()
            self._write("admitted", capture_id, capture.target)
        return capture

    def retire(self, target: Target) -> None:
        """Retire every live capture of a target, for example when it is closed."""
        with self._lock:
            self._leases = self._leases.retire(target)
            self._forget()
            self._write("retired", "", target)

    def note(self, event: Literal["injected", "refused"], capture_id: str, detail: str) -> None:
        """Write what an actor did with a capture into the audit log."""
        with self._lock:
            capture = self._leases.entries.get(capture_id) if isinstance(capture_id, str) else None
            self._write(event, str(capture_id)[:80], capture[0].target if capture else None, detail)

    def audit(self) -> tuple[AuditEntry, ...]:
        """What happened so far, oldest first."""
        with self._lock:
            return tuple(self._audit)

    def _write(self, event: Event, capture_id: str, target: Target | None, detail: str = "") -> None:
        shown = f"{target.kind}:{target.id}" if target else ""
        self._audit.append(
            AuditEntry(at_ns=self._clock(), event=event, capture_id=capture_id, target=shown, detail=detail)
        )

    def _forget(self) -> None:
        """Drop frames whose capture cannot pay any more, then the oldest until the rest fits."""
        now = self._clock()
        live = {
            id
            for id, (capture, state) in self._leases.entries.items()
            if state is LeaseState.ISSUED and now < capture.expires_ns
        }
        self._seen = {id: seen for id, seen in self._seen.items() if id in live}
        held = sum(shot.pixels.nbytes for shot, _ in self._seen.values())
        surplus: list[str] = []
        for id, (shot, _) in list(self._seen.items())[:-1]:
            if held <= self._frame_bytes:
                break
            held -= shot.pixels.nbytes
            surplus.append(id)
            del self._seen[id]
        if surplus:
            self._leases = self._leases.forget(surplus)
