"""The encoder graph against an independent numpy computation of the same architecture, on small random weights."""

import json
import math
import struct

import numpy as np
import pytest

from cuakit.core.errors import ModelError
from cuakit.models.bert import BertShape, encoder, read_safetensors

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
H, HEADS, WIDE, VOCAB = 8, 2, 16, 11


def weights(layers=2, seed=0):
    rng = np.random.default_rng(seed)

    def make(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    out = {
        "embeddings.word_embeddings.weight": make(VOCAB, H),
        "embeddings.position_embeddings.weight": make(12, H),
        "embeddings.token_type_embeddings.weight": make(2, H),
        "embeddings.LayerNorm.weight": make(H),
        "embeddings.LayerNorm.bias": make(H),
    }
    for i in range(layers):
        p = f"encoder.layer.{i}"
        for name, (a, b) in {
            "attention.self.query": (H, H),
            "attention.self.key": (H, H),
            "attention.self.value": (H, H),
            "attention.output.dense": (H, H),
            "intermediate.dense": (WIDE, H),
            "output.dense": (H, WIDE),
        }.items():
            out[f"{p}.{name}.weight"], out[f"{p}.{name}.bias"] = make(a, b), make(a)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            out[f"{p}.{name}.weight"], out[f"{p}.{name}.bias"] = make(H), make(H)
    return out


def norm(x, w, name):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]


def dense(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def reference(ids, w, layers=2):
    """One unpadded text, position by position, straight from the papers."""
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm")
    for i in range(layers):
        p = f"encoder.layer.{i}"
        q, k, v = (dense(x, w, f"{p}.attention.self.{n}") for n in ("query", "key", "value"))
        parts = []
        for h in range(HEADS):
            at = slice(h * H // HEADS, (h + 1) * H // HEADS)
            scores = q[:, at] @ k[:, at].T / math.sqrt(H / HEADS)
            soft = np.exp(scores - scores.max(-1, keepdims=True))
            parts.append(soft / soft.sum(-1, keepdims=True) @ v[:, at])
        x = norm(dense(np.hstack(parts), w, f"{p}.attention.output.dense") + x, w, f"{p}.attention.output.LayerNorm")
        wide = dense(x, w, f"{p}.intermediate.dense")
        gelu = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(dense(gelu, w, f"{p}.output.dense") + x, w, f"{p}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_the_graph_computes_what_the_papers_say_also_with_padding():
    w = weights()
    session = onnxruntime.InferenceSession(encoder(w, BertShape(layers=2, heads=HEADS)))
    ids = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 0, 0]])
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    got = session.run(None, {"ids": ids, "mask": mask})[0]
    np.testing.assert_allclose(got[0], reference(ids[0], w), atol=1e-5)
    np.testing.assert_allclose(got[1], reference(ids[1, :3], w), atol=1e-5)


def test_missing_weights_are_named():
    w = weights()
    del w["encoder.layer.1.output.dense.bias"]
    with pytest.raises(ModelError, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        encoder(w, BertShape(layers=2, heads=HEADS))


def pack(tensors):
    header, blob = {}, b""
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [len(blob), len(blob) + t.nbytes]}
        blob += t.tobytes()
    text = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    return struct.pack("<Q", len(text)) + text + blob


def test_safetensors_round_trip():
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(1, np.float32)}
    back = read_safetensors(pack(tensors))
    assert back.keys() == tensors.keys()
    for name, t in tensors.items():
        np.testing.assert_array_equal(back[name], t)


@pytest.mark.parametrize("data", [b"", b"12345678", struct.pack("<Q", 2**40), pack({"a": np.ones(4, np.float32)})[:-8]])
def test_damaged_safetensors_are_refused(data):
    with pytest.raises(ModelError, match="not a readable safetensors"):
        read_safetensors(data)
