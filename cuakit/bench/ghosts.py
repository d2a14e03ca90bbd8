"""The ghost-click benchmark: how often a click reaches something else than what was seen, because the page changed.

Every scene of :mod:`cuakit.bench.ghost_pages` is played to each arm with the same seeds. The page's own event log is the
judge: it says which item the press and the click reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import BoundActor, LeasedActor
from cuakit.backends.cdp import Browser, Page
from cuakit.bench.ghost_pages import PIXELLESS, SCENES, VIEW, Scene, scene
from cuakit.bench.machine import machine_card
from cuakit.bench.stats import wilson
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box, Point
from cuakit.core.outcome import Receipt
from cuakit.perceive.dom import DomElements

Arm = Literal["raw", "ttl_lease", "cuakit", "cuakit_pixels"]
Result = Literal["right", "ghost", "nothing", "refused"]

ARMS: Final[tuple[Arm, ...]] = ("raw", "ttl_lease", "cuakit", "cuakit_pixels")
"""Remembered coordinates; a lease of 60 s, one action and one frame size; the same with the content guard and the page's
word; the content guard alone, on objects that only have a box."""

OURS: Final[frozenset[Arm]] = frozenset({"cuakit", "cuakit_pixels"})

_LISTEN: Final = """(() => {
  globalThis.by = key => document.querySelector(`[data-key="${key}"]`);
  globalThis.reached = [];
  for (const kind of ['mousedown', 'click'])
    addEventListener(kind, e => {
      const own = e.composedPath().find(n => n.dataset && n.dataset.key);
      reached.push(own ? own.dataset.key : '');
    }, true);
})()"""

_SHOW: Final = """((html, key) => {
  document.body.innerHTML = html; scrollTo(0, 0);
  const e = by(key); if (e.localName === 'input') { e.focus(); e.setSelectionRange(2, 2); }
  reached.length = 0; return true;
})"""

_BOXES: Final = """[...document.querySelectorAll('[data-key],.name,p,#banner')].map(e => {
  const b = e.getBoundingClientRect();
  return [e.dataset.key || '', e.localName === 'input' ? 'textbox' : e.dataset.key ? 'unknown' : 'text', e.textContent.trim(),
          b.left, b.top, b.right, b.bottom];
})"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GhostTrial:
    """One click of one arm on one scene.

    Args:
        scene: Kind of change.
        seed: Seed of the page.
        arm: Who clicked.
        harmless: Whether the click was still right after the change.
        result: ``right``: the item that was meant; ``ghost``: another one; ``nothing``: none; ``refused``: not injected.
        code: Refusal code.
        reached: Keys that the press and the click reached.
    """

    scene: str
    seed: int
    arm: Arm
    harmless: bool
    result: Result
    code: str = ""
    reached: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One page on which scenes are played, one after another.

    Args:
        page: A live page; its content is replaced.
        read: Reads its objects.
    """

    page: Page
    read: Callable[[Any], Candidates]
    broker: CaptureBroker = field(default_factory=CaptureBroker)

    @classmethod
    def open(cls, browser: Browser) -> Stage:
        """A fresh page of a browser."""
        page = browser.new_page(width=VIEW[0], height=VIEW[1])
        page.navigate("data:text/html;charset=utf-8,<!doctype html><title>Ghosts</title><body>")
        page.evaluate(_LISTEN)
        return cls(page=page, read=DomElements().bind(page))

    def play(self, made: Scene, arm: Arm) -> GhostTrial:
        """Show a scene, look, let it change, click, and ask the page what was reached.

        Raises:
            BackendError: The page failed, or the scene does not show its target.
        """
        self._show(made)
        shot = self.page.grab()
        candidates = self._boxes(shot.scale) if arm == "cuakit_pixels" else self.read(shot)
        target = self._target(candidates, made.target, shot.scale)
        capture = self.broker.issue(self.page, shot, candidates)
        self._change(made, target.point)
        receipt = None
        if arm == "raw":
            self._press(target.point)
        else:
            receipt = self._actor(arm).click_candidate(capture.id, target.id)
        return self._judge(made, arm, receipt)

    def _show(self, made: Scene) -> None:
        wanted = (round(VIEW[0] * made.scale), round(VIEW[1] * made.scale))
        if self.page.size() != wanted or self.page.scale != made.scale:
            self.page.resize(*VIEW, made.scale)
        self._move(Point(2, 2))
        self.page.evaluate(f"{_SHOW}({json.dumps(made.html)}, {json.dumps(made.target)})")

    def _boxes(self, scale: float) -> Candidates:
        """Boxes as a faultless detector would give them: no identity, and no role but that of fields and text."""
        rows = self.page.evaluate(_BOXES)
        frame = Box(0, 0, *self.page.size())
        return Candidates.numbered(
            Candidate(id=f"b{n}", box=box, role=role, name=text, text=text, source="detector")
            for n, (_, role, text, *sides) in enumerate(rows)
            if (box := Box(*(v * scale for v in sides)).intersect(frame)).area > 0
        )

    def _target(self, candidates: Candidates, key: str, scale: float) -> Candidate:
        sides = self.page.evaluate(
            f"(b => [b.left, b.top, b.right, b.bottom])(by({json.dumps(key)}).getBoundingClientRect())"
        )
        box = Box(*(v * scale for v in sides))
        best = max(candidates, key=lambda c: (c.box.iou(box), c.interactive), default=None)
        if best is None or best.box.iou(box) < 0.8:
            raise BackendError(f"the item {key} is not among the objects that were found", code="scene_not_ready")
        return best

    def _change(self, made: Scene, point: Point) -> None:
        if made.view is not None:
            width, height, factor = made.view
            if factor:  # the physical size stays
                self.page.resize(round(VIEW[0] / factor), round(VIEW[1] / factor), made.scale * factor)
            else:
                self.page.resize(width, height, made.scale)
        if made.hover:
            self._move(Point(point.x / made.scale, point.y / made.scale))
        self.page.evaluate(f"(() => {{ {made.change} }})()")

    def _move(self, at: Point) -> None:
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at.x, y=at.y)

    def _press(self, point: Point) -> None:
        """What an agent does that remembers pixels: the same pixel of the display, whatever its scale is by now."""
        at: dict[str, Any] = {"x": point.x / self.page.scale, "y": point.y / self.page.scale}
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        same: dict[str, Any] = {"button": "left", "clickCount": 1} | at
        self.page.call("Input.dispatchMouseEvent", type="mousePressed", buttons=1, **same)
        self.page.call("Input.dispatchMouseEvent", type="mouseReleased", **same)

    def _actor(self, arm: Arm) -> BoundActor:
        full = arm in OURS
        return LeasedActor(guard=full, identity=arm == "cuakit").bind(self.page, self.broker)

    def _judge(self, made: Scene, arm: Arm, receipt: Receipt | None) -> GhostTrial:
        reached = tuple(self.page.evaluate("reached"))
        base = GhostTrial(
            scene=made.name, seed=made.seed, arm=arm, harmless=made.harmless, result="nothing", reached=reached
        )
        if any(key not in ("", made.target) for key in reached):
            return replace(base, result="ghost")
        if receipt is not None and receipt.effect == "refused":
            return replace(base, result="ghost" if reached else "refused", code=receipt.code)
        return replace(base, result="right" if made.target in reached else "nothing")

    def close(self) -> None:
        """Close the page."""
        self.page.close()


def plan(trials: int, *, seed: int = 0, scenes: Sequence[str] = tuple(SCENES)) -> Iterator[tuple[Scene, Arm]]:
    """At least ``trials`` pairs of a scene and an arm, every arm with the same pages, in whole rounds."""
    planned = 0
    while planned < trials:
        for name in scenes:
            made = scene(name, seed)
            for arm in ARMS:
                if not (arm == "cuakit_pixels" and name in PIXELLESS):
                    planned += 1
                    yield made, arm
        seed += 1


def ghosts(
    trials: int = 1200,
    *,
    seed: int = 0,
    scenes: Sequence[str] = tuple(SCENES),
    browser: Browser | None = None,
    progress: Callable[[GhostTrial], object] | None = None,
) -> list[GhostTrial]:
    """Play the benchmark.

    Args:
        trials: Clicks in all, over all arms; rounded up to whole rounds.
        seed: First seed of the pages.
        scenes: Kinds of change.
        browser: Where to play; one is launched by default.
        progress: Called after each trial.

    Raises:
        BrowserUnavailable: There is none.
        BackendError: The page failed.
    """
    if browser is None:
        with Browser.launch() as own:
            return ghosts(trials, seed=seed, scenes=scenes, browser=own, progress=progress)
    stage = Stage.open(browser)
    try:
        out = []
        for made, arm in plan(trials, seed=seed, scenes=scenes):
            out.append(stage.play(made, arm))
            if progress is not None:
                progress(out[-1])
        return out
    finally:
        stage.close()


def summary(trials: Sequence[GhostTrial]) -> dict[str, Any]:
    """Counts and rates with 95 % Wilson intervals, in all and per scene.

    ``needless_refusals`` is the share of harmless scenes that an arm of ours refused. ``cautious_refusals`` counts
    refusals on the other scenes where the remembered place would still have been right.
    """
    arms = [arm for arm in ARMS if any(t.arm == arm for t in trials)]
    harmless = [t for t in trials if t.harmless and t.arm in OURS]
    needless = wilson(sum(t.result == "refused" for t in harmless), len(harmless))
    return {
        "trials": len(trials),
        "ghost_clicks": {arm: sum(t.result == "ghost" for t in trials if t.arm == arm) for arm in arms},
        "needless_refusals": needless.rate,
        "needless": {"n": needless.n, "refused": needless.successes, "low": needless.low, "high": needless.high},
        "cautious_refusals": _cautious(trials),
        "arms": {arm: _counts([t for t in trials if t.arm == arm]) for arm in arms},
        "scenes": {
            name: {arm: _counts([t for t in trials if t.arm == arm and t.scene == name]) for arm in arms}
            for name in dict.fromkeys(t.scene for t in trials)
        },
        "machine": machine_card(),
    }


def _counts(trials: Sequence[GhostTrial]) -> dict[str, Any]:
    kinds: tuple[Result, ...] = ("right", "ghost", "nothing", "refused")
    risky = [t for t in trials if not t.harmless]
    ghost = wilson(sum(t.result == "ghost" for t in risky), len(risky))
    counts: dict[str, Any] = {"n": len(trials)} | {kind: sum(t.result == kind for t in trials) for kind in kinds}
    return counts | {"ghosts_of": ghost.n, "ghost_low": ghost.low, "ghost_high": ghost.high}


def _cautious(trials: Sequence[GhostTrial]) -> dict[str, int]:
    fine = {(t.scene, t.seed) for t in trials if t.arm == "raw" and t.result == "right" and not t.harmless}
    return {
        arm: sum(t.arm == arm and t.result == "refused" and (t.scene, t.seed) in fine for t in trials)
        for arm in ARMS
        if arm != "raw"
    }
