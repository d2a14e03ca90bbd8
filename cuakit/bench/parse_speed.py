"""What a parse costs: cold, again, after a local change, at four times the pixels, and in memory.

Runs in a process of its own, so that its memory is its own: ``python -m cuakit.bench.parse_speed PICTURE…``. The parts are
measured in turn, round after round, so that a busy moment hits all of them; what counts are ratios within one run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from cuakit.bench.machine import peak_memory_mb
from cuakit.bench.matching import SAME
from cuakit.bench.peers import omniparser_reference, rapidocr_defaults
from cuakit.bench.stats import wilson
from cuakit.capture.image import load_image
from cuakit.core.errors import BackendError, CuakitError, MissingExtra
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.data.annotations import Screen
from cuakit.perceive.incremental import Incremental
from cuakit.perceive.pipeline import Pixels

ROUNDS: Final = 5
HD: Final = (1920, 1080)
PATCH: Final = (320, 120)
"""Size of the local change in pixels: about a dialog's button row."""


def in_a_process(screens: Sequence[Screen], *, most: int = 3) -> dict[str, Any]:
    """Times and memory on the 1920 × 1080 pictures among some screens, or on the largest where there is none.

    Raises:
        BackendError: The process failed; with its last words.
    """
    chosen = [s for s in screens if s.scale == 1 and load_image(s.image).size == HD][:most]
    pictures = [str(s.image) for s in chosen or screens[:1]]
    done = subprocess.run([sys.executable, "-m", __name__, *pictures], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackendError(f"the timing process failed: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(shots: Sequence[Screenshot], *, rounds: int = ROUNDS) -> dict[str, Any]:
    """Times of every part on some pictures, interleaved; milliseconds are medians over rounds and pictures."""
    pixels, again = Pixels(remember=0), Pixels(remember=1)
    for shot in shots:  # before anything else is loaded, so that the memory is ours alone
        _lap(shot, _changed(shot), _twice(shot), pixels, again=again, reader=None, reference=None)
    peak = peak_memory_mb()
    reader, reference = _reader(), _reference()
    times: dict[str, list[float]] = {}
    for shot in shots:
        changed, uhd = _changed(shot), _twice(shot)
        for lap in range(rounds + 1):
            made = _lap(shot, changed, uhd, pixels, again=again, reader=reader, reference=reference)
            if lap:  # the first one loads and warms
                for name, ms in made.items():
                    times.setdefault(name, []).append(ms)
    cold = median(times["cold"])
    kept, rows = map(sum, zip(*map(ids_kept, shots), strict=True))
    persistent = wilson(kept, rows)
    return {
        "cold_ms": round(cold, 1),
        "cold_n": len(times["cold"]),
        "stages_ms": {name: round(median(times[name]), 1) for name in ("contours", "text")},
        "id_persistence": persistent.rate,
        "id_persistence_95": [persistent.low, persistent.high],
        "id_persistence_n": rows,
        "rapidocr_ms": round(median(times["rapidocr"]), 1) if "rapidocr" in times else None,
        "reference_ms": round(median(times["reference"]), 1) if "reference" in times else None,
        "cold_speedup": _ratio(times.get("reference"), times["cold"]),
        "speedup_over_rapidocr": _ratio(times.get("rapidocr"), times["cold"]),
        "warm_ratio": _ratio(times["local change"], times["cold"]),
        "same_frame_ms": round(median(times["same frame"]), 2),
        "uhd_ratio": _ratio(times["uhd"], times["cold"]),
        "peak_mb": round(peak, 1),
    }


def _lap(
    shot: Screenshot,
    changed: Screenshot,
    uhd: Screenshot,
    pixels: Pixels,
    *,
    again: Pixels,
    reader: Callable[[Screenshot], object] | None,
    reference: Callable[[Screenshot], object] | None,
) -> Mapping[str, float]:
    part = Incremental()
    part(shot)
    again(shot)
    copy = replace(shot, pixels=shot.pixels.copy())
    made = {
        "cold": _ms(lambda: pixels(shot)),
        "local change": _ms(lambda: part(changed)),
        "same frame": _ms(lambda: again(copy)),
        "uhd": _ms(lambda: pixels(uhd)),
        "contours": _ms(lambda: pixels.contours(shot)),
        "text": _ms(lambda: pixels.text.lines(shot)),
    }
    if reader is not None:
        made["rapidocr"] = _ms(lambda: reader(shot))
    if reference is not None:
        made["reference"] = _ms(lambda: reference(shot))
    return made


def ids_kept(shot: Screenshot) -> tuple[int, int]:
    """How many rows away from a local change keep their id, and how many there are."""
    stage = Incremental()
    before = {c.id: c for c in stage(shot)}
    where = _target(shot).pad(4)
    after = {c.id: c for c in stage(_changed(shot))}
    still = [c for c in before.values() if not c.box.intersect(where).area]
    return sum(c.id in after and after[c.id].box.iou(c.box) > SAME for c in still), len(still)


def _reader() -> Callable[[Screenshot], object] | None:
    try:
        return rapidocr_defaults()
    except MissingExtra:
        return None


def _reference() -> Callable[[Screenshot], object] | None:
    """OmniParser at its reference size with ``rapidocr``, when the extension is installed."""
    try:
        return omniparser_reference()
    except CuakitError:
        return None


def _ms(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def _ratio(over: Sequence[float] | None, under: Sequence[float]) -> float | None:
    return round(median(a / b for a, b in zip(over, under, strict=True)), 3) if over else None


def _changed(shot: Screenshot) -> Screenshot:
    """The same with a small part of it moved elsewhere, so that there is something new to read."""
    target = _target(shot)
    left, top, right, bottom = target.rounded()
    y, x = shot.height // 3, shot.width // 3
    pixels = shot.pixels.copy()
    pixels[top:bottom, left:right] = shot.pixels[y : y + bottom - top, x : x + right - left]
    return replace(shot, pixels=pixels)


def _target(shot: Screenshot) -> Box:
    """Where the local change is."""
    return Box.from_xywh(shot.width // 2, (shot.height * 2) // 3, *PATCH).clip(*shot.size)


def _twice(shot: Screenshot) -> Screenshot:
    """The same screen on a display of twice the density."""
    return replace(
        shot, pixels=np.ascontiguousarray(shot.pixels.repeat(2, axis=0).repeat(2, axis=1)), scale=shot.scale * 2
    )


def main(paths: Sequence[str]) -> None:
    """Measure and print one JSON object."""
    sys.stdout.write(json.dumps(measure([load_image(Path(p)) for p in paths])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
