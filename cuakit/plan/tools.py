"""The tool tree: atoms in Python, everything above as data, checked as a whole before anything runs.

A tool has typed parameters and is either an atom, which moves the pointer or the keys, or a list of steps, which call
other tools. What it does to the scene is declared beside the steps, so that a plan can be tried on the scene graph
first. Levels are computed: an atom is 0, any other tool one above its highest child.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from cuakit.core.errors import UsageError

TYPES: Final = (
    "shape",
    "object",
    "objects",
    "edge",
    "direction",
    "anchor",
    "keys",
    "text",
    "number",
    "place",
    "spot",
    "choice",
)
"""Parameter types; see :mod:`cuakit.plan.arguments` for what each accepts."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")
_REFERENCE: Final = re.compile(r"\$([a-z][a-z0-9_]*)")
MOST_STEPS: Final = 200
"""Most steps that one tool may list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter of a tool.

    Args:
        name: Identifier.
        type: One of :data:`TYPES`.
        about: What it means, in words.
        default: Value when it is left out; None makes it required.
        low: Least number.
        high: Greatest number.
        choices: Words that a ``choice`` allows.
    """

    name: str
    type: str
    about: str = ""
    default: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise _bad("", f"parameter name {self.name!r} is not made of a–z, 0–9 and _")
        if self.type not in TYPES:
            raise _bad("", f"parameter {self.name}: no type {self.type!r}; types: {', '.join(TYPES)}")
        if (self.type == "choice") != bool(self.choices):
            raise _bad("", f"parameter {self.name}: choices go with the type 'choice', and only with it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A call of a tool.

    Args:
        tool: Its name.
        args: Values by parameter name; ``$name`` inside a text stands for a parameter of the tool that lists the step.
        save: Name under which later steps of the same plan may refer to the object that this step makes.
        checkpoint: What must hold afterwards; see :mod:`cuakit.plan.checkpoint`. None for no check.
    """

    tool: str
    args: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    save: str = ""
    checkpoint: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A named operation.

    Args:
        name: Identifier; never used as a path.
        about: What it does, in words, for a planner.
        params: Parameters in order.
        steps: Calls of other tools; none for an atom.
        effects: What it does to the scene; see :mod:`cuakit.plan.effects`.
    """

    name: str
    about: str = ""
    params: tuple[Param, ...] = ()
    steps: tuple[Step, ...] = ()
    effects: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise _bad(self.name, "a tool's name is made of a–z, 0–9 and _, starting with a letter")
        names = [p.name for p in self.params]
        if len(set(names)) != len(names):
            raise _bad(self.name, "two parameters share a name")
        if len(self.steps) > MOST_STEPS:
            raise _bad(self.name, f"{len(self.steps)} steps are more than {MOST_STEPS}")
        used = {r for part in (*self.steps, *self.effects) for r in references(_values(part))}
        made = {s.save for s in self.steps if s.save}
        if lost := sorted(used - set(names) - made - {"result"}):
            raise _bad(self.name, f"its steps use ${', $'.join(lost)}, which no parameter and no step provides")

    @property
    def signature(self) -> str:
        """Name and parameters in one line, as a planner reads them."""
        parts = (f"{p.name}:{p.type}" + ("" if p.default is None else f"={p.default}") for p in self.params)
        return f"{self.name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Tools by name, checked against one another.

    Raises:
        UsageError: A tool calls an unknown tool, itself through others, or with wrong arguments (``bad_tool``).
    """

    tools: Mapping[str, Tool]

    def __post_init__(self) -> None:
        for tool in self.tools.values():
            for step in tool.steps:
                self._check_call(tool, step)
        try:
            TopologicalSorter({t.name: {s.tool for s in t.steps} for t in self.tools.values()}).prepare()
        except CycleError as circle:
            raise _bad(str(circle.args[1][0]), f"it calls itself: {' → '.join(circle.args[1])}") from circle

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> Self:
        """Catalogue of some tools.

        Raises:
            UsageError: Two share a name, or they do not fit together.
        """
        made: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in made:
                raise _bad(tool.name, "two tools have this name")
            made[tool.name] = tool
        return cls(MappingProxyType(made))

    def get(self, name: str) -> Tool:
        """The tool of a name.

        Raises:
            UsageError: There is none (``unknown_tool``); close names are listed.
        """
        if name in self.tools:
            return self.tools[name]
        close = difflib.get_close_matches(str(name), self.tools, n=3)
        raise UsageError(
            f"no tool is called {str(name)[:60]!r}",
            hint=f"close: {', '.join(close)}" if close else f"tools: {', '.join(sorted(self.tools))}",
            code="unknown_tool",
        )

    def level(self, name: str) -> int:
        """0 for an atom, else one above the highest tool that it calls."""
        return max((1 + self.level(s.tool) for s in self.get(name).steps), default=0)

    def with_tool(self, tool: Tool, *, replace: bool = False) -> Catalogue:
        """A catalogue with one more tool, usable at once.

        Raises:
            UsageError: The name is taken and ``replace`` is not set, or the tool does not fit.
        """
        if tool.name in self.tools and not replace:
            raise _bad(tool.name, "a tool of this name exists; allow it to be replaced or choose another name")
        return Catalogue(MappingProxyType({**self.tools, tool.name: tool}))

    def _check_call(self, tool: Tool, step: Step) -> None:
        try:
            called = self.get(step.tool)
            fit(called, step.args)
        except UsageError as wrong:
            raise _bad(tool.name, wrong.message) from wrong


def fit(tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with defaults filled in, by name only; types are checked where the scene is known.

    Raises:
        UsageError: One is missing or not a parameter (``bad_arguments``).
    """
    known = {p.name: p for p in tool.params}
    extra = sorted(set(args) - set(known))
    missing = [p.name for p in tool.params if p.name not in args and p.default is None]
    if extra or missing:
        what = f"it takes no {', '.join(extra)}" if extra else f"{', '.join(missing)} is missing"
        raise UsageError(f"{tool.name}: {what}", hint=tool.signature, code="bad_arguments")
    return {p.name: args.get(p.name, p.default) for p in tool.params}


def references(value: Any) -> set[str]:
    """Names after ``$`` anywhere inside a value."""
    if isinstance(value, str):
        return set(_REFERENCE.findall(value))
    if isinstance(value, Mapping):
        return {r for v in value.values() for r in references(v)}
    if isinstance(value, list | tuple):
        return {r for v in value for r in references(v)}
    return set()


def fill(value: Any, known: Mapping[str, Any]) -> Any:
    """A value with every known ``$name`` replaced; a text that is nothing but one name takes the value as it is.

    Other ``$words`` stay: a label may hold a dollar sign. What is put in is not read again.
    """
    if isinstance(value, str):
        whole = _REFERENCE.fullmatch(value)
        if whole:
            return known.get(whole[1], value)
        return _REFERENCE.sub(lambda m: str(known.get(m[1], m[0])), value)
    if isinstance(value, Mapping):
        return {k: fill(v, known) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [fill(v, known) for v in value]
    return value


def _values(part: Any) -> Any:
    return part.args if isinstance(part, Step) else part


def load(path: Path) -> tuple[Tool, ...]:
    """Tools from a JSON file: a list of ``{name, about, params, steps, effects}``.

    Raises:
        UsageError: The file is missing, no JSON, or a tool in it breaks a rule (``bad_tool``).
    """
    try:
        return tuple(from_dict(entry) for entry in json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as wrong:
        raise _bad("", f"{path.name} cannot be read: {wrong}") from wrong


def from_dict(data: Any) -> Tool:
    """A tool from plain data.

    Raises:
        UsageError: It breaks a rule (``bad_tool``).
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise _bad("", f"a tool is an object with a name, got {str(data)[:60]}")
    name = data["name"]
    try:
        params = [Param(**{**p, "choices": tuple(p.get("choices", ()))}) for p in data.get("params", ())]
        steps = [step_from_dict(s) for s in data.get("steps", ())]
        if extra := set(data) - {"name", "about", "params", "steps", "effects"}:
            raise _bad(name, f"unknown keys {', '.join(sorted(extra))}")
        return Tool(
            name=name,
            about=str(data.get("about", "")),
            params=tuple(params),
            steps=tuple(steps),
            effects=tuple(dict(e) for e in data.get("effects", ())),
        )
    except (TypeError, ValueError, AttributeError) as wrong:
        raise _bad(name, str(wrong)) from wrong


def step_from_dict(data: Any) -> Step:
    """A step from plain data: ``{tool, args, save, checkpoint}``.

    Raises:
        UsageError: It breaks a rule (``bad_tool``).
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("tool"), str):
        raise _bad("", f"a step is an object that names a tool, got {str(data)[:60]}")
    if extra := set(data) - {"tool", "args", "save", "checkpoint"}:
        raise _bad(data["tool"], f"unknown keys in a step: {', '.join(sorted(map(str, extra)))}")
    args, save, checkpoint = data.get("args", {}), data.get("save", ""), data.get("checkpoint")
    if not isinstance(args, Mapping) or not (save == "" or (isinstance(save, str) and _NAME.fullmatch(save))):
        raise _bad(data["tool"], "args must be an object, and save an identifier")
    if checkpoint is not None and not isinstance(checkpoint, Mapping):
        raise _bad(data["tool"], "a checkpoint is an object")
    return Step(tool=data["tool"], args=MappingProxyType(dict(args)), save=save, checkpoint=checkpoint)


def plan_from_json(text: str) -> tuple[Step, ...]:
    """A plan from JSON: a list of ``{tool, args, save, checkpoint}``. What its tools do is not looked at.

    Raises:
        UsageError: It is no such list (``bad_plan``); a wrong step is named by its number. NaN, infinities and a key that
            appears twice in one object are refused too.
    """
    try:
        data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as wrong:
        raise _bad_plan(f"the plan is no JSON: {str(wrong)[:120]}") from wrong
    if not isinstance(data, list) or not data:
        raise _bad_plan(f"a plan is a list of steps, got {'an empty list' if data == [] else type(data).__name__}")
    steps = []
    for number, entry in enumerate(data, 1):
        try:
            steps.append(step_from_dict(entry))
        except UsageError as wrong:
            raise _bad_plan(f"step {number}: {wrong.message}") from wrong
    return tuple(steps)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError(f"a key appears twice among {', '.join(sorted(k for k, _ in pairs))}"[:120])
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _bad_plan(why: str) -> UsageError:
    return UsageError(why, hint='correct the plan: [{"tool": NAME, "args": {NAME: VALUE}}, …]', code="bad_plan")


def to_dict(tool: Tool) -> dict[str, Any]:
    """Inverse of :func:`from_dict`; what is at its default is left out."""
    params = [
        {
            k: list(v) if isinstance(v, tuple) else v
            for k in Param.__slots__
            if (v := getattr(p, k)) not in (None, "", ())
        }
        for p in tool.params
    ]
    steps = [
        {"tool": s.tool, "args": dict(s.args)}
        | ({"save": s.save} if s.save else {})
        | ({} if s.checkpoint is None else {"checkpoint": dict(s.checkpoint)})
        for s in tool.steps
    ]
    return {"name": tool.name, "about": tool.about, "params": params, "steps": steps, "effects": list(tool.effects)}


def _bad(name: str, why: str) -> UsageError:
    return UsageError(f"tool {name!r}: {why}" if name else why, hint="correct the tool's definition", code="bad_tool")
