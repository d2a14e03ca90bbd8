"""Sessions by model id, shared: a network is loaded once per process, however many stages use it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from cuakit.core.errors import MissingExtra, ModelError
from cuakit.models.catalogue import model
from cuakit.models.session import Session, onnx_session, openvino_session
from cuakit.models.store import read

Runtime = Literal["auto", "onnxruntime", "openvino"]


@lru_cache(maxsize=8)
def load(model_id: str, threads: int = 1, runtime: Runtime = "onnxruntime") -> Session:
    """A verified network, ready to run.

    Args:
        model_id: Id in the catalogue.
        threads: Threads that one call may use, at least 1.
        runtime: ``onnxruntime`` starts fast. ``openvino`` is faster once warm on CPUs with bf16 or AMX, but compiles
            anew for each new input size. ``auto`` is OpenVINO where it can be had; else ``Session.note`` says why not.

    Raises:
        UnknownName: No such model.
        MissingExtra: A package is not installed.
        ModelError: The weights are missing, damaged or not loadable.
    """
    weights = read(model(model_id))
    if runtime == "onnxruntime":
        return onnx_session(weights, threads=threads)
    try:
        return openvino_session(weights, threads=threads)
    except (MissingExtra, ModelError) as wrong:
        if runtime == "openvino":
            raise
        return replace(onnx_session(weights, threads=threads), note=f"onnxruntime is used: {wrong.message}")
