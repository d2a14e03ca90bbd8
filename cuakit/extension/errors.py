"""One class for everything that can be wrong with an extension; the code says what."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cuakit.core.errors import ModelError

EXTENSION_CODES: Final[Mapping[str, tuple[bool, str]]] = MappingProxyType(
    {
        "not_installed": (False, "cuakit extension install NAME --catalog FILE; nothing is downloaded by itself"),
        "catalogue_invalid": (False, "ask its publisher for another copy"),
        "catalogue_expired": (False, "get a newer catalogue from its publisher, and check this machine's clock"),
        "catalogue_older": (False, "get the newest catalogue; an older one could bring back a mended fault"),
        "catalogue_conflict": (False, "two catalogues of one version differ: ask the publisher which is right"),
        "publisher_unknown": (
            False,
            "cuakit extension trust PUBLISHER KEYFILE, with a key you have from the publisher",
        ),
        "signature_invalid": (False, "do not use this file; get it again from its publisher"),
        "target_mismatch": (False, "ask the publisher for a release for this platform"),
        "artifact_invalid": (False, "get the files again; other bytes than the signed ones are never loaded"),
        "fetch_failed": (True, "check the connection, or pass a local folder or zip with --source"),
        "licence_not_accepted": (False, "read the licence, and name it with --accept-licence if you accept it"),
        "plan_changed": (False, "look at the preview again, then confirm what it says now"),
        "trust_damaged": (False, "restore the file from a backup; deleting it forgets what was trusted and seen"),
        "unsupported_platform": (False, "the worker needs a way to give up the network; see the docs on extensions"),
        "worker_launch_failed": (False, "pip install 'cuakit[extension]', then cuakit extension status --self-test"),
        "worker_crashed": (True, "call again: a new worker is started; what it was doing is not done twice"),
        "timeout": (True, "give it more time, or a smaller long_side"),
        "invalid_frame": (True, "call again: a new worker is started"),
        "incompatible_protocol": (False, "install the release that fits this version of cuakit"),
        "resource_limit_exceeded": (False, "use a smaller long_side, or raise memory_mb"),
        "inference_failed": (True, "try runtime='onnxruntime' and a smaller long_side"),
    }
)
"""Code → (retryable, what to do next)."""


class ExtensionError(ModelError):
    """An extension is not there, not to be trusted, or did not do its work; the code is one of :data:`EXTENSION_CODES`.

    Args:
        code: What kind of failure.
        message: What was found.
        hint: What to do next, where more than the usual is known.
    """

    code = "not_installed"

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        retryable, usual = EXTENSION_CODES[code]
        super().__init__(message, hint=hint or usual, code=code, retryable=retryable)
