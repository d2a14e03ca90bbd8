"""The detector that ships: bounded on any picture, right on known ones, and honest about bad options."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from cuakit import data
from cuakit.core.errors import UsageError
from cuakit.core.geometry import iou_matrix
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.detector import Detector, decode, fit
from cuakit.perceive.detector_classes import CLASSES, STATES

WIDTH = len(CLASSES) + 4 + len(STATES)


def rows(*answers: tuple[str, float, tuple[float, float, float, float]]) -> NDArray[np.float32]:
    table = np.zeros((len(answers), WIDTH), np.float32)
    for i, (name, score, box) in enumerate(answers):
        table[i, CLASSES.index(name)] = score
        table[i, len(CLASSES) : len(CLASSES) + 4] = box
    return table


LEAST = np.full(len(CLASSES), 0.3, np.float32)


def test_the_surest_of_two_answers_for_one_control_stays() -> None:
    found = decode(
        rows(("button", 0.5, (0, 0, 40, 20)), ("button", 0.9, (1, 0, 41, 20)), ("icon", 0.2, (90, 0, 99, 9))),
        LEAST,
        overlap=0.5,
        most=10,
    )
    assert found.boxes.tolist() == [[1, 0, 41, 20]]
    assert found.scores == pytest.approx([0.9])


def test_a_control_whose_role_is_in_doubt_is_a_control() -> None:
    table = rows(("button", 0.25, (0, 0, 40, 20)))
    table[0, CLASSES.index("tab")] = 0.24
    found = decode(table, LEAST, overlap=0.5, most=10)
    assert [CLASSES[c] for c in found.classes] == ["button"]


@given(seed=st.integers(0, 10_000), count=st.integers(0, 300), most=st.integers(1, 50))
def test_rows_are_few_sure_and_apart(seed: int, count: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.uniform(0, 0.6, (count, WIDTH)).astype(np.float32)
    corner = rng.uniform(0, 300, (count, 2))
    table[:, len(CLASSES) : len(CLASSES) + 4] = np.hstack([corner, corner + rng.uniform(4, 90, (count, 2))])
    found = decode(table, LEAST, overlap=0.5, most=most)
    assert len(found.boxes) <= most
    assert (np.diff(found.scores) <= 1e-6).all()
    assert ((found.scores >= 0.3) & (found.scores <= 1)).all()
    overlap = iou_matrix(found.boxes, found.boxes) if len(found.boxes) else np.zeros((0, 0))
    np.fill_diagonal(overlap, 0)
    assert (overlap <= 0.5 + 1e-6).all()


@pytest.mark.parametrize("size", [(1, 1), (31, 33), (640, 448), (1000, 10)])
@pytest.mark.parametrize("zoom", [0.5, 1.0, 1.3])
def test_any_picture_fits(size: tuple[int, int], zoom: float) -> None:
    pixels = np.full((size[1], size[0], 3), 7, np.uint8)
    x, ratio = fit(pixels, zoom)
    assert x.shape[:2] == (1, 3)
    assert x.shape[2] % 32 == x.shape[3] % 32 == 0
    assert np.unique(x).tolist() == [7]
    assert ratio[0] * size[0] <= x.shape[3]
    assert ratio[1] * size[1] <= x.shape[2]


@pytest.mark.parametrize(
    "options", [{"zoom_pt": 0}, {"long_side": 5}, {"confidence": 1.5}, {"overlap": -1}], ids=lambda o: next(iter(o))
)
def test_bad_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Detector(**options)  # type: ignore[arg-type]


def test_the_form_has_its_controls_whatever_the_density() -> None:
    for shot in (data.form(), data.form_2x()):
        found = Detector()(shot)
        roles = [c.role for c in found]
        assert "checkbox" in roles
        assert roles.count("button") >= 2
        assert all(c.box.clip(*shot.size) == c.box for c in found)


@pytest.mark.parametrize("shade", [0, 127, 255])
def test_nothing_is_seen_on_an_empty_screen(shade: int) -> None:
    shot = Screenshot(pixels=np.full((600, 800, 3), shade, np.uint8), scale=1.0)
    assert len(Detector()(shot)) == 0


def test_noise_is_no_flood_of_controls() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (720, 1280, 3), dtype=np.uint8)
    assert len(Detector()(Screenshot(pixels=noise, scale=1.0))) <= 5


def test_a_huge_picture_is_made_smaller_first() -> None:
    shot = Screenshot(pixels=np.full((4320, 7680, 3), 200, np.uint8), scale=1.0)
    x, _ = fit(shot.pixels, Detector().long_side / 7680)
    assert x.shape[3] <= 2560
    assert len(Detector()(shot)) == 0


def test_it_says_what_ran() -> None:
    (model,) = Detector().models()
    assert model.id == "detector-v1"
    assert len(model.sha256) == 64
