"""A plan tried on the scene graph alone: everything that cannot be right on any screen is refused before anything moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cuakit.core.candidate import Candidates
from cuakit.core.errors import UsageError
from cuakit.core.risk import consequences
from cuakit.core.subtask import RISKS
from cuakit.plan import effects
from cuakit.plan.arguments import resolve
from cuakit.plan.atoms import action
from cuakit.plan.checkpoint import judge
from cuakit.plan.domain import Domain, Spot
from cuakit.plan.history import History
from cuakit.plan.spots import check_spot
from cuakit.plan.tools import Step, Tool, fill

MOST: Final = 1000
"""Most steps in one plan."""


def rehearse(
    steps: Sequence[Step],
    history: History,
    domain: Domain,
    board: effects.Board,
    saved: Mapping[str, str] | None = None,
    *,
    consent: frozenset[str] = frozenset(RISKS),
) -> History:
    """Try a plan.

    Args:
        steps: The plan.
        history: The scene before it.
        domain: Its tools and words.
        board: Sizes and the visible canvas, in points.
        saved: Names that earlier plans gave to objects.
        consent: Kinds of consequential action that the plan may take; keys that take another are refused here, what a click
            hits is for the actor to judge.

    Returns:
        The scene as it would be. After a bare atom the view may be another: from there on, room is for the screen to
        decide, and what follows a step without room is not tried.

    Raises:
        UsageError: A step cannot be carried out; the message starts with its number and the tool, the hint says what to
            do. ``bad_plan``: no steps, too many, a name saved twice or for nothing.
            ``consent_required``: it would do what nobody consented to.
    """
    if not 0 < len(steps) <= MOST:
        raise UsageError(
            f"a plan has 1 to {MOST} steps, this one has {len(steps)}", hint="plan a part of it", code="bad_plan"
        )
    names, own, moved = dict(saved or {}), set[str](), False
    for number, step in enumerate(steps, 1):
        try:
            tool = domain.catalogue.get(step.tool)
            moved = moved or not tool.steps
            history, made = _call(tool, fill(step.args, names), history, domain, board, consent=consent)
            _saved(step, made, own)
            if step.checkpoint is not None:
                judge(step.checkpoint, history.present)
        except UsageError as wrong:
            if moved and wrong.error_code == "no_room":
                return history
            said = wrong.message if wrong.message.startswith(step.tool) else f"{step.tool}: {wrong.message}"
            raise UsageError(f"step {number}: {said}", hint=wrong.hint, code=wrong.error_code) from wrong
        if step.save:
            names[step.save] = made
    return history


def _saved(step: Step, made: str, own: set[str]) -> None:
    if step.save and not made:
        raise UsageError(
            f"{step.save!r} is to be saved, but the step makes nothing", hint="leave out save", code="bad_plan"
        )
    if step.save in own:
        raise UsageError(f"{step.save!r} is saved twice", hint="give each its own name", code="bad_plan")
    own |= {step.save} - {""}


def _call(
    tool: Tool,
    args: Mapping[str, Any],
    history: History,
    domain: Domain,
    board: effects.Board,
    *,
    consent: frozenset[str],
) -> tuple[History, str]:
    values = resolve(tool, args, history.present, domain.words)
    known, made = dict(values), ""
    if not tool.steps:
        _atom(tool, values, history, domain, consent)
    for step in tool.steps:
        history, result = _call(
            domain.catalogue.get(step.tool), fill(step.args, known), history, domain, board, consent=consent
        )
        made = result or made
        known |= {"result": made} | ({step.save: result} if step.save else {})
    for effect in tool.effects:
        history, id = effects.apply(history, fill(effect, known), board)
        made = id or made
    return history, made


def _atom(tool: Tool, values: Mapping[str, Any], history: History, domain: Domain, consent: frozenset[str]) -> None:
    """Whether an atom could be made into an action that is consented to, wherever its spots are."""

    def find(where: str) -> Spot:
        check_spot(where, history.present, domain.words)
        return Spot("canvas")

    try:
        made = action(tool.name, values, find)
    except (ValueError, TypeError) as wrong:
        raise UsageError(f"{tool.name}: {wrong}", hint=tool.signature, code="bad_arguments") from wrong
    if risky := consequences(made, Candidates(())) - consent:
        raise UsageError(
            f"{tool.name} would {' and '.join(sorted(risky))}, which nobody consented to",
            hint=f"give the runner consent to {', '.join(sorted(risky))}, or leave this step to a person",
            code="consent_required",
        )
