"""The short forms for a notebook: look at something, choose something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final

from cuakit.act.broker import CaptureBroker
from cuakit.core import registry
from cuakit.core.candidate import Candidates
from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.lease import Target
from cuakit.core.observation import Observation
from cuakit.core.regions import KINDS, VisualRegions, visual_regions
from cuakit.core.screenshot import Screenshot
from cuakit.core.stages import Surface, bind
from cuakit.core.subtask import Subtask
from cuakit.core.timing import Stopwatch

MAX_PIXELS: Final = 40_000_000
"""Largest picture that is parsed by default: an 8K screen. Copies of it while parsing take about ten times three bytes a pixel."""


def observe(
    what: Screenshot | Surface, stage: Any = None, *, broker: CaptureBroker | None = None, **options: Any
) -> Observation:
    """Look at a picture or at something live.

    Args:
        what: A screenshot, or a surface such as a page.
        stage: Name of a perceiver, or one already made. By default ``dom-v1`` for a page and ``pixels-v1`` otherwise.
        broker: Issues a lease on a live surface; without one there is none, and nothing can be acted on.
        **options: Options of the named stage.

    Returns:
        The screenshot and what was found on it. It shows itself in a notebook.

    Raises:
        UnknownName: No perceiver of that name.

    >>> import cuakit as ck
    >>> ck.observe(ck.data.form()).candidates.where(role="button")[0].name  # doctest: +SKIP
    'Save'
    """
    look = _Look.at(what)
    if stage is None:
        stage = "dom-v1" if look.target is not None and look.target.kind == "page" else "pixels-v1"
    perceive = look.perceiver(registry.build("perceive", stage, **options) if isinstance(stage, str) else stage)
    return look.observation(perceive(look.shot), broker)


def parse_visual_regions(
    what: Screenshot | Surface,
    stage: Any = "pixels-v1",
    *,
    broker: CaptureBroker | None = None,
    kinds: Sequence[str] = KINDS,
    min_confidence: float = 0.0,
    max_regions: int | None = None,
    deadline_ms: float | None = None,
    max_pixels: int = MAX_PIXELS,
    **options: Any,
) -> VisualRegions:
    """Parse a picture or something live into typed regions, with timings, models and warnings.

    Args:
        what: A screenshot, or a surface such as a page.
        stage: Name of a perceiver, or one already made.
        broker: Issues a lease on a live surface. A picture from a file never gets one.
        kinds: ``text``, ``icon`` or both.
        min_confidence: Least confidence to keep, in [0, 1].
        max_regions: Most regions; the least confident are left out, with a warning.
        deadline_ms: Longest time that the parse may take.
        max_pixels: Largest picture that is parsed.
        **options: Options of the named stage.

    Returns:
        The regions. ``.observation`` is the table that deciders and actors take, and its ``menu()`` the flat projection.

    Raises:
        UsageError: The picture is larger than ``max_pixels`` (code ``resource_limit_exceeded``), or an option is out of
            range.
        OutOfTime: The deadline is over (code ``timeout``); nothing is returned, and no lease was issued.
        UnknownName: No perceiver of that name.

    >>> import cuakit as ck
    >>> ck.parse_visual_regions(ck.data.form()).regions[0].kind  # doctest: +SKIP
    'text'
    """
    watch = Stopwatch(limit_ms=deadline_ms)
    with watch.span("capture"):
        look = _Look.at(what)
    shot = look.shot
    if shot.width * shot.height > max_pixels:
        raise UsageError(
            f"{shot.width} × {shot.height} pixels are more than the {max_pixels:,} that are parsed",
            hint="parse a part of it, or raise max_pixels if there is memory for it",
            code="resource_limit_exceeded",
        )
    made = registry.build("perceive", stage, **options) if isinstance(stage, str) else stage
    perceive = look.perceiver(made)
    timed = getattr(perceive, "parse", None)
    if callable(timed):
        found = timed(shot, watch=watch)
    else:
        with watch.span("perceive"):
            found = perceive(shot)
    spent = watch.elapsed_ms()
    return visual_regions(
        look.observation(found, broker),
        kinds=kinds,
        min_confidence=min_confidence,
        max_regions=max_regions,
        parser=_parser(made),
        warnings=getattr(made, "notes", tuple)(),
        timing={"duration_ms": spent, "stages": {s.name: s.ms for s in watch.take()}},
    )


@dataclass(frozen=True)
class _Look:
    """A frame, and the live thing that it shows where there is one."""

    shot: Screenshot
    live: Surface | None = None
    target: Target | None = None

    @classmethod
    def at(cls, what: Screenshot | Surface) -> _Look:
        if isinstance(what, Screenshot):
            return cls(what)
        target = what.target()
        return cls(what.grab(), what, target)

    def perceiver(self, stage: Any) -> Any:
        return stage if self.live is None else bind(stage, self.live)

    def observation(self, found: Candidates, broker: CaptureBroker | None) -> Observation:
        """What was found, with a lease where the thing is live and there is a broker."""
        if self.live is None or self.target is None:
            return Observation(screenshot=self.shot, candidates=found, title=self.shot.source)
        capture = broker.issue(self.live, self.shot, found, target=self.target) if broker else None
        return Observation(
            screenshot=self.shot,
            candidates=found,
            target=self.target,
            capture_id=capture.id if capture else "",
            title=self.live.title(),
        )


def _parser(stage: Any) -> dict[str, Any]:
    return {
        "id": getattr(stage, "stage_id", type(stage).__name__),
        "version": metadata.version("cuakit"),
        "models": getattr(stage, "models", tuple)(),
    }


def decide(goal: str | Subtask, observation: Observation, decider: Any = "lexical-v1", **options: Any) -> Decision:
    """Choose one of the objects of an observation for a goal.

    Args:
        goal: A sentence, or a whole subtask.
        observation: What was seen.
        decider: Name of a decider, or one already made.
        **options: Options of the named decider.

    Raises:
        UnknownName: No decider of that name.
        DecisionError: The decider failed.
    """
    subtask = goal if isinstance(goal, Subtask) else Subtask(goal=goal)
    made = registry.build("decide", decider, **options) if isinstance(decider, str) else decider
    chosen: Decision = made(subtask, observation, ())
    return chosen
