"""What each parameter type accepts, checked against the scene before anything moves.

``shape``: a shape of the palette, or one of its other names. ``object``: an id or unique label. ``objects``: several,
as a list or separated by commas. ``edge``: an id, unique label, or ``A -> B``. ``direction``: one of eight. ``anchor``:
a side, or ``auto``. ``keys``: a key or chord. ``text``: anything, exactly. ``number``: finite, in its range. ``place``:
``auto``, ``right of A``, ``x,y`` in points of the canvas, … ``spot``: where an atom acts. ``choice``: one of its words.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import UsageError
from cuakit.core.subtask import is_key, parse_chord
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Param, Tool, fit

DIRECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        word: short
        for short, words in {
            "n": "n north up top above",
            "s": "s south down bottom below",
            "e": "e east right",
            "w": "w west left",
            "ne": "ne northeast top-right up-right",
            "nw": "nw northwest top-left up-left",
            "se": "se southeast bottom-right down-right",
            "sw": "sw southwest bottom-left down-left",
        }.items()
        for word in words.split()
    }
)
"""Word → compass point."""


LONGEST: Final = 10_000
"""Most characters in one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What an application calls its shapes.

    Args:
        shapes: Names as the scene and the palette use them.
        aliases: Other word → name, in lower case.
    """

    shapes: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def shape(self, word: str) -> str:
        """The shape that a word names.

        Raises:
            UsageError: None (``bad_arguments``).
        """
        wanted = " ".join(str(word).casefold().replace("_", " ").split())
        for name in self.shapes:
            if wanted == name.casefold():
                return name
        if wanted in self.aliases:
            return self.aliases[wanted]
        close = difflib.get_close_matches(wanted, [s.casefold() for s in self.shapes], n=3)
        raise UsageError(
            f"there is no shape {str(word)[:40]!r}",
            hint=f"close: {', '.join(close)}" if close else f"shapes: {', '.join(self.shapes)}",
            code="bad_arguments",
        )


def resolve(tool: Tool, args: Mapping[str, Any], scene: Scene, words: Words) -> dict[str, Any]:
    """Arguments in normal form: ids instead of labels, compass points, numbers in range.

    Raises:
        UsageError: One does not fit; the message names tool and parameter.
    """
    given = fit(tool, args)
    made: dict[str, Any] = {}
    for param in tool.params:
        try:
            made[param.name] = _one(param, given[param.name], scene, words)
        except UsageError as wrong:
            raise UsageError(
                f"{tool.name}: {param.name}: {wrong.message}", hint=wrong.hint, code=wrong.error_code
            ) from wrong
        except (ValueError, TypeError, OverflowError) as wrong:
            raise UsageError(
                f"{tool.name}: {param.name}: {wrong}", hint=tool.signature, code="bad_arguments"
            ) from wrong
    return made


def _one(param: Param, value: Any, scene: Scene, words: Words) -> Any:
    match param.type:
        case "number":
            return _number(param, value)
        case "objects":
            return _objects(value, scene)
    text = _text(value)
    match param.type:
        case "shape":
            return words.shape(text)
        case "object":
            return _named(text, scene.find)
        case "edge":
            return _named(text, scene.find_edge)
        case "direction":
            return _word(text, DIRECTIONS)
        case "anchor":
            return "auto" if text == "auto" else _word(text, {w: d for w, d in DIRECTIONS.items() if len(d) == 1})
        case "choice":
            return _word(text, {c: c for c in param.choices})
        case "keys":
            return text if is_key(text) else "+".join(parse_chord(text))
        case _:
            return text


def _named(text: str, find: Callable[[str], str]) -> str:
    """The id that a name stands for; nothing is named by an empty text, also not the one object without a label."""
    if not text.strip():
        raise UsageError("the name is empty", hint="give an id or a label", code="bad_arguments")
    try:
        return find(text)
    except UsageError as wrong:
        if not text.startswith("$"):
            raise
        raise UsageError(
            f"no earlier step saved {text!r}",
            hint=f'"save": "{text[1:]}" belongs to the step that makes it, before this one',
            code=wrong.error_code,
        ) from wrong


def _objects(value: Any, scene: Scene) -> list[str]:
    parts = [p.strip() for p in value.split(",")] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not parts:
        raise UsageError(f"{value!r} is no list of objects", hint="give ids or labels", code="bad_arguments")
    found = [_named(_text(p), scene.find) for p in parts]
    if len(set(found)) != len(found):
        raise UsageError(f"an object is named twice in {value!r}", hint="name each once", code="bad_arguments")
    return found


def _number(param: Param, value: Any) -> float:
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{str(value)[:60]!r} is no finite number")
    low, high = param.low, param.high
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(f"{number:g} is not in [{low}, {high}]")
    return float(number)


def _word(text: str, known: Mapping[str, str]) -> str:
    found = known.get(text.casefold().strip())
    if found is None:
        raise ValueError(f"{text!r} is none of {', '.join(sorted(set(known.values())))}")
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:60]!r} is no text")
    if len(value) > LONGEST:
        raise ValueError(f"{len(value)} characters are more than {LONGEST}")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise ValueError("it holds half a character (a lone surrogate), which nothing can type")
    return value
