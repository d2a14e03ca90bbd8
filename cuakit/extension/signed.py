"""A signed catalogue: who signed it, whether that counts, whether it is fresh, and what it teaches about keys."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from cuakit.extension import keys
from cuakit.extension.catalogue import MAX_BYTES, Catalogue, moment, parse
from cuakit.extension.errors import ExtensionError
from cuakit.extension.trust import Key, Publisher, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A text with a signature over exactly that text.

    Args:
        text: JSON.
        key: Public key that signed, 64 hex digits.
        signature: Base64.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    text: str
    key: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The catalogue file: a signed catalogue, and signed rotations from older keys to newer ones, the oldest first."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    catalogue: Signed
    algorithm: str = keys.ALGORITHM
    rotations: tuple[Signed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """A key introduces its successor, and may say from when it counts no longer itself.

    Args:
        publisher: Whose keys they are.
        key: The new public key.
        since: ISO time with zone from which the new key counts.
        retires: ISO time with zone from which the signing key counts no longer; empty when it goes on.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    publisher: str
    key: str
    since: str
    retires: str = ""

    def __post_init__(self) -> None:
        for time in filter(None, (self.since, self.retires)):
            moment(time)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A catalogue that a believed key signed, and what is known of its publisher now."""

    catalogue: Catalogue
    publisher: Publisher


def open_envelope(data: bytes) -> Envelope:
    """The catalogue file, not verified yet.

    Raises:
        ExtensionError: It is too large or has another form (``catalogue_invalid``).
    """
    if len(data) > MAX_BYTES:
        raise ExtensionError("catalogue_invalid", f"{len(data)} bytes are more than the {MAX_BYTES} of a catalogue")
    made: Envelope = parse(Envelope, data)
    if made.algorithm != keys.ALGORITHM:
        raise ExtensionError("catalogue_invalid", f"algorithm {made.algorithm!r} is not {keys.ALGORITHM}")
    return made


def authentic(envelope: Envelope, trust: Trust, now: datetime) -> Verified:
    """A catalogue by someone we believe, however old: what an installed extension must still be.

    Raises:
        ExtensionError: ``publisher_unknown`` or ``signature_invalid``.
        MissingExtra: The extra ``extension`` is not installed.
    """
    said: Catalogue = parse(Catalogue, envelope.catalogue.text)
    known = trust.publisher(said.publisher)
    for step in envelope.rotations:
        known = _follow(known, step, said.publisher)
    signer = known.key(envelope.catalogue.key)
    if signer is None:
        raise ExtensionError(
            "publisher_unknown",
            f"key {envelope.catalogue.key[:16]}… is none that {said.publisher} is known by",
        )
    if not signer.counts(now):
        raise ExtensionError("signature_invalid", f"key {signer.public[:16]}… of {said.publisher} does not count now")
    if not _signed("catalogue", envelope.catalogue):
        raise ExtensionError("signature_invalid", "the signature does not fit the catalogue")
    return Verified(catalogue=said, publisher=known)


def fresh(envelope: Envelope, trust: Trust, now: datetime) -> Verified:
    """An authentic catalogue that is current: what may be installed from.

    Returns:
        The catalogue, and the publisher with this catalogue remembered as the newest.

    Raises:
        ExtensionError: As :func:`authentic`, or ``catalogue_expired``, ``catalogue_older``, ``catalogue_conflict``, or
            ``catalogue_invalid`` when it comes from the future.
    """
    found = authentic(envelope, trust, now)
    said, known = found.catalogue, found.publisher
    if now >= moment(said.expires):
        raise ExtensionError("catalogue_expired", f"the catalogue expired at {said.expires}")
    if now < moment(said.issued):
        raise ExtensionError(
            "catalogue_invalid", f"the catalogue is from {said.issued}", hint="check this machine's clock"
        )
    digest = hashlib.sha256(envelope.catalogue.text.encode()).hexdigest()
    if said.version < known.newest:
        raise ExtensionError("catalogue_older", f"catalogue {said.version} is older than {known.newest}, seen before")
    if said.version == known.newest and known.digest not in ("", digest):
        raise ExtensionError("catalogue_conflict", f"another catalogue {said.version} of {said.publisher} was seen")
    return Verified(catalogue=said, publisher=replace(known, newest=said.version, digest=digest))


def _signed(kind: str, what: Signed) -> bool:
    return keys.is_signed(kind, what.text, what.signature, what.key)


def _follow(known: Publisher, step: Signed, name: str) -> Publisher:
    """What is known after a rotation.

    A key that has been given up introduces nobody, whatever date the rotation bears: whoever found it could choose one.
    A step that is known already teaches nothing, so an old chain does not bring back a key that was given up.
    """
    said: Rotation = parse(Rotation, step.text)
    signer = known.key(step.key)
    if said.publisher != name or signer is None or not _signed("rotation", step):
        raise ExtensionError("signature_invalid", "a rotation is not signed by a key of the publisher before it")
    new = known.key(said.key)
    if signer.until and new is None:
        raise ExtensionError("signature_invalid", f"key {signer.public[:16]}… has been given up and introduces nobody")
    if said.retires and not signer.until:
        known = known.with_key(replace(signer, until=said.retires))
    return known if new is not None else known.with_key(Key(public=said.key, since=said.since))
