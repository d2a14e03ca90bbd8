"""Decisions that were taken before, taken again on a live screen: no model, and the same choices every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from cuakit.core.action import Action, SetValue, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step
from cuakit.decide.memory import identity


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Repeats recorded decisions, each on the element that is now what its target was then.

    An element is found again by its own identity, or by role, label and its number among those of the same role and
    label. When there is none, the decision is ``needs_agent``: nothing is clicked because it was there once. Texts come
    from the inputs of the subtask at hand, so that a recorded run can be repeated with other data, and a record that holds
    no secret can still fill one in.

    Args:
        steps: What was decided, with what was seen; ``Trajectory.steps``, or those of a recorded trial.
    """

    stage_id: ClassVar[str] = "replay-v1"

    steps: Sequence[Step] = ()

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """The decision with the same number as the step that is due."""
        if len(history) >= len(self.steps):
            return Decision(outcome="abstain", reason=f"the recording ends after {len(self.steps)} steps")
        then = self.steps[len(history)]
        if then.decision.action is None:
            return then.decision
        action = then.decision.action
        for part in ("target", "to"):
            id = getattr(action, part, "")
            if not id:
                continue
            now = again(id, then.observation.candidates, observation.candidates)
            if now is None:
                was = then.observation.candidates.get(id)
                known = f"{was.role} {was.label!r}" if was else repr(id)
                return Decision(outcome="needs_agent", reason=f"{subtask.redact(known)} is not on the screen any more")
            action = replace(action, **{part: now.id})  # type: ignore[arg-type] # each has the field that it was asked for
        return Decision(
            outcome="act", action=_filled(action, subtask), reason=f"step {len(history) + 1} of a recording"
        )


def again(id: str, then: Candidates, now: Candidates) -> Candidate | None:
    """The candidate that is now what another one was on an earlier frame; None when there is none.

    Args:
        id: Id on the earlier frame.
        then: Candidates of the earlier frame.
        now: Candidates of this frame.
    """
    was = then.get(id)
    if was is None:
        return None
    own = identity(was)
    if same := [c for c in now if identity(c) == own and (c.role, c.label) == (was.role, was.label)]:
        return same[0]
    alike_then = [c.id for c in then if (c.role, c.label) == (was.role, was.label)]
    alike_now = [c for c in now if (c.role, c.label) == (was.role, was.label)]
    return alike_now[alike_then.index(id)] if len(alike_now) == len(alike_then) else None


def _filled(action: Action, subtask: Subtask) -> Action:
    if not isinstance(action, TypeText | SetValue) or action.input_key not in subtask.inputs:
        return action
    given = str(subtask.inputs[action.input_key])
    return replace(action, text=given) if isinstance(action, TypeText) else replace(action, value=given)
