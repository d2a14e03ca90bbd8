"""Small files with the field names that the data sets publish; nothing of the data sets themselves is here."""

import json

import pytest

from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.data.layouts import load_coco, load_osworld_g, load_screenspot, load_voc

VOC = """<annotation><filename>a.png</filename><size><width>80</width><height>40</height><depth>3</depth></size>
<object><name>button</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>20</ymax></bndbox></object></annotation>"""


def saved(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def coco(**more):
    return {
        "images": [{"id": 7, "file_name": "a.png", "width": 80, "height": 40}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 3, "bbox": [10, 20, 5, 6]}],
        "categories": [{"id": 3, "name": "button"}],
    } | more


def test_coco_boxes_are_corner_and_size(tmp_path):
    (screen,) = load_coco(saved(tmp_path / "x.json", coco()))
    assert screen.image == tmp_path / "a.png"
    assert [(e.box, e.role) for e in screen.elements] == [(Box(10, 20, 15, 26), "button")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"categories": []}, "3 is missing"),
        ({"images": []}, "7 is missing"),
        ({"annotations": [{"image_id": 7, "category_id": 3}]}, "'bbox' is missing"),
        ({"images": [{"id": 7, "file_name": "../../a.png"}]}, "leads out"),
    ],
)
def test_a_bad_coco_file_is_refused_with_its_name(tmp_path, change, said):
    with pytest.raises(UsageError, match=rf"x\.json: .*{said}"):
        load_coco(saved(tmp_path / "x.json", coco(**change)))


def test_voc_counts_from_one_and_includes_the_last_pixel(tmp_path):
    saved(tmp_path / "a.xml", VOC)
    (screen,) = load_voc(tmp_path)
    assert [(e.box, e.role) for e in screen.elements] == [(Box(0, 0, 10, 20), "button")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<annotation>", "no XML"),
        (VOC.replace("<xmax>10</xmax>", ""), "no <xmax>"),
        (VOC.replace("<filename>a.png</filename>", ""), "no <filename>"),
        ("<annotation><filename>a</filename><object><name>b</name></object></annotation>", "no bndbox"),
        (VOC.replace(">10<", ">ten<"), "ten"),
    ],
)
def test_a_bad_voc_file_is_refused_with_its_name(tmp_path, content, said):
    saved(tmp_path / "a.xml", content)
    with pytest.raises(UsageError, match=rf"a\.xml: .*{said}"):
        load_voc(tmp_path)


def test_a_folder_without_voc_files_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"no \.xml"):
        load_voc(tmp_path)


def test_screenspot_v2_boxes_are_corner_and_size(tmp_path):
    row = {"img_filename": "a.png", "bbox": [10, 20, 5, 6], "instruction": "close", "data_type": "icon"}
    row |= {"data_source": "windows"}
    (target,) = load_screenspot(saved(tmp_path / "v2.json", [row]), tmp_path)
    assert (target.box, target.text, target.kind, target.group) == (Box(10, 20, 15, 26), "close", "icon", "windows")


def test_screenspot_pro_boxes_are_two_corners(tmp_path):
    row = {"img_filename": "a.png", "bbox": [10, 20, 15, 26], "instruction": "close", "ui_type": "icon"}
    row |= {"application": "blender", "img_size": [3840, 2160]}
    (target,) = load_screenspot(saved(tmp_path / "pro.json", [row]), tmp_path)
    assert (target.box, target.kind, target.group) == (Box(10, 20, 15, 26), "icon", "blender")


def test_osworld_g_has_boxes_and_polygons_and_refusals_are_left_out(tmp_path):
    row = {"image_path": "a.png", "instruction": "open", "GUI_types": ["Button", "Icon"]}
    rows = [
        row | {"box_type": "bbox", "box_coordinates": [10, 20, 5, 6]},
        row | {"box_type": "polygon", "box_coordinates": [1, 2, 9, 4, 5, 8]},
        row | {"box_type": "refusal", "box_coordinates": [-1, -1, -1, -1]},
    ]
    found = load_osworld_g(saved(tmp_path / "g.json", rows), tmp_path)
    assert [t.box for t in found] == [Box(10, 20, 15, 26), Box(1, 2, 9, 8)]
    assert found[0].kind == "Button; Icon"


@pytest.mark.parametrize("load", [load_screenspot, load_osworld_g])
@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "no JSON"), ({"a": 1}, "list of objects"), ([{}], "row 0: .* is missing")],
)
def test_a_bad_target_file_is_refused_with_its_place(tmp_path, load, content, said):
    with pytest.raises(UsageError, match=said):
        load(saved(tmp_path / "t.json", content), tmp_path)


@pytest.mark.parametrize("load", [load_screenspot, load_osworld_g])
def test_a_file_that_is_not_there_is_said(tmp_path, load):
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "none.json", tmp_path)
