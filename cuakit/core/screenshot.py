"""A frame: pixels, the scale they were drawn at, and the map from them to where input goes."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cuakit.core.errors import InvalidImage, UsageError
from cuakit.core.geometry import Affine, Box

MAX_SIDE = 16384
"""Longest side in pixels that a screenshot may have."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Screenshot:
    """One picture of one target, never changed after it was taken.

    Args:
        pixels: (H, W, 3) uint8 RGB; made read-only.
        scale: Physical pixels per logical point (2.0 on a 200 % display).
        taken_ns: Monotonic clock when the pixels were read, in nanoseconds; 0 for a file.
        source: Where it came from, such as ``image:form.png`` or ``page:https://…``.
        to_input: Map from these pixels to the space that input is injected in.

    Raises:
        InvalidImage: Wrong shape or dtype, an empty frame, or a side over 16 384 pixels.
    """

    pixels: NDArray[np.uint8]
    scale: float = 1.0
    taken_ns: int = 0
    source: str = "memory"
    to_input: Affine = field(default_factory=Affine)

    def __post_init__(self) -> None:
        p = self.pixels
        if p.ndim != 3 or p.shape[2] != 3 or p.dtype != np.uint8:
            raise InvalidImage(
                f"a screenshot needs (H, W, 3) uint8 pixels, got {p.shape} {p.dtype}",
                hint="convert first, for example with cuakit.load_image(path)",
            )
        if not min(p.shape[:2]) > 0 or max(p.shape[:2]) > MAX_SIDE:
            raise InvalidImage(
                f"a screenshot's sides must be 1 to {MAX_SIDE} pixels, got {p.shape[1]}×{p.shape[0]}",
                hint="crop or scale the picture down",
            )
        if not self.scale > 0:
            raise InvalidImage(f"scale must be positive, got {self.scale}")
        view = p.view()
        view.flags.writeable = False
        object.__setattr__(self, "pixels", view)

    @property
    def width(self) -> int:
        """Width in physical pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height in physical pixels."""
        return int(self.pixels.shape[0])

    @property
    def size(self) -> tuple[int, int]:
        """``(width, height)`` in physical pixels."""
        return self.width, self.height

    @cached_property
    def digest(self) -> str:
        """SHA-256 over size and pixels, 64 hex digits. Equal pixels, equal digest, whatever the file format."""
        h = hashlib.sha256(f"{self.width}x{self.height}:".encode())
        h.update(np.ascontiguousarray(self.pixels).data)
        return h.hexdigest()

    def crop(self, box: Box) -> NDArray[np.uint8]:
        """Pixels under a box, cut at the frame; may be empty."""
        left, top, right, bottom = box.clip(self.width, self.height).rounded()
        return self.pixels[top:bottom, left:right]

    def image(self) -> Image.Image:
        """As a Pillow picture."""
        return Image.fromarray(self.pixels)

    def fitted(self, longest: int) -> Screenshot:
        """The picture made smaller until its longer side is at most so many pixels; itself when it fits.

        A point of the small picture lies at ``x * width / small.width, y * height / small.height`` of this one.

        Args:
            longest: Most pixels of a side, 1 or more.

        Raises:
            UsageError: It is less than 1.
        """
        if longest < 1:
            raise UsageError(f"a picture's side cannot be {longest} pixels", hint="give 1 or more")
        if max(self.size) <= longest:
            return self
        factor = longest / max(self.size)
        size = max(1, round(self.width * factor)), max(1, round(self.height * factor))
        small = np.asarray(self.image().resize(size, Image.Resampling.BOX))
        back = Affine.scaling(self.width / size[0], self.height / size[1])
        return replace(self, pixels=small, scale=self.scale * factor, to_input=back.then(self.to_input))

    def png(self) -> bytes:
        """As PNG bytes, compressed for speed."""
        out = io.BytesIO()
        self.image().save(out, "PNG", compress_level=1)
        return out.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"Screenshot({self.width}×{self.height} @{self.scale:g}x, {self.source})"
