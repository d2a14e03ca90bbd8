"""The pieces of work that the lab measures, each on a screen that ships with the package, each on one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cuakit import data
from cuakit.act import guard
from cuakit.bench.lab.roofline import (
    Cost,
    Product,
    contours_cost,
    decode_cost,
    guard_cost,
    network_cost,
    prepare_cost,
)
from cuakit.core.errors import MissingExtra, ModelError
from cuakit.models.catalogue import model
from cuakit.models.session import Session, onnx_session
from cuakit.models.store import read
from cuakit.perceive.contours import Contours
from cuakit.perceive.ocr_detect import DetectOptions, detect
from cuakit.perceive.ocr_read import decode

DETECTOR: Final = "ppocr-v6-small-det"
READER: Final = "ppocr-v6-small-rec"
SIZE: Final = (416, 640)
"""Height and width of the detector's input here: the small form at 100 %."""

LINES: Final = (4, 3, 48, 320)
"""Input of the recogniser here: four lines of some thirty characters."""

CLASSES: Final = 18_710
"""Classes of the recogniser, whose largest is sought at every step."""

STEPS: Final = 320
"""Steps that are decoded here: those of eight such lines."""

ZOOM: Final = 0.75
"""Network pixels per frame pixel in the preparation of draw.io's picture."""

PREPARED: Final = 960 * 608
"""Network pixels of that."""

Network = Callable[[NDArray[np.float32]], Any]


@dataclass(frozen=True)
class Piece:
    """One piece of work.

    Args:
        name: Unique.
        library: What computes it, whose instruction sets can be capped or cannot.
        make: Prepares it and gives what is run; only called in the process that measures.
        cost: Counts its operations and bytes; None where that would be a guess.
    """

    name: str
    library: str
    make: Callable[[], Callable[[], object]] = field(repr=False)
    cost: Callable[[], Cost] | None = field(default=None, repr=False)


def pieces() -> tuple[Piece, ...]:
    """Every piece, those that a cap can crash last."""
    det, rec = (1, 3, *SIZE), LINES
    return (
        Piece("contours", "OpenCV", _contours, lambda: contours_cost(_pixels())),
        Piece("prepare picture", "OpenCV, numpy", _prepare, lambda: prepare_cost(_pixels(), PREPARED)),
        Piece("guard, equal frames", "numpy", _guard, lambda: guard_cost(_pixels())),
        Piece("decode text", "numpy", _decode, lambda: decode_cost(STEPS * CLASSES)),
        Piece("matrix product", "OpenBLAS", Product, lambda: Cost(2.0 * 1024**3, 12.0 * 1024**2, "2 n³, n = 1024")),
        _network("detect text", "ONNX Runtime", DETECTOR, det, onnx_network),
        _network("read text", "ONNX Runtime", READER, rec, onnx_network),
        _network("detect text f32", "OpenVINO", DETECTOR, det, _openvino_f32),
        _network("detect text", "OpenVINO", DETECTOR, det, openvino_network),
        _network("read text f32", "OpenVINO", READER, rec, _openvino_f32),
        _network("read text", "OpenVINO", READER, rec, openvino_network),
    )


def _network(
    name: str, library: str, id: str, shape: tuple[int, ...], build: Callable[[str, int], tuple[Network, str]]
) -> Piece:
    def make() -> Callable[[], object]:
        run, x = build(id, 1)[0], noise(shape)
        return lambda: run(x)

    return Piece(f"{name}, {library}", library, make, lambda: network_cost(read(model(id)), shape))


def noise(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Input of a network: the same numbers every time, in [-1, 1]. What they say does not change the time."""
    return np.random.default_rng(0).random(shape, np.float32) * 2 - 1


def onnx_network(id: str, threads: int) -> tuple[Network, str]:
    """A network on ONNX Runtime, and the precision it computes in."""
    session = onnx_session(read(model(id)), threads=threads)
    return session, session.precision


def openvino_network(id: str, threads: int, precision: str = "") -> tuple[Network, str]:
    """A network on OpenVINO, and the precision it computes in.

    Args:
        id: Model id.
        threads: Threads of one call.
        precision: ``f32`` or ``bf16``; empty leaves the choice to OpenVINO, which is what the stages do.

    Raises:
        MissingExtra: OpenVINO is not installed.
        ModelError: It cannot compile the network (code ``model_unloadable``).
    """
    try:
        import openvino as ov  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("openvino is not installed", hint="pip install 'cuakit[openvino]'") from lost
    options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False}
    core = ov.Core()
    try:
        compiled = core.compile_model(
            core.read_model(read(model(id))),
            "CPU",
            options | ({"INFERENCE_PRECISION_HINT": precision} if precision else {}),
        )
        taken = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
    except RuntimeError as wrong:  # what OpenVINO raises for everything
        last = str(wrong).strip().splitlines()[-1]
        raise ModelError(f"openvino cannot compile {id}: {last}", code="model_unloadable") from wrong
    request = compiled.create_infer_request()
    return lambda x: request.infer([x]), taken


def _openvino_f32(id: str, threads: int) -> tuple[Network, str]:
    return openvino_network(id, threads, "f32")


def _pixels() -> int:
    shot = data.drawio()
    return shot.width * shot.height


def _contours() -> Callable[[], object]:
    shot, find = data.drawio(), Contours()
    return lambda: find.shapes(shot)


def _prepare() -> Callable[[], object]:
    pixels, options = data.drawio().pixels, DetectOptions()
    empty = Session(runtime="none", threads=1, metadata={}, _run=lambda x: np.zeros((1, 1, *x.shape[2:]), np.float32))
    return lambda: detect(empty, pixels, ZOOM, options)


def _guard() -> Callable[[], object]:
    before = data.drawio().pixels
    after, limits = before.copy(), guard.Limits()
    return lambda: guard.compare(before, after, limits)


def _decode() -> Callable[[], object]:
    probability = np.random.default_rng(0).random((STEPS, CLASSES), np.float32)
    characters = ("", *map(chr, range(0x4E00, 0x4E00 + CLASSES - 1)))
    return lambda: decode(probability, characters)


def ready(chosen: tuple[Piece, ...]) -> Iterator[tuple[Piece, Callable[[], object] | str]]:
    """Each piece with what runs it, or with the reason why it cannot run here."""
    for piece in chosen:
        try:
            yield piece, piece.make()
        except (MissingExtra, ModelError) as wrong:
            yield piece, wrong.message
