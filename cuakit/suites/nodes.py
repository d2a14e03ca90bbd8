"""Reading YAML so that every complaint names the file, the line, what was found, and what to write instead."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cuakit.core.errors import InvalidTask


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a YAML file and the way to it.

    Args:
        file: The file.
        node: Its part.
        path: Keys and positions that lead there, for people.
    """

    file: Path
    node: yaml.Node
    path: str = ""

    def fail(self, found: str, hint: str) -> InvalidTask:
        """An error that points here."""
        where = f" {self.path}:" if self.path else ""
        return InvalidTask(f"{self.file}:{self.node.start_mark.line + 1}:{where} {found}", hint=hint)

    def mapping(self, *, required: AbstractSet[str], optional: AbstractSet[str] = frozenset()) -> dict[str, Place]:
        """Its entries by key.

        Raises:
            InvalidTask: No mapping, an unknown or doubled key, or a missing one.
        """
        known = required | optional
        if not isinstance(self.node, yaml.MappingNode):
            raise self.fail(f"needs keys and values, found {_shown(self.node)}", f"keys: {', '.join(sorted(known))}")
        entries: dict[str, Place] = {}
        for key, value in self.node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else _shown(key)
            here = Place(self.file, key, self._under(name))
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                near = f"did you mean {close[0]!r}? " if close else ""
                raise here.fail("is not a known key", f"{near}keys: {', '.join(sorted(known))}")
            if name in entries:
                raise here.fail("is given twice", "keep one of them")
            entries[name] = Place(self.file, value, self._under(name))
        for name in sorted(required - set(entries)):
            raise self.fail(f"the key {name!r} is missing", f"add {name}: … here")
        return entries

    def items(self) -> Iterator[Place]:
        """Its entries in order.

        Raises:
            InvalidTask: No list, or an empty one.
        """
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            raise self.fail(f"needs a list with at least one entry, found {_shown(self.node)}", "write [a, b] or - a")
        for i, node in enumerate(self.node.value):
            yield Place(self.file, node, f"{self.path}[{i}]")

    def text(self) -> str:
        """A non-empty string.

        Raises:
            InvalidTask: Something else, such as a bare yes or a number.
        """
        value = self._scalar()
        if not isinstance(value, str) or not value.strip():
            raise self.fail(f"needs text, found {_shown(self.node)}", 'put it in quotes: "…"')
        return value

    def whole(self, low: int) -> int:
        """A whole number of at least ``low``."""
        value = self._scalar()
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise self.fail(f"needs a whole number of at least {low}, found {_shown(self.node)}", "such as 5")
        return value

    def seconds(self) -> float:
        """A positive, finite number."""
        value = self._scalar()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise self.fail(f"needs a number of seconds above 0, found {_shown(self.node)}", "such as 60")
        return float(value)

    def _scalar(self) -> Any:
        if not isinstance(self.node, yaml.ScalarNode):
            return None
        try:
            return yaml.SafeLoader("").construct_object(self.node)
        except (yaml.YAMLError, ValueError):
            return None  # a tag that does not fit its text is none of the values that are asked for

    def _under(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value[:40]) if node.value else "nothing"
    return f"a {'list' if isinstance(node, yaml.SequenceNode) else 'mapping'} of {len(node.value)}"


def parse(file: Path) -> Place:
    """The top of a YAML file, untouched by YAML's tags: nothing in it can run.

    Raises:
        InvalidTask: It cannot be read, or is no YAML.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise InvalidTask(f"{file} cannot be read: {wrong}", hint="name a YAML file in UTF-8") from wrong
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as wrong:
        line = wrong.problem_mark.line + 1 if wrong.problem_mark else 1
        raise InvalidTask(f"{file}:{line}: not YAML: {wrong.problem}", hint="check indentation and quotes") from wrong
    except yaml.YAMLError as wrong:
        raise InvalidTask(f"{file}: not YAML: {wrong}", hint="check for characters that are no text") from wrong
    except RecursionError:
        raise InvalidTask(f"{file} is nested too deeply", hint="a suite needs four levels") from None
    if node is None:
        raise InvalidTask(f"{file} is empty", hint="see benchmarks/suites for examples")
    return Place(file, node)
