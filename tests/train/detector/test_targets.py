"""Every box that is seen has a place that answers for it, and no place answers for two."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from cuakit.perceive.detector_classes import CLASSES, STATES, STRIDES, class_of
from cuakit.train.detector.crops import HEIGHT, LEAST_SIDE, WIDTH, Crop, crop, recoloured
from cuakit.train.detector.frames import Frame
from cuakit.train.detector.targets import assign

sides = st.floats(LEAST_SIDE, 400)


def a_crop(*boxes: tuple[float, float, float, float], blind: tuple[tuple[float, ...], ...] = ()) -> Crop:
    return Crop(
        pixels=np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        boxes=np.array(boxes, np.float32).reshape(-1, 4),
        classes=np.zeros(len(boxes), np.int64),
        states=np.zeros((len(boxes), len(STATES)), np.float32),
        blind=np.array(blind, np.float32).reshape(-1, 4),
    )


def a_frame(scale: float = 1.0) -> Frame:
    """Grey with one white rectangle from (200, 100) to (300, 140) points."""
    pixels = np.full((round(600 * scale), round(900 * scale), 3), 90, np.uint8)
    box = np.array([[200, 100, 300, 140]], np.float32) * scale
    left, top, right, bottom = box[0].astype(int)
    pixels[top:bottom, left:right] = 255
    return Frame(
        pixels=pixels,
        scale=scale,
        boxes=box,
        classes=np.array([CLASSES.index("button")]),
        states=np.zeros((1, len(STATES)), np.float32),
        blind=np.zeros((0, 4), np.float32),
    )


@given(x=st.floats(0, 500), y=st.floats(0, 300), w=sides, h=sides)
def test_every_box_has_a_place(x: float, y: float, w: float, h: float) -> None:
    box = (x, y, min(x + w, WIDTH), min(y + h, HEIGHT))
    truth = assign([a_crop(box)])
    assert sum(int((o == 1).sum()) for o in truth.owner) >= 1


@given(x=st.floats(0, 500), y=st.floats(0, 300), w=st.floats(12, 400), h=st.floats(12, 400))
def test_a_place_that_answers_for_a_box_is_not_far_from_its_middle(x: float, y: float, w: float, h: float) -> None:
    truth = assign([a_crop((x, y, min(x + w, WIDTH), min(y + h, HEIGHT)))])
    middle = truth.boxes[0, :2] / 2 + truth.boxes[0, 2:] / 2
    for owner, stride in zip(truth.owner, STRIDES, strict=True):
        for _, row, column in np.argwhere(owner > 0):
            assert abs((column + 0.5) * stride - middle[0]) <= 3 * stride
            assert abs((row + 0.5) * stride - middle[1]) <= 3 * stride


def test_where_two_boxes_claim_a_place_the_smaller_has_it() -> None:
    truth = assign([a_crop((100, 100, 140, 140), (112, 112, 128, 128))])
    assert truth.owner[0][0, 120 // 8, 120 // 8] == 2


def test_boxes_of_a_batch_are_counted_through() -> None:
    truth = assign([a_crop((10, 10, 40, 40)), a_crop((10, 10, 40, 40))])
    assert set(truth.owner[0][1].ravel()) == {0, 2}


def test_what_is_unknown_teaches_nothing() -> None:
    truth = assign([a_crop(blind=((0, 0, 64, 64),))])
    assert truth.ignored[0][0, :8, :8].all()
    assert truth.ignored[0].sum() == 64


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("seed", range(12))
def test_boxes_move_with_their_pixels(scale: float, seed: int) -> None:
    rng = Random(seed)
    cut = crop(a_frame(scale), rng, scale=1.0)
    pixels: NDArray[np.uint8] = crop(a_frame(scale), Random(seed), scale=1.0).pixels
    assert (pixels == cut.pixels).all(), "the same draws give the same crop"
    assert ((cut.boxes[:, 2:] - cut.boxes[:, :2]) > 0).all()
    assert (cut.boxes >= 0).all()
    assert (cut.boxes[:, 2] <= WIDTH).all()
    assert (cut.boxes[:, 3] <= HEIGHT).all()
    for left, top, right, bottom in cut.boxes.round().astype(int):
        inner = cut.pixels[top + 3 : bottom - 3, left + 3 : right - 3].astype(int)
        assert inner.size == 0 or np.ptp(inner.reshape(-1, 3).mean(axis=1)) < 90, "one flat colour, give or take JPEG"


@pytest.mark.parametrize("seed", range(30))
def test_recolouring_keeps_shape_and_kind(seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    out = recoloured(pixels, Random(seed))
    assert out.shape == pixels.shape
    assert out.dtype == np.uint8


@pytest.mark.parametrize(
    ("role", "text", "wanted"),
    [
        ("button", "Save", "button"),
        ("button", " ", "icon"),
        ("link", "", "icon"),
        ("icon", "Save", "button"),
        ("searchbox", "", "textbox"),
        ("treeitem", "src", "listitem"),
        ("columnheader", "Name", "cell"),
        ("dialog", "", ""),
    ],
)
def test_classes_of_roles(role: str, text: str, wanted: str) -> None:
    assert class_of(role, text) == wanted
