"""A page can be opened, driven and looked at, and says exactly what is wrong when it cannot."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import numpy as np
import pytest

from cuakit.backends.cdp import Browser, Page
from cuakit.backends.input.cdp import CdpInput
from cuakit.core.errors import BackendError, BrowserUnavailable, PageCrashed, PageTimeout, TargetGone
from cuakit.core.geometry import Box, Point
from cuakit.core.stages import Surface

pytestmark = pytest.mark.browser


def fill(page: Page, html: str) -> None:
    page.evaluate(f"document.documentElement.innerHTML = {html!r}; 0")


def first_error(page: Page) -> type[BackendError] | None:
    """What asking the page again and again comes to, within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            page.evaluate("1", timeout_s=0.5)
        except BackendError as error:
            return type(error)
    return None


def hang(page: Page) -> None:
    page.evaluate("setTimeout(() => { while (true) {} }, 0); 0")
    assert first_error(page) is PageTimeout


def test_values_come_back_as_json(page: Page):
    assert page.evaluate("({a: [1, 'two', null, true]})") == {"a": [1, "two", None, True]}


def test_a_promise_is_awaited(page: Page):
    assert page.evaluate("Promise.resolve(7)") == 7


def test_undefined_is_none(page: Page):
    assert page.evaluate("undefined") is None


@pytest.mark.parametrize("script", ["throw new Error('because')", "Promise.reject(new Error('because'))", "nope("])
def test_a_failing_script_says_why(page: Page, script: str):
    with pytest.raises(BackendError, match=r"because|SyntaxError") as caught:
        page.evaluate(script)
    assert caught.value.error_code == "page_script_error"


def test_the_inspectors_helpers_are_only_there_when_asked_for(page: Page):
    assert page.evaluate("typeof getEventListeners") == "undefined"
    assert page.evaluate("typeof getEventListeners", inspector=True) == "function"


def test_a_refused_command_names_the_reason(page: Page):
    with pytest.raises(BackendError, match="NoSuch") as caught:
        page.call("NoSuch.method")
    assert caught.value.error_code == "devtools_error"


def test_a_page_is_a_surface(page: Page):
    assert isinstance(page, Surface)


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0, 3.0])
def test_a_frame_has_the_size_it_claims_and_maps_to_css_pixels(browser: Browser, scale: float):
    page = browser.new_page(width=161, height=97, scale=scale)
    try:
        shot = page.grab()
        assert shot.size == page.size()
        assert shot.scale == scale
        assert page.evaluate("devicePixelRatio") == scale
        mapped = shot.to_input.apply(Point(scale * 100, scale * 50))
        assert (mapped.x, mapped.y) == pytest.approx((100, 50))
    finally:
        page.close()


def test_a_frame_shows_what_the_page_shows_now(page: Page):
    for color, rgb in (("rgb(255, 0, 0)", (255, 0, 0)), ("rgb(0, 128, 255)", (0, 128, 255))):
        fill(page, f"<body style='margin:0;background:{color}'>")
        assert np.array_equal(page.grab().pixels[10, 10], rgb)


def test_a_frame_is_lossless(page: Page):
    fill(page, "<body style='margin:0'><canvas width=256 height=1 style='display:block'></canvas>")
    page.evaluate(
        "(() => { const c = document.querySelector('canvas').getContext('2d'); const d = c.createImageData(256, 1);"
        " for (let i = 0; i < 256; i++) d.data.set([i, 255 - i, (i * 7) % 256, 255], i * 4);"
        " c.putImageData(d, 0, 0); })()"
    )
    row = page.grab().pixels[0, :256].astype(int)
    i = np.arange(256)
    assert np.array_equal(row, np.stack([i, 255 - i, (i * 7) % 256], axis=1))


@pytest.mark.parametrize("box", [Box(10, 20, 60, 50), Box(10.4, 20.6, 59.2, 49.9), Box(-5, -5, 30, 30)])
def test_a_patch_is_the_part_of_the_frame(page: Page, box: Box):
    fill(page, "<body style='background:linear-gradient(45deg,red,blue)'><h1>text</h1>")
    shot = page.grab()
    assert np.array_equal(page.patch(box), shot.crop(box))


def test_a_patch_outside_the_frame_is_empty(page: Page):
    assert page.patch(Box(1000, 1000, 1010, 1010)).size == 0


@pytest.mark.parametrize("navigate", [False, True], ids=["made", "navigated"])
@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
def test_a_click_lands_where_the_frame_said(browser: Browser, scale: float, navigate: bool):
    page = browser.new_page(width=200, height=100, scale=scale)
    body = "<body style='margin:0'><div style='position:absolute;left:50px;top:20px;width:4px;height:4px'>"
    try:
        if navigate:
            page.navigate("data:text/html," + quote(body))
        else:
            fill(page, body)
        page.evaluate("globalThis.hits = []; addEventListener('click', e => hits.push(e.target.tagName), true); 0")
        CdpInput(page=page).click(page.grab().to_input.apply(Point(52 * scale, 22 * scale)))
        end = time.monotonic() + 20
        while not (hits := page.evaluate("hits")):
            assert time.monotonic() < end, "the click did not arrive"
            page.evaluate("new Promise(requestAnimationFrame)")
        assert hits == ["DIV"]
    finally:
        page.close()


def test_resizing_changes_size_and_frame_together(page: Page):
    page.resize(120, 80, 2.0)
    assert page.size() == (240, 160) == page.grab().size


def test_dark_pages_are_told(browser: Browser):
    page = browser.new_page(width=50, height=50, dark=True)
    try:
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is True
    finally:
        page.close()


def test_navigation_waits_for_load_and_changes_the_generation(page: Page):
    before = page.target()
    page.navigate("data:text/html,<title>there</title><p>hello")
    after = page.target()
    assert page.title() == "there"
    assert page.url().startswith("data:text/html")
    assert before.key == after.key
    assert before.generation != after.generation


def test_a_navigation_that_the_page_makes_itself_changes_the_generation(page: Page):
    before = page.target().generation
    page.evaluate("location.href = 'about:blank?2'; 0")
    deadline = time.monotonic() + 10
    while page.target().generation == before:
        assert time.monotonic() < deadline


def test_editing_the_document_keeps_the_generation(page: Page):
    before = page.target()
    fill(page, "<body>other")
    page.evaluate("history.pushState({}, '', '#here'); 0")
    assert page.target() == before


def test_going_nowhere_is_an_error_with_the_browsers_own_word(page: Page):
    with pytest.raises(BackendError, match="ERR_") as caught:
        page.navigate("http://127.0.0.1:9/")
    assert caught.value.error_code == "navigation_failed"


def test_an_injected_script_is_there_now_and_after_navigation(page: Page):
    page.inject("mark", "globalThis.mark = 1")
    assert page.evaluate("mark") == 1
    page.navigate("data:text/html,next")
    assert page.evaluate("mark") == 1
    page.inject("mark", "globalThis.mark = 2")
    page.navigate("data:text/html,again")
    assert page.evaluate("mark") == 2


@pytest.mark.parametrize(
    ("script", "answer"), [("alert('x')", None), ("confirm('x')", False), ("prompt('x', 'y')", None)]
)
def test_a_dialog_is_dismissed_and_noted(page: Page, script: str, answer: object):
    assert page.evaluate(script) == answer
    assert page.dialogs == (f"{script.split('(', 1)[0]}: x",)


def test_events_reach_who_asked_for_them(page: Page):
    page.call("Runtime.enable")
    with page.events("Runtime.consoleAPICalled") as events:
        page.evaluate("console.log('one'); console.log('two')")
        got = [events.get(timeout_s=5)[1]["args"][0]["value"] for _ in range(2)]
    assert got == ["one", "two"]


def test_waiting_for_an_event_that_does_not_come_ends(page: Page):
    with page.events("Network.requestWillBeSent") as events, pytest.raises(PageTimeout):
        events.get(timeout_s=0.05)


def test_pages_do_not_share_storage_unless_asked_to(browser: Browser, page: Page):
    # Cookies need an origin; a blob of one context is unknown in another, which shows the same.
    url = page.evaluate("URL.createObjectURL(new Blob(['x']))")
    other = browser.new_page(width=50, height=50)
    try:
        with pytest.raises(BackendError):
            other.evaluate(f"fetch({url!r}).then(r => r.text())")
    finally:
        other.close()


def test_many_threads_get_their_own_answers(browser: Browser, page: Page):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda i: page.evaluate(f"{i} * 2"), range(200))) == [2 * i for i in range(200)]


def test_a_large_message_passes_both_ways(page: Page):
    text = "å" * 3_000_000
    assert page.evaluate(f"'{text}'.length") == len(text)
    assert page.evaluate(f"'å'.repeat({len(text)})") == text


def test_a_script_that_never_ends_is_stopped_and_the_page_lives_on(page: Page):
    with pytest.raises(PageTimeout):
        page.evaluate("while (true) {}", timeout_s=0.3)
    assert page.evaluate("1 + 1") == 2


def test_a_page_that_hangs_costs_its_caller_the_deadline_and_nobody_else(browser: Browser, page: Page):
    hang(page)
    other = browser.new_page(width=50, height=50)
    assert other.evaluate("1 + 1") == 2
    other.close()
    with pytest.raises(PageTimeout):
        page.call("Page.captureScreenshot", timeout_s=0.3)
    page.close()
    with pytest.raises(TargetGone):
        page.evaluate("1")


def test_a_crash_is_told_at_once_and_for_good(browser: Browser, page: Page):
    with pytest.raises(PageCrashed):
        page.call("Page.crash", timeout_s=20)
    with pytest.raises(PageCrashed):
        page.grab()
    with pytest.raises(PageCrashed):
        page.target()
    other = browser.new_page(width=50, height=50)
    assert other.evaluate("1 + 1") == 2
    other.close()


def test_a_crash_wakes_who_waits(page: Page):
    seen: list[BaseException] = []

    def wait() -> None:
        try:
            page.evaluate("new Promise(() => {})", timeout_s=60)
        except BackendError as error:
            seen.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    with pytest.raises(PageCrashed):
        page.call("Page.crash", timeout_s=20)
    waiting.join(20)
    assert [type(e) for e in seen] == [PageCrashed]


def test_a_page_that_closed_itself_is_gone(browser: Browser, page: Page):
    page.call("Page.close")
    assert first_error(page) is TargetGone


def test_closing_twice_is_the_same_as_once(browser: Browser):
    page = browser.new_page(width=50, height=50)
    page.close()
    page.close()
    with pytest.raises(TargetGone):
        page.grab()


def test_closing_a_page_closes_its_target(browser: Browser):
    page = browser.new_page(width=50, height=50)
    assert page.id in {t["targetId"] for t in browser.targets()}
    page.close()
    assert page.id not in {t["targetId"] for t in browser.targets()}


def test_no_new_page_after_the_browser_was_closed():
    browser = Browser.launch()
    page = browser.new_page(width=50, height=50)
    browser.close()
    with pytest.raises(BrowserUnavailable):
        browser.new_page()
    with pytest.raises(TargetGone):
        page.evaluate("1")
