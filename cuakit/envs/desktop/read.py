"""Reading task files so that every complaint names the place, what was found, and what to write instead."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.safety import refusals
from cuakit.envs.desktop.task import Check, Conjunction, DesktopTask, Evaluator, SetupStep
from cuakit.envs.desktop.vocabulary import STEPS, app_name

LARGEST: Final = 4 << 20
"""Largest task file in bytes; the largest published one has 30 KB."""

_TOP: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "id": (str,),
        "instruction": (str,),
        "evaluator": (dict,),
        "config": (list, type(None)),
        "snapshot": (str,),
        "source": (str, list, type(None)),
        "trajectory": (str, type(None)),
        "related_apps": (list,),
        "proxy": (bool,),
        "fixed_ip": (bool,),
        "possibility_of_env_change": (str,),
        "env_may_change": (bool,),
        "hint": (str, list),
        "cuakit": (dict,),
    }
)
LEVELS: Final = (1, 2, 3)
"""How hard a task is: one thing in one place; several steps, or a way that has to be found; several programs or parts."""

_OWN: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "level": (int,),
        "paraphrase": (str,),
        "allowed_risks": (list,),
        "inputs": (dict,),
        "checkpoints": (list,),
        "gold": (list,),
    }
)
_NEEDED: Final = ("id", "instruction", "evaluator")
_JUDGE: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "func": (str, list),
        "result": (dict, list, type(None)),
        "expected": (dict, list, type(None)),
        "options": (dict, list, type(None)),
        "conj": (str,),
        "postconfig": (list, type(None)),
    }
)
_WORDS: Final = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


@dataclass(slots=True)
class _Complaints:
    """Everything that is wrong with one file."""

    found: list[str] = field(default_factory=list)

    def add(self, place: str, what: str) -> None:
        self.found.append(f"{place}: {what}")

    def typed(self, place: str, value: Any, types: tuple[type, ...]) -> bool:
        """Complain unless a value has one of the types."""
        fits = isinstance(value, types) and not (isinstance(value, bool) and bool not in types)
        if fits and isinstance(value, float) and not math.isfinite(value):
            fits = False
        if not fits:
            wanted = " or ".join(dict.fromkeys(_WORDS[t] for t in types if t in _WORDS))
            self.add(place, f"needs {wanted}, found {_shown(value)}")
        return fits

    def keys(self, place: str, found: Mapping[str, Any], known: Iterable[str]) -> None:
        """Complain of unknown keys; those that start with an underscore are comments."""
        names = list(known)
        for key in found:
            if key not in names and not key.startswith("_"):
                close = difflib.get_close_matches(key, names, n=1)
                near = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(sorted(names))}"
                self.add(f"{place}.{key}" if place else key, f"is not a known key{near}")


def read_task(file: Path) -> DesktopTask:
    """A task from a file.

    Raises:
        InvalidTask: It cannot be read, or breaks the schema; the message lists every place.
    """
    try:
        with file.open("rb") as source:
            data = source.read(LARGEST + 1)
    except OSError as wrong:
        raise InvalidTask(f"{file} cannot be read: {wrong.strerror}", hint="name a JSON file") from wrong
    if len(data) > LARGEST:
        raise InvalidTask(f"{file} is larger than {LARGEST >> 20} MiB", hint="a task file holds words, not data")
    try:
        return parse_task(json.loads(data), name=str(file))
    except (ValueError, RecursionError) as wrong:
        raise InvalidTask(
            f"{file}: not JSON: {wrong}", hint="docs/howto/run-osworld-tasks.md describes the format"
        ) from wrong


def parse_task(data: Any, *, name: str = "task") -> DesktopTask:
    """A task from plain data.

    Args:
        data: What the file holds.
        name: For messages.

    Raises:
        InvalidTask: The schema is broken, or it asks for what no task may do; the message lists every place.
    """
    wrong = _Complaints()
    task = _task(data, wrong)
    if wrong.found or task is None:
        raise InvalidTask(
            f"{name}: {len(wrong.found)} things are wrong\n  " + "\n  ".join(wrong.found[:20]),
            hint="docs/howto/run-osworld-tasks.md describes the format",
        )
    return task


def problems(data: Any) -> tuple[str, ...]:
    """Everything that is wrong with a task, as ``place: what``; empty when nothing is."""
    wrong = _Complaints()
    _task(data, wrong)
    return tuple(wrong.found)


def _task(data: Any, wrong: _Complaints) -> DesktopTask | None:
    if not wrong.typed("the file", data, (dict,)):
        return None
    wrong.keys("", data, _TOP)
    for key in _NEEDED:
        if key not in data:
            wrong.add(key, "is missing")
    good = {k: v for k, v in data.items() if k in _TOP and wrong.typed(k, v, _TOP[k])}
    if not str(good.get("instruction", "x")).strip():
        wrong.add("instruction", "is empty")
    apps = good.get("related_apps", [])
    for i, app in enumerate(apps):
        wrong.typed(f"related_apps[{i}]", app, (str,))
    source = good.get("source") or ""
    task = DesktopTask(
        id=good.get("id", ""),
        instruction=good.get("instruction", "").strip(),
        config=_steps(good.get("config") or [], wrong, "config"),
        evaluator=_evaluator(good.get("evaluator", {}), wrong, "evaluator"),
        apps=tuple(dict.fromkeys(app_name(a) for a in apps if isinstance(a, str))),
        snapshot=good.get("snapshot", ""),
        proxy=good.get("proxy", False),
        fixed_ip=good.get("fixed_ip", False),
        source=source if isinstance(source, str) else " ".join(map(str, source)),
        extra=MappingProxyType(good.get("cuakit", {})),
    )
    _own(task.extra, wrong, "cuakit")
    wrong.found.extend(refusals(task))
    return task


def _own(data: Mapping[str, Any], wrong: _Complaints, place: str) -> None:
    """What is our own in a task file: published tasks have none of it."""
    wrong.keys(place, data, _OWN)
    for key, value in data.items():
        if key in _OWN and wrong.typed(f"{place}.{key}", value, _OWN[key]) and key == "level" and value not in LEVELS:
            wrong.add(f"{place}.level", f"needs a number from {LEVELS[0]} to {LEVELS[-1]}, found {value}")


def _steps(data: Sequence[Any], wrong: _Complaints, place: str) -> tuple[SetupStep, ...]:
    made = []
    for i, step in enumerate(data):
        at = f"{place}[{i}]"
        if not wrong.typed(at, step, (dict,)):
            continue
        wrong.keys(at, step, ("type", "parameters"))
        kind, given = step.get("type"), step.get("parameters", {})
        if wrong.typed(f"{at}.type", kind, (str,)) and wrong.typed(f"{at}.parameters", given, (dict,)):
            _parameters(kind, given, wrong, at)
            made.append(SetupStep(type=kind, parameters=MappingProxyType(given), place=at))
    return tuple(made)


def _parameters(kind: str, given: Mapping[str, Any], wrong: _Complaints, at: str) -> None:
    words = STEPS.get(kind)
    if words is None:
        close = difflib.get_close_matches(kind, STEPS, n=1)
        near = f"did you mean {close[0]!r}?" if close else f"steps: {', '.join(STEPS)}"
        wrong.add(f"{at}.type", f"no step named {kind!r}; {near}")
        return
    known = {**words.required, **words.optional}
    wrong.keys(f"{at}.parameters", given, known)
    for key in words.required:
        if key not in given:
            wrong.add(f"{at}.parameters.{key}", "is missing")
    for key, value in given.items():
        if key in known and wrong.typed(f"{at}.parameters.{key}", value, known[key]) and key in ("command", "files"):
            _entries(key, value, wrong, f"{at}.parameters.{key}")


def _entries(key: str, value: Any, wrong: _Complaints, at: str) -> None:
    """The words of a command, or the files of a download."""
    if not value:
        wrong.add(at, "is empty")
    for i, entry in enumerate(value if isinstance(value, list) else []):
        if key == "command":
            wrong.typed(f"{at}[{i}]", entry, (str,))
        elif wrong.typed(f"{at}[{i}]", entry, (dict,)):
            for need in ("path", "url") if "url" in entry or "local_path" not in entry else ("path", "local_path"):
                wrong.typed(f"{at}[{i}].{need}", entry.get(need), (str,))


def _evaluator(data: Mapping[str, Any], wrong: _Complaints, place: str) -> Evaluator:
    wrong.keys(place, data, _JUDGE)
    if "func" not in data and data:
        wrong.add(f"{place}.func", "is missing")
    good = {k: v for k, v in data.items() if k in _JUDGE and wrong.typed(f"{place}.{k}", v, _JUDGE[k])}
    funcs = good.get("func", [])
    single = isinstance(funcs, str)
    names = [funcs] if single else list(funcs)
    if not names and "func" in good:
        wrong.add(f"{place}.func", "is empty")
    for i, name in enumerate(names):
        wrong.typed(f"{place}.func[{i}]", name, (str,))
    parts = {k: _spread(good.get(k), len(names), wrong, f"{place}.{k}", single=single) for k in _PARTS}
    conj: Conjunction = next((c for c in get_args(Conjunction) if c == good.get("conj")), "and")
    if good.get("conj", "and") != conj:
        wrong.add(f"{place}.conj", f"needs 'and', 'or' or 'mean', found {good['conj']!r}")
    checks = tuple(
        Check(func=str(name), result=r, expected=e, options=o or {}, place=f"{place}.func[{i}]")
        for i, (name, r, e, o) in enumerate(zip(names, *(parts[k] for k in _PARTS), strict=True))
    )
    return Evaluator(
        checks=checks, conj=conj, postconfig=_steps(good.get("postconfig") or [], wrong, f"{place}.postconfig")
    )


_PARTS: Final = ("result", "expected", "options")


def _spread(value: Any, count: int, wrong: _Complaints, place: str, *, single: bool) -> list[Any]:
    """One entry per metric; an empty object means none."""
    entries = list(value) if isinstance(value, list) else [value] if single or value else [None] * count
    if len(entries) != count:
        wrong.add(place, f"has {len(entries)} entries for {count} metrics")
        entries = (entries + [None] * count)[:count]
    for i, entry in enumerate(entries):
        at = place if single else f"{place}[{i}]"
        if entry and wrong.typed(at, entry, (dict,)) and not place.endswith("options"):
            wrong.typed(f"{at}.type", entry.get("type"), (str,))
    return [e if isinstance(e, dict) and e else None for e in entries]


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return "nothing" if value is None else repr(value)[:40]
