"""Suites from YAML files: ours by name, anybody's by path.

id: quickstart
version: 1
about: What a first run should show
seeds: 5
tasks:
  - env: miniwob
    group: single-click
    names: [click-test, click-button]
    max_actions: 5
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, Final

from cuakit.core.errors import UnknownName
from cuakit.suites.nodes import Place, parse
from cuakit.suites.spec import Suite, Task

_ID: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_LIMITS: Final = frozenset({"max_actions", "deadline_s", "max_seeds"})


def suites_folder() -> Path:
    """Where our suites are: inside an installed package, or in the repository."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "data" / "suites"
    return packaged if packaged.is_dir() else package.parent / "benchmarks" / "suites"


def suite_names(folder: Path | None = None) -> tuple[str, ...]:
    """Names of our suites, sorted."""
    return tuple(sorted(p.stem for p in (folder or suites_folder()).glob("*.yaml")))


def load_suite(name_or_path: str | Path, folder: Path | None = None) -> Suite:
    """A suite by name, or from a file.

    Args:
        name_or_path: A name without dot or slash, or the path of a YAML file.
        folder: Looked in for names instead of ours.

    Raises:
        UnknownName: No suite of that name, with close matches.
        InvalidTask: The file breaks its schema; the message names file, line and place.
    """
    wanted = str(name_or_path)
    if wanted.endswith((".yaml", ".yml")) or "/" in wanted or "\\" in wanted:
        return read_suite(Path(wanted))
    names = suite_names(folder)
    if wanted not in names:
        close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
        near = f" Close: {', '.join(map(repr, close))}." if close else ""
        raise UnknownName(
            f"no suite named {wanted!r}.{near}", hint=f"suites: {', '.join(names) or 'none'}; or give a path to a file"
        )
    return read_suite((folder or suites_folder()) / f"{wanted}.yaml")


def read_suite(file: Path) -> Suite:
    """A suite from a YAML file.

    Raises:
        InvalidTask: The file breaks its schema; the message names file, line and place.
    """
    top = parse(file).mapping(required={"id", "version", "tasks"}, optional={"about", "seeds"})
    id = top["id"].text()
    if not _ID.fullmatch(id):
        raise top["id"].fail(f"{id!r} cannot name a folder", "use small letters, digits, dot, dash, underscore")
    tasks: list[Task] = []
    seen: dict[str, Place] = {}
    for block in top["tasks"].items():
        for place, task in _tasks(id, block):
            if task.id in seen:
                line = seen[task.id].node.start_mark.line + 1
                raise place.fail(f"the task {task.id!r} is already in line {line}", "keep one of them")
            seen[task.id] = place
            tasks.append(task)
    return Suite(
        id=id,
        version=top["version"].whole(1),
        tasks=tuple(tasks),
        seeds=top["seeds"].whole(1) if "seeds" in top else 1,
        about=top["about"].text() if "about" in top else "",
    )


def _tasks(suite: str, block: Place) -> list[tuple[Place, Task]]:
    """The tasks of one block, which share environment, group and limits."""
    keys = block.mapping(required={"env", "names"}, optional={"group", *_LIMITS})
    shared: dict[str, Any] = {"suite": suite, "env": keys["env"].text()}
    if "group" in keys:
        shared["group"] = keys["group"].text()
    if "max_actions" in keys:
        shared["max_actions"] = keys["max_actions"].whole(1)
    if "deadline_s" in keys:
        shared["deadline_s"] = keys["deadline_s"].seconds()
    if "max_seeds" in keys:
        shared["max_seeds"] = keys["max_seeds"].whole(1)
    return [(name, Task(name=name.text(), **shared)) for name in keys["names"].items()]
