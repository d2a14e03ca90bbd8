"""Running a network on the CPU: runtime and threads are arguments, never settings of the process."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuakit.core.errors import MissingExtra, ModelError
from cuakit.models.onnx_file import metadata


@dataclass(frozen=True, kw_only=True)
class Session:
    """A network with one input and one output, ready to run. Safe to call from several threads.

    Args:
        runtime: What runs it, with its version, such as ``onnxruntime 1.22``.
        precision: Number format that it computes in, such as ``f32`` or ``bf16``.
        threads: Threads that one call may use.
        metadata: Strings stored in the model file.
        note: Why another runtime than the wanted one is used, or empty.
    """

    runtime: str
    precision: str = "f32"
    threads: int
    note: str = ""
    metadata: Mapping[str, str]
    _run: Any = field(repr=False, compare=False)

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """One forward pass.

        Args:
            x: Input in the shape that the model wants, float32.

        Raises:
            ModelError: The runtime failed (code ``inference_failed``).
        """
        try:
            out: NDArray[np.float32] = self._run(x)
        except Exception as wrong:  # boundary: runtimes raise classes of their own
            raise ModelError(
                f"{self.runtime} failed on an input of shape {x.shape}: {wrong}",
                hint="try fewer threads or a smaller picture; if it persists, report it with the shape",
                code="inference_failed",
            ) from wrong
        return out


def _check_threads(threads: int) -> None:
    if threads < 1:
        raise ModelError(f"threads must be at least 1, got {threads}", code="invalid_threads")


def onnx_options(ort: Any, threads: int) -> Any:
    """Session options of ONNX Runtime: so many threads within an operator, asleep while idle, no chatter."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # a plan per input size is kept for ever, and frames come in many sizes
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def onnx_session(weights: bytes, *, threads: int = 1) -> Session:
    """ONNX Runtime on the CPU.

    Args:
        weights: Bytes of an ONNX file with one input and one output.
        threads: Threads within an operator, at least 1. Idle threads sleep instead of spinning, so that stages can
            share the cores.

    Raises:
        MissingExtra: onnxruntime is not installed.
        ModelError: The bytes are no model that it can load (code ``model_unloadable``).
    """
    _check_threads(threads)
    try:
        import onnxruntime as ort  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("onnxruntime is not installed", hint="pip install 'cuakit[vision]'") from lost
    options = onnx_options(ort, threads)
    try:
        session = ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as wrong:  # boundary: onnxruntime raises classes of its own
        raise ModelError(
            f"onnxruntime cannot load the model: {wrong}", hint="reinstall its package", code="model_unloadable"
        ) from wrong
    name = session.get_inputs()[0].name

    def run(x: NDArray[np.float32]) -> Any:
        return session.run(None, {name: x})[0]

    return Session(runtime=f"onnxruntime {ort.__version__}", threads=threads, metadata=metadata(weights), _run=run)


def openvino_session(weights: bytes, *, threads: int = 1) -> Session:
    """OpenVINO on the CPU.

    The precision is left to it: it takes bf16 where the CPU computes that natively, and forcing bf16 elsewhere is
    several times slower. Threads are not pinned to cores, because two networks that run at once would be pinned to
    the same ones.

    Args:
        weights: Bytes of an ONNX file with one input and one output.
        threads: Threads that one call may use, at least 1.

    Raises:
        MissingExtra: openvino is not installed.
        ModelError: The bytes are no model that it can compile (code ``model_unloadable``).
    """
    _check_threads(threads)
    try:
        import openvino as ov  # noqa: PLC0415 - optional and slow to import
    except ModuleNotFoundError as lost:
        raise MissingExtra("openvino is not installed", hint="pip install 'cuakit[openvino]'") from lost
    options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False}
    try:
        core = ov.Core()
        compiled = core.compile_model(core.read_model(weights), "CPU", options)
        precision = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
    except Exception as wrong:  # boundary: OpenVINO raises RuntimeError and classes of its own
        raise ModelError(
            f"openvino cannot compile the model: {wrong}",
            hint="use runtime='onnxruntime'",
            code="model_unloadable",
        ) from wrong
    local = threading.local()  # a request belongs to one thread

    def run(x: NDArray[np.float32]) -> Any:
        if not hasattr(local, "request"):
            local.request = compiled.create_infer_request()
        return local.request.infer([x])[compiled.output(0)]

    return Session(
        runtime=f"openvino {ov.__version__.partition('-')[0]}",
        precision=precision,
        threads=threads,
        metadata=metadata(weights),
        _run=run,
    )
