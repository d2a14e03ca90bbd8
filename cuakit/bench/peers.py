"""Other parsers, to be judged on the same screens: contours at the settings of the seed article, and ``rapidocr`` as it comes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cuakit.bench.matching import Found
from cuakit.bench.perception import Parser, from_candidates
from cuakit.core.errors import MissingExtra
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.contours import Contours

ABSENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "omniparser": "not_installed: its weights are AGPL, and the extension that would run them is not part of this version",
        "kira": "not_installed: it carries the same weights",
    }
)
"""Peers that cannot run here, and why."""


def peers() -> tuple[dict[str, Parser], dict[str, str]]:
    """Parsers that can run here, and why the others cannot."""
    made: dict[str, Parser] = {"seed_contours": seed_contours()}
    missing = dict(ABSENT)
    try:
        made["rapidocr"] = rapidocr_defaults()
    except MissingExtra as lost:
        missing["rapidocr"] = lost.message
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
