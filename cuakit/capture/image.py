"""A picture file as a screenshot: every way a file can be wrong has its own code, and nothing is guessed silently."""

from __future__ import annotations

import io
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from cuakit.core.errors import InvalidImage
from cuakit.core.screenshot import MAX_SIDE, Screenshot

FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
"""Formats that are opened. Others are refused by name: some of Pillow's decoders start other programs."""

MAX_PIXELS: Final = 80_000_000
"""Most pixels that are decoded, 240 MB as RGB: room for two 8K displays, and below Pillow's own bomb warning."""

MAX_BYTES: Final = 256 * 1024 * 1024
"""Largest file that is read."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def load_image(source: str | Path | bytes, *, scale: float = 1.0) -> Screenshot:
    """Read a picture from a file or from bytes.

    Transparency is composited on white, as a page would show it; palettes, greyscale, CMYK and 16-bit samples become
    8-bit RGB; the camera's orientation tag is applied. Of an animation the first frame is taken and
    ``Screenshot.source`` says so.

    Args:
        source: Path of a PNG, JPEG, WebP, GIF, BMP, TIFF or PPM file, or its bytes.
        scale: Physical pixels per logical point of the display it was taken on.

    Returns:
        A screenshot with ``taken_ns`` 0 and ``source`` such as ``image:form.png``.

    Raises:
        InvalidImage: With one of the codes ``image_not_found``, ``image_is_directory``, ``image_not_a_file``,
            ``image_unreadable``, ``image_too_many_bytes``, ``image_empty``, ``image_not_a_picture``,
            ``image_too_large``, ``image_too_many_pixels``, ``image_truncated``, ``image_mode_unsupported``.
    """
    if isinstance(source, bytes):
        data, label = source, "bytes"
    else:
        path = Path(source)
        data, label = _read(path), path.name
    if not data:
        raise InvalidImage(f"{label} holds no bytes", hint="save the screenshot again", code="image_empty")
    with _open(data, label) as picture:
        frames = _frames(picture)
        _check_size(picture.size, label)
        pixels = _decode(picture, label)
    note = f" (first of {frames} frames)" if frames > 1 else ""
    return Screenshot(pixels=pixels, scale=scale, source=f"image:{label}{note}")


@dataclass(frozen=True, kw_only=True)
class ImageFile:
    """Source stage that reads the same picture file on every call.

    Args:
        path: Picture file; see :func:`load_image` for formats and errors.
        scale: Physical pixels per logical point.
    """

    stage_id: ClassVar[str] = "image-v1"
    path: str
    scale: float = 1.0

    def __call__(self) -> Screenshot:
        """The picture as it is on disk now."""
        return load_image(self.path, scale=self.scale)


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InvalidImage(f"{path} is a folder", hint="name one picture file inside it", code="image_is_directory")
        if not stat.S_ISREG(status.st_mode):
            raise InvalidImage(
                f"{path} is a device or pipe", hint="save it to a regular file first", code="image_not_a_file"
            )
        if status.st_size > MAX_BYTES:
            raise InvalidImage(
                f"{path} has {status.st_size} bytes, more than {MAX_BYTES}",
                hint="a screenshot is far smaller; crop it or save it as PNG",
                code="image_too_many_bytes",
            )
        return path.read_bytes()
    except FileNotFoundError as lost:
        raise InvalidImage(
            f"there is no file {path}",
            hint="check the path; it is relative to the working folder",
            code="image_not_found",
        ) from lost
    except (OSError, ValueError) as wrong:  # ValueError: a null byte in the path
        raise InvalidImage(
            f"cannot read {path}: {wrong}", hint="check its permissions", code="image_unreadable"
        ) from wrong


def _open(data: bytes, label: str) -> Image.Image:
    if data.startswith(_PNG) and len(data) >= 24 and 0 in (_be32(data[16:20]), _be32(data[20:24])):
        raise InvalidImage(
            f"{label} is {_be32(data[16:20])}×{_be32(data[20:24])} pixels", hint="take it again", code="image_empty"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # _check_size refuses earlier and says more
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as wrong:
        raise InvalidImage(
            f"{label} is no picture that can be read ({_looks_like(data)})",
            hint=f"use one of {', '.join(FORMATS)}",
            code="image_not_a_picture",
        ) from wrong
    except Image.DecompressionBombError as bomb:
        raise _too_many(label, str(bomb)) from bomb
    except Exception as wrong:  # boundary: Pillow's header parsers raise whatever a damaged file makes them trip over
        raise _truncated(label, wrong) from wrong


def _check_size(size: tuple[int, int], label: str) -> None:
    width, height = size
    if min(size) < 1:
        raise InvalidImage(f"{label} is {width}×{height} pixels", hint="take it again", code="image_empty")
    if width * height > MAX_PIXELS:
        raise _too_many(label, f"{width}×{height} pixels")
    if max(size) > MAX_SIDE:
        raise InvalidImage(
            f"{label} is {width}×{height} pixels; a side may have {MAX_SIDE}",
            hint="crop it to the part that matters, or scale it down",
            code="image_too_large",
        )


def _decode(picture: Image.Image, label: str) -> NDArray[np.uint8]:
    try:
        picture.load()
        upright = ImageOps.exif_transpose(picture)
        rgb = _rgb(upright, label)
    except InvalidImage:
        raise
    except Exception as wrong:  # boundary: Pillow's decoders raise whatever damaged data makes them trip over
        raise _truncated(label, wrong) from wrong
    pixels: NDArray[np.uint8] = np.asarray(rgb, dtype=np.uint8)
    return pixels


def _rgb(picture: Image.Image, label: str) -> Image.Image:
    if picture.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(picture).astype(np.uint32) // 257).astype(np.uint8)).convert("RGB")
    if picture.mode in ("I", "F"):
        raise InvalidImage(
            f"{label} has 32-bit samples (mode {picture.mode}), which have no agreed white",
            hint="save it as 8-bit PNG",
            code="image_mode_unsupported",
        )
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    white = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(white, layer).convert("RGB")


def _frames(picture: Any) -> int:
    try:
        return int(getattr(picture, "n_frames", 1))
    except Exception:  # noqa: BLE001 - boundary: counting walks the whole file, and a damaged tail must not lose frame 1
        return 1


def _be32(four: bytes) -> int:
    return int.from_bytes(four, "big")


def _looks_like(data: bytes) -> str:
    head = data[:256].lstrip().lower()
    if head.startswith((b"<svg", b"<?xml")) and b"<svg" in data[:2048].lower():
        return "it looks like SVG: render it first"
    if head.startswith((b"<!doctype", b"<html")):
        return "it looks like a web page: open it with the page capture"
    if head.startswith(b"%pdf"):
        return "it looks like PDF: render a page first"
    if data.startswith(_PNG):
        return "it starts like PNG but its header is damaged"
    return f"it starts with {data[:8]!r}"


def _truncated(label: str, wrong: Exception) -> InvalidImage:
    return InvalidImage(
        f"{label} is damaged or cut short: {wrong}", hint="copy or take it again", code="image_truncated"
    )


def _too_many(label: str, found: str) -> InvalidImage:
    return InvalidImage(
        f"{label} would unpack to too many pixels ({found}; at most {MAX_PIXELS})",
        hint="crop it or scale it down; a tiny file that unpacks to this is probably hostile",
        code="image_too_many_pixels",
    )
