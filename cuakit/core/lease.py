"""The capture lease as a pure state machine: values in, values out, the clock passed in.

A capture is issued for one target, one frame size and one generation. It lives 60 seconds and pays for one action.
Reading it costs nothing. Admission spends it, and in the same step retires every other capture of that target.
A refusal before admission changes nothing. :mod:`cuakit.act.broker` adds the lock, the clock and the audit log.

    issued ──admit──▶ spent
       │ └─ sibling admitted ─▶ retired
       └─ 60 s ─▶ expired
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from cuakit.core.errors import LeaseError

LIFETIME_NS: Final = 60 * 10**9
"""Life of a capture: 60 seconds, from the Cua Perception contract."""

CAPACITY: Final = 64
"""Captures remembered at once; the oldest is forgotten first."""

_ID = re.compile(r"cap_[0-9a-f]{12,40}")


@dataclass(frozen=True, slots=True)
class Target:
    """What a capture shows and an action reaches.

    Args:
        kind: ``page``, ``window``, ``desktop`` or ``image`` (never actionable).
        id: Opaque identity within its kind, such as a window number or page id.
        generation: Changes when the thing behind the id is replaced (navigation, restart).
    """

    kind: Literal["page", "window", "desktop", "image"]
    id: str
    generation: str = "0"

    @property
    def key(self) -> tuple[str, str]:
        """Identity without generation; captures that share it are siblings."""
        return self.kind, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Right to one action on what one frame showed.

    Args:
        id: ``cap_`` and hex digits, unguessable.
        target: What was captured.
        size: Frame size in pixels, ``(width, height)``.
        issued_ns: Monotonic clock at issue, in nanoseconds.
        screenshot_digest: Digest of the frame.
    """

    id: str
    target: Target
    size: tuple[int, int]
    issued_ns: int
    screenshot_digest: str = ""

    @property
    def expires_ns(self) -> int:
        """First instant at which it is no longer valid."""
        return self.issued_ns + LIFETIME_NS

    def seconds_left(self, now_ns: int) -> float:
        """Remaining life in seconds, never negative."""
        return max(0, self.expires_ns - now_ns) / 1e9


class LeaseState(StrEnum):
    """Where a capture stands. Only ``ISSUED`` can pay for an action."""

    ISSUED = "issued"
    SPENT = "spent"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Leases:
    """All captures that are remembered, oldest first. Every transition returns a new value."""

    entries: Mapping[str, tuple[Capture, LeaseState]] = field(default_factory=lambda: MappingProxyType({}))

    def issue(self, capture: Capture) -> Leases:
        """Remember a new capture, forgetting the oldest beyond :data:`CAPACITY`.

        Raises:
            ValueError: The id is malformed or already known.
        """
        if not _ID.fullmatch(capture.id) or capture.id in self.entries:
            raise ValueError(f"capture id must be fresh and well-formed: {capture.id!r}")
        kept = dict(self.entries)
        kept[capture.id] = (capture, LeaseState.ISSUED)
        while len(kept) > CAPACITY:
            kept.pop(next(iter(kept)))
        return Leases(MappingProxyType(kept))

    def check(self, capture_id: str, now_ns: int) -> Capture:
        """The capture, if it could still pay for an action. Changes nothing.

        Raises:
            LeaseError: ``capture_id_invalid``, ``capture_not_found`` (unknown, spent or retired), ``capture_expired``.
        """
        if not isinstance(capture_id, str) or not _ID.fullmatch(capture_id):
            raise LeaseError("capture_id_invalid", f"not a capture id: {str(capture_id)[:80]!r}")
        entry = self.entries.get(capture_id)
        if entry is None:
            raise LeaseError("capture_not_found", f"capture {capture_id} is unknown")
        capture, state = entry
        if state is not LeaseState.ISSUED:
            why = (
                "was spent by an action"
                if state is LeaseState.SPENT
                else "was retired by an action on its target, or a newer read of it"
            )
            raise LeaseError("capture_not_found", f"capture {capture_id} {why}")
        if now_ns >= capture.expires_ns:
            raise LeaseError("capture_expired", f"capture {capture_id} is older than 60 seconds")
        return capture

    def admit(self, capture_id: str, target: Target, size: tuple[int, int], now_ns: int) -> Leases:
        """Spend a capture on the target as it is now, and retire its siblings.

        Args:
            capture_id: Capture to spend.
            target: Identity of the live target, read just now.
            size: Frame size of the live target, read just now.
            now_ns: Monotonic clock.

        Raises:
            LeaseError: See :meth:`check`; also ``capture_target_mismatch``, ``capture_generation_mismatch``,
                ``capture_frame_mismatch``. Nothing has changed then.
        """
        capture = self.check(capture_id, now_ns)
        self.match(capture, target, size)
        moved = {
            id: (c, LeaseState.RETIRED if s is LeaseState.ISSUED and c.target.key == target.key else s)
            for id, (c, s) in self.entries.items()
        }
        moved[capture_id] = (capture, LeaseState.SPENT)
        return Leases(MappingProxyType(moved))

    @staticmethod
    def match(capture: Capture, target: Target, size: tuple[int, int]) -> None:
        """Compare a capture with the live target.

        Raises:
            LeaseError: ``capture_target_mismatch``, ``capture_generation_mismatch`` or ``capture_frame_mismatch``.
        """
        if capture.target.kind == "image" or capture.target.key != target.key:
            raise LeaseError(
                "capture_target_mismatch", f"capture {capture.id} is of {capture.target.key}, not {target.key}"
            )
        if capture.target.generation != target.generation:
            raise LeaseError("capture_generation_mismatch", f"{target.key} was replaced since capture {capture.id}")
        if capture.size != size:
            raise LeaseError("capture_frame_mismatch", f"{target.key} was {capture.size} and is now {size}")

    def state(self, capture_id: str) -> LeaseState | None:
        """State of a remembered capture, or None."""
        entry = self.entries.get(capture_id)
        return entry[1] if entry else None

    def retire(self, target: Target) -> Leases:
        """Retire every live capture of a target, for example when it is closed."""
        moved = {
            id: (c, LeaseState.RETIRED if s is LeaseState.ISSUED and c.target.key == target.key else s)
            for id, (c, s) in self.entries.items()
        }
        return replace(self, entries=MappingProxyType(moved))

    def forget(self, capture_ids: Collection[str]) -> Leases:
        """Drop captures altogether, as if they had never been issued; unknown ids are ignored."""
        return Leases(MappingProxyType({id: e for id, e in self.entries.items() if id not in capture_ids}))
