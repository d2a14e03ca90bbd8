"""Carries out plans: every action leased, the scene kept true after every tool, no inference unless something is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cuakit.act.broker import CaptureBroker
from cuakit.act.executor import LeasedActor
from cuakit.core.candidate import Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.outcome import Receipt, Verdict
from cuakit.core.stages import Grab, Surface
from cuakit.plan import effects
from cuakit.plan.arguments import resolve
from cuakit.plan.atoms import action
from cuakit.plan.checkpoint import Critic, judge
from cuakit.plan.domain import Domain, Sight
from cuakit.plan.history import History
from cuakit.plan.rehearse import rehearse
from cuakit.plan.scene import Scene
from cuakit.plan.spots import spot
from cuakit.plan.tools import Step, Tool, fill
from cuakit.plan.view import Seen, adopt, distance, points, reconcile, table

TRIES: Final = 6
"""Looks that one action gets when its lease is refused because the picture changed."""


NEAR: Final = 6.0
"""Distance in points within which a shape counts as standing where one was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What became of one step of a plan.

    Args:
        step: The step.
        ok: Whether it was carried out and its effect was seen.
        made: Id of the object or edge that it made, or empty.
        code: Error code, when not ok.
        message: What was found, when not ok.
        actions: Leased actions that it took.
        seconds: Wall time.
    """

    step: Step
    ok: bool
    made: str = ""
    code: str = ""
    message: str = ""
    actions: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What became of a plan: results in order, up to the first that failed."""

    results: tuple[StepResult, ...]
    rest: tuple[Step, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every step was carried out."""
        return not self.rest and all(r.ok for r in self.results)


@dataclass(slots=True, kw_only=True)
class Runner:
    """One canvas application with its scene.

    Args:
        surface: Where it runs.
        domain: What it is made of.
        settle: Waits until it stands still.
        read: Reads the labels of shapes that nobody told us about: pixels and boxes to texts. None leaves them empty.
        critic: Judges the descriptions of checkpoints; without one they stay unknown, which is no pass.
        broker: Issues the leases.
        history: The scene so far.
        consent: Kinds of consequential action that plans may take, as in ``Subtask.allowed_risks``; none by default.
    """

    surface: Surface
    domain: Domain
    settle: Callable[[Grab], Any]
    read: Callable[[Any, Sequence[Box]], Mapping[Box, str]] | None = None
    critic: Critic | None = None
    broker: CaptureBroker = field(default_factory=CaptureBroker)
    history: History = field(default_factory=lambda: History(present=Scene()))
    consent: frozenset[str] = frozenset()
    actions: int = 0
    _saved: dict[str, str] = field(default_factory=dict)
    _missing: frozenset[str] = frozenset()

    @property
    def scene(self) -> Scene:
        """What is on the canvas, as far as is known."""
        return self.history.present

    def look(self) -> Seen:
        """Hold the scene against the screen and take over the places that are seen.

        Raises:
            UsageError: The canvas is not in sight (``canvas_not_found``).
        """
        shot = self.surface.grab()
        sight = self.domain.see(shot)
        seen = reconcile(self.scene, sight.shapes, points(sight.canvas, shot.scale), shot.scale)
        if seen.scene != self.scene:
            self.history = self.history.amend(seen.scene)
        return seen

    def survey(self) -> Scene:
        """Look, and make an object of every shape that the scene does not know, reading its label."""
        shot = self.surface.grab()
        seen = self.look()
        labels = self.read(shot, [b for _, b in seen.strangers]) if self.read and seen.strangers else {}
        self.history = self.history.amend(adopt(seen, labels))
        return self.scene

    def check(self, steps: Sequence[Step]) -> Scene:
        """Try a plan on the scene alone: nothing moves.

        Returns:
            The scene as it would be.

        Raises:
            UsageError: A step cannot be carried out; the message starts with its number. See
                :func:`cuakit.plan.rehearse.rehearse`.
        """
        shot = self.surface.grab()
        board = self._board(self.domain.see(shot), shot.scale)
        return rehearse(steps, self.history, self.domain, board, self._saved, consent=self.consent).present

    def run(
        self,
        steps: Sequence[Step],
        *,
        on_step: Callable[[StepResult], bool] | None = None,
        tried: bool = False,
    ) -> Trace:
        """Try the plan on the scene, then carry out its steps until one fails or ``on_step`` says stop.

        Args:
            steps: The plan.
            on_step: Told of every step; stops the plan by returning False.
            tried: Whether it was tried already, as by :meth:`check`.

        Raises:
            UsageError: The plan cannot be right; nothing has moved. See :meth:`check`.
            BackendError: The application went away.
        """
        if not tried:
            self.check(steps)
        results: list[StepResult] = []
        for i, step in enumerate(steps):
            result = self._step(step)
            results.append(result)
            go_on = on_step is None or on_step(result)
            if not (result.ok and go_on):
                return Trace(results=tuple(results), rest=tuple(steps[i + 1 :]) if result.ok else tuple(steps[i:]))
        return Trace(results=tuple(results))

    def _step(self, step: Step) -> StepResult:
        started, before = time.monotonic(), self.actions
        made, code, message = "", "", ""
        try:
            made = self._call(self.domain.catalogue.get(step.tool), fill(step.args, self._saved))
            if step.checkpoint is not None:
                self._stop_unless(judge(step.checkpoint, self.scene, self.critic))
        except UsageError as wrong:
            code, message = wrong.error_code, wrong.message
        if step.save and not code:
            self._saved[step.save] = made
        return StepResult(
            step=step,
            ok=not code,
            made=made,
            code=code,
            message=message,
            actions=self.actions - before,
            seconds=time.monotonic() - started,
        )

    @staticmethod
    def _stop_unless(verdict: Verdict) -> None:
        if not verdict.passed:
            raise UsageError(
                f"checkpoint {verdict.result}: {verdict.reason}", hint="look at the canvas", code="checkpoint_failed"
            )

    def _call(self, tool: Tool, args: Mapping[str, Any]) -> str:
        values = resolve(tool, args, self.scene, self.domain.words)
        if not tool.steps:
            self._act(tool.name, values)
            return ""
        known, made = dict(values), ""
        for step in tool.steps:
            result = self._call(self.domain.catalogue.get(step.tool), fill(step.args, known))
            made = result or made
            known |= {"result": made} | ({step.save: result} if step.save else {})
        if tool.effects:
            made = self._effect(tool, known) or made
        return made

    def _effect(self, tool: Tool, known: Mapping[str, Any]) -> str:
        """Let the scene follow, look, and compare."""
        shot = self.surface.grab()
        board, made = self._board(self.domain.see(shot), shot.scale), ""
        before = self.history
        for effect in tool.effects:
            self.history, id = effects.apply(self.history, fill(effect, known), board)
            made = id or made
        seen = self.look()
        if why := self._contradiction(before, seen):
            self.history = before
            self.look()
            raise UsageError(f"{tool.name}: {why}", hint="look at the canvas, then try again", code="effect_not_seen")
        return made

    def _contradiction(self, before: History, seen: Seen) -> str:
        """Why the screen speaks against what a tool was to do, or nothing."""
        lost = set(seen.missing) - self._missing
        self._missing = frozenset(seen.missing)
        if lost:
            return f"{', '.join(sorted(lost))} should be in view and is not"
        for id, node in before.present.nodes.items():
            still = id not in self.scene.nodes and any(distance(node.box, box) < NEAR for _, box in seen.strangers)
            if still:
                return f"{id} should be gone and is still there"
        return ""

    def _act(self, name: str, values: Mapping[str, Any]) -> Receipt:
        """One atom under a fresh lease; looked at again when the picture had changed meanwhile."""
        actor = LeasedActor().bind(self.surface, self.broker, consent=self.consent)
        receipt: Receipt | None = None
        for _ in range(TRIES):
            target = self.surface.target()
            shot = self.surface.grab()
            sight = self.domain.see(shot)
            found: Candidates = table(self.scene, sight.canvas, sight.chrome, shot.scale, editing=name == "type_text")
            capture = self.broker.issue(self.surface, shot, found, target=target)
            wanted = action(name, values, lambda w: spot(w, self.scene, found, self.domain, shot.scale))  # noqa: B023 - used at once
            receipt = actor.perform(wanted, capture.id)
            if receipt.injected:
                self.actions += 1
                self.settle(self.surface.grab)
                return receipt
            if not receipt.retryable:
                break
            self.settle(self.surface.grab)
        assert receipt is not None
        raise UsageError(f"{name}: {receipt.message}", hint="look again", code=receipt.code)

    def _board(self, sight: Sight, scale: float) -> effects.Board:
        return self.domain.board(points(sight.canvas, scale))
