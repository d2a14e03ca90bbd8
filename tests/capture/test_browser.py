"""A page is captured through the same bind as any live surface."""

from __future__ import annotations

import pytest

from cuakit.backends.cdp import Page
from cuakit.capture.browser import PageCapture
from cuakit.core.errors import UsageError
from cuakit.core.registry import build, spec


@pytest.mark.browser
def test_a_bound_capture_takes_fresh_frames_of_its_page(page: Page):
    grab = build("capture", "page-v1").bind(page)
    first = grab()
    page.evaluate("document.body.style.background = 'rgb(9, 8, 7)'; 0")
    second = grab()
    assert first.size == second.size == page.size()
    assert first.digest != second.digest
    assert tuple(second.pixels[-1, -1]) == (9, 8, 7)


def test_an_unbound_capture_says_what_is_missing():
    with pytest.raises(UsageError, match="live page") as caught:
        PageCapture()()
    assert "bind" in caught.value.hint


def test_the_stage_knows_its_spec():
    assert spec(PageCapture()).name == "page-v1"
