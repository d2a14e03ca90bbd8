"""What a client may do: observe only, the standard set, or what a manifest lists. Denied by default, written down.

A pure function of policy, request and clock; :class:`Gate` adds the lock, the idle clock and the audit log.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, Self

from cuakit.core.errors import CuakitError, UsageError
from cuakit.core.subtask import RISKS

Mode = Literal["observe", "standard", "bounded"]

READING: Final = frozenset(
    {"list_apps", "list_windows", "get_window_state", "get_desktop_state", "parse_visual_regions", "verify_state"}
)
"""Tools that change nothing."""

AUDIT_LENGTH: Final = 4096


class PermissionRefused(CuakitError):
    """The policy does not allow it; nothing was done."""

    code = "authorization_required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a bounded client may reach. An empty list allows nothing.

    Args:
        tools: Tool names; globs.
        windows: Window titles or application names; globs.
        expires_s: Life of the manifest in seconds from its start.
        idle_s: Longest pause between two calls in seconds.
    """

    tools: tuple[str, ...]
    windows: tuple[str, ...]
    expires_s: float
    idle_s: float

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Manifest from plain data, checked.

        Raises:
            UsageError: An unknown or missing key, or a value of the wrong kind.
        """
        known = {f.name for f in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != known:
            raise UsageError(
                "a manifest needs exactly: " + ", ".join(sorted(known)),
                hint="see the how-to: serve the desktop to another agent",
            )
        for name in ("tools", "windows"):
            if not isinstance(data[name], list) or not all(isinstance(v, str) and v for v in data[name]):
                raise UsageError(f"manifest: {name} must be a list of globs")
        for name in ("expires_s", "idle_s"):
            value = data[name]
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10**8:
                raise UsageError(f"manifest: {name} must be a positive number of seconds")
        return cls(tools=tuple(data["tools"]), windows=tuple(data["windows"]), expires_s=data["expires_s"], idle_s=data["idle_s"])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A mode, the manifest that ``bounded`` needs, and which consequences a client may bring about.

    Args:
        mode: What the client may do.
        manifest: What a bounded client may reach.
        consent: Kinds of consequential action that the person allows, of :data:`cuakit.core.subtask.RISKS`; none by default.

    Raises:
        UsageError: ``bounded`` without a manifest, another mode with one, or an unknown kind.
    """

    mode: Mode = "standard"
    manifest: Manifest | None = None
    consent: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if unknown := self.consent - set(RISKS):
            raise UsageError(f"no kind of risk is called {min(unknown)!r}", hint=f"known: {', '.join(RISKS)}")
        if (self.mode == "bounded") != (self.manifest is not None):
            raise UsageError("mode 'bounded' goes with a manifest, and only it", hint="pass --manifest FILE")

    def why_not(self, tool: str, window: tuple[str, ...], age_s: float, idle_s: float) -> str:
        """Reason to refuse a call, or an empty string.

        Args:
            tool: Tool name.
            window: Title and application of the window it is about; empty for none.
            age_s: Seconds since the session began.
            idle_s: Seconds since the last call.
        """
        if self.mode == "observe":
            return "" if tool in READING else "this session may only observe"
        m = self.manifest
        if m is None:
            return ""
        if age_s >= m.expires_s:
            return "the manifest has expired"
        if idle_s >= m.idle_s:
            return f"the session was idle for {idle_s:.0f} s"
        if not any(fnmatchcase(tool, glob) for glob in m.tools):
            return f"the manifest does not list {tool}"
        if window and not any(fnmatchcase(name, glob) for name in window for glob in m.windows):
            return "the manifest does not list this window"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One call in the audit log; holds no text that was typed."""

    at_s: float
    tool: str
    window: str
    outcome: str


class Gate:
    """Applies a policy to one session. Once it has expired it stays closed.

    Args:
        policy: What is allowed.
        clock: Monotonic seconds; injected in tests.
    """

    def __init__(self, policy: Policy, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.policy = policy
        self._clock = clock
        self._began = self._last = clock()
        self._lock = threading.Lock()
        self._log: deque[Entry] = deque(maxlen=AUDIT_LENGTH)

    def admit(self, tool: str, window: tuple[str, ...] = ()) -> None:
        """Let a call pass, or refuse it.

        Raises:
            PermissionRefused: The policy says no (``authorization_required``), or its time is over
                (``authorization_suspended``).
        """
        with self._lock:
            now = self._clock()
            why = self.policy.why_not(tool, window, now - self._began, now - self._last)
            over = "expired" in why or "idle" in why
            if not over:
                self._last = now
            name = window[0] if window else ""
            self._log.append(Entry(at_s=now - self._began, tool=tool, window=name, outcome=why or "allowed"))
        if why:
            raise PermissionRefused(
                why,
                hint="ask the person for another manifest" if over else "ask the person to allow it",
                code="authorization_suspended" if over else None,
            )

    def audit(self) -> tuple[Entry, ...]:
        """Calls so far, oldest first."""
        with self._lock:
            return tuple(replace(e) for e in self._log)
