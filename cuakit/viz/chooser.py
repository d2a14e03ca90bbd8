"""A person decides in a notebook: the screen with everything that can be done on it, one click an answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from cuakit.agent import Agent
from cuakit.core.errors import DecisionError, MissingExtra, UsageError
from cuakit.core.html import data_uri
from cuakit.core.observation import Observation
from cuakit.core.stages import Surface
from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Trajectory
from cuakit.decide.human import Human, Options
from cuakit.loop import run_subtask

SCRIPT: Final = Path(__file__).with_name("chooser.js")
"""What the widget does in the browser."""


class Chooser:
    """Asks a person with a widget; what :class:`cuakit.decide.human.Human` takes as ``ask``.

    Show it as the last expression of a cell, then let :meth:`run` work: the loop runs in a thread of its own, so that the
    notebook stays alive to take the clicks.

    Example:
        >>> chooser = Chooser()  # doctest: +SKIP
        >>> chooser  # shows the widget  # doctest: +SKIP
        >>> future = chooser.run(agent, world.surface, task, done=world.done)  # doctest: +SKIP

    Args:
        timeout_s: How long an answer is waited for, in seconds.

    Raises:
        MissingExtra: The notebook packages are not installed.
    """

    def __init__(self, *, timeout_s: float = 3600.0) -> None:
        self.timeout_s = timeout_s
        self.widget = _widget()
        self.widget.observe(self._clicked, names="choice")
        self._answers: queue.Queue[tuple[int, str]] = queue.Queue()
        self._offered: frozenset[str] = frozenset()

    def __call__(self, subtask: Subtask, observation: Observation, options: Options) -> str:
        """Show the options and wait for a click.

        Raises:
            DecisionError: No answer in time (code ``no_person``).
            UsageError: Called in the thread that has to take the clicks.
        """
        if threading.current_thread() is threading.main_thread():
            raise UsageError(
                "a notebook cannot take clicks while its own thread waits for them", hint="use chooser.run(agent, ...)"
            )
        turn = self.widget.turn + 1
        with self.widget.hold_sync():
            for name, value in _shown(subtask, observation, options).items():
                setattr(self.widget, name, value)
            self.widget.asking = True
            self.widget.turn = turn
        self._offered = frozenset(options)
        try:
            while True:
                answered, choice = self._answers.get(timeout=self.timeout_s)
                if answered == turn:  # not one that came after its question had timed out
                    return choice
        except queue.Empty as nobody:
            raise DecisionError(
                f"nobody chose within {self.timeout_s:g} s", hint="show the widget and run it again", code="no_person"
            ) from nobody
        finally:
            self.widget.asking = False

    def choose(self, option: str) -> None:
        """Answer from code, as a click would.

        Raises:
            UsageError: It is not on offer now.
        """
        if not self.widget.asking or option not in self._offered:
            near = ", ".join(sorted(self._offered)[:8]) if self.widget.asking else "nothing is asked"
            raise UsageError(f"{option!r} is not on offer now", hint=f"on offer: {near}")
        self.widget.choice = [self.widget.turn, option]

    @property
    def options(self) -> tuple[str, ...]:
        """What is on offer now; nothing between two questions."""
        return tuple(sorted(self._offered)) if self.widget.asking else ()

    def run(self, agent: Agent, surface: Surface, subtask: Subtask, **options: Any) -> Future[Trajectory]:
        """Run a subtask with the person as its decider, in a thread.

        Args:
            agent: Everything but the decision.
            surface: What is worked on.
            subtask: What to do.
            options: Further arguments of :func:`cuakit.loop.run_subtask`.

        Returns:
            The trajectory to come.
        """
        future: Future[Trajectory] = Future()

        def work() -> None:
            try:
                future.set_result(run_subtask(agent, surface, subtask, decider=Human(ask=self), **options))
            except BaseException as wrong:  # noqa: BLE001 - it is raised again where the result is asked for
                future.set_exception(wrong)

        threading.Thread(target=work, name="cuakit-chooser", daemon=True).start()
        return future

    def _clicked(self, change: Mapping[str, Any]) -> None:
        turn, option = change["new"]
        if option in self._offered and turn == self.widget.turn:
            self._offered = frozenset()  # one answer a question: a second click finds nothing on offer
            self._answers.put((turn, option))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)


def _shown(subtask: Subtask, observation: Observation, options: Options) -> dict[str, Any]:
    """The widget's state: options by what they act on, boxes as fractions of the picture."""
    shot = observation.screenshot
    by_target: dict[str, list[list[str]]] = {}
    loose: list[list[str]] = []
    for option, stands_for in options.items():
        if not isinstance(stands_for, str):
            target = str(getattr(stands_for, "target", ""))
            (by_target.setdefault(target, []) if target else loose).append([option, option])
    at = observation.candidates
    items = [
        {
            "label": subtask.redact(c.label) or c.role,
            "box": [
                c.box.left / shot.width, c.box.top / shot.height, c.box.width / shot.width, c.box.height / shot.height,
            ],
            "options": by_target[c.id],
        }
        for c in sorted(at, key=lambda c: -c.box.area)  # a small one lies over the large one that holds it
        if c.id in by_target
    ]  # fmt: skip
    words = {option: means for option, means in options.items() if isinstance(means, str)}
    return {
        "goal": subtask.redact(subtask.goal),
        "picture": data_uri(shot.image(), quality=85),
        "size": [round(shot.width / shot.scale), round(shot.height / shot.scale)],
        "items": items,
        "loose": loose,
        "words": [[option, f"{option.replace('_', ' ')}: {means}"] for option, means in words.items()],
    }


def _widget() -> Any:
    try:
        import anywidget  # noqa: PLC0415 - optional, and only a notebook needs it
        import traitlets  # noqa: PLC0415 - it comes with anywidget
    except ModuleNotFoundError as lost:
        raise MissingExtra("the chooser needs the notebook packages", hint="pip install 'cuakit[notebook]'") from lost

    class ChooserWidget(anywidget.AnyWidget):
        _esm = SCRIPT.read_text("utf-8")
        goal = traitlets.Unicode().tag(sync=True)
        picture = traitlets.Unicode().tag(sync=True)
        size = traitlets.List([1, 1]).tag(sync=True)
        items: Any = traitlets.List().tag(sync=True)
        loose: Any = traitlets.List().tag(sync=True)
        words: Any = traitlets.List().tag(sync=True)
        asking = traitlets.Bool(False).tag(sync=True)
        turn = traitlets.Int(0).tag(sync=True)
        choice = traitlets.List([0, ""]).tag(sync=True)

    return ChooserWidget()
