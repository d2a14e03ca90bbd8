"""One protocol per verb, in loop order. A stage is a plain callable; its options are dataclass fields.

A stage that needs the live thing behind the pixels (a page, a window) has ``bind(surface)``, which returns the
callable. Stages never import one another: what one needs of another is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cuakit.core.candidate import Candidates
from cuakit.core.decision import Decision
from cuakit.core.geometry import Box
from cuakit.core.lease import Target
from cuakit.core.observation import Observation
from cuakit.core.outcome import Receipt, Settled, Verdict
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step

History = Sequence[Step]
Grab = Callable[[], Screenshot]


@runtime_checkable
class Surface(Protocol):
    """Something live that can be looked at and acted on: a page, a window, the desktop."""

    def target(self) -> Target:
        """Identity as it is now.

        Raises:
            TargetGone: It was closed.
        """

    def size(self) -> tuple[int, int]:
        """Frame size now, in pixels of its screenshots."""

    def grab(self) -> Screenshot:
        """A fresh frame."""

    def patch(self, box: Box) -> NDArray[np.uint8]:
        """Fresh pixels under a box of the frame, (h, w, 3) RGB, cut at the frame."""

    def title(self) -> str:
        """Title now; content, not authority."""


class Source(Protocol):
    """Takes a screenshot."""

    def __call__(self) -> Screenshot: ...  # noqa: D102 - the class says it


class Perceiver(Protocol):
    """Finds objects on a screenshot."""

    def __call__(self, shot: Screenshot, /) -> Candidates: ...  # noqa: D102 - the class says it


class Labeler(Protocol):
    """Gives names to candidates that have none."""

    def __call__(self, shot: Screenshot, candidates: Candidates, /) -> Candidates: ...  # noqa: D102 - the class says it


class Decider(Protocol):
    """Chooses what to do next."""

    def __call__(self, subtask: Subtask, observation: Observation, history: History, /) -> Decision: ...  # noqa: D102 - the class says it


class Actor(Protocol):
    """Carries out a decision under the lease of its observation."""

    def __call__(self, decision: Decision, observation: Observation, /) -> Receipt: ...  # noqa: D102 - the class says it


class Settler(Protocol):
    """Waits until the target stands still."""

    def __call__(self, grab: Grab, /) -> Settled: ...  # noqa: D102 - the class says it


class Verifier(Protocol):
    """Tells whether a step or a criterion holds."""

    def __call__(self, before: Observation, after: Observation, decision: Decision, /) -> Verdict: ...  # noqa: D102 - the class says it


class Recorder(Protocol):
    """Keeps steps."""

    def __call__(self, step: Step, /) -> None: ...  # noqa: D102 - the class says it


def bind(stage: Any, surface: Surface) -> Any:
    """The callable of a stage on a live surface: ``stage.bind(surface)`` where it has one, else the stage itself."""
    binder = getattr(stage, "bind", None)
    return stage if binder is None else binder(surface)
