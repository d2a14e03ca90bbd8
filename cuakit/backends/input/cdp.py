"""Trusted input into a page over DevTools. Points are CSS pixels of the viewport.

The browser treats these events as a person's; the pointer, the focus and the windows of the person at the machine stay
as they are. Whatever was pressed is released, also when the page goes away in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cuakit.backends.input import page_scripts
from cuakit.backends.input.pointer import arrive
from cuakit.backends.input.port import Button, Comparison, Key, Readback
from cuakit.backends.input.us_keyboard import BY_CODE, CHARACTERS, CONTROL, META, SHIFT
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Point

NOTCH_PX: Final = 100
"""CSS pixels per wheel notch, as desktop Chromium scrolls per notch of a common mouse."""

DRAG_STEPS: Final = 6
"""Moves between press and release; drag libraries need several to see a drag at all."""

KEYS_UP_TO: Final = 64
"""Longest text typed key by key; longer text is inserted at once, because each key is two round trips."""

_BUTTON_BITS: Final[Mapping[Button, int]] = {"left": 1, "right": 2}

_MAC_COMMANDS: Final = {"KeyA": "selectAll", "KeyC": "copy", "KeyV": "paste", "KeyX": "cut", "KeyZ": "undo"}
"""macOS editing chords live in the application's menu, which DevTools input does not reach; the editor's own command
goes along instead."""


_NOTES: Final[Mapping[str, str]] = {
    "same": "the field reads back as written",
    "partial": "the field changed, but does not read back as written",
    "unchanged": "the field did not change",
    "unknown": "what has the keyboard cannot be read back",
}


_Call = tuple[str, Mapping[str, Any]]


class DevToolsPage(Protocol):
    """What is needed of a page."""

    @property
    def scale(self) -> float:
        """Device pixel ratio."""

    def call(self, method: str, *, timeout_s: float = ..., **params: Any) -> dict[str, Any]:
        """Send one DevTools command and wait for its answer."""

    def call_all(self, *calls: tuple[str, Mapping[str, Any]], timeout_s: float = ...) -> list[dict[str, Any]]:
        """Send several commands at once and wait for all answers."""

    def evaluate(self, expression: str, *, timeout_s: float = ...) -> Any:
        """Value of a script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CdpInput:
    """Injector for one page.

    Args:
        page: A live DevTools page.
        mac: Whether editing chords follow macOS.
    """

    page: DevToolsPage
    mac: bool = False

    def click(self, at: Point, *, button: Button = "left", count: int = 1, held: Sequence[Key] = ()) -> None:
        """Move there, then press and release ``count`` times.

        All events are sent at once: Chromium keeps a lone move back until it draws the next frame.
        """
        self._arrive(at)
        with self._holding(held) as bits:
            place = {"x": at.x, "y": at.y, "modifiers": bits}
            events: list[dict[str, Any]] = [{"type": "mouseMoved", **place}]
            for n in range(1, count + 1):
                same = {"button": button, "clickCount": n, **place}
                events.append({"type": "mousePressed", "buttons": _BUTTON_BITS[button], **same})
                events.append({"type": "mouseReleased", **same})
            self.page.call_all(*(("Input.dispatchMouseEvent", event) for event in events))

    def drag(self, start: Point, end: Point) -> None:
        """Press, move in a straight line, release."""
        self._arrive(start)
        self._mouse("mouseMoved", start)
        try:
            self._mouse("mousePressed", start, button="left", buttons=1, clickCount=1)
            for step in range(1, DRAG_STEPS + 1):
                f = step / DRAG_STEPS
                way = Point(start.x + (end.x - start.x) * f, start.y + (end.y - start.y) * f)
                self._mouse("mouseMoved", way, button="left", buttons=1)
        except BaseException:
            with suppress(BackendError):  # the first failure is the one to report
                self._mouse("mouseReleased", end, button="left", clickCount=1)
            raise
        self._mouse("mouseReleased", end, button="left", clickCount=1)

    def scroll(self, at: Point, right: int, down: int) -> None:
        """Turn the wheel over a point."""
        self._arrive(at)
        self._mouse("mouseWheel", at, deltaX=right * NOTCH_PX, deltaY=down * NOTCH_PX)

    def type_text(self, at: Point, text: str, *, replace: bool) -> Readback:
        """Click to focus, select the old content or go to its end, type, and read back.

        Fields that take no free text (dates, colours, ranges) are set through their own value instead.
        """
        self.click(at)
        before = self.page.evaluate(page_scripts.focused())
        if before["kind"] == "native":
            return self._through_script(at, text)
        if before["value"] != "":
            self.press(BY_CODE["KeyA" if replace else "End"], held=(META if self.mac else CONTROL,))
        if text:
            self._type(text)
        elif before["value"] != "" and replace:
            self.press(BY_CODE["Delete"])
        seen = _compare(before["value"], self.page.evaluate(page_scripts.focused())["value"], text, replace=replace)
        return Readback(seen, "trusted_input", _NOTES[seen])

    def set_value(self, at: Point, value: str) -> Readback:
        """Choose an option, tick a box, or write a field, whichever is at the point."""
        return self._through_script(at, value)

    def focus(self, at: Point) -> None:
        """Focus what is at a point, by script: a click could do more."""
        self.page.evaluate(page_scripts.focus(at.x, at.y))

    def press(self, key: Key, *, held: Sequence[Key] = ()) -> None:
        """Press and release a key with others held."""
        with self._holding(held) as bits:
            self._stroke(key, bits)

    def _through_script(self, at: Point, value: str) -> Readback:
        did = self.page.evaluate(page_scripts.set_value(at.x, at.y, value))
        match did["did"]:
            case "set":
                return Readback(did["seen"], "dom", _NOTES[did["seen"]])
            case "already":
                return Readback("same", "dom", "the field already held that value")
            case "click":
                self.click(at)
                seen = self.page.evaluate(page_scripts.checked(at.x, at.y, value))
                return Readback(seen, "trusted_input", _NOTES[seen])
            case "type":
                return self.type_text(at, value, replace=True)
            case _:
                return Readback("unchanged", "dom", str(did["why"]))

    def _type(self, text: str) -> None:
        if len(text) > KEYS_UP_TO:
            calls = [_insertion(text)]
        else:
            calls = [call for character in text for call in _character(character)]
        self.page.call_all(*calls)

    def _stroke(self, key: Key, bits: int) -> None:
        self.page.call_all(self._key("keyDown", key, bits), self._key("keyUp", key, bits))

    def _arrive(self, at: Point) -> None:
        if self.page.scale != 1:
            arrive(self.page, self._move, at)

    def _move(self, *way: Point) -> None:
        self.page.call_all(*(("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": p.x, "y": p.y}) for p in way))

    def _key(self, kind: str, key: Key, bits: int) -> _Call:
        commands = self.mac and kind == "keyDown" and bits == META.bit and key.code in _MAC_COMMANDS
        return _key_call(kind, key, bits, commands=(_MAC_COMMANDS[key.code],) if commands else ())

    def _mouse(self, kind: str, at: Point, **more: Any) -> None:
        self.page.call("Input.dispatchMouseEvent", type=kind, x=at.x, y=at.y, **more)

    @contextmanager
    def _holding(self, keys: Sequence[Key]) -> Iterator[int]:
        """Hold keys down during the body; gives their modifier bits."""
        bits = 0
        down: list[Key] = []
        try:
            for key in keys:
                bits |= key.bit
                down.append(key)
                self.page.call_all(self._key("keyDown", key, bits))
            yield bits
        finally:
            for key in reversed(down):
                bits &= ~key.bit
                with suppress(BackendError):  # every key gets its release, and the first failure is on its way already
                    self.page.call_all(self._key("keyUp", key, bits))


def _character(character: str) -> tuple[_Call, ...]:
    key = CHARACTERS.get(character)
    if key is None:
        return (_insertion(character),)
    bits = SHIFT.bit if key.key != character else 0
    return _key_call("keyDown", key, bits), _key_call("keyUp", key, bits)


def _insertion(text: str) -> _Call:
    return "Input.insertText", {"text": text}


def _key_call(kind: str, key: Key, bits: int, *, commands: Sequence[str] = ()) -> _Call:
    shifted = bits & SHIFT.bit and key.shifted
    text = "" if bits & ~SHIFT.bit or kind == "keyUp" else (key.shifted if shifted else key.text)
    more: dict[str, Any] = {"text": text, "unmodifiedText": key.text} if text else {}
    if commands:
        more["commands"] = list(commands)
    return "Input.dispatchKeyEvent", {
        "type": "rawKeyDown" if kind == "keyDown" and not text else kind,
        "key": key.shifted if shifted else key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.vk,
        "nativeVirtualKeyCode": key.vk,
        "modifiers": bits,
        **more,
    }


def _compare(before: str | None, after: str | None, text: str, *, replace: bool) -> Comparison:
    """What a field holds against what it should; line ends and a rich editor's last line break do not count."""
    if before is None or after is None:
        return "unknown"
    held = _plain(after)
    if held == _plain(text if replace else before + text):
        return "same"
    return "unchanged" if held == _plain(before) else "partial"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\xa0", " ").removesuffix("\n")
