"""Goes on after a step has failed: clears the way, looks again, keeps what is done, and does again only what was lost.

No model is asked. What the canvas shows now decides what is left to do: an object that somebody moved is found at its
new place, a scrolled or zoomed view is brought back, and a step whose result has vanished is carried out once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cuakit.act.executor import LeasedActor
from cuakit.core.action import PressKey
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.plan.runner import Runner, StepResult
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Step
from cuakit.plan.view import Seen

CLOSE: Final = 4.0
"""How far the sides of a box may differ, in points, for it to be the same shape somewhere else."""


_PLAIN: Final = 24
"""Largest difference of colour values inside a shape without a label, of 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What became of a plan that was repaired where it failed.

    Args:
        results: Every step carried out, in order, failed and repeated ones included.
        ok: Whether the plan was finished.
        repairs: How often it was repaired.
    """

    results: tuple[StepResult, ...]
    ok: bool
    repairs: int


def carry_out(
    runner: Runner,
    steps: Sequence[Step],
    *,
    limit: int = 3,
    keys: Sequence[str] = ("ESCAPE", "HOME"),
    on_step: Callable[[StepResult], bool] | None = None,
) -> Repaired:
    """Run a plan; where a step fails, repair and go on, ``limit`` times at most.

    What a half-done step has left is taken away only with the runner's consent to delete. A step that needs a consent that is not given
    is not repaired.

    Args:
        runner: The application with its scene.
        steps: The plan.
        limit: Most repairs; 0 runs the plan as :meth:`Runner.run` does.
        keys: What brings the application back to where it can be operated: closes dialogs, resets the view.
        on_step: Told of every step; a plan that it stops is not repaired.

    Raises:
        UsageError: The plan cannot be right; nothing has moved. See :meth:`Runner.check`.
        BackendError: The application went away.
    """
    runner.check(steps)
    results: list[StepResult] = []
    rest, repairs = tuple(steps), 0
    while True:
        before = [runner.scene]
        trace = runner.run(rest, on_step=lambda r: _told(r, runner, before, on_step), tried=True)  # noqa: B023 - used at once
        results += trace.results
        refused = trace.results[-1].code == "consent_required" if trace.results else False
        if trace.ok or repairs >= limit or refused or trace.results[-1].ok:
            return Repaired(results=tuple(results), ok=trace.ok, repairs=repairs)
        repairs += 1
        try:
            rest = (*_recover(runner, results, before[-1], keys), *trace.rest)
        except UsageError:  # the way could not be cleared this time: the same rest is tried again, up to the limit
            rest = trace.rest


def _told(
    result: StepResult, runner: Runner, before: list[Scene], on_step: Callable[[StepResult], bool] | None
) -> bool:
    if result.ok:
        before.append(runner.scene)
    return on_step is None or on_step(result)


def _recover(runner: Runner, results: Sequence[StepResult], before: Scene, keys: Sequence[str]) -> tuple[Step, ...]:
    """Clear the way and look; the steps that must be done again, because what they had made is gone."""
    for key in keys:
        _press(runner, key)
    fresh = [id for id in runner.scene.nodes if id not in before.nodes]
    seen = runner.look()
    for id in fresh:
        _remove_own(runner, id, seen.missing)
    _remove_strays(runner, results[-1].step)
    found = relocate(runner.look())
    gone = set(found.missing)
    edges = {e.id for e in found.scene.edges.values() if {e.source, e.target} & gone}
    runner.history = runner.history.amend(found.scene)
    if gone:
        runner.history = runner.history.record(runner.scene.remove(gone), "lost")
    return tuple(r.step for r in results if r.ok and r.made in gone | edges)


def _remove_own(runner: Runner, id: str, missing: Sequence[str]) -> None:
    """Take away what a half-done step has left, so that the step can start afresh."""
    if id in missing:
        runner.history = runner.history.record(runner.scene.remove([id]), "lost")
    elif not runner.run([Step(tool="delete_object", args={"object": id})], tried=True).ok:
        raise UsageError(f"{id} is half done and cannot be removed", hint="look at the canvas", code="repair_failed")


def _remove_strays(runner: Runner, step: Step) -> None:
    """Take away the shape that the failed step has put elsewhere: of its size, blank, and nowhere in the scene.

    A shape with a label is never taken for one: it may be an object that somebody moved.
    """
    if "shape" not in step.args:
        return
    kind = runner.domain.words.shape(str(step.args["shape"]))
    size = runner.domain.board(Box(0, 0, 0, 0)).size(kind)
    shot = runner.surface.grab()
    for _, box in runner.look().strangers:
        if _same_size(box, Box.from_xywh(0, 0, *size)) and _blank(shot, box):
            scene, id = runner.scene.add(kind, box=box, by="pixels")
            runner.history = runner.history.amend(scene)
            if not runner.run([Step(tool="delete_object", args={"object": id})], tried=True).ok:
                raise UsageError("a stray shape cannot be removed", hint="look at the canvas", code="repair_failed")


def _blank(shot: Screenshot, box: Box) -> bool:
    """Whether a shape, given in points, has nothing written in its middle."""
    k, dx, dy = shot.scale, box.width / 4, box.height / 3
    middle = Box((box.left + dx) * k, (box.top + dy) * k, (box.right - dx) * k, (box.bottom - dy) * k)
    pixels = shot.crop(middle).reshape(-1, 3)
    return bool((pixels.max(axis=0).astype(int) - pixels.min(axis=0) <= _PLAIN).all())


def relocate(seen: Seen) -> Seen:
    """Find missing objects at another place: all shifted alike first, then one by one where kind and size leave no doubt.

    Returns:
        The view with their new boxes. What is ambiguous stays missing; nothing is guessed.
    """
    shift = _common_shift(seen)
    scene, left, free = seen.scene, [], list(seen.strangers)
    for id in seen.missing:
        box = scene.nodes[id].box
        fits = [s for s in free if box is not None and _same_size(box, s[1])]
        if shift is not None and box is not None:
            fits = [s for s in fits if _apart(box.shift(*shift), s[1]) <= CLOSE] or fits
        if len(fits) == 1:
            scene = scene.change(id, box=fits[0][1], by="pixels")
            free.remove(fits[0])
        else:
            left.append(id)
    return replace(seen, scene=scene, missing=tuple(left), strangers=tuple(free))


def _common_shift(seen: Seen) -> tuple[float, float] | None:
    """The shift that explains most missing objects, if it explains at least two."""
    boxes: Mapping[str, Box] = {id: b for id in seen.missing if (b := seen.scene.nodes[id].box) is not None}
    shifts = [(s.left - b.left, s.top - b.top) for b in boxes.values() for _, s in seen.strangers if _same_size(b, s)]
    votes = [
        sum(any(_apart(b.shift(*d), s) <= CLOSE for _, s in seen.strangers) for b in boxes.values()) for d in shifts
    ]
    best = max(votes, default=0)
    return shifts[votes.index(best)] if best >= 2 else None


def _same_size(a: Box, b: Box) -> bool:
    return abs(a.width - b.width) <= CLOSE and abs(a.height - b.height) <= CLOSE


def _apart(a: Box, b: Box) -> float:
    return max(abs(x - y) for x, y in zip(a.xyxy, b.xyxy, strict=True))


def _press(runner: Runner, key: str) -> None:
    """One leased key for the whole window: what is to be cleared may hide the canvas."""
    target, shot = runner.surface.target(), runner.surface.grab()
    window = Candidate(id="window", box=Box(0, 0, *shot.size), role="window", source="fused")
    capture = runner.broker.issue(runner.surface, shot, Candidates([window]), target=target)
    actor = LeasedActor().bind(runner.surface, runner.broker, consent=runner.consent)
    receipt = actor.perform(PressKey(key=key), capture.id)
    if not receipt.injected:
        raise UsageError(f"{key}: {receipt.message}", hint="look again", code=receipt.code)
    runner.actions += 1
    runner.settle(runner.surface.grab)
