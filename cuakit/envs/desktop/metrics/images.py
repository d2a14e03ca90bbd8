"""Metrics of pictures, by Pillow and numpy."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, UnidentifiedImageError

_WINDOW: Final = 7
_MIDDLE: Final = 128

Grey = NDArray[np.float64]


def opened(path: str | None) -> Image.Image | None:
    """A picture; None when there is none."""
    if path is None:
        return None
    try:
        with Image.open(path) as picture:
            picture.load()
            return picture.copy()
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError):
        return None


def same_pixels(a: bytes, b: bytes) -> bool:
    """Whether two encoded pictures show the same."""
    try:
        one, other = (Image.open(io.BytesIO(data)).convert("RGBA") for data in (a, b))
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return False
    return one.size == other.size and one.tobytes() == other.tobytes()


def ssim(a: Image.Image, b: Image.Image) -> float:
    """Structural similarity of two pictures of one size, windows of 7 × 7 (Wang et al., IEEE TIP 13, 2004)."""
    if a.size != b.size or min(a.size) < _WINDOW:
        return 0.0
    x, y = (np.asarray(p.convert("RGB"), np.float64) for p in (a, b))
    return float(np.mean([_ssim(x[..., c], y[..., c]) for c in range(3)]))


def _ssim(x: Grey, y: Grey) -> float:
    n = _WINDOW**2
    mx, my = _mean(x), _mean(y)
    vx, vy, cov = (
        (_mean(p * q) - m * k) * n / (n - 1) for p, q, m, k in ((x, x, mx, mx), (y, y, my, my), (x, y, mx, my))
    )
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float((((2 * mx * my + c1) * (2 * cov + c2)) / ((mx**2 + my**2 + c1) * (vx + vy + c2))).mean())


def _mean(x: Grey) -> Grey:
    """Means of all windows, by sums over a table."""
    table = np.pad(x, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    w = _WINDOW
    whole: Grey = (table[w:, w:] - table[:-w, w:] - table[w:, :-w] + table[:-w, :-w]) / w**2
    return whole


def _structure(a: Image.Image, b: Image.Image, least: float = 0.9) -> bool:
    return ssim(a, b) >= least


def compare_images(result: str | None, expected: str, *, reference_base_result: float | None = None, **_: Any) -> float:
    """Structural similarity; with a base, one when it is above that, else nothing."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    likeness = max(0.0, ssim(a.resize(b.size) if a.size != b.size else a, b))
    return likeness if reference_base_result is None else float(likeness >= reference_base_result)


def compare_image_list(result: Any, expected: Any) -> float:
    """Whether pictures, one or several, show exactly the expected ones."""
    mine: Sequence[str] = result if isinstance(result, list) else [result]
    theirs: Sequence[str] = expected if isinstance(expected, list) else [expected]
    for one, other in zip(mine, theirs, strict=False):
        a, b = opened(one), opened(other)
        if a is None or b is None:
            return 0.0
        a = a.resize(b.size, Image.Resampling.LANCZOS) if a.size != b.size else a
        if ImageChops.difference(a.convert("RGB"), b.convert("RGB")).getbbox():
            return 0.0
    return float(len(mine) >= len(theirs))


def check_image_size(result: str | None, rule: Mapping[str, Any]) -> float:
    """Whether a picture has a width, a height, or both; transparent borders may be left out."""
    a = opened(result)
    if a is None:
        return 0.0
    size = a.size
    if rule.get("ignore_transparent") and (box := a.convert("RGBA").getchannel("A").getbbox()):
        size = box[2] - box[0], box[3] - box[1]
    wanted = (rule.get("width"), rule.get("height"))
    return float(all(w is None or w == s for w, s in zip(wanted, size, strict=True)))


def check_image_file_size(result: str | None, rule: Mapping[str, Any]) -> float:
    """Whether a file has fewer bytes than allowed."""
    return float(result is not None and Path(result).stat().st_size < rule["max_size"])


def check_image_mirror(result: str | None, expected: str) -> float:
    """Whether a picture is the other's mirror image."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    return float(_structure(a.transpose(Image.Transpose.FLIP_LEFT_RIGHT), b, 0.99))


def check_structure_sim(result: str | None, expected: str) -> float:
    """Whether two pictures show much the same."""
    a, b = opened(result), opened(expected)
    return float(a is not None and b is not None and _structure(a, b))


def check_structure_sim_with_threshold(result: str | None, expected: str, *, ssim_threshold: float = 0.9) -> float:
    """The same with a bound of one's own; sizes may differ."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    return float(_structure(a.resize(b.size) if a.size != b.size else a, b, ssim_threshold))


def check_structure_sim_resized(result: str | None, expected: str) -> float:
    """Whether a picture shows much the same at another size, transparent borders left out."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    if a.mode in ("RGBA", "LA") and (box := a.convert("RGBA").getchannel("A").getbbox()):
        a = a.crop(box)
    return float(_structure(a.resize(b.size), b))


def check_brightness_decrease_and_structure_sim(result: str | None, expected: str, *, threshold: float = 0.03) -> float:
    """Whether a picture is darker than the other and otherwise much the same."""
    a, b = opened(result), opened(expected)
    if a is None or b is None or _level(a) >= _level(b):
        return 0.0
    x, y = _evened(a), _evened(b.resize(a.size) if a.size != b.size else b)
    return float(np.mean((x - y) ** 2) < threshold)


def check_saturation_increase_and_structure_sim(result: str | None, expected: str) -> float:
    """Whether a picture is more saturated than the other and otherwise much the same."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    (_, s, v), (_, t, w) = (np.split(np.asarray(p.convert("HSV"), np.float64), 3, axis=2) for p in (a, b))
    if s.mean() <= t.mean() or v.shape != w.shape:
        return 0.0
    one, other = (Image.fromarray(p[..., 0].astype(np.uint8)) for p in (v, w))
    return float(_structure(one, other))


def check_contrast_increase_and_structure_sim(result: str | None, expected: str) -> float:
    """Whether a picture has more contrast than the other and otherwise is much the same."""
    a, b = opened(result), opened(expected)
    if a is None or b is None:
        return 0.0
    more = np.asarray(a, np.float64).std() > np.asarray(b, np.float64).std()
    return float(more and _structure(a, b, 0.65))


def _level(picture: Image.Image) -> float:
    return float(np.asarray(picture.convert("L"), np.float64).mean())


def _evened(picture: Image.Image) -> Grey:
    """Pixels in [0, 1] at a middle brightness."""
    factor = _MIDDLE / max(1e-9, _level(picture))
    return np.clip(np.asarray(picture.convert("RGB"), np.float64) * factor, 0, 255) / 255
