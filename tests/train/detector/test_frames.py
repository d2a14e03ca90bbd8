"""Frames hold what the screens say, at a density that is worth keeping."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.data.annotations import Element, Screen
from cuakit.perceive.detector_classes import CLASSES, STATES
from cuakit.train.detector.frames import load_frames


def a_screen(folder: Path, scale: float) -> Screen:
    path = folder / "a.png"
    Image.new("RGB", (200, 100), "white").save(path)
    return Screen(
        image=path,
        app="a",
        split="train",
        scale=scale,
        elements=(
            Element(box=Box(10, 10, 60, 30), role="checkbox", text="on", states=("checked",)),
            Element(box=Box(0, 50, 200, 100), role="listbox"),
        ),
        blind=(Box(100, 0, 120, 20),),
    )


@pytest.mark.parametrize(("scale", "zoom"), [(1.0, 1.0), (1.5, 1.0), (2.0, 0.5)])
def test_a_dense_picture_is_halved_with_its_boxes(tmp_path: Path, scale: float, zoom: float) -> None:
    (frame,) = load_frames([a_screen(tmp_path, scale)], tmp_path / "cache")
    assert frame.pixels.shape == (100 * zoom, 200 * zoom, 3)
    assert frame.scale == scale * zoom
    assert frame.boxes.tolist() == [[10 * zoom, 10 * zoom, 60 * zoom, 30 * zoom]]
    assert [CLASSES[c] for c in frame.classes] == ["checkbox"]
    assert dict(zip(STATES, frame.states[0], strict=True))["checked"] == 1


def test_what_has_no_class_is_unknown_rather_than_nothing(tmp_path: Path) -> None:
    (frame,) = load_frames([a_screen(tmp_path, 1.0)], tmp_path / "cache")
    assert frame.blind.tolist() == [[100, 0, 120, 20], [0, 50, 200, 100]]


def test_pixels_are_unpacked_once(tmp_path: Path) -> None:
    screen = a_screen(tmp_path, 1.0)
    for _ in range(2):
        (frame,) = load_frames([screen], tmp_path / "cache")
        assert np.asarray(frame.pixels).min() == 255
    assert len(list((tmp_path / "cache").glob("*.npy"))) == 1


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    screen = a_screen(tmp_path, 1.0)
    screen.image.unlink()
    with pytest.raises(UsageError, match=r"a\.png"):
        list(load_frames([screen], tmp_path / "cache"))
