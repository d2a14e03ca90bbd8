"""What the lease costs: ``pytest benchmarks/latency/test_lease.py --benchmark-only``.

The aim is at most 5 ms for admission with the content guard, on top of the capture that the guard needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from cuakit.act import guard
from cuakit.act.aim import take_aim
from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import LeasedActor
from cuakit.act.identity import DomIdentity
from cuakit.backends.cdp import Browser, Page
from cuakit.core.action import Click
from cuakit.core.candidate import Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.dom import DomElements
from cuakit.settle.page import PageFast

ROWS = "".join(f"<li><button>Row {i}</button> <input value={i}>" for i in range(60))


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page with 120 controls at 1280 × 800."""
    with Browser.launch() as browser:
        page = browser.new_page(width=1280, height=800)
        page.navigate("data:text/html," + quote(f"<ul>{ROWS}</ul>"))
        yield page


@pytest.fixture(scope="module")
def seen(page: Page) -> tuple[Screenshot, Candidates]:
    """One look at it."""
    shot = page.grab()
    return shot, DomElements().bind(page)(shot)


@pytest.mark.parametrize("size", [(160, 40), (1280, 64), (320, 160)], ids=["button", "row", "canvas"])
@pytest.mark.parametrize("changed", [False, True], ids=["same", "changed"])
def test_guard_comparison(benchmark: BenchmarkFixture, size: tuple[int, int], changed: bool) -> None:
    """Pure comparison of one patch at 200 %."""
    rng = np.random.default_rng(0)
    before = rng.integers(0, 256, (size[1] * 2, size[0] * 2, 3), np.uint8)
    after = before.copy()
    if changed:
        after[20:40, 30:60] ^= 255
    element = Box(8, 8, size[0] * 2 - 8, size[1] * 2 - 8)
    benchmark(guard.compare, before, after, guard.Limits(), element=element, scale=2.0, role="textbox")


def test_capture(benchmark: BenchmarkFixture, page: Page) -> None:
    """The capture that the guard needs, for comparison."""
    benchmark(page.grab)


def test_issue(benchmark: BenchmarkFixture, page: Page, seen: tuple[Screenshot, Candidates]) -> None:
    """Remembering a frame and its objects."""
    shot, found = seen
    broker = CaptureBroker()
    benchmark(broker.issue, page, shot, found)


@pytest.mark.parametrize("with_guard", [True, False], ids=["guard-with-capture", "no-guard"])
def test_aim(benchmark: BenchmarkFixture, page: Page, seen: tuple[Screenshot, Candidates], with_guard: bool) -> None:
    """Every check before admission. The difference of the two is the capture and the comparison."""
    shot, found = seen
    broker = CaptureBroker()
    capture = broker.issue(page, shot, found)
    target = found.where(role="button", name="Row 7")[0].id
    limits = guard.Limits() if with_guard else None
    benchmark(take_aim, page, broker, Click(target=target), capture.id, limits=limits, still_there=DomIdentity(page))


@pytest.mark.parametrize("guarded", [True, False], ids=["guard", "no-guard"])
def test_leased_click(
    benchmark: BenchmarkFixture, page: Page, seen: tuple[Screenshot, Candidates], guarded: bool
) -> None:
    """Issue, aim, admit and click, without looking and settling."""
    shot, found = seen
    broker = CaptureBroker()
    actor = LeasedActor(guard=guarded, identity=guarded).bind(page, broker)
    target = found.where(role="button", name="Row 7")[0].id
    page.evaluate("document.querySelector('button').focus()")

    def click() -> None:
        receipt = actor.click_candidate(broker.issue(page, shot, found).id, target)
        assert receipt.code in ("", "capture_stale")

    benchmark(click)


def test_fast_settle(benchmark: BenchmarkFixture, page: Page) -> None:
    """Two frames without a change."""
    settle = PageFast().bind(page)
    benchmark(settle, page.grab)
