"""The publisher's side: list the files of a release, sign a catalogue, hand over to a new key."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cuakit.core import codec
from cuakit.extension import keys
from cuakit.extension.catalogue import Catalogue, File
from cuakit.extension.signed import Envelope, Rotation, Signed


def list_files(folder: Path, names: Sequence[str]) -> tuple[File, ...]:
    """Size and digest of files below a folder."""
    found = []
    for name in names:
        data = (folder / name).read_bytes()
        found.append(File(path=name, size=len(data), sha256=hashlib.sha256(data).hexdigest()))
    return tuple(found)


def sign_catalogue(catalogue: Catalogue, private: bytes, rotations: Sequence[Signed] = ()) -> str:
    """Text of a catalogue file.

    Args:
        catalogue: What to sign.
        private: Private key, 32 bytes.
        rotations: Every rotation so far, the oldest first.

    Raises:
        MissingExtra: The extra ``extension`` is not installed.
    """
    envelope = Envelope(catalogue=_signed("catalogue", codec.dumps(catalogue), private), rotations=tuple(rotations))
    return codec.dumps(envelope) + "\n"


def rotate(publisher: str, old: bytes, new: str, *, since: datetime | None = None, retires: str = "") -> Signed:
    """The old key introduces a new one.

    Args:
        publisher: Whose keys they are.
        old: Private half of the old key, 32 bytes.
        new: Public half of the new key, 64 hex digits.
        since: From when the new key counts; now by default.
        retires: ISO time with zone from which the old key counts no longer; empty when it goes on.
    """
    at = (since or datetime.now(UTC)).isoformat()
    said = Rotation(publisher=publisher, key=new, since=at, retires=retires)
    return _signed("rotation", codec.dumps(said), old)


def _signed(kind: str, text: str, private: bytes) -> Signed:
    return Signed(text=text, key=keys.public_of(private), signature=keys.sign(kind, text, private))
