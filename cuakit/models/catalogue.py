"""Weights that cuakit knows: where they come from, their licence, and the bytes they must have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cuakit.core.errors import UnknownName


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of weights inside an installed package.

    Args:
        id: Our name for it.
        package: Import name of the package that carries it.
        path: Path inside the package, with forward slashes.
        sha256: Hex digest of the whole file; other bytes are refused.
        licence: SPDX id of the weights.
        origin: Who trained them.
        extra: Extra of cuakit that installs the package.
    """

    id: str
    package: str
    path: str
    sha256: str
    licence: str
    origin: str
    extra: str = "vision"


_PADDLE: Final = "PaddleOCR, https://github.com/PaddlePaddle/PaddleOCR"

CATALOGUE: Final[Mapping[str, ModelFile]] = MappingProxyType(
    {
        m.id: m
        for m in (
            ModelFile(
                id="detector-v1",
                package="cuakit",
                path="perceive/weights/detector-v1.onnx",
                sha256="8c8b092e8c581a3dc63008162c1a81f18d175c2f3661ef4765d3089775bd58d1",
                licence="MIT",
                origin="this project, cuakit train detector",
            ),
            ModelFile(
                id="ppocr-v6-small-det",
                package="rapidocr",
                path="models/PP-OCRv6_det_small.onnx",
                sha256="090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
                licence="Apache-2.0",
                origin=_PADDLE,
            ),
            ModelFile(
                id="ppocr-v6-small-rec",
                package="rapidocr",
                path="models/PP-OCRv6_rec_small.onnx",
                sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
                licence="Apache-2.0",
                origin=_PADDLE,
            ),
        )
    }
)
"""Model id → file. Digests of PP-OCR were taken from the wheel of rapidocr 3.10.0."""


def model(id: str) -> ModelFile:
    """Entry of the catalogue.

    Raises:
        UnknownName: No such model.
    """
    if id not in CATALOGUE:
        raise UnknownName(f"no model named {id!r}", hint=f"known: {', '.join(CATALOGUE)}")
    return CATALOGUE[id]
