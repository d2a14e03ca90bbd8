"""What the network is asked to make small: wrong scores, wrong boxes, wrong states.

Scores by quality focal loss (Li et al. 2020, arXiv:2006.04388: the target of a place is the overlap of its box with the
truth), boxes by generalised IoU (Rezatofighi et al. 2019, arXiv:1902.09630), states by cross entropy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor

from cuakit.perceive.detector_classes import STRIDES
from cuakit.train.detector.net import FAR
from cuakit.train.detector.targets import Targets


@dataclass(frozen=True, slots=True)
class Loss:
    """Parts of the loss of one batch, per place that answers for a box."""

    scores: Tensor
    boxes: Tensor
    states: Tensor
    overlap: float

    @property
    def total(self) -> Tensor:
        """What is made small."""
        return 2.0 * self.scores + 1.5 * self.boxes + 0.5 * self.states


def overlaps(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """IoU and generalised IoU of (N, 4) corners, row by row."""
    low, high = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    common = (high - low).clamp(min=0).prod(1)
    union = (a[:, 2:] - a[:, :2]).clamp(min=0).prod(1) + (b[:, 2:] - b[:, :2]).prod(1) - common + 1e-6
    hull = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(1) + 1e-6
    iou = common / union
    return iou, iou - (hull - union) / hull


def loss(answers: Sequence[tuple[Tensor, Tensor, Tensor]], truth: Targets) -> Loss:
    """Loss of a batch."""
    boxes, classes, states = (torch.from_numpy(v) for v in (truth.boxes, truth.classes, truth.states))
    score_sum = box_sum = state_sum = torch.zeros(())
    count, overlap = 0, 0.0
    for (scores, edges, marks), owners, ignored, stride in zip(
        answers, truth.owner, truth.ignored, STRIDES, strict=True
    ):
        owner = torch.from_numpy(owners)
        k, y, x = (owner > 0).nonzero(as_tuple=True)
        mine = owner[k, y, x] - 1
        wanted = torch.zeros_like(scores, dtype=torch.float32)
        if len(k):
            away = edges[k, :, y, x].float().clamp(-4, FAR).exp() * stride
            middle = torch.stack([(x + 0.5) * stride, (y + 0.5) * stride], 1)
            found = torch.cat([middle - away[:, :2], middle + away[:, 2:]], 1)
            iou, generalised = overlaps(found, boxes[mine])
            wanted[k, classes[mine], y, x] = iou.detach().clamp(0, 1)
            box_sum = box_sum + (1 - generalised).sum()
            state_sum = state_sum + F.binary_cross_entropy_with_logits(
                marks[k, :, y, x].float(), states[mine], reduction="sum"
            )
            count, overlap = count + len(k), overlap + float(iou.detach().sum())
        teaches = ~torch.from_numpy(ignored) | (owner > 0)
        said = scores.float()
        apart = (wanted - said.sigmoid()).abs().detach() ** 2
        each = apart * F.binary_cross_entropy_with_logits(said, wanted, reduction="none")
        score_sum = score_sum + (each * teaches[:, None]).sum()
    places = max(1, count)
    return Loss(score_sum / places, box_sum / places, state_sum / places, overlap / places)
