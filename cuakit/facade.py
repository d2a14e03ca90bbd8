"""The short forms for a notebook: look at something, choose something."""

from __future__ import annotations

from typing import Any

from cuakit.act.broker import CaptureBroker
from cuakit.core import registry
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.screenshot import Screenshot
from cuakit.core.stages import Surface, bind
from cuakit.core.subtask import Subtask


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
    live = None if isinstance(what, Screenshot) else what
    target = live.target() if live is not None else None
    shot = what if isinstance(what, Screenshot) else what.grab()
    if stage is None:
        stage = "dom-v1" if target is not None and target.kind == "page" else "pixels-v1"
    made = registry.build("perceive", stage, **options) if isinstance(stage, str) else stage
    perceive = made if live is None else bind(made, live)
    found = perceive(shot)
    if live is None or target is None:
        return Observation(screenshot=shot, candidates=found, title=shot.source)
    capture = broker.issue(live, shot, found, target=target) if broker else None
    return Observation(
        screenshot=shot,
        candidates=found,
        target=target,
        capture_id=capture.id if capture else "",
        title=live.title(),
    )


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
