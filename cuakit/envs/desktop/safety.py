"""What a task file may ask for. Everything here is decided from the words alone: nothing is read, fetched or run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.places import Places
from cuakit.envs.desktop.task import DesktopTask, SetupStep

MOST_STEPS: Final = 64
"""Most steps of set-up and postconfig together; the published files have 13 at most."""

MOST_SECONDS: Final = 300.0
"""Most seconds that a task may ask to sleep, all steps together; the published files ask for 15 in one step."""

MOST_FILES: Final = 256
"""Most files of a download, tabs of a browser, or parts of a getter."""

COMMANDS: Final = frozenset({"launch", "execute", "command"})
"""Steps that run what the file says."""

COMMAND_GETTERS: Final = frozenset({"vm_command_line", "vm_command_error"})
"""Getters that run what the file says."""

FIXTURE: Final = "fixture"
"""Scheme of files in the folder of fixtures, such as ``fixture:notes.txt``; cuakit's own, the published files have none."""

_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")
"""Not Unicode's second block of controls: one published address has its name garbled into it."""

_HOME: Final = Places(Path("/nonexistent/cuakit-home"))
"""Stands for any private home: where a path leads is decided from its words."""


def refusals(task: DesktopTask) -> tuple[str, ...]:
    """Why a task is not taken, as ``place: what``; empty for one that is.

    Refused are paths that lead out of the private home, names that a program would take for an option, addresses other
    than the web's, and set-up without end. Commands are not refused here: see :func:`commands`.
    """
    return tuple(_refusals(task))


def commands(task: DesktopTask) -> tuple[str, ...]:
    """Places where a task runs a command of its own. None of them may run unless the user allows it."""
    steps = [s.place for s in task.steps if s.type in COMMANDS]
    getters = [f"{c.place}.{part}" for c, part, g in _getters(task) if g.get("type") in COMMAND_GETTERS]
    return (*steps, *getters)


def _refusals(task: DesktopTask) -> Iterator[str]:
    if len(task.steps) > MOST_STEPS:
        yield f"config: {len(task.steps)} steps; at most {MOST_STEPS}"
    asked = [s.parameters.get("seconds", 0) for s in task.steps if s.type == "sleep"]
    seconds = [s for s in asked if isinstance(s, int | float)]
    if any(not s >= 0 for s in seconds) or not sum(seconds) <= MOST_SECONDS:
        yield f"config: sleeps {sum(seconds):g} s in all; from 0 to {MOST_SECONDS:g} s are waited"
    for step in task.steps:
        yield from _step(step)
    for check, part, getter in _getters(task):
        yield from _getter(getter, f"{check.place}.{part}")


def _getters(task: DesktopTask) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    for check in task.evaluator.checks:
        for part in ("result", "expected"):
            getter = getattr(check, part)
            if getter is not None:
                yield check, part, getter


def _step(step: SetupStep) -> Iterator[str]:
    given, at = step.parameters, f"{step.place}.parameters"
    yield from _many(given, at)
    for key in ("path", "settings_file"):
        if isinstance(given.get(key), str):
            yield from _path(given[key], f"{at}.{key}")
    files = given.get("files")
    for i, file in enumerate(files if isinstance(files, list) else ()):
        if isinstance(file, dict):
            yield from _file(file, f"{at}.files[{i}]")
    for key in ("urls_to_open", "urls_to_close"):
        urls = given.get(key)
        for i, url in enumerate(urls if isinstance(urls, list) else ()):
            yield from _address(str(url), f"{at}.{key}[{i}]", {"http", "https", "chrome"})
    yield from _option(given.get("window_name"), f"{at}.window_name")


def _file(file: Mapping[str, Any], at: str) -> Iterator[str]:
    for key in ("path", "local_path"):
        if isinstance(file.get(key), str):
            yield from _path(file[key], f"{at}.{key}")
    if isinstance(file.get("url"), str):
        yield from _address(file["url"], f"{at}.url", {"https", FIXTURE})


def _getter(getter: Mapping[str, Any], at: str) -> Iterator[str]:
    yield from _many(getter, at)
    for value in _each(getter.get("path")):
        if getter.get("type") == "cloud_file":
            yield from _address(value, f"{at}.path", {"https", FIXTURE})
        elif getter.get("type") in ("vm_file", "content_from_vm_file", "cache_file", "list_directory"):
            yield from _path(value, f"{at}.path")
    for value in _each(getter.get("dest")):
        if value in (".", "..") or "/" in value or "\\" in value or not value.isprintable():
            yield f"{at}.dest: {value[:80]!r} is no plain file name"
        yield from _option(value, f"{at}.dest")


def _each(value: Any) -> list[str]:
    return [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]


def _many(given: Mapping[str, Any], at: str) -> Iterator[str]:
    for key, value in given.items():
        if isinstance(value, list) and len(value) > MOST_FILES:
            yield f"{at}.{key}: {len(value)} entries; at most {MOST_FILES}"


def _path(value: str, at: str) -> Iterator[str]:
    try:
        _HOME.inside(value)
    except InvalidTask as wrong:
        yield f"{at}: {wrong.message}"
    yield from _option(value, at)


def _address(value: str, at: str, schemes: set[str]) -> Iterator[str]:
    if FIXTURE in schemes and value.startswith(f"{FIXTURE}:"):
        yield from _path(value.removeprefix(f"{FIXTURE}:"), at)
        return
    try:
        parts = urlsplit(value)
        clean = parts.scheme in schemes and bool(parts.hostname) and parts.username is None
    except ValueError:
        clean = False
    if not clean or _CONTROL.search(value):
        yield f"{at}: {value[:80]!r} is no address of the kind {' or '.join(sorted(schemes))}"


def _option(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("-"):
        yield f"{at}: {value[:80]!r} reads like an option of a program"
