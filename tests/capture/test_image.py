import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from PIL import Image

from cuakit.capture.image import MAX_PIXELS, ImageFile, load_image
from cuakit.capture.replay import ReplayCapture
from cuakit.core.errors import InvalidImage


def encode(picture, kind="PNG", **options):
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def solid(color=(10, 20, 30), size=(4, 3), mode="RGB"):
    return Image.new(mode, size, color)


def png_header(width, height):
    body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", len(body)) + b"IHDR" + body + struct.pack(">I", zlib.crc32(b"IHDR" + body))
    data = zlib.compress(b"")
    idat = struct.pack(">I", len(data)) + b"IDAT" + data + struct.pack(">I", zlib.crc32(b"IDAT" + data))
    return b"\x89PNG\r\n\x1a\n" + chunk + idat


def refusal(source):
    with pytest.raises(InvalidImage) as caught:
        load_image(source)
    assert caught.value.hint, "a refusal says what to do next"
    return caught.value.error_code


def test_a_picture_keeps_its_pixels_size_and_name(tmp_path):
    path = tmp_path / "form.png"
    path.write_bytes(encode(solid((1, 2, 3), (7, 5))))
    shot = load_image(path, scale=2.0)
    assert shot.size == (7, 5)
    assert shot.scale == 2.0
    assert shot.source == "image:form.png"
    assert (shot.pixels == (1, 2, 3)).all()


def test_one_pixel_is_a_picture():
    assert load_image(encode(solid(size=(1, 1)))).size == (1, 1)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM", "GIF", "WEBP"])
def test_formats_agree_on_the_pixels(kind):
    options = {"lossless": True} if kind == "WEBP" else {}
    assert (load_image(encode(solid((255, 0, 0)), kind, **options)).pixels == (255, 0, 0)).all()


def test_sixteen_bit_grey_keeps_its_brightness():
    deep = Image.fromarray(np.array([[0, 257 * 100, 65535]], np.uint16))
    assert load_image(encode(deep)).pixels[0, :, 0].tolist() == [0, 100, 255]


def test_transparency_is_seen_on_white():
    half = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    half.putpixel((1, 0), (255, 0, 0, 255))
    assert load_image(encode(half)).pixels.tolist() == [[[255, 255, 255], [255, 0, 0]]]


def test_a_transparent_palette_entry_is_seen_on_white():
    picture = Image.new("P", (2, 1), 0)
    picture.putpalette([0, 0, 0, 0, 0, 255])
    picture.putpixel((1, 0), 1)
    assert load_image(encode(picture, transparency=0)).pixels.tolist() == [[[255, 255, 255], [0, 0, 255]]]


@pytest.mark.parametrize(("mode", "color"), [("L", 128), ("LA", (128, 255)), ("1", 1), ("P", 3)])
def test_other_modes_become_rgb(mode, color):
    assert load_image(encode(solid(color, mode=mode))).pixels.shape == (3, 4, 3)


def test_cmyk_becomes_rgb():
    pixels = load_image(encode(solid((0, 255, 255, 0), (16, 16), "CMYK"), "JPEG")).pixels.astype(int)
    assert pixels[..., 0].min() > 200
    assert pixels[..., 1:].max() < 60


def test_the_cameras_orientation_is_applied():
    exif = Image.Exif()
    exif[0x0112] = 6
    assert load_image(encode(solid(size=(40, 20)), "JPEG", exif=exif)).size == (20, 40)


def test_of_an_animation_the_first_frame_is_taken_and_named():
    data = encode(solid((255, 0, 0)), "GIF", save_all=True, append_images=[solid((0, 0, 255)), solid((0, 255, 0))])
    shot = load_image(data)
    assert (shot.pixels == (255, 0, 0)).all()
    assert "first of 3 frames" in shot.source


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "image_empty"),
        (b"hello, this is no picture", "image_not_a_picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image_not_a_picture"),
        (b"%PDF-1.7 ...", "image_not_a_picture"),
        (png_header(0, 0), "image_empty"),
        (png_header(5, 0), "image_empty"),
        (png_header(20_000, 3), "image_too_large"),
        (png_header(20_000, 20_000), "image_too_many_pixels"),
        (png_header(9_001, 9_001), "image_too_many_pixels"),
        (png_header(50, 50), "image_truncated"),
    ],
)
def test_each_unusable_picture_has_its_own_code(data, code):
    assert refusal(data) == code


def test_the_bomb_limit_is_on_pixels_not_on_bytes():
    assert MAX_PIXELS < 9_001 * 9_001
    assert refusal(encode(Image.new("1", (9_001, 9_001)))) == "image_too_many_pixels"


def test_a_picture_cut_short_is_refused_whole():
    data = encode(Image.effect_noise((200, 200), 90))
    assert refusal(data[: len(data) // 2]) == "image_truncated"


def test_float_samples_are_refused_by_name():
    assert refusal(encode(Image.new("F", (3, 3), 0.5), "TIFF")) == "image_mode_unsupported"


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path):
    assert refusal(tmp_path / "nowhere.png") == "image_not_found"
    assert refusal(tmp_path) == "image_is_directory"


def test_a_path_that_no_file_can_have_is_refused():
    assert refusal("a\0b.png") == "image_unreadable"


def test_a_device_is_no_picture():
    assert refusal("/dev/null") == "image_not_a_file"


def test_an_svg_is_told_what_to_do():
    with pytest.raises(InvalidImage, match="render it first"):
        load_image(b"<svg></svg>")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_damaged_byte_gives_a_picture_or_a_refusal(at, byte):
    data = bytearray(encode(Image.linear_gradient("L").resize((32, 32))))
    data[at % len(data)] = byte
    try:
        shot = load_image(bytes(data))
    except InvalidImage as refused:
        assert refused.error_code.startswith("image_")  # noqa: PT017 - either way is right
    else:
        assert shot.pixels.shape[2] == 3


def test_the_stage_reads_the_file_as_it_is_now(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(encode(solid((1, 1, 1))))
    source = ImageFile(path=str(path), scale=1.5)
    before = source()
    path.write_bytes(encode(solid((2, 2, 2))))
    assert before.digest != source().digest
    assert before.scale == 1.5


def test_replay_plays_in_order_of_names_and_holds_the_last(tmp_path):
    for name, level in (("b.png", 2), ("a.png", 1), ("notes.txt", 0)):
        data = encode(solid((level,) * 3)) if name.endswith("png") else b"no frame"
        (tmp_path / name).write_bytes(data)
    play = ReplayCapture(path=str(tmp_path))
    assert [int(play().pixels[0, 0, 0]) for _ in range(4)] == [1, 2, 2, 2]
    again = ReplayCapture(path=str(tmp_path), loop=True)
    assert [int(again().pixels[0, 0, 0]) for _ in range(4)] == [1, 2, 1, 2]


def test_replay_of_nothing_is_refused(tmp_path):
    with pytest.raises(InvalidImage) as caught:
        ReplayCapture(path=str(tmp_path))()
    assert caught.value.error_code == "image_not_found"
