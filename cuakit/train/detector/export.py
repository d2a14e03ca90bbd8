"""From a checkpoint to the ONNX file that ships."""

from __future__ import annotations

import copy
from pathlib import Path

import torch

from cuakit.train.detector.fit import mean_network
from cuakit.train.detector.net import Answers, fused


def export(checkpoint: Path, out: Path) -> Path:
    """Write the averaged network of a checkpoint as ONNX, for any picture whose sides are multiples of 32.

    Raises:
        UsageError: There is no such checkpoint.
    """
    net = Answers(fused(copy.deepcopy(mean_network(checkpoint)))).eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, 448, 640),),
        str(out),
        input_names=["pixels"],
        output_names=["answers"],
        dynamic_axes={"pixels": {2: "height", 3: "width"}, "answers": {1: "places"}},
        opset_version=17,
        dynamo=False,
    )
    return out
