"""The network learns what it is shown, goes on where it stopped, and is exported as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra train")

from cuakit.core.errors import UsageError  # noqa: E402 - only where torch is
from cuakit.models.session import onnx_session  # noqa: E402
from cuakit.perceive.detector_classes import CLASSES, STATES  # noqa: E402
from cuakit.train.detector.export import export  # noqa: E402
from cuakit.train.detector.fit import Recipe, fit, mean_network  # noqa: E402
from cuakit.train.detector.frames import Frame  # noqa: E402
from cuakit.train.detector.loss import overlaps  # noqa: E402
from cuakit.train.detector.net import Answers, Detector  # noqa: E402

pytestmark = pytest.mark.slow


def frames() -> Sequence[tuple[Frame, float]]:
    """White rectangles on grey, all of them buttons."""
    rng = np.random.default_rng(0)
    pixels = np.full((448, 640, 3), 120, np.uint8)
    corners = [(x, y, x + 90, y + 30) for x in range(20, 500, 130) for y in range(20, 380, 70)]
    for x1, y1, x2, y2 in corners:
        pixels[y1:y2, x1:x2] = 230 + rng.integers(0, 20)
    return [
        (
            Frame(
                pixels=pixels,
                scale=1.0,
                boxes=np.array(corners, np.float32),
                classes=np.full(len(corners), CLASSES.index("button")),
                states=np.zeros((len(corners), len(STATES)), np.float32),
                blind=np.zeros((0, 4), np.float32),
            ),
            1.0,
        )
    ]


def test_it_is_small() -> None:
    assert sum(p.numel() for p in Detector().parameters()) <= 3_000_000


def test_it_learns_resumes_and_refuses_another_recipe(tmp_path: Path) -> None:
    said: list[str] = []
    short = Recipe(steps=50, batch=2)
    fit(frames, short, tmp_path, say=said.append)
    log = (tmp_path / "log.jsonl").read_text("utf-8").splitlines()
    assert len(log) == len(said) == 2
    overlap = [float(line.split('"overlap": ')[1].rstrip("}")) for line in log]
    assert overlap[1] > overlap[0]
    fit(frames, short, tmp_path, say=said.append)
    assert len(said) == 2, "a finished run is not run again"
    with pytest.raises(UsageError, match="another recipe"):
        fit(frames, Recipe(steps=60, batch=2), tmp_path)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the older exporter is the one that needs no further package
def test_the_export_answers_as_the_network_does(tmp_path: Path) -> None:
    fit(frames, Recipe(steps=2, batch=1), tmp_path)
    session = onnx_session(export(tmp_path / "checkpoint.pt", tmp_path / "net.onnx").read_bytes())
    x = np.random.default_rng(1).uniform(0, 255, (1, 3, 96, 160)).astype(np.float32)
    with torch.no_grad():
        wanted = Answers(mean_network(tmp_path / "checkpoint.pt"))(torch.from_numpy(x)).numpy()
    assert np.abs(session(x) - wanted).max() < 2e-2
    assert wanted.shape == (1, 20 * 12 + 10 * 6 + 5 * 3, len(CLASSES) + 4 + len(STATES))


def test_overlaps_of_known_boxes() -> None:
    a = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 10]])
    b = torch.tensor([[0.0, 0, 10, 10], [5, 0, 15, 10], [20, 0, 30, 10]])
    iou, generalised = overlaps(a, b)
    assert iou.tolist() == pytest.approx([1, 1 / 3, 0], abs=1e-4)
    assert generalised.tolist() == pytest.approx([1, 1 / 3, -1 / 3], abs=1e-4)
