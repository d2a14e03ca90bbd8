"""Canonical JSON, digests and schemas for core values.

Canonical form: UTF-8, sorted keys, no white space, no NaN. Two equal values have equal bytes and so equal digests.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from cuakit.core.action import ACTIONS, action_dict
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot


def jsonable(value: Any) -> Any:
    """Plain JSON data for any core value. Screenshots become their digest and size; fields at default are kept.

    Raises:
        UsageError: A value has no JSON form.
    """
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | np.floating):
        return _finite(float(value))
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Screenshot):
        return {"digest": value.digest, "size": list(value.size), "scale": value.scale, "source": value.source}
    if isinstance(value, Candidates):
        return [jsonable(c) for c in value]
    if type(value) in ACTIONS.values():
        return action_dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, frozenset | set):
        return sorted((jsonable(v) for v in value), key=str)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [jsonable(v) for v in value]
    raise UsageError(f"{type(value).__name__} has no JSON form")


def _finite(value: float) -> float | int:
    if not math.isfinite(value):
        raise UsageError("NaN and infinity have no JSON form")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def dumps(value: Any) -> str:
    """Canonical JSON text.

    >>> dumps({"b": 1.0, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return json.dumps(jsonable(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, 64 hex digits."""
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def schema(kind: type[Any]) -> dict[str, Any]:
    """JSON schema of a core dataclass, through pydantic."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).json_schema()


def load(kind: type[Any], data: Any) -> Any:
    """A core value from plain JSON data, validated by pydantic.

    Raises:
        UsageError: The data does not fit; the message names the place.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        place = ".".join(map(str, first["loc"])) or kind.__name__
        raise UsageError(f"{kind.__name__}: {place}: {first['msg']}", hint="see cuakit.core.codec.schema") from wrong


def candidate_from_dict(data: Mapping[str, Any]) -> Candidate:
    """Inverse of ``jsonable(candidate)``."""
    rest = dict(data)
    hit = rest.get("hit")
    rest |= {
        "box": Box(**rest["box"]),
        "hit": Point(**hit) if hit else None,
        **{k: tuple(rest.get(k, ())) for k in ("actions", "states", "provenance")},
    }
    return Candidate(**rest)


def candidates_from_list(data: Sequence[Mapping[str, Any]]) -> Candidates:
    """Inverse of ``jsonable(candidates)``."""
    return Candidates(candidate_from_dict(d) for d in data)
