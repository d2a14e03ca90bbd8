"""The network: residual bottlenecks on a stem that quarters the picture at once, a feature pyramid, one head per level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor, nn

from cuakit.perceive.detector_classes import CLASSES, STATES, STRIDES

WIDTHS: Final = (48, 96, 128, 192)
"""Channels at a quarter, an eighth, a sixteenth and a thirty-second of the picture."""

DEPTHS: Final = (1, 3, 4, 3)
PYRAMID: Final = 72
"""Channels of every level of the pyramid."""

FAR: Final = 5.2
"""Largest logarithm of a distance, in strides, from a place to an edge of its box."""


def _conv(inner: int, outer: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inner, outer, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outer, momentum=0.03),
        nn.ReLU(inplace=True),
    )


class Bottleneck(nn.Module):
    """A residual block with half the channels inside."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.narrow = _conv(width, width // 2, 1)
        self.look = _conv(width // 2, width // 2)
        self.widen = nn.Sequential(nn.Conv2d(width // 2, width, 1, bias=False), nn.BatchNorm2d(width, momentum=0.03))

    def forward(self, x: Tensor) -> Tensor:
        """Same shape."""
        return F.relu(x + self.widen(self.look(self.narrow(x))))


class Detector(nn.Module):
    """Controls of a picture.

    Sides of the picture are multiples of 32. Per level the answer has ``len(CLASSES)`` scores, four logarithms of
    distances to the edges of the box in strides (left, top, right, bottom), and ``len(STATES)`` scores.
    """

    def __init__(self) -> None:
        super().__init__()
        quarter, eighth, sixteenth, last = WIDTHS
        self.stem = nn.Sequential(
            nn.Conv2d(3, quarter, 6, 4, 1, bias=False), nn.BatchNorm2d(quarter, momentum=0.03), nn.ReLU(inplace=True)
        )
        self.quarter = nn.Sequential(*(Bottleneck(quarter) for _ in range(DEPTHS[0])))
        self.eighth = nn.Sequential(_conv(quarter, eighth, 3, 2), *(Bottleneck(eighth) for _ in range(DEPTHS[1])))
        self.sixteenth = nn.Sequential(
            _conv(eighth, sixteenth, 3, 2), *(Bottleneck(sixteenth) for _ in range(DEPTHS[2]))
        )
        self.last = nn.Sequential(_conv(sixteenth, last, 3, 2), *(Bottleneck(last) for _ in range(DEPTHS[3])))
        self.context = _conv(last * 3, last, 1)
        self.lateral = nn.ModuleList(_conv(w, PYRAMID, 1) for w in (eighth, sixteenth, last))
        self.smooth = nn.ModuleList(_conv(PYRAMID, PYRAMID) for _ in range(2))
        self.kind = nn.ModuleList(_conv(PYRAMID, PYRAMID) for _ in STRIDES)
        self.place = nn.ModuleList(_conv(PYRAMID, PYRAMID) for _ in STRIDES)
        self.scores = nn.ModuleList(nn.Conv2d(PYRAMID, len(CLASSES), 1) for _ in STRIDES)
        self.edges = nn.ModuleList(nn.Conv2d(PYRAMID, 4, 1) for _ in STRIDES)
        self.states = nn.ModuleList(nn.Conv2d(PYRAMID, len(STATES), 1) for _ in STRIDES)
        self._begin()

    def _begin(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        for score, edge, state in zip(self.scores, self.edges, self.states, strict=True):
            for last in (score, edge, state):
                nn.init.normal_(last.weight, 0, 0.01)
            nn.init.constant_(score.bias, -4.0)  # most places show nothing
            nn.init.constant_(state.bias, -2.0)
            with torch.no_grad():  # controls are wider than high
                edge.bias.copy_(torch.tensor([1.2, 0.3, 1.2, 0.3]))

    def forward(self, x: Tensor) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Scores, edges and states per level, before any sigmoid.

        Args:
            x: (B, 3, H, W), RGB from −1 to 1.
        """
        eighth = self.eighth(self.quarter(self.stem(x)))
        sixteenth = self.sixteenth(eighth)
        last = self.last(sixteenth)
        around = F.max_pool2d(last, 5, 1, 2)
        row = F.avg_pool2d(last, (1, 13), 1, (0, 6), count_include_pad=False)
        last = self.context(torch.cat([last, around, row], 1))
        top = self.lateral[2](last)
        middle = self.smooth[1](self.lateral[1](sixteenth) + F.interpolate(top, scale_factor=2.0, mode="nearest"))
        low = self.smooth[0](self.lateral[0](eighth) + F.interpolate(middle, scale_factor=2.0, mode="nearest"))
        return [self._head(level, at) for level, at in enumerate((low, middle, top))]

    def _head(self, level: int, at: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kind, place = self.kind[level](at), self.place[level](at)
        return self.scores[level](kind), self.edges[level](place), self.states[level](kind)


class Answers(nn.Module):
    """What is exported: pixels in, one table out.

    The input is (1, 3, H, W) float32 from 0 to 255; the output is (1, N, C + 4 + S) float32: class scores and states
    as probabilities, corners in pixels of the input.
    """

    def __init__(self, net: Detector) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Tensor) -> Tensor:
        """One table of all places, level by level."""
        levels = zip(self.net(x / 127.5 - 1), STRIDES, strict=True)
        return torch.cat([_table(scores, edges, states, stride) for (scores, edges, states), stride in levels], 1)


def _table(scores: Tensor, edges: Tensor, states: Tensor, stride: int) -> Tensor:
    height, width = scores.shape[2], scores.shape[3]
    x = (torch.arange(width, dtype=scores.dtype) + 0.5) * stride
    y = (torch.arange(height, dtype=scores.dtype) + 0.5) * stride
    middle = torch.stack([x[None].expand(height, width), y[:, None].expand(height, width)])
    away = edges.clamp(-4, FAR).exp() * stride
    corners = torch.cat([middle[None] - away[:, :2], middle[None] + away[:, 2:]], 1)
    return torch.cat([scores.sigmoid(), corners, states.sigmoid()], 1).flatten(2).transpose(1, 2)


def fused(net: nn.Module) -> nn.Module:
    """The same network with every batch norm folded into the convolution before it."""
    for module in net.modules():
        if isinstance(module, nn.Sequential):
            layers: Sequence[nn.Module] = list(module)
            for i, (a, b) in enumerate(pairwise(layers)):
                if isinstance(a, nn.Conv2d) and isinstance(b, nn.BatchNorm2d):
                    module[i] = torch.nn.utils.fusion.fuse_conv_bn_eval(a, b)
                    module[i + 1] = nn.Identity()
    return net
