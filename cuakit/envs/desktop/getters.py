"""What a judge compares: files that the agent left behind, files that should be there, and rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from cuakit.core.errors import BackendError, InvalidTask
from cuakit.envs.desktop.places import Places

LARGEST: Final = 256 << 20
"""Largest file that a judge reads, in bytes."""


@dataclass(frozen=True, slots=True)
class Left:
    """The state that is judged.

    Args:
        home: Private home as the agent left it; stands for the home of the task file.
        scratch: Empty folder for the copies that metrics read.
        fixtures: Folder with the files of the task set, laid out as its repository is; None where there is none.
    """

    home: Path
    scratch: Path
    fixtures: Path | None = None


Getter = Callable[[Left, Mapping[str, Any]], Any]


def get(left: Left, getter: Mapping[str, Any]) -> Any:
    """What a getter of a task file names.

    Raises:
        InvalidTask: No such getter, or it lacks a word.
        BackendError: A file of the task set is not in the folder of fixtures (code ``fixture_missing``).
    """
    kind = str(getter.get("type"))
    if kind not in GETTERS:
        raise InvalidTask(f"no getter named {kind!r} here", hint=f"getters: {', '.join(GETTERS)}")
    try:
        return GETTERS[kind](left, getter)
    except KeyError as lost:
        raise InvalidTask(f"the getter {kind!r} lacks {lost}", hint="compare it with a published task") from lost


def _rule(left: Left, getter: Mapping[str, Any]) -> Any:
    del left
    return getter["rules"]


def _vm_file(left: Left, getter: Mapping[str, Any]) -> Any:
    """Copies of files of the home under the names that the task gives them; None for one that is not there."""
    places = Places(left.home)

    def copy(path: str, name: str) -> str | None:
        source = places.inside(path)
        return _copied(source, left.scratch / name) if source.is_file() else None

    return _one_or_many(getter, copy)


def _gimp_config(left: Left, getter: Mapping[str, Any]) -> Any:
    return _vm_file(left, {"path": f"~/.config/GIMP/2.10/{getter['file_name']}", "dest": getter["dest"]})


def _cloud_file(left: Left, getter: Mapping[str, Any]) -> Any:
    return _one_or_many(getter, lambda url, name: _copied(fixture(left.fixtures, url), left.scratch / name))


def fixture(folder: Path | None, url: str) -> Path:
    """A file of the task set by its address in the task file; nothing is fetched.

    Args:
        folder: Laid out as the task set's repository is: what follows ``/resolve/main/`` or ``fixture:`` in the address.
        url: The address.

    Raises:
        BackendError: It is not there (code ``fixture_missing``).
        InvalidTask: It leads out of the folder.
    """
    path = unquote(urlsplit(url).path)
    found = folder and Places(folder).inside((path.partition("/resolve/main/")[2] or path).lstrip("/"))
    if found is None or not found.is_file():
        raise BackendError(
            f"the file {url[-120:]} of the task is not here",
            hint="fetch the task set's files and name their folder with --fixtures",
            code="fixture_missing",
        )
    return found


def _one_or_many(getter: Mapping[str, Any], copy: Callable[[str, str], str | None]) -> Any:
    """With ``multi``, every file is copied and those at ``gives`` are handed to the metric."""
    if not getter.get("multi"):
        return copy(getter["path"], _plain(getter["dest"]))
    copies = [copy(p, _plain(d)) for p, d in zip(getter["path"], getter["dest"], strict=True)]
    given = [copies[i] for i in getter.get("gives", [0])]
    return given[0] if len(given) == 1 else given


def _plain(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        raise InvalidTask(f"{name[:80]!r} is no plain file name", hint="a dest is a name, not a path")
    return name


def _copied(source: Path, target: Path) -> str:
    if source.stat().st_size > LARGEST:
        raise InvalidTask(
            f"{source.name} is larger than {LARGEST >> 20} MiB", hint="a judge reads documents, not images of disks"
        )
    shutil.copyfile(source, target)
    return str(target)


GETTERS: Final[Mapping[str, Getter]] = MappingProxyType(
    {"rule": _rule, "vm_file": _vm_file, "cloud_file": _cloud_file, "gimp_config_file": _gimp_config}
)
"""Getter → how it is answered from files alone, without a desktop and without running anything."""
