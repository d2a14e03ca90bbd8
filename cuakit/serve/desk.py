"""One client's session with the desktop: what it may see, what it holds leases on, and how it acts.

Methods take and return plain values, so that any protocol can sit on top. A window's state and its lease come from one
read; every action names a candidate of that read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Self

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import Delivery, WindowActor
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
from cuakit.core.outcome import Verdict
from cuakit.core.regions import KINDS
from cuakit.core.screenshot import Screenshot
from cuakit.facade import parse_visual_regions
from cuakit.perceive.accessibility import AccessibilityElements
from cuakit.perceive.pipeline import Pixels
from cuakit.serve.changes import changes
from cuakit.serve.permissions import Gate, Policy
from cuakit.serve.windows import OpenWindow, OpenWindows
from cuakit.verify.page import PageCriteria

SAMPLES: Final = 5
"""Most looks at a window for one verdict."""

BETWEEN_SAMPLES_S: Final = 0.1
"""Time between two looks: longer than the frames of a running animation are apart."""


class Desk:
    """A session. Use it as a context manager, from any number of threads.

    Calls on one window take turns, and so do actions, for there is one keyboard and one pointer; reading one window
    never waits for another, whatever its program does.

    Args:
        display: X display; ``DISPLAY`` of the environment by default.
        session: D-Bus address of the session bus; that of the environment by default.
        policy: What is allowed.
        broker: Issues the leases; one of its own by default.

    Raises:
        DisplayUnavailable: There is no X display here.
    """

    def __init__(
        self,
        *,
        display: str = "",
        session: str = "",
        policy: Policy | None = None,
        broker: CaptureBroker | None = None,
    ) -> None:
        self.gate = Gate(policy or Policy())
        self.broker = broker or CaptureBroker()
        self._display, self._session = display, session
        self._x = X11.open(display)
        self._windows = OpenWindows(self._open)
        self._pixels = Pixels()
        self._parsing = threading.Lock()
        self._hands = threading.Lock()
        self._capture_of: dict[str, int] = {}
        self._captures = threading.Lock()

    def list_windows(self) -> dict[str, Any]:
        """Top-level windows, topmost first."""
        self.gate.admit("list_windows")
        return {"windows": [_window(w) for w in reversed(list_windows(self._x))]}

    def list_apps(self) -> dict[str, Any]:
        """Programs that have windows, with the windows' ids."""
        self.gate.admit("list_apps")
        apps: dict[int, dict[str, Any]] = {}
        for w in list_windows(self._x):
            entry = apps.setdefault(w.pid, {"pid": w.pid, "name": w.app, "windows": []})
            entry["windows"].append(w.id)
        return {"apps": sorted(apps.values(), key=lambda a: (a["name"], a["pid"]))}

    def get_window_state(
        self,
        window_id: int,
        *,
        pid: int | None = None,
        query: str = "",
        source: str = "auto",
        since: str = "",
        longest: int | None = None,
        deadline_ms: float | None = None,
    ) -> tuple[dict[str, Any], Screenshot]:
        """Objects and picture of one window in one read, with the lease that pays for one action on it.

        Earlier leases on the window end with it: what they showed is no longer the newest that is known.

        Args:
            window_id: From :meth:`list_windows`.
            pid: Process that must own it.
            query: Only objects whose label or role holds this; ids stay.
            source: ``accessibility``, ``pixels``, or ``auto``: the tree where it has anything to act on.
            since: Capture id of an earlier read of this window, to be told what changed; one of the last four.
            longest: Most pixels of the picture's longer side. Boxes stay in the window's own pixels; ``image`` says
                how the two relate.
            deadline_ms: Longest time for the accessibility tree. What was read until then is returned, and
                ``truncated`` says so.

        Returns:
            Plain data and the picture. ``truncated`` is there when objects are missing: ``deadline``, ``node_limit`` or
            ``huge_container``.

        Raises:
            TargetGone: No such window.
            UsageError: Another process owns it, an option is out of range, or ``since`` names no read that is kept.
            BackendError: Its program does not answer (code ``not_answering``).
            PermissionRefused: The policy says no.
        """
        if deadline_ms is not None and not 0 < deadline_ms <= 60_000:
            raise UsageError(f"deadline_ms must be more than 0 and at most 60000, got {deadline_ms}")
        info = self._allowed("get_window_state", window_id, pid)
        with self._windows.use(window_id) as opened:
            before = _snapshot(opened, since)
            target, shot = opened.window.target(), opened.window.grab()
            picture = shot.fitted(longest) if longest is not None else shot
            found, how, truncated = self._perceive(opened, shot, source, deadline_ms)
            self.broker.retire(target)
            capture = self.broker.issue(opened.window, shot, found, target=target)
            opened.remember(capture.id, found)
            self._remember(capture.id, window_id)
        shown = [c for c in found if not query or query.casefold() in f"{c.role} {c.label}".casefold()]
        state = {
            "capture_id": capture.id,
            "expires_in_seconds": round(capture.seconds_left(capture.issued_ns)),
            "window": _window(info),
            "size": list(shot.size),
            "image": {
                "size": list(picture.size),
                "frame_per_image": [shot.width / picture.width, shot.height / picture.height],
            },
            "source": how,
            "elements": [_element(c) for c in shown],
            "elements_total": len(found),
        }
        if truncated:
            state["truncated"] = truncated
        if before is not None:
            state["changes"] = {"since": since, **changes(before, found)}
        return state, picture

    def get_desktop_state(self) -> tuple[dict[str, Any], Screenshot]:
        """Picture of the whole screen and its windows. Gives no lease: act on a window."""
        self.gate.admit("get_desktop_state")
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
        with self._parsing:
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
        with self._captures:
            window_id = self._capture_of.get(capture_id)
        if window_id is None:
            self.gate.admit(tool)
            self.broker.check(capture_id)
            raise LeaseError("capture_not_found", f"capture {capture_id} is not of a window of this session")
        self._allowed(tool, window_id, None)
        mode: Delivery = "foreground" if delivery == "foreground" else "background"
        with self._windows.use(window_id) as opened, self._hands:
            receipt = opened.actor.perform(action, capture_id, delivery=mode)
        out: dict[str, Any] = jsonable(receipt)
        out["next_call"] = {"tool": "get_window_state", "arguments": {"window_id": window_id}}
        return out

    def verify_state(self, window_id: int, predicates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Whether 1 to 8 predicates hold in a window: ``passed``, ``failed`` or ``unknown``.

        The window is looked at until two looks in a row give one answer; ``samples`` is how many it took. A window that
        never agrees with itself is ``unknown``.

        Raises:
            UsageError: No predicate, too many, or a malformed one.
        """
        if not 1 <= len(predicates) <= 8:
            raise UsageError(f"verify_state takes 1 to 8 predicates, got {len(predicates)}")
        judge = PageCriteria(criteria=tuple(predicates))
        self._allowed("verify_state", window_id, None)
        with self._windows.use(window_id) as opened:
            earlier = self._judged(opened, judge)
            for sample in range(2, SAMPLES + 1):
                time.sleep(BETWEEN_SAMPLES_S)
                verdict = self._judged(opened, judge)
                if verdict.result == earlier.result:
                    return {**asdict(verdict), "samples": sample}
                earlier = verdict
        unsettled = Verdict(
            result="unknown", reason=f"{SAMPLES} looks at the window disagreed; wait until it is at rest"
        )
        return {**asdict(unsettled), "samples": SAMPLES}

    def _judged(self, opened: OpenWindow, judge: PageCriteria) -> Verdict:
        shot = opened.window.grab()
        found, _, _ = self._perceive(opened, shot, "auto")
        return judge.check(Observation(screenshot=shot, candidates=found, title=opened.window.title()))

    def close(self) -> None:
        """Let go of everything; may be repeated."""
        self._windows.close()
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

    def _open(self, window_id: int) -> OpenWindow:
        window = Window.open(window_id, x=self._x)
        actor = WindowActor(session=self._session).bind(window, self.broker, consent=self.gate.policy.consent)
        return OpenWindow(window=window, actor=actor)

    def _remember(self, capture_id: str, window_id: int) -> None:
        with self._captures:
            self._capture_of[capture_id] = window_id
            while len(self._capture_of) > 256:
                self._capture_of.pop(next(iter(self._capture_of)))

    def _perceive(
        self, opened: OpenWindow, shot: Screenshot, source: str, deadline_ms: float | None = None
    ) -> tuple[Candidates, str, str]:
        """Objects, where they come from, and why some are missing."""
        if source not in ("auto", "accessibility", "pixels"):
            raise UsageError(f"unknown source {source!r}", hint="auto, accessibility or pixels")
        if source != "pixels":
            try:
                if opened.tree is None:
                    opened.tree = AccessibilityElements(session=self._session).bind(opened.window)
                found, truncated = opened.tree.read(shot, deadline_ms and deadline_ms / 1000)
                if source == "accessibility" or any(c.actions for c in found):
                    return found, "accessibility", truncated
            except AccessibilityUnavailable:
                opened.tree = None
                if source == "accessibility":
                    raise
        with self._parsing:
            return self._pixels(shot), "pixels", ""


def _snapshot(opened: OpenWindow, since: str) -> Candidates | None:
    if since and since not in opened.snapshots:
        raise UsageError(
            f"no read {since[:80]!r} of this window is kept",
            hint="since takes the capture_id of one of its last four reads",
        )
    return opened.snapshots.get(since)


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
