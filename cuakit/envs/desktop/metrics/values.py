"""Metrics of plain values: words, lists, objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def exact_match(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a value is the expected one."""
    return float(result == rules["expected"])


def match_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a value is one of several."""
    return float(result in rules["expected"])


def is_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether the expected value is among those found."""
    return float(result is not None and rules["expected"] in result)


def literal_match(result: Any, expected: Any, *, type: str = "str", ignore_case: bool = False) -> float:
    """Whether two values read the same, as words or as lists of words."""
    if type == "list":
        if not isinstance(result, list | tuple) or not isinstance(expected, list | tuple):
            return 0.0
        return float([_said(v, ignore_case) for v in result] == [_said(v, ignore_case) for v in expected])
    return float(_said(result, ignore_case) == _said(expected, ignore_case))


def fuzzy_match(result: str | None, rules: Mapping[str, Any]) -> float:
    """Likeness of two texts."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - an extra

    return fuzz.ratio(result, rules["expected"]) / 100 if result is not None else 0.0


def check_include_exclude(result: str | None, rules: Mapping[str, Sequence[str]]) -> float:
    """Whether a text holds some words and does not hold others."""
    if result is None:
        return 0.0
    return float(
        all(w in result for w in rules.get("include", ())) and not any(w in result for w in rules.get("exclude", ()))
    )


def check_direct_json_object(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether an object has the expected entries; with ``expect_in_result``, whether its entries contain them."""
    if isinstance(result, str):
        try:
            result = json.loads(result.strip().replace("'", '"'))
        except ValueError:
            return 0.0
    expected = rules["expected"]
    if not isinstance(result, Mapping) or "__EVALUATION_FAILED__" in map(str, expected.values()):
        return 0.0
    if rules.get("expect_in_result"):
        return float(all(_contains(result.get(k), v) for k, v in expected.items()))
    unordered = bool(rules.get("ignore_list_order"))
    return float(all(_same(result.get(k), v, unordered=unordered) for k, v in expected.items()))


def _contains(found: Any, wanted: Any) -> bool:
    if found is None:
        return False
    if isinstance(wanted, list):
        return any(w in found for w in wanted)
    return wanted in found if isinstance(wanted, str) else bool(found == wanted)


def _same(found: Any, wanted: Any, *, unordered: bool) -> bool:
    if unordered and isinstance(found, list) and isinstance(wanted, list):
        return sorted(map(str, found)) == sorted(map(str, wanted))
    return bool(found == wanted)


def _said(value: Any, ignore_case: bool) -> str:
    return str(value).casefold() if ignore_case else str(value)
