"""Profiles in files. Reading and comparing them needs nothing that measuring them needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from cuakit.bench.lab.diff import compare_profiles
from cuakit.core.errors import UsageError

SCHEMA: Final = 1
"""Version of the layout."""

PARTS: Final = ("stages", "page", "sweep", "isa", "roofline")
"""What can be measured, in the order in which it is."""


def read_profile(path: str | Path) -> dict[str, Any]:
    """A profile that was kept.

    Raises:
        UsageError: There is no such file, or it holds no profile, a damaged one, a newer one, or one without any piece.
    """
    try:
        lines = Path(path).read_text("utf-8").strip().splitlines()
        found = json.loads("\n".join(lines)) if lines and lines[0] == "{" else json.loads(lines[-1])
    except (OSError, UnicodeDecodeError, ValueError, IndexError) as wrong:
        raise UsageError(f"{path} cannot be read as a profile: {wrong}", hint="cuakit profile --out FILE") from wrong
    if not isinstance(found, dict) or found.get("kind") != "profile" or not isinstance(found.get("machine"), dict):
        raise UsageError(f"{path} holds no profile", hint="cuakit profile --out FILE")
    if found.get("schema", 0) > SCHEMA:
        raise UsageError(f"{path} was written by a newer version", hint="pip install -U cuakit")
    try:
        compare_profiles(found, found)  # sound is what can be compared with itself
    except (AttributeError, KeyError, TypeError, ZeroDivisionError) as wrong:
        raise UsageError(f"{path} is damaged: {wrong!r}", hint="measure again: cuakit profile --out FILE") from wrong
    return found
