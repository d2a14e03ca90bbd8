"""Settling on real pages. A page's own handlers decide when it moves; the page's clock, not ours, tells how long."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import quote

import pytest

from cuakit.core.errors import PageCrashed, UsageError
from cuakit.settle.page import PageFast, PageQuiet

pytestmark = pytest.mark.browser


def open_page(page, script: str, body: str = "<button id=b style='position:fixed;inset:0'>Go</button><p id=out></p>"):
    page.navigate("data:text/html," + quote(f"<!doctype html><body>{body}<script>{script}</script>"))


def click(page) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=50, y=50, button="left", clickCount=1)


def later(ms: int, what: str = "out.textContent += 'x'") -> str:
    return f"b.onclick = () => setTimeout(() => {{ {what} }}, {ms})"


@contextmanager
def slow_server() -> Iterator[tuple[str, Event, Event]]:
    """A loopback server: ``/hold`` answers when the first event is set; the second is set when somebody asks."""
    go, asked = Event(), Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/hold":
                asked.set()
                go.wait(20)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<body><button id=b style='position:fixed;inset:0'>Go</button><p id=out></p>")

        def log_message(self, *_): ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", go, asked
    finally:
        go.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_click_that_does_nothing_is_no_reaction(page):
    open_page(page, "")
    settle = PageQuiet(reaction_s=0.2).bind(page)
    click(page)
    settled = settle(page.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (False, True, "no reaction")
    assert settled.elapsed_ms >= 200


@pytest.mark.parametrize("delay_ms", [0, 80, 300])
def test_a_late_reaction_is_waited_for(page, delay_ms):
    open_page(page, later(delay_ms))
    settle = PageQuiet(reaction_s=10, timeout_s=20).bind(page)
    click(page)
    settled = settle(page.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (True, True, "quiet")
    assert page.evaluate("out.textContent") == "x"


def test_quiet_means_that_the_last_of_many_changes_is_over(page):
    open_page(
        page,
        "b.onclick = () => { for (const t of [0, 60, 120, 180, 240]) setTimeout(() => out.textContent += 'x', t) }",
    )
    settle = PageQuiet(quiet_s=1, timeout_s=20).bind(page)
    click(page)
    assert settle(page.grab).quiet
    assert page.evaluate("out.textContent") == "xxxxx"


def test_a_page_that_never_rests_is_left_at_the_time_limit(page):
    # A busy machine can hold the page's timer back for a while; that is no rest as long as it is shorter than quiet_s.
    open_page(page, "setInterval(() => { out.textContent = performance.now() }, 10)")
    settle = PageQuiet(quiet_s=2.0, timeout_s=2.5).bind(page)
    click(page)
    settled = settle(page.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (True, False, "timeout")


@pytest.mark.parametrize(
    "request_",
    [
        "fetch('/hold').then(() => out.textContent = 'done')",
        "const x = new XMLHttpRequest(); x.onload = () => out.textContent = 'done'; x.open('GET', '/hold'); x.send()",
    ],
    ids=["fetch", "xhr"],
)
def test_a_request_that_the_action_started_is_waited_for(page, request_):
    with slow_server() as (url, go, asked):
        page.navigate(url)
        page.evaluate(f"b.onclick = () => {{ {request_} }}; 0")
        settle = PageQuiet(timeout_s=10, sleep=lambda _: go.set() if asked.wait(10) else None).bind(page)
        click(page)
        settled = settle(page.grab)
        assert (settled.reacted, settled.quiet) == (True, True)
        assert page.evaluate("out.textContent") == "done"


def test_a_request_that_was_open_before_the_action_does_not_block(page):
    with slow_server() as (url, _, asked):
        page.navigate(url)
        settle = PageQuiet().bind(page)
        page.evaluate("{ fetch('/hold'); b.onclick = () => { out.textContent = 'x' }; 0 }")
        assert asked.wait(10)
        click(page)
        settled = settle(page.grab)
        assert (settled.reacted, settled.quiet, settled.reason) == (True, True, "quiet")


def test_a_request_that_stays_open_after_an_action_does_not_block_the_next_one(page):
    with slow_server() as (url, _, asked):
        page.navigate(url)
        settle = PageQuiet(timeout_s=0.5).bind(page)
        page.evaluate("b.onclick = () => { fetch('/hold'); b.onclick = () => { out.textContent = 'x' } }; 0")
        click(page)
        assert settle(page.grab).reason == "timeout"
        assert asked.is_set()
        click(page)
        assert settle(page.grab).reason == "quiet"


def test_a_failed_request_is_over(page):
    with slow_server() as (url, *_):
        page.navigate(url)
        settle = PageQuiet().bind(page)
        page.evaluate("b.onclick = () => { fetch('http://127.0.0.1:9/').catch(() => out.textContent = 'failed') }; 0")
        click(page)
        assert settle(page.grab).quiet
        assert page.evaluate("out.textContent") == "failed"


def test_a_navigation_is_waited_for_until_the_new_page_has_loaded(page):
    with slow_server() as (url, go, asked):
        page.navigate(url)
        settle = PageQuiet(sleep=lambda _: go.set() if asked.wait(0.01) else None).bind(page)
        page.evaluate("b.onclick = () => { location.href = '/hold' }; 0")
        click(page)
        settled = settle(page.grab)
        assert (settled.reacted, settled.quiet) == (True, True)
        assert page.url().endswith("/hold")
        assert page.evaluate("document.readyState") == "complete"


def test_an_animation_that_ends_is_waited_for_and_a_spinner_is_not(page):
    open_page(
        page,
        "document.querySelector('#spin').animate({opacity: [0, 1]}, {duration: 100, iterations: Infinity});"
        "b.onclick = () => out.animate({opacity: [0, 1]}, 300).finished.then(() => window.ended = true)",
        "<button id=b style='position:fixed;inset:0'>Go</button><p id=out>x</p><p id=spin>o</p>",
    )
    settle = PageQuiet(reaction_s=0.4).bind(page)
    click(page)
    settled = settle(page.grab)
    assert settled.quiet
    assert settled.elapsed_ms >= 250  # the animation's own time, less the way of the click
    assert (
        page.evaluate("Promise.all(out.getAnimations().map(a => a.finished)).then(() => out.getAnimations().length)")
        == 0
    )


def test_typing_is_a_reaction_although_it_changes_no_element(page):
    open_page(page, "", "<input id=i autofocus>")
    page.evaluate("i.focus()")
    settle = PageQuiet().bind(page)
    page.call("Input.insertText", text="x")
    settled = settle(page.grab)
    assert (settled.reacted, settled.reason) == (True, "quiet")


def test_what_a_page_suggests_some_time_after_typing_is_waited_for(page):
    open_page(page, "i.oninput = () => setTimeout(() => out.textContent = i.value, 300)", "<input id=i><p id=out></p>")
    page.evaluate("i.focus()")
    settle = PageQuiet().bind(page)
    page.call("Input.insertText", text="x")
    assert settle(page.grab).quiet
    assert page.evaluate("out.textContent") == "x"


def test_a_focus_ring_is_no_answer(page):
    open_page(page, later(300))
    page.evaluate("document.activeElement.blur()")
    settle = PageQuiet().bind(page)
    click(page)
    assert settle(page.grab).quiet
    assert page.evaluate("out.textContent") == "x"


def test_changes_inside_shadow_roots_and_frames_are_seen(page):
    body = (
        "<button id=b style='position:fixed;inset:0'>Go</button><div id=host></div><iframe srcdoc='<p id=p>'></iframe>"
    )
    open_page(page, "const root = host.attachShadow({mode: 'open'}); root.innerHTML = '<p>';", body)
    for where in ("host.shadowRoot.firstChild", "document.querySelector('iframe').contentDocument.body"):
        settle = PageQuiet().bind(page)
        settle(page.grab)
        page.evaluate(f"b.onclick = () => setTimeout(() => {{ {where}.textContent = Math.random() }}, 50); 0")
        click(page)
        assert settle(page.grab).reacted, where


def test_a_canvas_that_paints_is_seen_with_pixels_only(page):
    paint = "b.onclick = () => { let n = 0; const t = setInterval(() => { c.getContext('2d').fillRect(0, 0, 40 * ++n, 90); if (n > 5) { clearInterval(t); window.done = true } }, 80) }"
    open_page(page, paint, "<canvas id=c></canvas><button id=b style='position:fixed;inset:0;opacity:0.01'>Go</button>")
    settle = PageQuiet(pixels=True, reaction_s=0.0, poll_s=0.15).bind(page)
    click(page)
    assert settle(page.grab).quiet
    assert page.evaluate("window.done") is True


def test_the_fast_options_are_done_two_frames_after_the_last_change(page):
    open_page(page, "b.onclick = () => { out.textContent = 'x' }")
    settle = PageFast().bind(page)
    click(page)
    settled = settle(page.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (True, True, "quiet")
    click(page)
    page.evaluate("b.onclick = null; 0")
    assert settle(page.grab).quiet


def test_the_fast_options_wait_while_every_frame_changes_something(page):
    open_page(
        page,
        "b.onclick = () => { let n = 0; const tick = () => { out.textContent = ++n; if (n < 12) requestAnimationFrame(tick) }; tick() }",
    )
    settle = PageFast().bind(page)
    click(page)
    assert settle(page.grab).quiet
    assert page.evaluate("out.textContent") == "12"


def test_a_page_forgets_nothing_of_its_own_when_watched(page):
    with slow_server() as (url, *_):
        page.navigate(url)
        before = page.evaluate("Object.keys(window).length")
        PageQuiet().bind(page)
        assert page.evaluate("Object.keys(window).length") == before
        assert page.evaluate("fetch('/x').then(r => r.status)") == 200


def test_a_crash_while_settling_is_told(browser):
    page = browser.new_page(width=300, height=200)
    try:
        open_page(page, "")

        def die(_):
            with pytest.raises(PageCrashed):
                page.call("Page.crash", timeout_s=5)

        settle = PageQuiet(sleep=die).bind(page)
        click(page)
        with pytest.raises(PageCrashed):
            settle(page.grab)
    finally:
        page.close()


def test_a_hung_page_is_not_called_quiet(page):
    open_page(page, "")
    settle = PageQuiet(timeout_s=0.2, load_timeout_s=0.5).bind(page)
    page.call(
        "Runtime.evaluate",
        expression="setTimeout(() => { const t = performance.now(); while (performance.now() - t < 4000); })",
    )
    settled = settle(page.grab)
    assert not settled.quiet


def test_a_surface_without_scripts_is_pointed_to_pixels():
    with pytest.raises(UsageError) as refused:
        PageQuiet().bind(object())
    assert "pixels-v1" in refused.value.hint
