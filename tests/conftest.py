"""Live things that many tests share: one browser a session, a fresh page each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

from cuakit.backends.cdp import Browser, Page
from cuakit.core.errors import BackendError, MissingExtra

if TYPE_CHECKING:
    from cuakit.backends.desktop import Desktop
    from cuakit.backends.x11 import X11
    from cuakit.envs.drawio import DrawIo

# No test asserts a time, generated ones neither: on a busy machine that says nothing about the code.
# CI repeats the same examples, so that a red run means a change; elsewhere new ones are tried every time.
hypothesis.settings.register_profile(
    "cuakit",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("cuakit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests on other programs another try, and no other test.

    Browsers, window managers, toolkits and workers miss a deadline now and then on a busy machine. What passed only then
    is listed as RERUN at the end of the run.
    """
    for item in items:
        if item.path.suffix == ".ipynb" or any(
            item.get_closest_marker(real) for real in ("browser", "processes", "slow", "x11")
        ):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser.launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    """A private desktop without accessibility; files that need another define their own."""
    from cuakit.backends.desktop import Desktop  # only where there is X

    with Desktop.launch(width=800, height=600, accessibility=False) as desktop:
        yield desktop


@pytest.fixture(scope="module")
def x(desktop: Desktop) -> Iterator[X11]:
    from cuakit.backends.x11 import X11

    with X11.open(desktop.display) as connection:
        yield connection


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(width=400, height=300)
    yield page
    page.close()


@pytest.fixture(scope="module")
def drawio(browser: Browser) -> Iterator[DrawIo]:
    """draw.io in a page of the shared browser. Without network and without a copy in the cache, there is nothing to test on."""
    from cuakit.envs.drawio import DrawIo, package_root

    try:
        package_root()
    except (MissingExtra, BackendError) as missing:
        pytest.skip(f"draw.io cannot be fetched: {missing.message}")
    with DrawIo(browser) as env:
        yield env
