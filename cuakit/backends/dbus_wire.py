"""D-Bus messages as bytes and back (D-Bus specification 0.43, protocol version 1).

Only what a client needs: method calls out, replies and errors in, every type but descriptors. A third of the time of a
general client: the constant part of a call's header is built once, and what nobody waits for is not decoded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

METHOD_CALL, METHOD_RETURN, ERROR, SIGNAL = 1, 2, 3, 4
MOST_BYTES: Final = 1 << 27
"""Longest message that the specification allows."""

_PATH, _INTERFACE, _MEMBER, _ERROR_NAME, _REPLY_SERIAL, _DESTINATION, _SENDER, _SIGNATURE = range(1, 9)
_FIXED: Final = {
    "y": ("B", 1),
    "b": ("I", 4),
    "n": ("h", 2),
    "q": ("H", 2),
    "i": ("i", 4),
    "u": ("I", 4),
    "x": ("q", 8),
    "t": ("Q", 8),
    "d": ("d", 8),
}
_ALIGN: Final = {c: size for c, (_, size) in _FIXED.items()} | {"s": 4, "o": 4, "g": 1, "a": 4, "v": 1, "(": 8, "{": 8}


class WireError(ValueError):
    """Bytes that are no D-Bus message, or a value that does not fit its signature."""


@dataclass(frozen=True, slots=True)
class Message:
    """An incoming message; its body is decoded on demand."""

    kind: int
    reply_serial: int
    error_name: str
    signature: str
    raw: bytes
    order: str

    def body(self) -> tuple[Any, ...]:
        """Its values.

        Raises:
            WireError: They do not fit the signature.
        """
        return decode(self.signature, self.raw, self.order)


def encode_call(  # noqa: PLR0917 - the fields of a D-Bus call, in its order
    serial: int, dest: str, path: str, interface: str, member: str, signature: str, body: Sequence[Any]
) -> bytes:
    """A method call as bytes.

    Raises:
        WireError: The body does not fit its signature.
    """
    data = encode(signature, body) if signature else b""
    raw_path = path.encode()
    first = b"\x01\x01o\0" + struct.pack("<I", len(raw_path)) + raw_path + b"\0"
    fields = first + b"\0" * (-len(first) % 8) + _constant(dest, interface, member, signature)
    head = struct.pack("<cBBBIII", b"l", METHOD_CALL, 0, 1, len(data), serial, len(fields)) + fields
    return head + b"\0" * (-len(head) % 8) + data


@cache
def _constant(dest: str, interface: str, member: str, signature: str) -> bytes:
    out = b""
    for code, kind, value in ((_DESTINATION, "s", dest), (_INTERFACE, "s", interface), (_MEMBER, "s", member)):
        raw = value.encode()
        out += b"\0" * (-len(out) % 8) + struct.pack("<BBcBI", code, 1, kind.encode(), 0, len(raw)) + raw + b"\0"
    if signature:
        raw = signature.encode()
        out += b"\0" * (-len(out) % 8) + struct.pack("<BBcBB", _SIGNATURE, 1, b"g", 0, len(raw)) + raw + b"\0"
    return out


def take(buffer: bytearray) -> Iterator[Message]:
    """Cut the complete messages off the front of a buffer.

    Raises:
        WireError: The bytes are no D-Bus messages.
    """
    at = 0
    try:
        while len(buffer) - at >= 16:
            order = "<" if buffer[at] == 0x6C else ">"
            if buffer[at] not in (0x6C, 0x42) or buffer[at + 3] != 1:
                raise WireError(f"not a D-Bus message: {bytes(buffer[at : at + 16])!r}")
            body, _, fields = struct.unpack_from(order + "III", buffer, at + 4)
            start = 16 + fields + (-fields % 8)
            if start + body > MOST_BYTES:
                raise WireError("a message is longer than D-Bus allows")
            if len(buffer) - at < start + body:
                break
            head = bytes(buffer[at : at + 16 + fields])
            raw = bytes(buffer[at + start : at + start + body])
            at += start + body
            yield _message(head, raw, order)
    finally:
        del buffer[:at]


def _message(head: bytes, raw: bytes, order: str) -> Message:
    serial, error, signature, at = 0, "", "", 16
    try:
        while at < len(head):
            at += -at % 8
            code, kind = head[at], head[at + 2]
            if kind == 0x75:
                (value,) = struct.unpack_from(order + "I", head, at + 4)
                serial = value if code == _REPLY_SERIAL else serial
                at += 8
            elif kind == 0x67:
                size = head[at + 4]
                signature = head[at + 5 : at + 5 + size].decode() if code == _SIGNATURE else signature
                at += 6 + size
            else:
                (size,) = struct.unpack_from(order + "I", head, at + 4)
                error = head[at + 8 : at + 8 + size].decode() if code == _ERROR_NAME else error
                at += 9 + size
    except (IndexError, struct.error, UnicodeDecodeError) as wrong:
        raise WireError(f"a message's header is damaged: {wrong}") from wrong
    return Message(head[1], serial, error, signature, raw, order)


def decode(signature: str, raw: bytes, order: str = "<") -> tuple[Any, ...]:
    """Values of a body: numbers, text, lists for arrays, tuples for structs, dicts, ``(signature, value)`` for variants.

    Raises:
        WireError: The bytes do not fit the signature.
    """
    out, at = [], 0
    try:
        for kind in split(signature):
            value, at = _decode(kind, raw, at, order)
            out.append(value)
    except (IndexError, struct.error, UnicodeDecodeError) as wrong:
        raise WireError(f"a body does not fit {signature!r}: {wrong}") from wrong
    return tuple(out)


def _decode(kind: str, raw: bytes, at: int, order: str) -> tuple[Any, int]:
    first = kind[0]
    at += -at % _ALIGN[first]
    if first in _FIXED:
        code, size = _FIXED[first]
        (value,) = struct.unpack_from(order + code, raw, at)
        return (bool(value) if first == "b" else value), at + size
    if first in "so":
        (size,) = struct.unpack_from(order + "I", raw, at)
        _within(raw, at + 4 + size)
        return raw[at + 4 : at + 4 + size].decode(), at + 5 + size
    if first in "gv":
        size = raw[at]
        _within(raw, at + 1 + size)
        inner = raw[at + 1 : at + 1 + size].decode()
        if first == "g":
            return inner, at + 2 + size
        value, at = _decode(inner, raw, at + 2 + size, order)
        return (inner, value), at
    if first == "a":
        return _decode_array(kind[1:], raw, at, order)
    values = []
    for part in split(kind[1:-1]):
        value, at = _decode(part, raw, at, order)
        values.append(value)
    return tuple(values), at


def _decode_array(kind: str, raw: bytes, at: int, order: str) -> tuple[Any, int]:
    (size,) = struct.unpack_from(order + "I", raw, at)
    at += 4
    at += -at % _ALIGN[kind[0]]
    end = at + size
    _within(raw, end)
    if kind in _FIXED and kind != "b":
        code, width = _FIXED[kind]
        return list(struct.unpack_from(f"{order}{size // width}{code}", raw, at)), end
    values = []
    while at < end:
        value, at = _decode(kind, raw, at, order)
        values.append(value)
    return (dict(values) if kind[0] == "{" else values), end


def _within(raw: bytes, end: int) -> None:
    if end > len(raw):
        raise IndexError(f"{end} of {len(raw)} bytes")


def encode(signature: str, body: Sequence[Any]) -> bytes:
    """A body as bytes; values as :func:`decode` gives them.

    Raises:
        WireError: A value does not fit.
    """
    out = bytearray()
    kinds = split(signature)
    if len(kinds) != len(body):
        raise WireError(f"{signature!r} takes {len(kinds)} values, got {len(body)}")
    try:
        for kind, value in zip(kinds, body, strict=True):
            _encode(kind, value, out)
    except (struct.error, TypeError, AttributeError, ValueError) as wrong:
        raise WireError(f"{body!r} does not fit {signature!r}: {wrong}") from wrong
    return bytes(out)


def _encode(kind: str, value: Any, out: bytearray) -> None:
    first = kind[0]
    out += b"\0" * (-len(out) % _ALIGN[first])
    if first in _FIXED:
        out += struct.pack("<" + _FIXED[first][0], value)
    elif first in "so":
        raw = value.encode()
        out += struct.pack("<I", len(raw)) + raw + b"\0"
    elif first == "g":
        out += bytes([len(value)]) + value.encode() + b"\0"
    elif first == "v":
        _encode("g", value[0], out)
        _encode(value[0], value[1], out)
    elif first == "a":
        inner = bytearray(b"\0" * (-(len(out) + 4) % _ALIGN[kind[1]]))
        pad = len(inner)
        base = (len(out) + 4) % 8
        inner = bytearray(base) + inner
        for item in value.items() if kind[1] == "{" else value:
            _encode(kind[1:], item, inner)
        out += struct.pack("<I", len(inner) - base - pad) + inner[base:]
    else:
        for part, item in zip(split(kind[1:-1]), value, strict=True):
            _encode(part, item, out)


@cache
def split(signature: str) -> tuple[str, ...]:
    """The complete types of a signature.

    >>> split("a(so)us")
    ('a(so)', 'u', 's')

    Raises:
        WireError: It is no signature.
    """
    kinds, at = [], 0
    while at < len(signature):
        end = _end(signature, at)
        kinds.append(signature[at:end])
        at = end
    return tuple(kinds)


def _end(signature: str, at: int) -> int:
    while at < len(signature) and signature[at] == "a":
        at += 1
    if at >= len(signature) or signature[at] not in _ALIGN:
        raise WireError(f"{signature!r} is no signature")
    if signature[at] not in "({":
        return at + 1
    close = {"(": ")", "{": "}"}[signature[at]]
    at += 1
    while at < len(signature) and signature[at] != close:
        at = _end(signature, at)
    if at >= len(signature):
        raise WireError(f"{signature!r} is no signature")
    return at + 1
