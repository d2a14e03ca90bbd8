"""Writing a picture or page in one piece: the file is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

from cuakit.core.errors import RecordError, UsageError


def write(path: str | Path, makers: Mapping[str, Callable[[], bytes]]) -> Path:
    """Write what the suffix of a path asks for.

    Args:
        path: Where to; its folder must exist.
        makers: Suffix such as ``.png`` → what makes the bytes. Only the one asked for is called.

    Returns:
        The path.

    Raises:
        UsageError: No maker for the suffix.
        RecordError: The file cannot be written; an older file of that name is untouched.
    """
    goal = Path(path)
    maker = makers.get(goal.suffix.lower())
    if maker is None:
        raise UsageError(f"cannot write {goal.suffix or 'a file without suffix'!r}", hint=f"use {', '.join(makers)}")
    content = maker()
    part = goal.with_name(f".{goal.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(goal)
    except OSError as wrong:
        part.unlink(missing_ok=True)
        raise RecordError(
            f"cannot write {goal}: {wrong.strerror}", hint="check the folder and the space left"
        ) from wrong
    return goal


def document(title: str, body: str) -> bytes:
    """A whole HTML page that needs nothing from outside."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<body style="margin:16px;font:14px system-ui,sans-serif">{body}</body></html>\n'
    ).encode()
