"""A small desk for acting on real pages: look, find by name, act, and read the page's own log of what reached it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import pytest

from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import BoundActor, LeasedActor
from cuakit.backends.cdp import Browser, Page
from cuakit.core.action import Action
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.lease import Capture
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt
from cuakit.perceive.dom import DomElements

LOG = """
window.log = [];
for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'mousemove', 'click', 'dblclick', 'contextmenu', 'wheel',
                    'keydown', 'keyup', 'beforeinput', 'input', 'change', 'drop', 'focusin'])
  addEventListener(kind, e => window.log.push({
    kind, id: e.target.id || '', key: e.key || '', code: e.code || '', x: e.clientX, y: e.clientY, trusted: e.isTrusted,
    mods: (e.altKey ? 'A' : '') + (e.ctrlKey ? 'C' : '') + (e.metaKey ? 'M' : '') + (e.shiftKey ? 'S' : ''),
    keyCode: e.keyCode || 0, buttons: e.buttons || 0}), true);
"""


@dataclass
class Desk:
    """One page, one broker, one actor."""

    page: Page
    broker: CaptureBroker = field(default_factory=CaptureBroker)
    options: LeasedActor = field(default_factory=LeasedActor)

    def __post_init__(self) -> None:
        self.page.inject("log", LOG)
        self.read = DomElements().bind(self.page)
        self.actor: BoundActor = self.options.bind(self.page, self.broker)

    def open(self, body: str) -> Desk:
        html = f"<!doctype html><meta charset=utf-8><style>body{{font:14px sans-serif}}</style><body>{body}"
        self.page.navigate("data:text/html;charset=utf-8," + quote(html))
        return self

    def look(self) -> tuple[Capture, Candidates]:
        shot = self.page.grab()
        found = self.read(shot)
        return self.broker.issue(self.page, shot, found), found

    def observe(self) -> Observation:
        capture, found = self.look()
        shot, _ = self.broker.recall(capture.id)
        return Observation(
            screenshot=shot, candidates=found, target=capture.target, capture_id=capture.id, title=self.page.title()
        )

    def do(self, make: Callable[[Callable[[str], str]], Action]) -> Receipt:
        """Look, build an action from names, and carry it out: ``do(lambda of: Click(target=of("Save")))``."""
        capture, found = self.look()
        return self.actor.perform(make(lambda name: named(found, name).id), capture.id)

    def log(self, *kinds: str) -> list[dict[str, Any]]:
        """What the page saw; moves of the mouse and focus only if asked for."""
        quiet = {"mousemove", "focusin", "pointerdown"} - set(kinds)
        return [
            e for e in self.page.evaluate("window.log") if e["kind"] not in quiet and (not kinds or e["kind"] in kinds)
        ]

    def nothing_reached_it(self) -> bool:
        return self.page.evaluate("window.log.length") == 0


def named(found: Candidates, name: str) -> Candidate:
    """The one operable candidate of a name."""
    (only,) = found.where(lambda c: c.role != "text", name=name)
    return only


def without_identity(found: Candidates) -> Candidates:
    """The same objects as pixels alone would give them."""
    return Candidates((replace(c, provenance=()) for c in found), check_parents=False)


@pytest.fixture
def desk(page: Page) -> Desk:
    return Desk(page)


@pytest.fixture(params=[1.0, 1.25, 1.5, 1.75, 2.0, 3.0])
def scaled_desk(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Desk]:
    page = browser.new_page(width=400, height=300, scale=request.param)
    yield Desk(page)
    page.close()
