import pytest

from cuakit.core.geometry import Box
from cuakit.core.subtask import Subtask
from cuakit.decide.offers import offers

GO = Subtask(goal="go", inputs={"text": "hi"})


@pytest.mark.parametrize("state", ["disabled", "offscreen", "occluded"])
def test_what_cannot_be_reached_is_not_on_offer(scene, state):
    assert offers(GO, scene.screen(scene.row(1, "button", "Go", states=(state,)))) == ()


def test_an_empty_box_is_not_on_offer(scene):
    flat = scene.row(1, "button", "Go")
    object.__setattr__(flat, "box", Box(5, 5, 5, 5))
    assert offers(GO, scene.screen(flat)) == ()


def test_text_of_a_page_is_not_on_offer_but_text_read_from_pixels_is(scene):
    assert offers(GO, scene.screen(scene.row(1, "text", "Go"))) == ()
    assert len(offers(GO, scene.screen(scene.row(1, "text", "Go", source="ocr")))) == 1


def test_a_field_offers_typing_and_clicking(scene):
    assert [o.operation for o in offers(GO, scene.screen(scene.row(1, "textbox", "Name")))] == ["type_text", "click"]
