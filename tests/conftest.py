"""Live things that many tests share: one browser a session, a fresh page each."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

from cuakit.backends.cdp import Browser, Page

# No test asserts a time, generated ones neither: on a busy machine that says nothing about the code.
# CI repeats the same examples, so that a red run means a change; elsewhere new ones are tried every time.
hypothesis.settings.register_profile(
    "cuakit",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("cuakit")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser.launch() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(width=400, height=300)
    yield page
    page.close()
