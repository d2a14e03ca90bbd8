"""What a publisher says about an extension: plain data, checked field by field. Knows nothing about signatures."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from cuakit.core import codec
from cuakit.core.errors import UsageError
from cuakit.extension.errors import ExtensionError

PROTOCOL: Final = "cuakit-extension/1"
"""What is spoken with the worker; a release for another one is refused."""

MAX_BYTES: Final = 1 << 20
"""Largest catalogue."""

MAX_FILE: Final = 4 << 30
"""Largest file of an extension."""

_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""A folder beside ``trust.json`` and ``.lock`` bears it, so it can be neither."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_STRICT: Final[Mapping[str, Any]] = {"extra": "forbid"}


def _check(*, ok: bool, what: str) -> None:
    if not ok:
        raise ValueError(what)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file: where it lies inside the extension, and the bytes it must have."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    path: str
    size: int
    sha256: str

    def __post_init__(self) -> None:
        _check(ok=is_inside(self.path), what=f"path {self.path!r} does not stay inside")
        _check(ok=bool(_SHA256.fullmatch(self.sha256)), what="sha256 must be 64 small hex digits")
        _check(ok=0 <= self.size <= MAX_FILE, what=f"size must lie in 0 to {MAX_FILE}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """The licence that a user accepts: SPDX id, the notice that is shown, and where the source is."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    spdx: str
    notice: str
    source: str

    def __post_init__(self) -> None:
        _check(ok=bool(self.spdx.strip() and self.notice.strip()), what="a licence needs its SPDX id and its notice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Which of the files is the network, and what it is called in records."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    id: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One version of one extension.

    Args:
        id: Such as ``omniparser``.
        version: Of the extension.
        title: For people.
        protocol: See :data:`PROTOCOL`.
        targets: ``any``, or platforms such as ``linux-x86_64`` (see :func:`target`).
        licence: Of its files.
        model: The network among them.
        files: All files.
        url: Where the files can be had: a folder, or a zip; empty when they come with the catalogue.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    id: str
    version: str
    title: str
    protocol: str
    targets: tuple[str, ...]
    licence: Licence
    model: Network
    files: tuple[File, ...]
    url: str = ""

    def __post_init__(self) -> None:
        _check(ok=bool(_ID.fullmatch(self.id)), what=f"id {self.id!r} is no short name")
        _check(ok=bool(_NAME.fullmatch(self.version)), what=f"version {self.version!r} is no short word")
        paths = [f.path for f in self.files]
        _check(ok=len({p.casefold() for p in paths}) == len(paths), what="two files share a path")
        _check(ok=self.model.path in paths, what=f"model {self.model.path!r} is not among the files")

    @property
    def network(self) -> File:
        """The file that holds the network."""
        return next(f for f in self.files if f.path == self.model.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What is signed: releases, a number that only grows, and a date after which it is not to be installed from.

    Args:
        publisher: Who says so.
        version: Grows with every catalogue.
        issued: ISO time with zone.
        expires: ISO time with zone.
        releases: One per id and target.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    publisher: str
    version: int
    issued: str
    expires: str
    releases: tuple[Release, ...]

    def __post_init__(self) -> None:
        _check(ok=bool(_NAME.fullmatch(self.publisher)), what=f"publisher {self.publisher!r} is no short name")
        _check(ok=self.version >= 1, what="version must be at least 1")
        _check(ok=moment(self.issued) < moment(self.expires), what="it expires before it is issued")


def is_inside(path: str) -> bool:
    """Whether a path names something below the folder that it is relative to, on every system.

    >>> is_inside("weights/model.onnx"), is_inside("../model.onnx"), is_inside("C:/model.onnx")
    (True, False, False)
    """
    parts = path.split("/")
    odd = any(c in path for c in '\\:*?"<>|') or any(ord(c) < 32 for c in path)
    return bool(path) and not odd and not any(p in ("", ".", "..") or p != p.strip(" .") for p in parts)


def moment(text: str) -> datetime:
    """A point in time.

    Raises:
        ValueError: It is no ISO time, or has no zone.
    """
    at = datetime.fromisoformat(text)
    _check(ok=at.tzinfo is not None, what=f"time {text!r} has no zone")
    return at


def target() -> str:
    """This platform, such as ``linux-x86_64``, ``macos-arm64`` or ``windows-x86_64``."""
    system = {"darwin": "macos"}.get(platform.system().lower(), platform.system().lower())
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{machine}"


def parse(kind: type[Any], text: str | bytes) -> Any:
    """A catalogue or a release from JSON.

    Raises:
        ExtensionError: It is no such thing (``catalogue_invalid``).
    """
    try:
        data = json.loads(text)
        return codec.load(kind, data)
    except UsageError as wrong:
        raise ExtensionError("catalogue_invalid", wrong.message) from wrong
    except (ValueError, RecursionError) as wrong:
        raise ExtensionError("catalogue_invalid", f"no JSON: {wrong}") from wrong


def pick(releases: tuple[Release, ...], id: str, *, here: str = "") -> Release:
    """The release for this machine.

    Args:
        releases: To choose from.
        id: Of the extension.
        here: Platform; this one by default.

    Raises:
        ExtensionError: None of that id (``catalogue_invalid``), for this platform (``target_mismatch``) or for this
            protocol (``incompatible_protocol``).
    """
    here = here or target()
    named = [r for r in releases if r.id == id]
    if not named:
        known = ", ".join(sorted({r.id for r in releases})) or "none"
        raise ExtensionError("catalogue_invalid", f"no extension {id!r} in this catalogue", hint=f"it offers: {known}")
    fit = [r for r in named if here in r.targets or "any" in r.targets]
    if not fit:
        offered = ", ".join(sorted({t for r in named for t in r.targets}))
        raise ExtensionError("target_mismatch", f"{id} is for {offered}, and this is {here}")
    speak = [r for r in fit if r.protocol == PROTOCOL]
    if not speak:
        raise ExtensionError("incompatible_protocol", f"{id} speaks {fit[0].protocol}, and this version {PROTOCOL}")
    return speak[0]
