import json

import pytest
from PIL import Image

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.data.annotations import FILE, Element, Screen, TextLine, as_row, by_app, load_screens, to_coco


def screen(folder, app="mail", **more):
    image = folder / "images" / f"{app}.png"
    image.parent.mkdir(exist_ok=True)
    Image.new("RGB", (80, 40)).save(image)
    element = Element(
        box=Box(1, 2, 31, 22),
        role="link",
        name="Send now",
        text="Send",
        states=("disabled",),
        also=(Box(0, 0, 40, 24),),
        looks=("button",),
    )
    line = TextLine(box=Box(4, 5, 20, 15), text="Send")
    return Screen(image=image, app=app, elements=(element,), lines=(line,), blind=(Box(50, 0, 80, 40),), **more)


def write(folder, *rows):
    (folder / FILE).write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")


def test_what_was_written_is_read_back(tmp_path):
    made = screen(tmp_path, split="train", scale=1.5, theme="dark", source="dom")
    write(tmp_path, as_row(made, tmp_path))
    assert load_screens(tmp_path) == (made,)


def test_only_the_part_that_was_asked_for_is_read(tmp_path):
    rows = [as_row(screen(tmp_path, app, split=split), tmp_path) for app, split in (("a", "train"), ("b", "test"))]
    write(tmp_path, *rows)
    assert [s.app for s in load_screens(tmp_path, split="test")] == ["b"]


def test_every_extent_of_an_element_is_right(tmp_path):
    assert screen(tmp_path).elements[0].extents == (Box(1, 2, 31, 22), Box(0, 0, 40, 24))


def test_a_folder_without_annotations_says_how_to_build_them(tmp_path):
    with pytest.raises(UsageError, match="build"):
        load_screens(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"elements": [{"box": [1, 2, 3, 4]}]}, "'role' is missing"),
        ({"elements": [{"box": [9, 2, 3, 4], "role": "link", "name": "", "text": "", "states": []}]}, "negative side"),
        ({"blind": [[1, 2, 3]]}, "unpack"),
        ({"image": "../elsewhere.png"}, "leads out"),
    ],
)
def test_a_bad_line_is_named(tmp_path, change, said):
    good = as_row(screen(tmp_path), tmp_path)
    write(tmp_path, good, good | change)
    with pytest.raises(UsageError, match=rf"{FILE}:2: .*{said}"):
        load_screens(tmp_path)


def test_a_line_that_is_no_json_is_named(tmp_path):
    (tmp_path / FILE).write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match=f"{FILE}:1"):
        load_screens(tmp_path)


def test_coco_counts_width_and_height_and_numbers_roles_from_one(tmp_path):
    made = to_coco([screen(tmp_path)], [(80, 40)])
    assert made["images"] == [{"id": 1, "file_name": "mail.png", "width": 80, "height": 40}]
    assert made["categories"] == [{"id": 1, "name": "link"}]
    (box,) = made["annotations"]
    assert (box["bbox"], box["area"], box["image_id"], box["category_id"]) == ([1, 2, 30, 20], 600, 1, 1)


def test_applications_come_in_order(tmp_path):
    screens = [screen(tmp_path, app) for app in ("b", "a", "b")]
    assert [(app, len(group)) for app, group in by_app(screens)] == [("a", 1), ("b", 2)]
