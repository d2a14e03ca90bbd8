"""Frames by content: one PNG per distinct picture, named by the digest of its pixels."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from cuakit.core.errors import RecordError
from cuakit.core.screenshot import Screenshot

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of frames, safe for many writers at once.

    A frame is written beside its place and renamed into it, so a reader sees all of it or nothing. It is not synced:
    after a power cut a frame may be missing or damaged, which reading tells, while the ledger is whole.

    Args:
        root: The folder; made when the first frame comes.
    """

    root: Path

    def path(self, digest: str) -> Path:
        """Where a frame is or would be.

        Raises:
            RecordError: The digest is not 64 hex digits; anything else could name a file outside the folder.
        """
        if not _DIGEST.fullmatch(digest):
            raise RecordError(f"not a frame digest: {digest[:80]!r}", hint="a digest has 64 hex digits")
        return self.root / digest[:2] / f"{digest}.png"

    def put(self, shot: Screenshot) -> str:
        """Keep a frame; one that is there already costs nothing.

        Returns:
            Its digest.

        Raises:
            RecordError: ``disk_full`` or ``record_failed``; no partial frame is left.
        """
        place = self.path(shot.digest)
        if place.exists():
            return shot.digest
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=place.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(shot.png())
                os.replace(name, place)  # noqa: PTH105 - the plain call says that it is atomic
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)  # noqa: PTH108 - same
                raise
        except OSError as wrong:
            full = wrong.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            raise RecordError(
                f"the frame {place} cannot be written: {wrong.strerror}",
                code="disk_full" if full else None,
                hint="free some space, or check who owns the folder, then run the same command with the same --out",
            ) from wrong
        return shot.digest

    def get(self, digest: str) -> Screenshot:
        """A frame, checked against its digest. Its scale is 1; the row that names it knows the true one.

        Raises:
            RecordError: ``frame_missing``, or ``frame_damaged`` when the pixels are not those of the digest.
        """
        place = self.path(digest)
        try:
            with Image.open(place) as picture:
                pixels = np.asarray(picture.convert("RGB"))
        except FileNotFoundError as lost:
            raise RecordError(f"no frame {digest} in {self.root}", code="frame_missing") from lost
        except (OSError, UnidentifiedImageError, SyntaxError) as wrong:
            raise _damaged(place) from wrong
        shot = Screenshot(pixels=pixels, source=f"frame:{digest[:12]}")
        if shot.digest != digest:
            raise _damaged(place)
        return shot


def _damaged(place: Path) -> RecordError:
    return RecordError(
        f"{place} does not hold the pixels it is named after",
        code="frame_damaged",
        hint="delete the file; the trial's row and score are not affected",
    )
