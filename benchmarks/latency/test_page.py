"""What one look at a page costs: a round trip, a frame, a patch, a read of the document.

Run with ``pytest benchmarks/latency/test_page.py --benchmark-only``. The large page has about 4,800 nodes, 36 table rows
of it in view; ``extra_info`` holds the time inside the page, whose aim is 9 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cuakit.backends.cdp import Browser, Page
from cuakit.bench.observe import LARGE_PAGE, READ_IN_PAGE
from cuakit.core.geometry import Box
from cuakit.perceive.dom import DomElements

SMALL, LARGE = (160, 210), (1280, 800)

FORM = "<h1>Order</h1><p>Some words</p><input placeholder=Name><button>Save</button><a href='#'>Help</a>"

IN_PAGE = """(() => {
  const times = [];
  for (let i = 0; i < 31; i++) times.push(%s);
  return times.sort((a, b) => a - b)[15];
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all measurements."""
    with Browser.launch() as browser:
        yield browser


@pytest.fixture(params=[SMALL, LARGE], ids=["160x210", "1280x800"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page with a form on it, small as MiniWoB++ or of a usual size."""
    width, height = request.param
    page = browser.new_page(width=width, height=height)
    page.evaluate(f"document.body.innerHTML = {FORM!r}; 0")
    yield page
    page.close()


@pytest.mark.browser
def test_round_trip(benchmark: Any, page: Page) -> None:
    """Evaluate a constant."""
    assert benchmark(page.evaluate, "1 + 1") == 2


@pytest.mark.browser
def test_grab(benchmark: Any, page: Page) -> None:
    """Take a frame after something changed, as a step does."""

    def changed() -> None:
        page.evaluate("document.querySelector('h1').textContent += '.'; 0")

    shot = benchmark.pedantic(page.grab, setup=changed, rounds=40, warmup_rounds=3)
    assert shot.size == page.size()


@pytest.mark.browser
def test_patch(benchmark: Any, page: Page) -> None:
    """Look at the pixels under a target again."""
    assert benchmark(page.patch, Box(10, 10, 60, 40)).shape == (30, 50, 3)


@pytest.mark.browser
def test_identity(benchmark: Any, page: Page) -> None:
    """Ask who the page is now, for a lease."""
    assert benchmark(page.target).id == page.id


@pytest.mark.browser
def test_read_small(benchmark: Any, page: Page) -> None:
    """Read a form into candidates."""
    read, shot = DomElements().bind(page), page.grab()
    assert benchmark(read, shot).where(role="button")[0].name == "Save"


@pytest.mark.browser
def test_read_large(benchmark: Any, browser: Browser) -> None:
    """Read a page of 4,800 nodes into candidates."""
    page = browser.new_page(width=1280, height=800)
    page.evaluate(f"document.body.innerHTML = {LARGE_PAGE!r}; 0")
    read, shot = DomElements().bind(page), page.grab()
    found = benchmark.pedantic(read, args=(shot,), rounds=30, warmup_rounds=3)
    benchmark.extra_info["nodes"] = page.evaluate("document.querySelectorAll('*').length")
    benchmark.extra_info["candidates"] = len(found)
    benchmark.extra_info["in_page_ms"] = round(page.evaluate(IN_PAGE % READ_IN_PAGE), 2)
    print("\n4,800 nodes:", benchmark.extra_info)
    page.close()
