"""Pictures against pictures with one known change."""

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageOps

from cuakit.envs.desktop.metrics import metric
from cuakit.envs.desktop.metrics.images import ssim


@pytest.fixture
def scene() -> Image.Image:
    """Coloured blocks with a gradient: structure at every scale, the same each time."""
    random = np.random.default_rng(7)
    blocks = np.kron(random.integers(60, 190, (6, 8, 3)), np.ones((12, 12, 1)))
    return Image.fromarray((blocks + np.linspace(0, 30, 96)[None, :, None]).astype(np.uint8))


def save(path, picture) -> str:
    picture.save(path)
    return str(path)


CHANGES = {
    "check_image_mirror": ImageOps.mirror,
    "check_brightness_decrease_and_structure_sim": lambda p: ImageEnhance.Brightness(p).enhance(0.7),
    "check_saturation_increase_and_structure_sim": lambda p: ImageEnhance.Color(p).enhance(1.3),
    "check_contrast_increase_and_structure_sim": lambda p: ImageEnhance.Contrast(p).enhance(1.4),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_change_that_was_asked_for_is_told_from_none_and_from_nonsense(tmp_path, scene, name):
    base = save(tmp_path / "base.png", scene)
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 90, (72, 96, 3), np.uint8))
    assert metric(name)(save(tmp_path / "now.png", CHANGES[name](scene)), base) == 1
    assert metric(name)(base, base) == 0
    assert metric(name)(save(tmp_path / "noise.png", noise), base) == 0


def test_likeness_is_one_only_for_the_same_and_does_not_depend_on_the_order(scene):
    darker = ImageEnhance.Brightness(scene).enhance(0.6)
    assert ssim(scene, scene) == pytest.approx(1)
    assert ssim(scene, darker) == pytest.approx(ssim(darker, scene))
    assert ssim(scene, ImageOps.invert(scene)) < ssim(scene, darker) < 1


@pytest.mark.parametrize("name", ["check_structure_sim", "check_structure_sim_with_threshold", "compare_image_list"])
def test_same_and_other_pictures_are_told_apart(tmp_path, scene, name):
    base, other = save(tmp_path / "1.png", scene), save(tmp_path / "2.png", ImageOps.flip(scene))
    assert [metric(name)(base, base), metric(name)(other, base)] == [1, 0]


def test_a_scaled_picture_is_recognised(tmp_path, scene):
    base, small = save(tmp_path / "1.png", scene), save(tmp_path / "2.png", scene.resize((192, 144)))
    assert metric("check_structure_sim_resized")(small, base) == 1


def test_likeness_counts_above_a_base_only_when_there_is_one(tmp_path, scene):
    base, dark = save(tmp_path / "1.png", scene), save(tmp_path / "2.png", ImageEnhance.Brightness(scene).enhance(0.6))
    compare = metric("compare_images")
    assert 0 < compare(dark, base) < 1
    assert [compare(dark, base, reference_base_result=r) for r in (0.1, 0.999)] == [1, 0]


@pytest.mark.parametrize(
    ("rule", "score"),
    [
        ({"width": 96}, 1),
        ({"height": 72}, 1),
        ({"width": 96, "height": 71}, 0),
        ({"width": 10, "height": 20, "ignore_transparent": True}, 0),
    ],
)
def test_sizes(tmp_path, scene, rule, score):
    assert metric("check_image_size")(save(tmp_path / "1.png", scene), rule) == score


def test_transparent_borders_can_be_left_out_of_a_size(tmp_path):
    picture = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    picture.paste((255, 0, 0, 255), (5, 6, 15, 26))
    rule = {"width": 10, "height": 20, "ignore_transparent": True}
    assert metric("check_image_size")(save(tmp_path / "1.png", picture), rule) == 1


def test_bytes_of_a_file_are_counted(tmp_path, scene):
    file = save(tmp_path / "1.png", scene)
    assert [metric("check_image_file_size")(file, {"max_size": n}) for n in (10**7, 10)] == [1, 0]


@pytest.mark.parametrize("name", [*CHANGES, "check_structure_sim", "compare_images", "compare_image_list"])
def test_what_is_no_picture_scores_zero(tmp_path, scene, name):
    (tmp_path / "bad.png").write_bytes(b"no picture")
    assert metric(name)(str(tmp_path / "bad.png"), save(tmp_path / "1.png", scene)) == 0
