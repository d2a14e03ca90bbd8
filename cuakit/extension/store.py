"""Extensions in place: where they lie, which one is current, and the check that each load repeats.

Layout below the home: ``NAME/current`` names a folder beside it, ``NAME/<version>-<digest>/`` holds the files and an
``install.json``. The pointer is replaced as the last step of an installation, so there is always a whole one or none.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from platformdirs import user_data_dir

from cuakit.extension import signed, sources, trust
from cuakit.extension.catalogue import MAX_BYTES, File, Release, is_inside, moment, parse, pick
from cuakit.extension.errors import ExtensionError

Standing = Literal["publisher-verified", "developer-unsigned-local"]

RECORD: Final = "install.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is kept of an installation.

    Args:
        installed: ISO time.
        licence: SPDX id that the user accepted.
        envelope: Catalogue file that it came from; None for one's own files.
        release: One's own release; None where the catalogue has it.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    installed: str
    licence: str
    envelope: signed.Envelope | None = None
    release: Release | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """An extension in place whose origin was checked just now.

    Args:
        release: What it is.
        folder: Where its files are.
        standing: Signed by a publisher we believe, or one's own files. Worked out anew each time, never read from a file.
        publisher: Who signed it; empty for one's own.
        record: How it came here.
    """

    release: Release
    folder: Path
    standing: Standing
    publisher: str
    record: Record

    def check_files(self) -> None:
        """Compare every file with the list.

        Raises:
            ExtensionError: One is missing or has other bytes (``artifact_invalid``).
        """
        for file in self.release.files:
            self.check_file(file)

    def check_file(self, file: File) -> None:
        """Compare one file with the list.

        Raises:
            ExtensionError: It is missing or has other bytes (``artifact_invalid``).
        """
        sources.check(file, self.folder)

    def sentence(self) -> str:
        """What it is and how far it can be trusted, for people and records."""
        who = f", {self.publisher}" if self.publisher else ""
        return f"{self.release.id} {self.release.version} ({self.release.licence.spdx}): {self.standing}{who}"


def home() -> Path:
    """``$CUAKIT_EXTENSIONS``, else a folder among the user's data."""
    return Path(os.environ.get("CUAKIT_EXTENSIONS") or Path(user_data_dir("cuakit", appauthor=False)) / "extensions")


def installed(id: str, *, at: Path | None = None) -> Installed:
    """The current installation of an extension, its signature checked again.

    Raises:
        ExtensionError: There is none (``not_installed``), or it is not what was installed.
        MissingExtra: It is signed, and the extra ``extension`` is not installed.
    """
    root = at or home()
    folder = root / id / stamp(id, at=root)
    try:
        with (folder / RECORD).open("rb") as file:
            record: Record = parse(Record, file.read(4 * MAX_BYTES))
    except OSError as wrong:
        raise ExtensionError("artifact_invalid", f"{folder / RECORD} cannot be read: {wrong}") from wrong
    if record.envelope is None:
        if record.release is None:
            raise ExtensionError("artifact_invalid", f"{folder / RECORD} names no release")
        release, who = pick((record.release,), id), ""
    else:
        # A key that was changed since does not undo an installation: it counted when this was put in place.
        found = signed.authentic(record.envelope, trust.read(root), moment(record.installed))
        release, who = pick(found.catalogue.releases, id), found.catalogue.publisher
    standing: Standing = "publisher-verified" if who else "developer-unsigned-local"
    return Installed(release=release, folder=folder, standing=standing, publisher=who, record=record)


def stamp(id: str, *, at: Path | None = None) -> str:
    """Name of the current installation's folder; another one after each installation.

    Raises:
        ExtensionError: There is none (``not_installed``).
    """
    folder = _current(at or home(), id)
    if folder is None:
        raise ExtensionError(
            "not_installed",
            f"the extension {id} is not installed",
            hint=f"cuakit extension install {id} --catalog FILE; nothing is downloaded by itself",
        )
    return folder.name


def names(*, at: Path | None = None) -> tuple[str, ...]:
    """Ids of what is installed."""
    root = at or home()
    return tuple(sorted(p.name for p in root.iterdir() if _current(root, p.name))) if root.is_dir() else ()


def remove(id: str, *, at: Path | None = None) -> bool:
    """Take an extension away; whether there was one. What was seen of its publisher stays remembered."""
    root = (at or home()) / id
    if not is_inside(id) or not root.is_dir():
        return False
    with contextlib.suppress(FileNotFoundError):
        (root / "current").unlink()
    shutil.rmtree(root)
    return True


def _current(root: Path, id: str) -> Path | None:
    """Folder of the current installation."""
    if not is_inside(id) or "/" in id:
        return None
    try:
        name = (root / id / "current").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    if not is_inside(name) or "/" in name:
        raise ExtensionError("artifact_invalid", f"{root / id / 'current'} names no folder beside it")
    return root / id / name
