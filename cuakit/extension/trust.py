"""Whom we believe: keys that the user pinned, keys that those handed over to, and the newest catalogue seen.

A publisher's first key comes from the user, never from a catalogue. The file that remembers all this lies beside the
extensions; somebody who can write there is the user.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from cuakit.core import codec
from cuakit.core.errors import UsageError
from cuakit.extension.catalogue import moment
from cuakit.extension.errors import ExtensionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A public key of a publisher: from when it counts, and from when no longer; empty for always."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    public: str
    since: str = ""
    until: str = ""

    def counts(self, now: datetime) -> bool:
        """Whether what it signed is believed."""
        return not (self.since and now < moment(self.since)) and not (self.until and now >= moment(self.until))


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """What is known of one publisher.

    Args:
        keys: Pinned ones and their successors.
        newest: Version of the newest catalogue that was installed from.
        digest: SHA-256 of that catalogue's text.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    keys: tuple[Key, ...] = ()
    newest: int = 0
    digest: str = ""

    def key(self, public: str) -> Key | None:
        """Key by its public half."""
        return next((k for k in self.keys if k.public == public), None)

    def with_key(self, key: Key) -> Publisher:
        """The same with a key added, or changed."""
        return replace(self, keys=(*(k for k in self.keys if k.public != key.public), key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Publishers by name."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    publishers: Mapping[str, Publisher] = field(default_factory=lambda: MappingProxyType({}))

    def publisher(self, name: str) -> Publisher:
        """What is known of a publisher.

        Raises:
            ExtensionError: None of its keys was pinned (``publisher_unknown``).
        """
        if name not in self.publishers:
            known = ", ".join(sorted(self.publishers)) or "nobody"
            raise ExtensionError("publisher_unknown", f"no key of publisher {name!r} is pinned; trusted: {known}")
        return self.publishers[name]

    def knowing(self, name: str, publisher: Publisher) -> Trust:
        """The same with more known of a publisher."""
        return Trust(publishers=MappingProxyType({**self.publishers, name: publisher}))

    def pin(self, name: str, public: str) -> Trust:
        """The same with a key of a publisher believed from now on."""
        return self.knowing(name, self.publishers.get(name, Publisher()).with_key(Key(public=public)))


def read(home: Path) -> Trust:
    """What was remembered; nothing when there is no file yet.

    Raises:
        ExtensionError: The file is damaged (``trust_damaged``): to begin anew would forget what was seen.
    """
    path = home / "trust.json"
    try:
        made: Trust = codec.load(Trust, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Trust()
    except (OSError, ValueError, UsageError) as wrong:
        raise ExtensionError("trust_damaged", f"{path} cannot be read: {wrong}") from wrong
    return made


def write(home: Path, trust: Trust) -> None:
    """Remember, all or nothing."""
    write_whole(home / "trust.json", codec.dumps(trust))


def write_whole(path: Path, text: str) -> None:
    """A file that is there with its whole text or not at all, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            Path(file.name).unlink()
            raise
    Path(file.name).replace(path)
