"""How a value is compared with a rule ``{"method": …, "ref": …}``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import InvalidTask

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
)
_RANGE: Final = re.compile(r"range\.([te])([te])")
_SIDES: Final = {"e": operator.le, "t": operator.lt}
_FLAGS: Final = {
    "I": re.IGNORECASE,
    "M": re.MULTILINE,
    "S": re.DOTALL,
    "IGNORECASE": re.IGNORECASE,
    "MULTILINE": re.MULTILINE,
    "DOTALL": re.DOTALL,
}


def holds(value: Any, rule: Mapping[str, Any]) -> bool:
    """Whether a value keeps a rule; one that cannot be compared does not.

    Methods: ``eq ne lt le gt ge``, ``re`` and ``re.FLAG``, ``approx:LIMIT``, ``range.te`` (each letter says whether the
    end belongs to it), ``str_list_eq``, ``str_set_eq``, ``spreadsheet_range``.

    Raises:
        InvalidTask: No such method.
    """
    method, ref = str(rule["method"]), rule["ref"]
    try:
        return _holds(method, value, ref)
    except (TypeError, ValueError, AttributeError):
        return False


def _holds(method: str, value: Any, ref: Any) -> bool:
    if method in _COMPARE:
        return bool(_COMPARE[method](value, ref))
    if method == "re" or method.startswith("re."):
        flags = sum((_FLAGS[f] for f in method.split(".")[1:] if f in _FLAGS), re.RegexFlag(0))
        return re.search(ref, value, flags) is not None
    if method.startswith("approx"):
        return bool(abs(float(value) - ref) <= float(method.partition(":")[2]))
    if m := _RANGE.fullmatch(method):
        return bool(_SIDES[m[1]](ref[0], value) and _SIDES[m[2]](value, ref[1]))
    if method in ("str_list_eq", "str_set_eq"):
        kind: Any = list if method == "str_list_eq" else set
        return bool(kind(value.strip("\"'").split(",")) == kind(ref))
    if method == "spreadsheet_range":
        return _ranges(value, ref)
    raise InvalidTask(f"no way to compare by {method!r}", hint="such as eq, re or approx:0.1")


def _ranges(value: Any, ref: Any) -> bool:
    """Whether cells hold all of ``ref[0]`` and lie within ``ref[1]``."""
    from openpyxl.worksheet.cell_range import MultiCellRange  # noqa: PLC0415 - an extra

    least, most = MultiCellRange(ref[0]), MultiCellRange(ref[1])
    within: bool = all(any(r.issubset(m) for m in most.ranges) for r in value.ranges)
    return within and all(any(r.issubset(v) for v in value.ranges) for r in least.ranges)
