"""Putting an extension in place: first a plan that a person can read, then exactly that plan.

A plan has no side effect and fetches nothing. Its digest covers all that it says; to confirm is to name the digest, so
what is installed is what was shown.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from cuakit.backends.lock import file_lock
from cuakit.core import codec
from cuakit.core.errors import UsageError
from cuakit.extension import signed, sources, store, trust
from cuakit.extension.catalogue import MAX_BYTES, Release, parse, pick
from cuakit.extension.errors import ExtensionError
from cuakit.extension.store import Installed, Record, Standing

MANIFEST: Final = "extension.json"
"""The release of one's own files, in their folder."""

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an installation would do.

    Args:
        release: What would be put in place.
        source: Where its files would be read from.
        standing: How far it can be trusted.
        publisher: Who signed it; empty for one's own files.
        catalogue_version: Of the catalogue; 0 for one's own files.
        expires: When the catalogue expires; empty for one's own files.
        envelope: The catalogue file.
    """

    release: Release
    source: str
    standing: Standing
    publisher: str = ""
    catalogue_version: int = 0
    expires: str = ""
    envelope: signed.Envelope | None = None

    @property
    def digest(self) -> str:
        """16 hex digits over everything that it says."""
        return codec.digest([self.release, self.source, self.standing, self.publisher, self.catalogue_version])[:16]

    def summary(self) -> dict[str, Any]:
        """Everything that a person should see before saying yes."""
        r = self.release
        return {
            "extension": r.id,
            "version": r.version,
            "title": r.title,
            "standing": self.standing,
            "publisher": self.publisher,
            "catalogue_version": self.catalogue_version,
            "expires": self.expires,
            "licence": r.licence.spdx,
            "notice": r.licence.notice,
            "licence_source": r.licence.source,
            "source": self.source,
            "fetches": sources.is_url(self.source),
            "bytes": sum(f.size for f in r.files),
            "files": [f.path for f in r.files],
            "plan": self.digest,
        }


def plan(
    id: str, catalogue: Path, *, source: str = "", here: str = "", at: Path | None = None, clock: Clock = _now
) -> Plan:
    """What installing from a signed catalogue would do.

    Args:
        id: Of the extension.
        catalogue: The catalogue file.
        source: Folder, zip or mirror with the files, instead of what the catalogue names, or its own folder.
        here: Platform; this one by default.
        at: Home of the extensions.
        clock: Time now.

    Raises:
        ExtensionError: The catalogue is not to be installed from; the code says why.
        UsageError: There is no such file.
        MissingExtra: The extra ``extension`` is not installed.
    """
    try:
        with catalogue.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as wrong:
        raise UsageError(
            f"{catalogue} cannot be read: {wrong.strerror}", hint="pass the catalogue as a file"
        ) from wrong
    envelope = signed.open_envelope(data)
    found = signed.fresh(envelope, trust.read(at or store.home()), clock())
    release = pick(found.catalogue.releases, id, here=here)
    return Plan(
        release=release,
        source=source or release.url or str(catalogue.parent),
        standing="publisher-verified",
        publisher=found.catalogue.publisher,
        catalogue_version=found.catalogue.version,
        expires=found.catalogue.expires,
        envelope=envelope,
    )


def plan_own(id: str, folder: Path, *, here: str = "") -> Plan:
    """What installing one's own, unsigned files would do.

    Args:
        id: Of the extension.
        folder: With the files and an ``extension.json`` that lists them.
        here: Platform; this one by default.

    Raises:
        ExtensionError: The list is missing or wrong (``catalogue_invalid``), or for another platform.
    """
    try:
        with (folder / MANIFEST).open("rb") as file:
            release: Release = parse(Release, file.read(MAX_BYTES))
    except OSError as wrong:
        raise ExtensionError("catalogue_invalid", f"{folder / MANIFEST} cannot be read: {wrong.strerror}") from wrong
    return Plan(release=pick((release,), id, here=here), source=str(folder), standing="developer-unsigned-local")


def install(what: Plan, *, confirm: str, accept_licence: str, at: Path | None = None, clock: Clock = _now) -> Installed:
    """Carry out a plan, whole or not at all.

    Args:
        what: The plan.
        confirm: Digest of the plan as it was shown.
        accept_licence: SPDX id of the licence, as the user's word that it is accepted.
        at: Home of the extensions.
        clock: Time now.

    Raises:
        ExtensionError: ``plan_changed``, ``licence_not_accepted``, ``artifact_invalid``, ``fetch_failed``, or the catalogue
            expired or was overtaken since the plan was made.
    """
    release, root, now = what.release, at or store.home(), clock()
    if confirm != what.digest:
        raise ExtensionError("plan_changed", f"the plan is {what.digest} now, and {confirm or 'nothing'} was confirmed")
    if accept_licence != release.licence.spdx:
        raise ExtensionError(
            "licence_not_accepted", f"{release.id} is licensed {release.licence.spdx}", hint=_how_to_accept(what)
        )
    root.mkdir(parents=True, exist_ok=True)
    with file_lock(root / ".lock"):
        if what.envelope is not None:
            believed = trust.read(root)
            found = signed.fresh(what.envelope, believed, now)
            trust.write(root, believed.knowing(found.catalogue.publisher, found.publisher))
        record = Record(
            installed=now.isoformat(),
            licence=accept_licence,
            envelope=what.envelope,
            release=None if what.envelope else release,
        )
        _place(what, record, root / release.id)
        return store.installed(release.id, at=root)


def _how_to_accept(what: Plan) -> str:
    return f"read the notice in the preview; if you accept it: --accept-licence {what.release.licence.spdx}"


def _place(what: Plan, record: Record, home: Path) -> None:
    """All files into a new folder, then the pointer, then the old folders go."""
    release = what.release
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=home) as scratch:
        new, other = Path(scratch, "files"), Path(scratch, "other")
        new.mkdir()
        other.mkdir()
        size = sum(f.size for f in release.files)
        with sources.opened(what.source, other, 2 * size + MAX_BYTES) as source:
            sources.copy_all(release, source, new)
        trust.write_whole(new / store.RECORD, codec.dumps(record))
        name = f"{release.version}-{what.digest}-{secrets.token_hex(4)}"
        new.rename(home / name)
    trust.write_whole(home / "current", name)
    for old in home.iterdir():
        if old.is_dir() and old.name != name:
            shutil.rmtree(old, ignore_errors=os.name == "nt")  # a network that is in use cannot be removed there
