"""Rows of cells as text with aligned columns, for where a terminal or a log has nothing better."""

from __future__ import annotations

from collections.abc import Sequence


def plain_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line per row, columns two spaces apart and as wide as their widest cell.

    >>> plain_table([("a", "rate"), ("long", "1")])
    ['a     rate', 'long  1']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(v.ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in rows]
