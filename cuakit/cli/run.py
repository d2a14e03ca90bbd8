"""``cuakit run``: one subtask from standard input, JSON lines out."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from cuakit.agent import Agent
    from cuakit.core.stages import Decider, Surface
    from cuakit.core.subtask import Subtask
    from cuakit.core.trajectory import Step, Trajectory

KEYS = frozenset({"url", "window", "subtask", "agent", "timeout_s", "width", "height"})
"""Fields of a job; no others are accepted."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What standard input asked for, checked."""

    subtask: Subtask
    agent: Agent
    decider: Decider
    timeout_s: float
    url: str
    window: int | str
    size: tuple[int, int]


def run(*, log: Path | None = None) -> int:
    """Work on one subtask, read from standard input as one JSON object.

    Fields: url or window; subtask {goal, verification, inputs, …}; agent (matching words by default); timeout_s; width,
    height. Prints a JSON line per action, then {"type": "result"} or {"type": "error"}. Exit code 0 after a result
    whatever its status, 2 for invalid input, 1 when the run failed, 128 + signal when stopped.

    Args:
        log: File that gets a JSON line per decision, with probabilities and times.
    """
    from cuakit.cli.signals import Stopped, stoppable
    from cuakit.core.errors import CuakitError

    try:
        job = read(sys.stdin.read())
        keep = open_log(log)
    except CuakitError as wrong:
        _say({"type": "error", "error": wrong.as_dict()})
        return 2
    try:
        with stoppable(), keep as lines, _surface(job) as surface:
            made = _work(job, surface, lines)
    except Stopped as signal:
        return 128 + signal.number
    except CuakitError as wrong:
        told = wrong.as_dict()
        _say({"type": "error", "error": told | {"message": job.subtask.redact(told["message"])}})
        return 1
    _say({"type": "result", **result_line(made, job.subtask)})
    return 0


def open_log(path: Path | None) -> contextlib.AbstractContextManager[TextIO | None]:
    """The log file, or nothing.

    Raises:
        UsageError: It cannot be written.
    """
    from cuakit.core.errors import UsageError

    if path is None:
        return contextlib.nullcontext()
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as wrong:
        raise UsageError(f"cannot write the log {path}: {wrong}") from wrong


def read(text: str) -> Job:
    """A job from JSON text.

    Raises:
        UsageError: It is not JSON, has unknown or missing fields, or a field breaks its rule; the message names it.
    """
    from cuakit.core.errors import UsageError

    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as wrong:
        raise UsageError(f"standard input is not one JSON object: {wrong}") from wrong
    _only(data, KEYS, "a job")
    if ("url" in data) == ("window" in data):
        raise UsageError("a job names one place", hint='either "url" or "window"')
    window, agent = data.get("window", 0), _agent(data)
    if isinstance(window, bool) or not isinstance(window, int | str):
        raise UsageError("window must be an id or a part of a title")
    return Job(
        subtask=_subtask(data.get("subtask")),
        agent=agent,
        decider=agent.decider(),
        timeout_s=_number(data, "timeout_s", 300.0),
        url=_text(data, "url", ""),
        window=window,
        size=(int(_number(data, "width", 1280)), int(_number(data, "height", 800))),
    )


def _agent(data: Mapping[str, Any]) -> Agent:
    from cuakit.agent import Agent
    from cuakit.bench.agents import load_agents
    from cuakit.core.errors import UsageError
    from cuakit.core.registry import Spec

    if "agent" not in data and "window" in data:
        return Agent(
            name="lexical-window",
            perceive=Spec("accessibility-v1"),
            act=Spec("window-v1"),
            settle=Spec("pixels-v1"),
        )
    found = load_agents((_text(data, "agent", "lexical-dom"),))
    if len(found) != 1:
        raise UsageError(f"agent {data['agent']!r} matches {len(found)} agents", hint="name one")
    return found[0]


def _subtask(data: Any) -> Subtask:
    from dataclasses import fields

    from cuakit.core.errors import InvalidSubtask
    from cuakit.core.subtask import Subtask

    _only(data, frozenset(f.name for f in fields(Subtask)), "a subtask")
    if "goal" not in data:
        raise InvalidSubtask("a subtask needs a goal")
    if not isinstance(data.get("metadata", {}), Mapping):
        raise InvalidSubtask("metadata must be an object")
    for name in ("allowed_risks", "secret_inputs"):
        if not isinstance(data.get(name, []), list) or not all(isinstance(v, str) for v in data.get(name, [])):
            raise InvalidSubtask(f"{name} must be a list of names")
    return Subtask(**data)


def _only(data: Any, known: frozenset[str], what: str) -> None:
    from cuakit.core.errors import UsageError

    if not isinstance(data, Mapping):
        raise UsageError(f"{what} must be a JSON object, got {type(data).__name__}")
    if extra := set(data) - known:
        raise UsageError(f"{what} has no field {', '.join(sorted(extra))}", hint=f"fields: {', '.join(sorted(known))}")


def _text(data: Mapping[str, Any], name: str, otherwise: str) -> str:
    from cuakit.core.errors import UsageError

    value = data.get(name, otherwise)
    if not isinstance(value, str) or (name in data and not value):
        raise UsageError(f"{name} must be a non-empty string")
    return value


def _number(data: Mapping[str, Any], name: str, otherwise: float) -> float:
    from cuakit.core.errors import UsageError

    value = data.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10**6:
        raise UsageError(f"{name} must be a positive number")
    return float(value)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


@contextlib.contextmanager
def _surface(job: Job) -> Iterator[Surface]:
    if job.url:
        from cuakit.backends.cdp import Browser

        with Browser.launch() as browser:
            page = browser.new_page(width=job.size[0], height=job.size[1])
            page.navigate(job.url)
            yield page
        return
    from cuakit.capture.window import Window

    with Window.open(job.window) as window:
        yield window


def _work(job: Job, surface: Surface, lines: TextIO | None) -> Trajectory:
    from cuakit.loop import run_subtask

    return run_subtask(
        job.agent,
        surface,
        job.subtask,
        decider=job.decider,
        record=_teller(job.subtask, lines),
        deadline_s=job.timeout_s,
    )


def _teller(subtask: Subtask, lines: TextIO | None) -> Callable[[Step], None]:
    def tell(step: Step) -> None:
        if lines is not None:
            lines.write(_dump(log_line(step, subtask)) + "\n")
        if step.decision.action is not None:
            _say({"type": "action", **action_line(step, subtask)})

    return tell


def action_line(step: Step, subtask: Subtask) -> dict[str, Any]:
    """What was done in a step, without any secret of the subtask."""
    from cuakit.core.action import action_dict
    from cuakit.record.redact import redact_tree

    action = step.decision.action
    assert action is not None
    target = getattr(action, "target", "")
    found = step.observation.candidates[target] if target else None
    line = {
        "step": step.index,
        "action": action_dict(action, redact=subtask.secret_inputs),
        "target_name": found.label if found else "",
        "effect": step.receipt.effect if step.receipt else "",
        "code": step.receipt.code if step.receipt else "",
    }
    told: dict[str, Any] = redact_tree({k: v for k, v in line.items() if v not in ("", None)}, subtask)
    return told


def log_line(step: Step, subtask: Subtask) -> dict[str, Any]:
    """A decision with its probabilities and times, without any secret of the subtask."""
    from cuakit.core import codec
    from cuakit.record.redact import redact_tree

    decision = step.decision
    line = {
        "step": step.index,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "confidence": decision.confidence,
        "margin": decision.margin,
        "candidates": len(step.observation.candidates),
        "answers": {n: codec.jsonable(a.probabilities or {a.choice: None}) for n, a in decision.answers.items()},
        "ms": {s.name: round(s.ms, 2) for s in step.spans},
        **(action_line(step, subtask) if decision.action is not None else {}),
    }
    told: dict[str, Any] = redact_tree(line, subtask)
    return told


def result_line(made: Trajectory, subtask: Subtask) -> dict[str, Any]:
    """How a run ended, without any secret of the subtask."""
    from cuakit.core import codec
    from cuakit.record.redact import redact_tree

    line = {
        "status": made.status,
        "reason": made.reason,
        "steps": len(made.steps),
        "actions": made.actions_taken,
        "needs_input": codec.jsonable(made.needs_input),
    }
    told: dict[str, Any] = redact_tree({k: v for k, v in line.items() if v is not None}, subtask)
    return told


def _dump(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def _say(line: Mapping[str, Any]) -> None:
    print(_dump(line), flush=True)
