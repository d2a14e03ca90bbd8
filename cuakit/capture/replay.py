"""Frames that were taken before, one after the other, as if they came from a live screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import ClassVar, Final

from cuakit.capture.image import load_image
from cuakit.core.errors import InvalidImage
from cuakit.core.screenshot import Screenshot

SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
"""File endings that count as frames of a folder."""


@dataclass(frozen=True, kw_only=True)
class ReplayCapture:
    """Source stage that plays picture files in the order of their names and then holds the last one.

    Args:
        path: A folder of pictures, or one picture.
        scale: Physical pixels per logical point.
        loop: Whether it starts again after the last frame.

    Raises:
        InvalidImage: On the first call: ``image_not_found`` when there is no frame; later also the codes of
            :func:`cuakit.capture.image.load_image`.
    """

    stage_id: ClassVar[str] = "replay-v1"
    path: str
    scale: float = 1.0
    loop: bool = False
    _next: list[Iterator[Path]] = field(default_factory=list, init=False, repr=False, compare=False)

    def frames(self) -> tuple[Path, ...]:
        """Files that are played, in order."""
        root = Path(self.path)
        if not root.is_dir():
            return (root,)
        return tuple(sorted(p for p in root.iterdir() if p.suffix.lower() in SUFFIXES))

    def __call__(self) -> Screenshot:
        """The next frame."""
        if not self._next:
            files = self.frames()
            if not files:
                raise InvalidImage(
                    f"{self.path} holds no frames",
                    hint=f"put {', '.join(SUFFIXES)} files there",
                    code="image_not_found",
                )
            rounds = chain.from_iterable(repeat(files)) if self.loop else chain(files, repeat(files[-1]))
            self._next.append(rounds)
        return load_image(next(self._next[0]), scale=self.scale)
