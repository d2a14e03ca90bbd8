"""Criteria over one observation. Each is a frozen value that says what must be seen, and answers with a verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.observation import Observation
from cuakit.core.outcome import Verdict

_CERTAIN: Final = frozenset({"dom", "accessibility"})
"""Sources that list everything visible. What only pixels could have shown may have been overlooked."""


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """Some object of a role and name is there, with a value or state if given.

    Args:
        role: Role word; empty for any.
        name: Its whole label, ignoring case and white space; empty for any.
        value: What it must hold, exactly; None for anything.
        states: States that it must have.
        absent_states: States that it must not have.
    """

    kind: ClassVar[str] = "object"
    role: str = ""
    name: str = ""
    value: str | None = None
    states: tuple[str, ...] = ()
    absent_states: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.role or self.name):
            raise UsageError("an object criterion needs a role or a name")

    def check(self, seen: Observation) -> Verdict:
        """Passed when one object fits; failed when all that could fit are known not to; else unknown."""
        what = f"{self.role or 'object'} {self.name!r}".strip()
        found = [c for c in seen.candidates if self._is_meant(c)]
        if not found:
            return _nothing(seen, f"no {what} is there")
        results = [self._holds(c) for c in found]
        if True in results:
            return Verdict(result="passed", reason=f"{what} is as expected", evidence=(found[results.index(True)].id,))
        ids = tuple(c.id for c in found)
        if None in results:
            return Verdict(result="unknown", reason=f"{what} is there, but its value cannot be seen", evidence=ids)
        return Verdict(result="failed", reason=f"{what} is there, but not as expected", evidence=ids)

    def _is_meant(self, c: Candidate) -> bool:
        return (not self.role or c.role == self.role) and (not self.name or _squeeze(c.label) == _squeeze(self.name))

    def _holds(self, c: Candidate) -> bool | None:
        pixels = c.source not in _CERTAIN
        if set(self.absent_states) & set(c.states):
            return False
        if not set(self.states) <= set(c.states):
            return None if pixels else False
        if self.absent_states and pixels:
            return None
        if self.value is None or c.value == self.value:
            return True
        return None if "secret" in c.states or (pixels and not c.value) else False


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """No object of a role and name is there. Pixels alone can never prove that."""

    kind: ClassVar[str] = "absent"
    role: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not (self.role or self.name):
            raise UsageError("an absence criterion needs a role or a name")

    def check(self, seen: Observation) -> Verdict:
        """Passed only when a reader that lists everything lists none."""
        there = Object(role=self.role, name=self.name).check(seen)
        flipped: dict[str, Literal["passed", "failed", "unknown"]] = {
            "passed": "failed",
            "failed": "passed",
            "unknown": "unknown",
        }
        return Verdict(result=flipped[there.result], reason=there.reason, evidence=there.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text can be read somewhere, ignoring case and white space."""

    kind: ClassVar[str] = "text"
    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise UsageError("a text criterion needs a text")

    def check(self, seen: Observation) -> Verdict:
        """Looked for in every object first, then across neighbours in reading order."""
        wanted = _squeeze(self.text)
        for c in seen.candidates:
            if any(wanted in _squeeze(part) for part in (c.name, c.text, c.value)):
                return Verdict(result="passed", reason=f"{self.text!r} can be read", evidence=(c.id,))
        ordered = sorted(seen.candidates, key=lambda c: c.reading_order)
        if wanted in _squeeze(" ".join(c.text or c.name for c in ordered)):
            return Verdict(result="passed", reason=f"{self.text!r} can be read across neighbours")
        return _nothing(seen, f"{self.text!r} cannot be read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """The title contains a text, ignoring case."""

    kind: ClassVar[str] = "title"
    contains: str

    def check(self, seen: Observation) -> Verdict:
        """Unknown when there is no title."""
        return _contains("the title", seen.title, self.contains)


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """The address contains a text. It is read from the observation's context under ``url``."""

    kind: ClassVar[str] = "url"
    contains: str

    def check(self, seen: Observation) -> Verdict:
        """Unknown when the observation has no address."""
        return _contains("the address", str(seen.context.get("url", "")), self.contains)


Criterion = Object | Absent | Text | Title | Url

CRITERIA: Final[Mapping[str, type[Any]]] = MappingProxyType({t.kind: t for t in (Object, Absent, Text, Title, Url)})
"""Kind word → class."""


def criterion(data: Criterion | Mapping[str, Any]) -> Criterion:
    """A criterion from plain data such as ``{"kind": "text", "text": "Saved"}``; a criterion is returned as it is.

    Raises:
        UsageError: Unknown kind or wrong fields.
    """
    if not isinstance(data, Mapping):
        return data
    rest = dict(data)
    kind = rest.pop("kind", None)
    if kind not in CRITERIA:
        raise UsageError(f"no criterion of kind {kind!r}", hint=f"kinds: {', '.join(CRITERIA)}")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in rest.items()}
    try:
        made: Criterion = CRITERIA[kind](**values)
    except TypeError as wrong:
        known = ", ".join(f.name for f in fields(CRITERIA[kind]))
        raise UsageError(f"criterion {kind!r}: {wrong}", hint=f"fields: {known}") from wrong
    return made


def _contains(what: str, text: str, wanted: str) -> Verdict:
    if not text:
        return Verdict(result="unknown", reason=f"{what} is not known")
    found = _squeeze(wanted) in _squeeze(text)
    return Verdict(result="passed" if found else "failed", reason=f"{what} is {text[:80]!r}")


def _nothing(seen: Observation, reason: str) -> Verdict:
    """Failed where a reader lists everything, else unknown: pixels may have been misread."""
    complete = len(seen.candidates) > 0 and all(c.source in _CERTAIN for c in seen.candidates)
    return Verdict(result="failed" if complete else "unknown", reason=reason)
