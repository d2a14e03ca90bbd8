"""One connection to an X server: atoms, properties and pixels. Knows nothing about policy.

Errors of the server come out as :class:`TargetGone` (the window went away) or :class:`DisplayUnavailable` (the server
did). Every call is a round trip unless it says otherwise; calls that can be pipelined are.
"""

from __future__ import annotations

import contextlib
import os
import select
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cuakit.backends.pixels import rgb_from_bgrx
from cuakit.core.errors import BackendError, DisplayUnavailable, MissingExtra, TargetGone

try:
    import xcffib

    # Extensions must be known before a connection is made, or their events cannot be read.
    import xcffib.composite
    import xcffib.damage
    import xcffib.res
    import xcffib.shm
    import xcffib.xinput
    import xcffib.xproto as xp
    import xcffib.xtest
    from xcffib.ffi import ffi
except ImportError as missing:  # pragma: no cover - the base install has no X client
    raise MissingExtra(
        "talking to X needs xcffib", hint="pip install 'cuakit[desktop]' (Linux); see: cuakit doctor"
    ) from missing

_REPLY_HEADER: Final = 32
_ROWS_AT_ONCE_BYTES: Final = 1 << 24


class X11:
    """A connection. Use :meth:`open`, and ``with``. May be used from several threads.

    Attributes:
        display: Display name.
        root: Root window id.
        size: ``(width, height)`` of the root in pixels at connection time.
    """

    def __init__(self, connection: Any, display: str) -> None:
        self.connection = connection
        self.display = display
        screen = connection.get_setup().roots[connection.pref_screen]
        self.root: int = screen.root
        self.size: tuple[int, int] = screen.width_in_pixels, screen.height_in_pixels
        self._atoms: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._open = True

    @classmethod
    def open(cls, display: str = "") -> Self:
        """Connect.

        Args:
            display: Such as ``:0``; ``DISPLAY`` of the environment by default.

        Raises:
            DisplayUnavailable: There is none, or it does not answer.
        """
        name = display or os.environ.get("DISPLAY", "")
        if not name:
            raise DisplayUnavailable(
                "no X display: DISPLAY is not set",
                hint="run inside a desktop session, or start a private one with cuakit.backends.desktop.Desktop.launch()",
            )
        try:
            connection: Any = xcffib.Connection(display=name)  # type: ignore[no-untyped-call] # it publishes no types
        except xcffib.ConnectionException as refused:
            raise DisplayUnavailable(
                f"X display {name!r} cannot be opened: {refused}",
                hint="check that the X server runs and that you may use it (DISPLAY, XAUTHORITY)",
            ) from refused
        return cls(connection, name)

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        if self._open:
            self._open = False
            self.connection.disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def errors(self, what: str) -> Iterator[None]:
        """Turn errors of the server into ours; ``what`` names the thing that was asked about."""
        if not self._open:
            raise DisplayUnavailable(f"the connection to {self.display} was closed", hint="open another one")
        try:
            yield
        except (
            xp.WindowError,
            xp.DrawableError,
            xp.PixmapError,
        ) as gone:
            raise TargetGone(f"{what} is gone", hint="list the windows again") from gone
        except xp.MatchError as wrong:
            raise TargetGone(
                f"{what} is not on the screen: minimized or being closed", code="window_unmapped"
            ) from wrong
        except xcffib.ConnectionException as lost:
            raise DisplayUnavailable(f"the X server {self.display} went away", hint="is it still running?") from lost
        except (xcffib.ProtocolException, xcffib.XcffibException) as refused:
            raise BackendError(f"the X server refused a request about {what}: {refused!r}") from refused

    def atoms(self, names: Iterable[str]) -> Mapping[str, int]:
        """Numbers of atoms; unknown ones are fetched in one go."""
        wanted = list(names)
        asked = {n: self.connection.core.InternAtom(False, len(n), n) for n in wanted if n not in self._atoms}
        for name, cookie in asked.items():
            self._atoms[name] = cookie.reply().atom
        return {n: self._atoms[n] for n in wanted}

    def atom(self, name: str) -> int:
        """Number of one atom."""
        return self.atoms([name])[name]

    def atom_names(self, numbers: Iterable[int]) -> list[str]:
        """Names of atoms, in order."""
        wanted = list(numbers)
        asked = {n: self.connection.core.GetAtomName(n) for n in wanted if n not in self._names}
        for number, cookie in asked.items():
            self._names[number] = cookie.reply().name.raw.decode("latin-1")
        return [self._names[n] for n in wanted]

    def ask_property(self, window: int, name: str) -> Any:
        """Send a request for a property; :meth:`property_bytes` takes the answer."""
        any_type = 0
        return self.connection.core.GetProperty(False, window, self.atom(name), any_type, 0, 1 << 16)

    def property_bytes(self, cookie: Any) -> bytes:
        """Raw value of an asked property; empty when it is not set or the window went away."""
        try:
            return bytes(cookie.reply().value.raw)
        except (xp.WindowError, xp.ValueError):
            return b""

    def cardinals(self, window: int, name: str) -> tuple[int, ...]:
        """Property made of 32-bit numbers; empty when it is not set."""
        return numbers(self.property_bytes(self.ask_property(window, name)))

    def set_root_text(self, name: str, text: str) -> None:
        """Set a text property of the root window."""
        data = text.encode()
        core = self.connection.core
        core.ChangeProperty(
            xp.PropMode.Replace, self.root, self.atom(name), xp.Atom.STRING, 8, len(data), data, is_checked=True
        ).check()

    def wait_root_property(self, name: str, end: float, *, alive: Callable[[], bool] = lambda: True) -> None:
        """Wait until a property of the root window is set.

        Args:
            name: Property.
            end: Deadline on the monotonic clock, in seconds.
            alive: Whether there is still a point in waiting.

        Raises:
            DisplayUnavailable: It was not set in time.
        """
        core = self.connection.core
        mask = xp.EventMask.PropertyChange
        core.ChangeWindowAttributes(self.root, xp.CW.EventMask, [mask], is_checked=True).check()
        while not self.cardinals(self.root, name):
            if time.monotonic() >= end or not alive():
                raise DisplayUnavailable(
                    f"nothing set {name} on {self.display}", hint="is the window manager installed?"
                )
            self.wait_event(min(end, time.monotonic() + 0.2))

    def wait_event(self, end: float) -> Any:
        """Next event, or None when the deadline (monotonic, in seconds) passes first."""
        while (event := self.connection.poll_for_event()) is None:
            left = end - time.monotonic()
            if left <= 0:
                return None
            select.select([self.connection.get_file_descriptor()], [], [], left)
        return event

    def drain_events(self) -> None:
        """Drop the events that have arrived."""
        while self.connection.poll_for_event() is not None:
            pass

    def sync(self) -> None:
        """Wait until the server has carried out everything that was sent."""
        with self.errors("the display"):
            self.connection.core.GetInputFocus().reply()

    def pixels(self, drawable: int, ltrb: tuple[int, int, int, int], what: str) -> NDArray[np.uint8]:
        """Read a rectangle of a drawable.

        Args:
            drawable: Window or pixmap.
            ltrb: Left, top, right, bottom in its pixels, half-open and inside it.
            what: Name for error messages.

        Returns:
            (height, width, 3) RGB.

        Raises:
            TargetGone: It is not there any more, or not on the screen.

        The answer is read straight from the socket's buffer: the client library would otherwise make one Python
        object per byte (50 ms for a small window).
        """
        left, top, right, bottom = ltrb
        width, height = right - left, bottom - top
        out = np.empty((height, width, 3), np.uint8)
        step = max(1, _ROWS_AT_ONCE_BYTES // max(1, width * 4))
        with self.errors(what):
            for y in range(0, height, step):
                rows = min(step, height - y)
                all_planes = 0xFFFFFFFF
                cookie = self.connection.core.GetImage(
                    xp.ImageFormat.ZPixmap, drawable, left, top + y, width, rows, all_planes
                )
                reply = self.connection.wait_for_reply(cookie.sequence)
                raw = memoryview(ffi.buffer(reply.cdata, reply.known_max))
                if len(raw) < _REPLY_HEADER + width * rows * 4:
                    raise DisplayUnavailable(f"{self.display} does not use 32 bits per pixel", hint="use depth 24")
                out[y : y + rows] = rgb_from_bgrx(raw[_REPLY_HEADER:], width, rows)
        return out


def numbers(raw: bytes) -> tuple[int, ...]:
    """32-bit unsigned numbers in the machine's byte order."""
    return struct.unpack(f"={len(raw) // 4}I", raw[: len(raw) // 4 * 4])
