"""Operations and bytes of a piece of work, and how near its time comes to what the machine could do.

The roofs are measured, not looked up: the fastest product of two float32 matrices and the fastest copy of a large block
(Williams, Waterman and Patterson, CACM 52(4), 2009). A fraction of one means that the piece runs as fast as the nearer
roof allows. It can exceed one: bf16 has a higher roof than float32, and data that stays in caches is not read from memory.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from cuakit.core.errors import MissingExtra

BLOCK: Final = 64 * 2**20
"""Bytes copied at once: larger than any usual cache."""

SIDE: Final = 1024
"""Side of the matrices multiplied: large enough that the product and not the traffic counts."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a piece of work needs at least.

    Args:
        operations: Additions and multiplications, one each.
        bytes: Read from and written to memory when nothing stays in a cache between steps.
        how: How they were counted, as a sentence.
    """

    operations: float
    bytes: float
    how: str


@dataclass(frozen=True, slots=True)
class Roofs:
    """What one thread of this machine reaches.

    Args:
        gflops: Float32 operations per nanosecond in a matrix product.
        gbytes: Bytes read and written per nanosecond in a copy.
    """

    gflops: float
    gbytes: float

    def least_ms(self, cost: Cost) -> float:
        """Shortest time in milliseconds that the roofs allow."""
        return max(cost.operations / self.gflops, cost.bytes / self.gbytes) / 1e6

    def bound(self, cost: Cost) -> str:
        """Which roof is nearer: ``compute`` or ``memory``."""
        return "compute" if cost.operations / self.gflops > cost.bytes / self.gbytes else "memory"


def roofs_row(products_ms: Sequence[float], copies_ms: Sequence[float]) -> Roofs:
    """Roofs from the shortest of the given times."""
    return Roofs(2 * SIDE**3 / min(products_ms) / 1e6, 2 * BLOCK / min(copies_ms) / 1e6)


class Product:
    """A float32 matrix product of fixed size, by the library behind numpy."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._a, self._b = rng.random((2, SIDE, SIDE), np.float32)
        self._out = np.empty_like(self._a)

    def __call__(self) -> None:
        """Multiply once."""
        np.matmul(self._a, self._b, out=self._out)


class Copy:
    """A copy of :data:`BLOCK` bytes."""

    def __init__(self) -> None:
        self._from, self._to = np.ones(BLOCK // 8), np.zeros(BLOCK // 8)

    def __call__(self) -> None:
        """Copy once."""
        np.copyto(self._to, self._from)


def measured_roofs(*, laps: int = 7) -> Roofs:
    """Roofs of this process, which must have one thread, by processor time: a neighbour lowers no roof."""

    def times(work: Product | Copy) -> list[float]:
        work()
        out = []
        for _ in range(laps):
            start = time.process_time_ns()
            work()
            out.append((time.process_time_ns() - start) / 1e6)
        return out

    return roofs_row(times(Product()), times(Copy()))


def network_cost(weights: bytes, shape: Sequence[int]) -> Cost:
    """Operations and bytes of one pass of a network, counted from the shapes that one real pass had.

    Convolutions, transposed convolutions and matrix products count two operations per multiplication; every other
    operator one per value that it writes. Bytes are those of inputs, weights and outputs of convolutions and products,
    once each: the element-wise rest is fused into them by every runtime.

    Args:
        weights: Bytes of an ONNX file with one input.
        shape: Shape of its input.

    Raises:
        MissingExtra: onnxruntime is not installed.
    """
    nodes = [n for n in _executed(weights, shape) if n["op_name"] not in _FREE]
    return Cost(
        float(sum(map(node_operations, nodes))),
        float(sum(_traffic(n) for n in nodes if n["op_name"] in _PRODUCTS)),
        f"shapes of one pass: {sum(n['op_name'] in _PRODUCTS for n in nodes)} convolutions and products, 2 per "
        "multiplication; 1 per value of other operators; bytes of products alone",
    )


_PRODUCTS: Final = frozenset({"Conv", "ConvTranspose", "MatMul", "Gemm"})
_FREE: Final = frozenset({"Identity", "Reshape", "Squeeze", "Unsqueeze", "Shape", "Constant", "Flatten"})


def node_operations(node: Mapping[str, Any]) -> int:
    """Operations of one operator, from its profile entry: ``op_name``, ``input_type_shape``, ``output_type_shape``."""
    ins, outs = _shapes(node["input_type_shape"]), _shapes(node["output_type_shape"])
    written = sum(map(math.prod, outs))
    match node["op_name"]:
        case "Conv":
            return 2 * written * math.prod(ins[1][1:])
        case "ConvTranspose":
            return 2 * math.prod(ins[0]) * math.prod(ins[1][1:])
        case "MatMul" | "Gemm":
            return 2 * written * ins[0][-1]
    return written


def _traffic(node: Mapping[str, Any]) -> int:
    return 4 * sum(math.prod(s) for side in ("input", "output") for s in _shapes(node[f"{side}_type_shape"]))


def _shapes(told: Sequence[Mapping[str, Sequence[int]]]) -> list[Sequence[int]]:
    return [shape for entry in told for shape in entry.values()]


def _executed(weights: bytes, shape: Sequence[int]) -> list[Mapping[str, Any]]:
    """Operators of one pass with their shapes, as the runtime's own profile tells them, before any fusion."""
    try:
        import onnxruntime as ort  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("onnxruntime is not installed", hint="pip install 'cuakit[vision]'") from lost
    with tempfile.TemporaryDirectory(prefix="cuakit-roofline-") as folder:
        options = ort.SessionOptions()
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "pass")
        options.log_severity_level = 3
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        # Weights that were repacked are no longer told among the inputs.
        options.add_session_config_entry("session.disable_prepacking", "1")
        session = ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        session.run(None, {session.get_inputs()[0].name: np.zeros(shape, np.float32)})
        events = json.loads(Path(session.end_profiling()).read_text("utf-8"))
    return [e["args"] for e in events if e.get("cat") == "Node" and e["name"].endswith("kernel_time")]


def contours_cost(pixels: int) -> Cost:
    """Canny over three channels, dilation and tracing, by hand per pixel.

    Two separable 3 × 3 Sobel filters on three channels (2 · 3 · 10 operations), magnitude and choice of channel (9),
    suppression (4) and dilation (4): 77. Bytes: 3 read; 2 · 3 · 2 gradients, 4 magnitude and 1 edge written and read
    again; 1 dilated.
    """
    return Cost(
        77.0 * pixels, (3 + 2 * (12 + 4 + 1) + 1) * float(pixels), "by hand: 77 operations and 38 bytes per pixel"
    )


def prepare_cost(pixels: int, network: int) -> Cost:
    """Resizing, scaling to [-1, 1], planes instead of pixels, and looking through an empty map, by hand.

    Per network pixel: 3 · 10 operations; 3 bytes written and read, 12 written, twice 12 read and written, 12 read and 12
    written, and 4 + 1 read of the map. Three bytes read per frame pixel.
    """
    how = "by hand: 30 operations and 95 bytes per network pixel, 3 bytes per frame pixel"
    return Cost(30.0 * network, 95.0 * network + 3.0 * pixels, how)


def guard_cost(pixels: int) -> Cost:
    """Two equal patches of three channels, by hand per pixel: maximum, minimum, difference, and whether any is left.

    Twelve operations; 12 bytes read and 6 written for the extremes, 6 read and 3 written for the difference, 3 read.
    """
    return Cost(12.0 * pixels, 30.0 * pixels, "by hand: 12 operations and 30 bytes per pixel")


def decode_cost(values: int) -> Cost:
    """The largest of each row: one comparison per value, each value read once."""
    return Cost(float(values), 4.0 * values, "1 comparison and 4 bytes per probability")
