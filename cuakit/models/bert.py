"""A BERT sentence encoder as an ONNX graph, built from a safetensors file without any training framework.

The graph is the published architecture (Devlin et al. 2018; MiniLM, Wang et al. 2020): embeddings, post-norm
self-attention blocks with GELU, masked mean pooling and unit length. Inputs ``ids`` and ``mask``, (B, T) int64; output
``vectors``, (B, H) float32.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.errors import MissingExtra, ModelError

_DTYPES: Final = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
_EPSILON: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """Size of the encoder.

    Args:
        layers: Number of blocks.
        heads: Attention heads per block.
    """

    layers: int
    heads: int


def read_safetensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Tensors of a safetensors file; nothing in it is executed.

    Raises:
        ModelError: The header does not describe the bytes (code ``model_unloadable``).
    """
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])
        base = 8 + length
        out: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, end = entry["data_offsets"]
            raw = np.frombuffer(data[base + start : base + end], dtype=_DTYPES[entry["dtype"]])
            out[name] = raw.reshape(entry["shape"])
    except (struct.error, ValueError, KeyError, TypeError) as wrong:
        raise ModelError(f"not a readable safetensors file: {wrong}", code="model_unloadable") from wrong
    return out


def encoder(tensors: Mapping[str, NDArray[Any]], shape: BertShape) -> bytes:
    """The encoder as ONNX bytes, fp32.

    Args:
        tensors: Weights under the names of the Hugging Face BERT layout.
        shape: Layers and heads.

    Raises:
        MissingExtra: The ``onnx`` package is not installed.
        ModelError: A tensor is missing (code ``model_unloadable``).
    """
    try:
        import onnx  # noqa: PLC0415 - only needed once, when the model is built
    except ModuleNotFoundError as lost:
        raise MissingExtra("building the encoder needs onnx", hint="pip install 'cuakit[embedding]'") from lost
    graph = _Graph(onnx, tensors)
    try:
        hidden = _embed(graph)
        bias = _mask_bias(graph)
        for layer in range(shape.layers):
            hidden = _block(graph, hidden, bias, f"encoder.layer.{layer}", shape.heads)
        _pool(graph, hidden)
    except KeyError as lost:
        raise ModelError(f"the weights lack {lost}", code="model_unloadable") from lost
    return graph.finish()


class _Graph:
    """Collects nodes and weights."""

    def __init__(self, onnx: Any, tensors: Mapping[str, NDArray[Any]]) -> None:
        self.onnx = onnx
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}

    def node(self, op: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"{op}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def const(self, value: NDArray[Any], name: str = "") -> str:
        name = name or f"const_{len(self.weights)}"
        self.weights[name] = self.onnx.numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name: str, *, transpose: bool = False) -> str:
        value = self.tensors[name]
        return self.const(value.T if transpose else value, name)

    def dense(self, x: str, name: str) -> str:
        product = self.node("MatMul", x, self.weight(f"{name}.weight", transpose=True))
        return self.node("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=_EPSILON)

    def finish(self) -> bytes:
        helper, int64, float32 = self.onnx.helper, self.onnx.TensorProto.INT64, self.onnx.TensorProto.FLOAT
        tokens = [helper.make_tensor_value_info(n, int64, ["batch", "tokens"]) for n in ("ids", "mask")]
        vectors = [helper.make_tensor_value_info("vectors", float32, ["batch", "hidden"])]
        graph = helper.make_graph(self.nodes, "bert", tokens, vectors, list(self.weights.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        self.onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def _embed(g: _Graph) -> str:
    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "ids")
    length = g.node("Shape", "ids", start=1, end=2)
    zero = g.const(np.array([0], np.int64))
    places = g.node("Slice", g.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    kind = g.const(g.tensors["embeddings.token_type_embeddings.weight"][0], "token_type_0")
    return g.norm(g.node("Add", g.node("Add", words, places), kind), "embeddings.LayerNorm")


def _mask_bias(g: _Graph) -> str:
    mask = g.node("Cast", "mask", to=g.onnx.TensorProto.FLOAT)
    wide = g.node("Unsqueeze", mask, g.const(np.array([1, 2], np.int64)))
    off = g.node("Sub", g.const(np.array(1, np.float32)), wide)
    return g.node("Mul", off, g.const(np.array(-1e9, np.float32)))


def _block(g: _Graph, x: str, bias: str, name: str, heads: int) -> str:
    size = g.tensors[f"{name}.attention.self.query.bias"].shape[0]
    split = g.const(np.array([0, -1, heads, size // heads], np.int64))

    def head(kind: str, order: list[int]) -> str:
        return g.node("Transpose", g.node("Reshape", g.dense(x, f"{name}.attention.self.{kind}"), split), perm=order)

    q, k, v = head("query", [0, 2, 1, 3]), head("key", [0, 2, 3, 1]), head("value", [0, 2, 1, 3])
    scale = g.const(np.array((size // heads) ** -0.5, np.float32))
    scores = g.node("Add", g.node("Mul", g.node("MatMul", q, k), scale), bias)
    mixed = g.node("Transpose", g.node("MatMul", g.node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    joined = g.node("Reshape", mixed, g.const(np.array([0, -1, size], np.int64)))
    attended = g.dense(joined, f"{name}.attention.output.dense")
    x = g.norm(g.node("Add", attended, x), f"{name}.attention.output.LayerNorm")
    wide = g.node("Gelu", g.dense(x, f"{name}.intermediate.dense"))
    return g.norm(g.node("Add", g.dense(wide, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")


def _pool(g: _Graph, x: str) -> None:
    axis = g.const(np.array([1], np.int64))
    mask = g.node("Unsqueeze", g.node("Cast", "mask", to=g.onnx.TensorProto.FLOAT), g.const(np.array([2], np.int64)))
    total = g.node("ReduceSum", g.node("Mul", x, mask), axis, keepdims=0)
    mean = g.node("Div", total, g.node("ReduceSum", mask, axis, keepdims=0))
    length = g.node("ReduceL2", mean, axis, keepdims=1)
    g.node("Div", mean, length, out="vectors")
