"""What has been done already, so that a decider does not do it twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cuakit.core.action import Click, DoubleClick, SetValue, TypeText
from cuakit.core.candidate import Candidate
from cuakit.core.stages import History


def identity(candidate: Candidate) -> str:
    """Key that follows a candidate from frame to frame.

    The element's own id where the source gives one, else role, label and place in steps of 8 px.
    """
    own = next((p for p in candidate.provenance if ":" in p), "")
    if own:
        return own
    at = candidate.box.center
    return f"{candidate.role}|{candidate.label}|{round(at.x / 8)}|{round(at.y / 8)}"


@dataclass(frozen=True)
class Memory:
    """Actions that reached the target.

    Args:
        clicks: Identity → times clicked.
        entered: Identity and text of everything typed or set.
        labels: Labels clicked, in order.
        untaken: Identity and text of everything typed into a field that stayed as it was.
    """

    clicks: Counter[str]
    entered: frozenset[tuple[str, str]]
    labels: tuple[str, ...]
    untaken: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, history: History) -> Memory:
        """Memory of the steps so far; refused actions are not in it."""
        clicks: Counter[str] = Counter()
        entered: set[tuple[str, str]] = set()
        labels: list[str] = []
        untaken: set[tuple[str, str]] = set()
        for step in history:
            action = step.decision.action
            if action is None or step.receipt is None or not step.receipt.injected:
                continue
            target = step.observation.candidates.get(getattr(action, "target", ""))
            if target is None:
                continue
            if isinstance(action, Click | DoubleClick):
                clicks[identity(target)] += 1
                labels.append(target.label)
            elif isinstance(action, TypeText):
                noop = step.receipt.effect == "suspected_noop"
                (untaken if noop else entered).add((identity(target), action.text))
            elif isinstance(action, SetValue):
                entered.add((identity(target), action.value))
        return cls(clicks, frozenset(entered), tuple(labels), frozenset(untaken))
