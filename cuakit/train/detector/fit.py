"""The training loop: seeded, resumable, one line of the log per so many steps."""

from __future__ import annotations

import copy
import json
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import cv2
import torch
from torch import nn

from cuakit.core.errors import UsageError
from cuakit.train.detector.crops import crop
from cuakit.train.detector.frames import Frame
from cuakit.train.detector.loss import loss
from cuakit.train.detector.net import Detector
from cuakit.train.detector.targets import Targets, assign


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides what is learned.

    Args:
        seed: Of weights and crops.
        steps: Batches.
        batch: Crops per batch.
        rate: Largest learning rate.
        decay: Weight decay.
        memory: Share of the averaged weights that a step keeps.
        threads: Threads of one step.
    """

    seed: int = 0
    steps: int = 4000
    batch: int = 8
    rate: float = 2.5e-3
    decay: float = 0.02
    memory: float = 0.998
    threads: int = 2


@dataclass(slots=True)
class _State:
    net: Detector
    mean: Detector
    optimiser: torch.optim.Optimizer
    step: int = 0


def fit(
    frames: Callable[[], Sequence[tuple[Frame, float]]],
    recipe: Recipe,
    out: Path,
    *,
    compiled: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Train, or go on where an earlier call ended.

    Args:
        frames: Gives the frames with their weights, asked again every 200 steps: a set may grow while it is learned.
        recipe: What to do.
        out: Folder for ``checkpoint.pt``, ``log.jsonl`` and ``recipe.json``.
        compiled: Let torch compile the network; needs a C++ compiler.
        say: Takes progress lines.

    Returns:
        The checkpoint.

    Raises:
        UsageError: The folder holds a run of another recipe.
    """
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    cv2.setNumThreads(0)
    out.mkdir(parents=True, exist_ok=True)
    _check(recipe, out)
    state = _load(out, recipe) or _new(recipe)
    run: nn.Module = torch.compile(state.net) if compiled else state.net
    with _batches(frames, recipe, state.step) as batches, (out / "log.jsonl").open("a", encoding="utf-8") as log:
        sums, since = [0.0] * 4, time.monotonic()
        while state.step < recipe.steps:
            parts = _step(state, run, next(batches), recipe)
            sums = [a + b for a, b in zip(sums, parts, strict=True)]
            if state.step % 25 == 0:
                rate = 25 * recipe.batch / (time.monotonic() - since)
                names = ("scores", "boxes", "states", "overlap")
                row = {"step": state.step, "images_per_s": round(rate, 1)}
                row |= {n: round(v / 25, 4) for n, v in zip(names, sums, strict=True)}
                log.write(json.dumps(row) + "\n")
                log.flush()
                say(json.dumps(row))
                sums, since = [0.0] * 4, time.monotonic()
            if state.step % 200 == 0 or state.step == recipe.steps:
                _save(state, out)
    return out / "checkpoint.pt"


def mean_network(checkpoint: Path) -> Detector:
    """The averaged network of a checkpoint, ready to answer.

    Raises:
        UsageError: There is no such file.
    """
    if not checkpoint.is_file():
        raise UsageError(f"no checkpoint at {checkpoint}", hint="train first: cuakit train detector")
    net = Detector()
    net.load_state_dict(torch.load(checkpoint, weights_only=True)["mean"])
    net.eval()
    return net


def _check(recipe: Recipe, out: Path) -> None:
    path = out / "recipe.json"
    if path.exists() and json.loads(path.read_text("utf-8")) != asdict(recipe):
        raise UsageError(f"{out} holds a run of another recipe", hint="name another folder, or remove this one")
    path.write_text(json.dumps(asdict(recipe)), "utf-8")


def _new(recipe: Recipe) -> _State:
    net = Detector().to(memory_format=torch.channels_last)
    return _State(net, copy.deepcopy(net).eval(), _optimiser(net, recipe))


def _optimiser(net: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    many = [p for p in net.parameters() if p.ndim > 1]
    few = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": many, "weight_decay": recipe.decay}, {"params": few, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.99))


def _load(out: Path, recipe: Recipe) -> _State | None:
    path = out / "checkpoint.pt"
    if not path.exists():
        return None
    held, state = torch.load(path, weights_only=True), _new(recipe)
    state.net.load_state_dict(held["net"])
    state.mean.load_state_dict(held["mean"])
    state.optimiser.load_state_dict(held["optimiser"])
    state.step = held["step"]
    return state


def _save(state: _State, out: Path) -> None:
    unfinished = out / "checkpoint.part"
    held = {
        "net": state.net.state_dict(),
        "mean": state.mean.state_dict(),
        "optimiser": state.optimiser.state_dict(),
        "step": state.step,
    }
    torch.save(held, unfinished)
    unfinished.rename(out / "checkpoint.pt")


def _step(state: _State, run: nn.Module, truth: Targets, recipe: Recipe) -> tuple[float, float, float, float]:
    warm = min(1.0, (state.step + 1) / 100)
    rate = recipe.rate * warm * (0.49 * (1 + math.cos(math.pi * state.step / recipe.steps)) + 0.02)
    for group in state.optimiser.param_groups:
        group["lr"] = rate
    x = torch.from_numpy(truth.pixels).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)
    with torch.autocast("cpu", torch.bfloat16):
        answers = run(x.contiguous(memory_format=torch.channels_last))
    parts = loss(answers, truth)
    state.optimiser.zero_grad(set_to_none=True)
    parts.total.backward()
    nn.utils.clip_grad_norm_(state.net.parameters(), 5.0)
    state.optimiser.step()
    state.step += 1
    _average(state, min(recipe.memory, (state.step + 1) / (state.step + 10)))
    return float(parts.scores.detach()), float(parts.boxes.detach()), float(parts.states.detach()), parts.overlap


@torch.no_grad()
def _average(state: _State, keep: float) -> None:
    for mean, now in zip(state.mean.state_dict().values(), state.net.state_dict().values(), strict=True):
        if mean.dtype.is_floating_point:
            mean.lerp_(now, 1 - keep)
        else:
            mean.copy_(now)


class _batches:  # noqa: N801 - used as a context manager
    """Batches made by a thread beside the training."""

    def __init__(self, frames: Callable[[], Sequence[tuple[Frame, float]]], recipe: Recipe, step: int) -> None:
        self._ready: queue.Queue[Targets] = queue.Queue(4)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._fill, args=(frames, recipe, step), daemon=True)

    def __enter__(self) -> Iterator[Targets]:
        self._thread.start()
        return iter(self._ready.get, None)

    def __exit__(self, *_: object) -> None:
        self._end.set()
        while self._thread.is_alive():
            try:
                self._ready.get(timeout=0.1)
            except queue.Empty:
                continue

    def _fill(self, frames: Callable[[], Sequence[tuple[Frame, float]]], recipe: Recipe, step: int) -> None:
        rng = Random(f"{recipe.seed} {step}")
        while not self._end.is_set():
            known = frames()
            picked, weights = [f for f, _ in known], [w for _, w in known]
            for _ in range(200):
                self._ready.put(assign([crop(f, rng) for f in rng.choices(picked, weights, k=recipe.batch)]))
                if self._end.is_set():
                    return
