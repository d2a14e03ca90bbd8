"""The whole screen, or one monitor of it, on Linux (X11), macOS and Windows."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cuakit.backends.pixels import rgb_from_bgrx
from cuakit.core.errors import DisplayUnavailable, MissingExtra, TargetGone, UsageError
from cuakit.core.geometry import Affine, Box
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot

_POINTS_PER_INCH = 96.0


@dataclass(frozen=True, slots=True)
class Monitor:
    """Where a monitor lies on the desktop, in the units that input uses."""

    left: int
    top: int
    width: int
    height: int


class Screen:
    """An open screen: a :class:`~cuakit.core.stages.Surface` of kind ``desktop``. Use :meth:`open`, and ``with``.

    Attributes:
        monitor: What is captured.
        scale: Physical pixels per logical point.
    """

    def __init__(self, grabber: Any, display: str, number: int) -> None:
        self._grabber = grabber
        self._display = display
        self._number = number
        monitors = grabber.monitors
        if not 0 <= number < len(monitors):
            raise UsageError(
                f"there is no monitor {number}", hint=f"0 is all of them together; {len(monitors) - 1} are connected"
            )
        self.monitor = _monitor(monitors[number])
        self._region = monitors[number]
        self.scale = self._scale()

    @classmethod
    def open(cls, display: str = "", *, monitor: int = 0) -> Self:
        """Open a screen.

        Args:
            display: X display such as ``:0``; ``DISPLAY`` of the environment by default. Linux only.
            monitor: 1 for the first monitor, 2 for the second …; 0 for all of them together.

        Raises:
            DisplayUnavailable: There is no screen here.
            MissingExtra: mss is not installed.
            UsageError: No such monitor.
        """
        name = _display_name(display)
        try:
            import mss  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as missing:
            raise MissingExtra("screen capture needs mss", hint="pip install 'cuakit[desktop]'") from missing
        try:
            grabber = mss.MSS(display=name) if name else mss.MSS()
        except (mss.ScreenShotError, OSError) as refused:
            raise DisplayUnavailable(
                f"the screen {name!r} cannot be opened: {refused}", hint=_HINT.get(sys.platform, "")
            ) from refused
        try:
            return cls(grabber, name, monitor)
        except BaseException:
            grabber.close()
            raise

    def target(self) -> Target:
        """Identity; the generation changes when monitors are added, moved or resized."""
        monitors = [_monitor(m) for m in self._monitors()]
        if self._number >= len(monitors):
            raise TargetGone(f"monitor {self._number} was unplugged", hint="open the screen again")
        layout = ",".join(f"{m.width}x{m.height}+{m.left}+{m.top}" for m in monitors)
        return Target("desktop", f"{self._display or sys.platform}#{self._number}", layout)

    def size(self) -> tuple[int, int]:
        """Size of a frame in physical pixels."""
        return round(self.monitor.width * self._ratio()), round(self.monitor.height * self._ratio())

    def grab(self) -> Screenshot:
        """A fresh frame.

        Raises:
            DisplayUnavailable: The screen went away.
        """
        pixels, taken = self._read(self._region)
        to_input = Affine.scaling(
            self.monitor.width / pixels.shape[1],
            self.monitor.height / pixels.shape[0],
            tx=self.monitor.left,
            ty=self.monitor.top,
        )
        return Screenshot(
            pixels=pixels,
            scale=self.scale,
            taken_ns=taken,
            source=f"screen:{self._display or sys.platform}",
            to_input=to_input,
        )

    def patch(self, box: Box) -> NDArray[np.uint8]:
        """Fresh pixels under a box of the frame, cut at the frame.

        Returns:
            (h, w, 3) RGB; empty where the box lies outside.
        """
        ratio = self._ratio()
        left, top, right, bottom = box.clip(*self.size()).rounded()
        if right <= left or bottom <= top:
            return np.empty((0, 0, 3), np.uint8)
        near = Box(left / ratio, top / ratio, right / ratio, bottom / ratio).rounded()
        x, y = self.monitor.left + near[0], self.monitor.top + near[1]
        region = {"left": x, "top": y, "width": near[2] - near[0], "height": near[3] - near[1]}
        pixels, _ = self._read(region)
        dx, dy = left - round(near[0] * ratio), top - round(near[1] * ratio)
        return pixels[dy : dy + bottom - top, dx : dx + right - left]

    def title(self) -> str:
        """A name for the screen."""
        return f"Screen {self._display}".strip()

    def close(self) -> None:
        """Let go of the screen. Safe to call twice."""
        import mss  # noqa: PLC0415 - an extra

        with contextlib.suppress(mss.ScreenShotError):  # the server may be gone already
            self._grabber.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _monitors(self) -> list[dict[str, int]]:
        import mss  # noqa: PLC0415 - an extra

        try:
            # A grabber remembers its first answer, so the layout of this moment needs a new one.
            with mss.MSS(display=self._display) if self._display else mss.MSS() as fresh:
                return list(fresh.monitors)
        except (mss.ScreenShotError, OSError) as gone:
            raise TargetGone(f"the screen {self._display!r} went away: {gone}", hint="start it again") from gone

    def _read(self, region: dict[str, int]) -> tuple[NDArray[np.uint8], int]:
        import mss  # noqa: PLC0415 - an extra

        try:
            taken = time.monotonic_ns()
            shot = self._grabber.grab(region)
        except (mss.ScreenShotError, OSError, AssertionError) as gone:  # mss asserts that a dead server answered
            raise DisplayUnavailable(
                f"the screen {self._display!r} went away: {gone}", hint=_HINT.get(sys.platform, "")
            ) from gone
        return rgb_from_bgrx(shot.raw, shot.width, shot.height), taken

    def _ratio(self) -> float:
        """Pixels of a frame per unit of input: 2 on a Retina display, 1 wherever input counts pixels."""
        return self.scale if sys.platform == "darwin" else 1.0

    def _scale(self) -> float:
        if sys.platform == "darwin":
            probe = self._grabber.grab({"left": self.monitor.left, "top": self.monitor.top, "width": 16, "height": 16})
            return float(probe.width) / 16
        if sys.platform == "win32":
            return _windows_scale()
        return x11_scale(self._display)


_HINT = {
    "linux": "set DISPLAY to a running X server, or start a private one with Desktop.launch(); Wayland is not supported",
    "darwin": "allow screen recording for this program in System Settings, Privacy & Security",
    "win32": "log in to a desktop session; a service has no screen",
}


@dataclass(frozen=True, kw_only=True)
class ScreenCapture:
    """Stage ``screen-v1``: takes a picture of the screen.

    Args:
        display: X display such as ``:0``; ``DISPLAY`` of the environment by default.
        monitor: 1 for the first monitor …; 0 for all of them together.
    """

    stage_id: ClassVar[str] = "screen-v1"
    display: str = ""
    monitor: int = 0
    _screens: list[Screen] = field(default_factory=list, init=False, repr=False, compare=False)

    def open(self) -> Screen:
        """The live screen, for acting under a lease. The caller closes it."""
        return Screen.open(self.display, monitor=self.monitor)

    def __call__(self) -> Screenshot:
        """A fresh frame. The screen stays open between calls; see :meth:`close`.

        Raises:
            DisplayUnavailable: There is no screen here.
        """
        if not self._screens:
            self._screens.append(self.open())
        return self._screens[0].grab()

    def close(self) -> None:
        """Let go of the screen. Safe to call twice."""
        while self._screens:
            self._screens.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def x11_scale(display: str) -> float:
    """Scale that X programs on a display are told to draw at, from its ``Xft.dpi`` resource; 1.0 when none is set."""
    from cuakit.backends.x11 import X11  # noqa: PLC0415 - an extra, and on Linux only

    with X11.open(display) as x:
        resources = x.property_bytes(x.ask_property(x.root, "RESOURCE_MANAGER")).decode("utf-8", "replace")
    for line in resources.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "Xft.dpi":
            try:
                dpi = float(value)
            except ValueError:
                return 1.0
            return dpi / _POINTS_PER_INCH if dpi > 0 else 1.0
    return 1.0


def _windows_scale() -> float:
    import ctypes  # noqa: PLC0415 - Windows only

    library: Any = vars(ctypes).get("windll")
    return float(library.user32.GetDpiForSystem()) / _POINTS_PER_INCH if library else 1.0


def _display_name(display: str) -> str:
    if not sys.platform.startswith("linux"):
        return ""
    name = display or os.environ.get("DISPLAY", "")
    if not name:
        wayland = os.environ.get("WAYLAND_DISPLAY")
        found = "this is a Wayland session without X" if wayland else "no X display: DISPLAY is not set"
        raise DisplayUnavailable(found, hint=_HINT["linux"])
    return name


def _monitor(found: dict[str, int]) -> Monitor:
    return Monitor(found["left"], found["top"], found["width"], found["height"])
