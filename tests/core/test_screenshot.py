import numpy as np
import pytest
from hypothesis import given

from cuakit.core.errors import InvalidImage
from cuakit.core.geometry import Box
from cuakit.core.screenshot import MAX_SIDE, Screenshot
from tests.strategies import boxes, shot


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((0, 5, 3), np.uint8),
        np.zeros((5, 0, 3), np.uint8),
        np.zeros((5, 5), np.uint8),
        np.zeros((5, 5, 4), np.uint8),
        np.zeros((5, 5, 3), np.uint16),
        np.zeros((5, 5, 3), np.float32),
        np.broadcast_to(np.uint8(0), (1, MAX_SIDE + 1, 3)),
    ],
    ids=["no-rows", "no-columns", "grey", "rgba", "16-bit", "float", "too-wide"],
)
def test_what_is_no_frame_is_refused_with_what_was_found(pixels):
    with pytest.raises(InvalidImage) as refused:
        Screenshot(pixels=pixels)
    assert refused.value.hint
    assert refused.value.error_code == "invalid_image"


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, MAX_SIDE, 3)])
def test_the_limits_themselves_are_allowed(shape):
    frame = Screenshot(pixels=np.zeros(shape, np.uint8))
    assert frame.size == (shape[1], shape[0])


@pytest.mark.parametrize("scale", [0, -1, float("nan")])
def test_a_scale_that_is_not_positive_is_refused(scale):
    with pytest.raises(InvalidImage, match="scale"):
        shot(scale=1).__class__(pixels=np.zeros((2, 2, 3), np.uint8), scale=scale)


def test_pixels_cannot_be_changed_through_the_screenshot():
    with pytest.raises(ValueError, match="read-only"):
        shot().pixels[0, 0] = 0


def test_equal_pixels_have_equal_digests_whatever_their_memory_layout():
    pixels = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    turned = np.asfortranarray(pixels)
    assert Screenshot(pixels=pixels).digest == Screenshot(pixels=turned).digest
    assert Screenshot(pixels=pixels).digest != Screenshot(pixels=pixels.reshape(6, 4, 3)).digest


@given(boxes)
def test_a_crop_is_cut_at_the_frame(box):
    frame = shot(40, 30)
    height, width, _ = frame.crop(box).shape
    assert width <= 40
    assert height <= 30
    assert (width and height) or frame.crop(box).size == 0


def test_a_crop_covers_every_pixel_that_the_box_touches():
    assert shot(40, 30).crop(Box(0.5, 0.5, 2.5, 1.5)).shape == (2, 3, 3)


def test_png_round_trips_the_pixels():
    import io

    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (9, 7, 3), np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(Screenshot(pixels=pixels).png()))), pixels)
