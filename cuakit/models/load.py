"""Sessions by model id, shared: a network is loaded once per process, however many stages use it."""

from __future__ import annotations

from functools import lru_cache

from cuakit.models.catalogue import model
from cuakit.models.session import Session, onnx_session
from cuakit.models.store import read


@lru_cache(maxsize=8)
def load(model_id: str, threads: int = 1) -> Session:
    """A verified network, ready to run.

    Args:
        model_id: Id in the catalogue.
        threads: Threads that one call may use, at least 1.

    Raises:
        UnknownName: No such model.
        MissingExtra: A package is not installed.
        ModelError: The weights are missing, damaged or not loadable.
    """
    return onnx_session(read(model(model_id)), threads=threads)
