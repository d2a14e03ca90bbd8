"""Stages by versioned name, without a table in memory.

A stage is a class with ``stage_id: ClassVar[str]`` and dataclass fields for its options, announced as an entry point
``NAME = "module:Class"`` in a group ``cuakit.<verb>``. Ours and third parties' are found the same way; listing
imports nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from fnmatch import fnmatch
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import MissingExtra, UnknownName, UsageError

VERBS: Final = ("capture", "perceive", "label", "decide", "act", "settle", "verify", "record")
"""The verbs of the loop, in loop order."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What is needed to build a stage again.

    Args:
        name: Versioned id such as ``contours-v1``.
        version: Version of the package that provides it.
        args: Options that differ from the defaults.
    """

    name: str
    version: str = ""
    args: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@cache
def _entries(verb: str) -> Mapping[str, metadata.EntryPoint]:
    if verb not in VERBS:
        raise UnknownName(f"no verb named {verb!r}", hint=f"verbs: {', '.join(VERBS)}")
    found: dict[str, metadata.EntryPoint] = {}
    for entry in metadata.entry_points(group=f"cuakit.{verb}"):
        if entry.name in found and found[entry.name].value != entry.value:
            raise UsageError(
                f"two packages provide {verb} stage {entry.name!r}: {found[entry.name].value} and {entry.value}",
                hint="uninstall one of them",
            )
        found[entry.name] = entry
    return MappingProxyType(found)


def stages(verb: str, pattern: str = "*") -> tuple[str, ...]:
    """Names of the stages for a verb, sorted; ``pattern`` is a shell glob."""
    return tuple(sorted(n for n in _entries(verb) if fnmatch(n, pattern)))


def get(verb: str, name: str) -> type[Any]:
    """The class behind a name.

    Raises:
        UnknownName: With close matches and the full list.
        MissingExtra: Its module needs a package that is not installed.
    """
    entries = _entries(verb)
    if name not in entries:
        close = difflib.get_close_matches(name, entries, n=3, cutoff=0.5)
        near = f" Close: {', '.join(map(repr, close))}." if close else ""
        raise UnknownName(
            f"no {verb} stage named {name!r}.{near}", hint=f"known: {', '.join(sorted(entries)) or 'none installed'}"
        )
    try:
        loaded: type[Any] = entries[name].load()
    except ModuleNotFoundError as lost:
        if lost.name and lost.name.partition(".")[0] == entries[name].value.partition(".")[0]:
            raise  # a module of the stage's own package: nothing that an extra could bring
        raise MissingExtra(
            f"{name!r} needs the package {lost.name!r}",
            hint="pip install 'cuakit[all]', or the extra named in the docs",
        ) from lost
    return loaded


def build(verb: str, name: str, /, **args: Any) -> Any:
    """A stage from its name and options.

    Raises:
        UnknownName: No such stage.
        UsageError: It does not take these options.
    """
    made = get(verb, name)
    try:
        return made(**args)
    except TypeError as wrong:
        known = ", ".join(f.name for f in fields(made)) if is_dataclass(made) else "see its documentation"
        raise UsageError(f"{name}: {wrong}", hint=f"options: {known}") from wrong


def spec(stage: Any) -> Spec:
    """Spec of a stage, however it was made.

    Raises:
        UsageError: The object is no stage.
    """
    name = getattr(type(stage), "stage_id", None)
    if not isinstance(name, str) or not is_dataclass(stage):
        raise UsageError(f"{type(stage).__name__} is no stage: a dataclass with stage_id is needed")
    args = {
        f.name: getattr(stage, f.name)
        for f in fields(stage)
        if f.init and f.repr and not _is_default(f, getattr(stage, f.name))
    }
    return Spec(name, package_version(type(stage).__module__.partition(".")[0]), MappingProxyType(args))


def package_version(package: str) -> str:
    """Version of an installed package, or empty."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _is_default(f: Any, value: Any) -> bool:
    if f.default is not MISSING:
        return bool(f.default == value)
    return bool(f.default_factory is not MISSING and f.default_factory() == value)
