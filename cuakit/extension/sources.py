"""Where the files of an extension come from: a folder, a zip, or a mirror. Each is checked while it is copied.

Names are taken from the signed list alone, never from the source, and a file is no longer than the list says: a zip that
unpacks to more than it promises is cut off.
"""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Protocol

from cuakit.extension.catalogue import File, Release, is_inside
from cuakit.extension.errors import ExtensionError

_CHUNK: Final = 1 << 20
_LOOPBACK: Final = {("http", "127.0.0.1"), ("http", "localhost")}


class Source(Protocol):
    """Something that files can be read from by their name in the list."""

    def open(self, name: str) -> IO[bytes]:
        """A file of it; the caller closes it."""
        ...


class Folder:
    """A folder; links that lead out of it are refused."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def open(self, name: str) -> IO[bytes]:
        """A file of it.

        Raises:
            ExtensionError: It is missing, no plain file, or lies outside (``artifact_invalid``).
        """
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root) or not path.is_file():
            raise ExtensionError("artifact_invalid", f"{name} is no file inside {self.root}")
        return path.open("rb")


class Zip:
    """A zip file. One that holds a name outside itself is refused as a whole, whether or not that name is wanted."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self.file = file
        outside = [n for n in file.namelist() if not is_inside(n.removesuffix("/"))]
        if outside:
            raise ExtensionError("artifact_invalid", f"the zip holds {outside[0][:80]!r}, a path outside itself")

    def open(self, name: str) -> IO[bytes]:
        """A file of it.

        Raises:
            ExtensionError: It is missing or cannot be read (``artifact_invalid``).
        """
        try:
            return self.file.open(name)
        except (KeyError, RuntimeError, NotImplementedError) as wrong:  # absent, encrypted, or packed in an odd way
            raise ExtensionError("artifact_invalid", f"the zip does not hold a readable {name}") from wrong


class Mirror:
    """A folder on a web server: https, or http on this machine."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def open(self, name: str) -> IO[bytes]:
        """A file of it.

        Raises:
            ExtensionError: It cannot be had (``fetch_failed``).
        """
        return fetch(f"{self.url}/{urllib.parse.quote(name)}")


def fetch(url: str) -> IO[bytes]:
    """The body behind an address.

    Raises:
        ExtensionError: The scheme is not allowed, or the server does not give it (``fetch_failed``).
    """
    where = urllib.parse.urlsplit(url)
    if where.scheme != "https" and (where.scheme, where.hostname) not in _LOOPBACK:
        raise ExtensionError("fetch_failed", f"refusing {url[:80]!r}", hint="use https, or a server on this machine")
    try:
        body: IO[bytes] = urllib.request.urlopen(url, timeout=60)  # noqa: S310 - the scheme is checked above
    except (OSError, urllib.error.URLError) as wrong:
        if isinstance(wrong, urllib.error.HTTPError):
            wrong.close()  # it holds the connection
        raise ExtensionError("fetch_failed", f"{url[:120]} cannot be had: {wrong}") from wrong
    return body


def is_url(where: str) -> bool:
    """Whether a place is on the web."""
    return "://" in where


@contextmanager
def opened(where: str, scratch: Path, limit: int) -> Iterator[Source]:
    """A source by its place.

    Args:
        where: Path of a folder or zip, or URL of a folder or of a zip.
        scratch: Folder for a zip that is fetched.
        limit: Most bytes of a zip that is fetched.

    Raises:
        ExtensionError: There is nothing of the kind (``artifact_invalid``), or it cannot be had (``fetch_failed``).
    """
    path = Path(where)
    if is_url(where):
        if not urllib.parse.urlsplit(where).path.endswith(".zip"):
            yield Mirror(where)
            return
        path = scratch / "fetched.zip"
        with fetch(where) as body, path.open("wb") as out:
            _copy(body, out, limit, where)
    if path.is_dir():
        yield Folder(path)
        return
    try:
        with zipfile.ZipFile(path) as file:
            yield Zip(file)
    except (OSError, zipfile.BadZipFile) as wrong:
        raise ExtensionError("artifact_invalid", f"{where} is neither a folder nor a zip: {wrong}") from wrong


def copy_all(release: Release, source: Source, into: Path) -> None:
    """All files of a release, checked.

    Raises:
        ExtensionError: One is missing, longer or shorter than signed, or has other bytes (``artifact_invalid``).
    """
    for file in release.files:
        to = into / file.path
        to.parent.mkdir(parents=True, exist_ok=True)
        with source.open(file.path) as body, to.open("wb") as out:
            try:
                digest = _copy(body, out, file.size, file.path)
            except (zipfile.BadZipFile, EOFError) as wrong:
                raise ExtensionError("artifact_invalid", f"{file.path} is damaged: {wrong}") from wrong
            out.flush()
            os.fsync(out.fileno())
        _compare(file, to.stat().st_size, digest)


def check(file: File, folder: Path) -> None:
    """A file that is in place already.

    Raises:
        ExtensionError: It is missing or has other bytes (``artifact_invalid``).
    """
    with Folder(folder).open(file.path) as body:
        size = os.fstat(body.fileno()).st_size
        _compare(file, size, _digest(body))


def _copy(body: IO[bytes], out: IO[bytes], limit: int, name: str) -> str:
    """Copy and hash, at most ``limit`` bytes."""
    digest, left = hashlib.sha256(), limit
    try:
        while chunk := body.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise ExtensionError("artifact_invalid", f"{name} is longer than the {limit} bytes it should have")
            digest.update(chunk)
            out.write(chunk)
    except urllib.error.URLError as wrong:
        raise ExtensionError("fetch_failed", f"{name} broke off: {wrong}") from wrong
    return digest.hexdigest()


def _digest(body: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := body.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _compare(file: File, size: int, digest: str) -> None:
    if size != file.size:
        raise ExtensionError("artifact_invalid", f"{file.path} has {size} bytes, expected {file.size}")
    if digest != file.sha256:
        raise ExtensionError("artifact_invalid", f"{file.path} has sha256 {digest[:16]}…, expected {file.sha256[:16]}…")
