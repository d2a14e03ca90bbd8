import base64

import numpy as np
import pytest
from PIL import Image

from cuakit import data
from cuakit.core.errors import InvalidImage


@pytest.mark.parametrize(
    ("make", "size", "scale"),
    [(data.form, (640, 420), 1.0), (data.form_2x, (1280, 840), 2.0), (data.drawio, (1280, 800), 1.0)],
)
def test_a_sample_is_a_screenshot_of_known_size_and_scale(make, size, scale):
    shot = make()
    assert (shot.size, shot.scale) == (size, scale)
    assert len(np.unique(shot.pixels)) > 50


def test_the_two_scales_of_the_form_show_the_same():
    small = np.asarray(data.form_2x().image().resize((640, 420), Image.Resampling.BOX)).astype(int)
    assert np.abs(small - data.form().pixels).mean() < 3


def test_every_shipped_file_is_pinned_and_nothing_else():
    from importlib.resources import files

    shipped = {f.name for f in files("cuakit.data").joinpath("screens").iterdir()}
    assert shipped == set(data.SHA256)


def test_a_damaged_sample_is_refused(monkeypatch):
    monkeypatch.setattr(data, "SHA256", {"form.png": "0" * 64})
    with pytest.raises(InvalidImage, match=r"form\.png is damaged"):
        data.form()


def test_the_page_needs_nothing_from_outside():
    head, _, body = data.form_page().partition("base64,")
    text = base64.b64decode(body).decode()
    assert head == "data:text/html;charset=utf-8;"
    assert "http" not in text
    assert "src=" not in text


@pytest.mark.browser
def test_the_page_is_what_the_picture_shows(browser):
    page = browser.new_page(width=640, height=420)
    page.navigate(data.form_page())
    # Fonts differ between machines, the layout's large areas do not.
    shrunk = [np.asarray(s.image().convert("L").resize((16, 10))).astype(int) for s in (page.grab(), data.form())]
    page.close()
    assert np.abs(shrunk[0] - shrunk[1]).max() < 40
