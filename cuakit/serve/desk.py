"""One client's session with the desktop: what it may see, what it holds leases on, and how it acts.

Methods take and return plain values, so that any protocol can sit on top. A window's state and its lease come from one
read; every action names a candidate of that read.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Self

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import BoundWindowActor, WindowActor
from cuakit.backends.atspi_bus import AccessibilityUnavailable
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import WindowInfo, list_windows, window_info
from cuakit.capture.screen import ScreenCapture
from cuakit.capture.window import Window
from cuakit.core.action import Action
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.codec import jsonable
from cuakit.core.errors import LeaseError, TargetGone, UsageError
from cuakit.core.observation import Observation
from cuakit.core.regions import KINDS
from cuakit.core.screenshot import Screenshot
from cuakit.core.stages import Perceiver
from cuakit.facade import parse_visual_regions
from cuakit.perceive.accessibility import AccessibilityElements
from cuakit.perceive.pipeline import Pixels
from cuakit.serve.permissions import Gate, Policy
from cuakit.verify.page import PageCriteria

MAX_WINDOWS: Final = 32
"""Windows kept open at once; the one that was opened first is let go."""


class Desk:
    """A session. Use it as a context manager; calls from several threads take turns.

    Args:
        display: X display; ``DISPLAY`` of the environment by default.
        session: D-Bus address of the session bus; that of the environment by default.
        policy: What is allowed.

    Raises:
        DisplayUnavailable: There is no X display here.
    """

    def __init__(self, *, display: str = "", session: str = "", policy: Policy | None = None) -> None:
        self.gate = Gate(policy or Policy())
        self.broker = CaptureBroker()
        self._display, self._session = display, session
        self._x = X11.open(display)
        self._open: dict[int, tuple[Window, BoundWindowActor]] = {}
        self._trees: dict[int, Perceiver] = {}
        self._pixels = Pixels()
        self._capture_of: dict[str, int] = {}
        self._lock = threading.RLock()

    def list_windows(self) -> dict[str, Any]:
        """Top-level windows, topmost first."""
        self.gate.admit("list_windows")
        with self._lock:
            return {"windows": [_window(w) for w in reversed(list_windows(self._x))]}

    def list_apps(self) -> dict[str, Any]:
        """Programs that have windows, with the windows' ids."""
        self.gate.admit("list_apps")
        apps: dict[int, dict[str, Any]] = {}
        with self._lock:
            for w in list_windows(self._x):
                entry = apps.setdefault(w.pid, {"pid": w.pid, "name": w.app, "windows": []})
                entry["windows"].append(w.id)
        return {"apps": sorted(apps.values(), key=lambda a: (a["name"], a["pid"]))}

    def get_window_state(
        self, window_id: int, *, pid: int | None = None, query: str = "", source: str = "auto"
    ) -> tuple[dict[str, Any], Screenshot]:
        """Objects and picture of one window in one read, with the lease that pays for one action on it.

        Args:
            window_id: From :meth:`list_windows`.
            pid: Process that must own it.
            query: Only objects whose label or role holds this; ids stay.
            source: ``accessibility``, ``pixels``, or ``auto``: the tree where it has anything to act on.

        Raises:
            TargetGone: No such window.
            UsageError: Another process owns it.
            PermissionRefused: The policy says no.
        """
        with self._lock:
            info = self._allowed("get_window_state", window_id, pid)
            window, _ = self._opened(window_id)
            target, shot = window.target(), window.grab()
            found, how = self._perceive(window, shot, source)
            capture = self.broker.issue(window, shot, found, target=target)
            self._remember(capture.id, window_id)
        shown = [c for c in found if not query or query.casefold() in f"{c.role} {c.label}".casefold()]
        return {
            "capture_id": capture.id,
            "expires_in_seconds": 60,
            "window": _window(info),
            "size": list(shot.size),
            "source": how,
            "elements": [_element(c) for c in shown],
            "elements_total": len(found),
        }, shot

    def get_desktop_state(self) -> tuple[dict[str, Any], Screenshot]:
        """Picture of the whole screen and its windows. Gives no lease: act on a window."""
        self.gate.admit("get_desktop_state")
        with self._lock:
            windows = [_window(w) for w in reversed(list_windows(self._x))]
            shot = ScreenCapture(display=self._x.display)()
        return {"windows": windows, "size": list(shot.size)}, shot

    def parse_visual_regions(
        self,
        capture_id: str,
        *,
        format: str = "regions",
        kinds: Sequence[str] = KINDS,
        min_confidence: float = 0.0,
        max_regions: int | None = None,
        deadline_ms: float | None = None,
    ) -> dict[str, Any]:
        """What the pixels of a capture show. Spends nothing.

        Args:
            capture_id: The lease whose picture is parsed.
            format: ``regions`` (cua.visual_regions_v1) or ``menu``.
            kinds: See :func:`cuakit.parse_visual_regions`, as for the others.
            min_confidence: Least confidence.
            max_regions: Most regions.
            deadline_ms: Longest time.

        Raises:
            LeaseError: There is no such capture.
            OutOfTime: The deadline is over.
            UsageError: An option is out of range.
        """
        self.gate.admit("parse_visual_regions")
        if format not in ("regions", "menu"):
            raise UsageError(f"unknown format {format!r}", hint="regions or menu")
        shot, _ = self.broker.recall(capture_id)
        capture = self.broker.check(capture_id)
        found = parse_visual_regions(
            shot,
            self._pixels,
            kinds=kinds,
            min_confidence=min_confidence,
            max_regions=max_regions,
            deadline_ms=deadline_ms,
        )
        made = found.leased(capture_id, capture.target)
        note = "ids are of this parse; actions take the ids of get_window_state"
        return {**(made.menu() if format == "menu" else made.as_dict()), "note": note}

    def act(self, tool: str, action: Action, capture_id: str, *, delivery: str = "background") -> dict[str, Any]:
        """Carry out one action under its lease.

        Args:
            tool: Name it is permitted under.
            action: Names objects of the capture.
            capture_id: The lease.
            delivery: ``background`` or ``foreground``.

        Raises:
            PermissionRefused: The policy says no.
            LeaseError: The capture is not of this session.
            UsageError: Unknown delivery mode.
        """
        if delivery not in ("background", "foreground"):
            raise UsageError(f"unknown delivery_mode {delivery!r}", hint="background or foreground")
        with self._lock:
            window_id = self._capture_of.get(capture_id)
            if window_id is None:
                self.gate.admit(tool)
                self.broker.check(capture_id)
                raise LeaseError("capture_not_found", f"capture {capture_id} is not of a window of this session")
            self._allowed(tool, window_id, None)
            _, actor = self._opened(window_id)
            receipt = actor.perform(
                action, capture_id, delivery="foreground" if delivery == "foreground" else "background"
            )
        out: dict[str, Any] = jsonable(receipt)
        out["next_call"] = {"tool": "get_window_state", "arguments": {"window_id": window_id}}
        return out

    def verify_state(self, window_id: int, predicates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Whether 1 to 8 predicates hold in a window now: ``passed``, ``failed`` or ``unknown``.

        Raises:
            UsageError: No predicate, too many, or a malformed one.
        """
        if not 1 <= len(predicates) <= 8:
            raise UsageError(f"verify_state takes 1 to 8 predicates, got {len(predicates)}")
        judge = PageCriteria(criteria=tuple(predicates))
        with self._lock:
            self._allowed("verify_state", window_id, None)
            window, _ = self._opened(window_id)
            shot = window.grab()
            found, _ = self._perceive(window, shot, "auto")
            verdict = judge.check(Observation(screenshot=shot, candidates=found, title=window.title()))
        return asdict(verdict)

    def close(self) -> None:
        """Let go of everything; may be repeated."""
        with self._lock:
            for window_id in list(self._open):
                self._release(window_id)
            self._x.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _allowed(self, tool: str, window_id: int, pid: int | None) -> WindowInfo:
        try:
            info = window_info(self._x, window_id)
        except TargetGone:
            self.gate.admit(tool)
            raise
        self.gate.admit(tool, (info.title, info.app))
        if pid is not None and info.pid != pid:
            raise UsageError(
                f"window {window_id:#x} belongs to process {info.pid}, not {pid}",
                hint="call list_windows",
                code="window_target_not_found",
            )
        return info

    def _opened(self, window_id: int) -> tuple[Window, BoundWindowActor]:
        if window_id not in self._open:
            while len(self._open) >= MAX_WINDOWS:
                self._release(next(iter(self._open)))
            window = Window.open(window_id, x=self._x)
            actor = WindowActor(session=self._session).bind(window, self.broker, consent=self.gate.policy.consent)
            self._open[window_id] = window, actor
        return self._open[window_id]

    def _release(self, window_id: int) -> None:
        window, actor = self._open.pop(window_id)
        self._trees.pop(window_id, None)
        actor.close()
        window.close()

    def _remember(self, capture_id: str, window_id: int) -> None:
        self._capture_of[capture_id] = window_id
        while len(self._capture_of) > 256:
            self._capture_of.pop(next(iter(self._capture_of)))

    def _perceive(self, window: Window, shot: Screenshot, source: str) -> tuple[Candidates, str]:
        if source not in ("auto", "accessibility", "pixels"):
            raise UsageError(f"unknown source {source!r}", hint="auto, accessibility or pixels")
        if source != "pixels":
            try:
                found = self._tree(window)(shot)
                if source == "accessibility" or any(c.actions for c in found):
                    return found, "accessibility"
            except AccessibilityUnavailable:
                self._trees.pop(window.id, None)
                if source == "accessibility":
                    raise
        return self._pixels(shot), "pixels"

    def _tree(self, window: Window) -> Perceiver:
        """The window's tree reader; a window keeps its connection to the bus as long as it is open here."""
        if window.id not in self._trees:
            self._trees[window.id] = AccessibilityElements(session=self._session).bind(window)
        return self._trees[window.id]


def _window(w: WindowInfo) -> dict[str, Any]:
    left, top, right, bottom = w.box.rounded()
    return {
        "window_id": w.id,
        "pid": w.pid,
        "title": w.title,
        "app": w.app,
        "bounds": {"x": left, "y": top, "width": right - left, "height": bottom - top},
        "z_index": w.stacking,
        "active": w.active,
        "minimized": w.minimized,
        "popup": w.popup,
    }


def _element(c: Candidate) -> dict[str, Any]:
    row = {
        "id": c.id,
        "role": c.role,
        "name": c.label,
        "value": c.value,
        "states": list(c.states),
        "actions": list(c.actions),
        "bounds": list(c.box.rounded()),
        "parent": c.parent,
    }
    return {k: v for k, v in row.items() if v not in ("", [])}
