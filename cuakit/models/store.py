"""Bytes of known weights, checked at every load. Nothing is downloaded here."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from cuakit.core.errors import MissingExtra, ModelError
from cuakit.models.catalogue import ModelFile


def locate(model: ModelFile) -> Path:
    """Path of the file inside the installed package, found without importing the package.

    Raises:
        MissingExtra: The package is not installed.
        ModelError: It is installed but does not carry the file (code ``model_missing``).
    """
    found = find_spec(model.package)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra(
            f"{model.id} is carried by the package {model.package!r}, which is not installed",
            hint=f"pip install 'cuakit[{model.extra}]'",
        )
    path = Path(found.submodule_search_locations[0], *model.path.split("/"))
    if not path.is_file():
        raise ModelError(
            f"the installed {model.package} does not carry {model.path}",
            hint=f"install the version that cuakit was tested with: pip install 'cuakit[{model.extra}]'",
            code="model_missing",
        )
    return path


def read(model: ModelFile) -> bytes:
    """The whole file, verified. The very bytes that were checked are returned, so no one can swap them afterwards.

    Raises:
        MissingExtra: The package is not installed.
        ModelError: The file is missing (``model_missing``) or has other bytes (``model_digest_mismatch``).
    """
    path = locate(model)
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != model.sha256:
        raise ModelError(
            f"{path.name} has sha256 {digest[:16]}…, expected {model.sha256[:16]}…",
            hint=f"reinstall {model.package}; weights with other bytes are never run",
            code="model_digest_mismatch",
        )
    return data
