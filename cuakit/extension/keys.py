"""Ed25519 signatures over exact text, each kind of text with its own prefix so that none can be passed off as another."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final

from cuakit.core.errors import MissingExtra, UsageError

ALGORITHM: Final = "Ed25519"
_PREFIX: Final = "cuakit extension {kind} v1\n"
_HEX: Final = re.compile(r"[0-9a-f]{64}")


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("signatures need the package cryptography", hint="pip install 'cuakit[extension]'") from lost
    return ed25519


def message(kind: str, text: str) -> bytes:
    """What is signed for a text of a kind."""
    return (_PREFIX.format(kind=kind) + text).encode()


def is_signed(kind: str, text: str, signature: str, key: str) -> bool:
    """Whether a key signed a text.

    Args:
        kind: ``catalogue`` or ``rotation``.
        text: Exact text.
        signature: Base64 of 64 bytes.
        key: Public key, 64 hex digits.

    Raises:
        MissingExtra: The extra ``extension`` is not installed.
    """
    kinds = _ed25519()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see _ed25519

    try:
        raw = base64.b64decode(signature, validate=True)
        kinds.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(raw, message(kind, text))
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


def sign(kind: str, text: str, private: bytes) -> str:
    """Base64 signature of a text.

    Args:
        kind: ``catalogue`` or ``rotation``.
        text: Exact text.
        private: Private key, 32 bytes.
    """
    key = _ed25519().Ed25519PrivateKey.from_private_bytes(private)
    return base64.b64encode(key.sign(message(kind, text))).decode()


def new_private() -> bytes:
    """A new private key, 32 bytes."""
    made: bytes = _ed25519().Ed25519PrivateKey.generate().private_bytes_raw()
    return made


def public_of(private: bytes) -> str:
    """Public key of a private one, 64 hex digits."""
    made: bytes = _ed25519().Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    return made.hex()


def read_public(text: str) -> str:
    """A public key as a person has it: 64 hex digits, or PEM.

    Raises:
        UsageError: It is neither.
        MissingExtra: The extra ``extension`` is not installed.
    """
    plain = text.strip().lower()
    if _HEX.fullmatch(plain):
        return plain
    kinds = _ed25519()
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - see _ed25519

    try:
        made = serialization.load_pem_public_key(text.encode())
    except ValueError as wrong:
        raise UsageError("this is no public key", hint="64 hex digits, or a PEM file of an Ed25519 key") from wrong
    if not isinstance(made, kinds.Ed25519PublicKey):
        raise UsageError("this is no Ed25519 key", hint="64 hex digits, or a PEM file of an Ed25519 key")
    key: str = made.public_bytes_raw().hex()
    return key
