"""Messages between us and a worker: a small JSON object and a block of bytes, each with its length before it.

Both sides check lengths before they read, so neither can make the other allocate more than the limits.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import IO, Any, Final

HEAD_LIMIT: Final = 64 << 10
"""Longest JSON object, in bytes."""

BODY_LIMIT: Final = 64 << 20
"""Longest block of bytes: a picture of 4096 × 4096 pixels has 48 MiB."""

_LENGTHS: Final = struct.Struct(">II")


class BadFrame(Exception):
    """What came is no message; nothing that follows can be believed either."""


def write(stream: IO[bytes], head: Mapping[str, Any], body: bytes | memoryview = b"") -> None:
    """Send a message.

    Raises:
        BadFrame: It is longer than a message may be; nothing was sent.
        OSError: Nobody reads it.
    """
    text = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
    _check(len(text), len(body))
    stream.write(_LENGTHS.pack(len(text), len(body)))
    stream.write(text)
    stream.write(body)
    stream.flush()


def read(stream: IO[bytes], *, body_limit: int = BODY_LIMIT) -> tuple[dict[str, Any], bytes] | None:
    """Receive a message.

    Args:
        stream: Blocks until the message is there.
        body_limit: Longest block of bytes that is taken.

    Returns:
        JSON object and bytes; None when the stream ended between two messages.

    Raises:
        BadFrame: What came is no message, is too long, or broke off.
    """
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < _LENGTHS.size:
        raise BadFrame("the stream broke off within a length")
    head_size, body_size = _LENGTHS.unpack(lengths)
    _check(head_size, body_size, body_limit)
    text, body = stream.read(head_size), stream.read(body_size)
    if len(text) < head_size or len(body) < body_size:
        raise BadFrame("the stream broke off within a message")
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise BadFrame(f"no JSON: {wrong}") from wrong
    if not isinstance(head, dict):
        raise BadFrame("the JSON is no object")
    return head, body


def _check(head: int, body: int, body_limit: int = BODY_LIMIT) -> None:
    if not 2 <= head <= HEAD_LIMIT:
        raise BadFrame(f"a head of {head} bytes; 2 to {HEAD_LIMIT} are allowed")
    if body > body_limit:
        raise BadFrame(f"a body of {body} bytes; at most {body_limit} are allowed")
