"""A person as the decision model: the same finite choices, asked in a terminal or through a widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from cuakit.core.action import Action
from cuakit.core.decision import Answer, Decision
from cuakit.core.errors import DecisionError
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.action_space import HARD_CAP, action_space
from cuakit.decide.flat import WORDS, Evidence, actions, evidence

MAX_OFFERED: Final = 2 * HARD_CAP
"""Actions that a person is offered at most; whoever reads a screen needs no ranking."""

Options = Mapping[str, Action | str]
"""What a person can say → the action that it stands for, or for a word what the word means."""

Ask = Callable[[Subtask, Observation, Options], str]
"""Gives one of the options."""


def in_terminal(subtask: Subtask, observation: Observation, options: Options) -> str:
    """Ask by number on the terminal, or in the input line of a notebook.

    Raises:
        DecisionError: Nobody is there to answer (code ``no_person``).
    """
    names = list(options)
    means = {name: f": {what}" for name, what in options.items() if isinstance(what, str)}
    lines = [f"{i:4}  {name}{means.get(name, '')}" for i, name in enumerate(names, 1)]
    prompt = "\n".join([observation.title, *lines, f"Task: {subtask.redact(subtask.goal)}", f"1 to {len(names)}: "])
    while True:
        try:
            said = input(prompt).strip()
        except EOFError as nobody:
            raise DecisionError(
                "a person was asked, and the input is closed",
                hint="run it in a terminal, or use Chooser in a notebook",
                code="no_person",
            ) from nobody
        if said.isascii() and said.isdigit() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        prompt = f"{said!r} is none of them; 1 to {len(names)}: "


@dataclass(frozen=True, kw_only=True)
class Human:
    """Asks a person which complete action comes next.

    Secret inputs are called by their names.

    Args:
        ask: How; ``cuakit.viz.Chooser`` asks in a notebook.
    """

    stage_id: ClassVar[str] = "human-v1"

    ask: Ask = in_terminal

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """What the person chose.

        Raises:
            DecisionError: Nobody answered, or the answer is none of the options.
        """
        words: Evidence = evidence(subtask, observation, history)
        space = action_space(subtask, observation, cap=HARD_CAP)
        offered, dropped = actions(subtask, space, MAX_OFFERED, words)
        choice = self.ask(subtask, observation, {**offered, **WORDS})
        if choice in WORDS:
            return Decision(outcome=choice, answers={"action": Answer(choice=choice)}, reason="a person's choice")  # type: ignore[arg-type]
        if choice not in offered:
            raise DecisionError(
                f"{choice[:60]!r} is none of the {len(offered)} options",
                hint="nothing was executed; choose one that is",
            )
        left_out = f"; {dropped} more did not fit" if dropped else ""
        answer = Answer(choice=choice)
        return Decision(
            outcome="act", action=offered[choice], answers={"action": answer}, reason=f"a person's choice{left_out}"
        )
