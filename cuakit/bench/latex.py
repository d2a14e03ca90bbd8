"""Tables for a paper: LaTeX with booktabs, nothing else needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

_SPECIAL: Final[Mapping[int, str]] = MappingProxyType(
    str.maketrans(
        {
            "\\": r"\textbackslash{}",
            "~": r"\textasciitilde{}",
            "^": r"\textasciicircum{}",
            "–": "--",
            "≤": r"$\leq$",
            "≥": r"$\geq$",
            "×": r"$\times$",
            "−": "$-$",
            **{c: f"\\{c}" for c in "&%$#_{}"},
        }
    )
)


def latex_text(text: str) -> str:
    r"""Text as LaTeX prints it; line breaks become spaces.

    >>> latex_text("50 % of lexical_v1")
    '50 \\% of lexical\\_v1'
    """
    return " ".join(text.translate(_SPECIAL).split())


def latex_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", left: int = 1) -> str:
    """A table: the head in one line, rules above, below and between.

    Args:
        head: Names of the columns.
        rows: Cells as plain text; they are escaped.
        caption: Below the table, or empty.
        left: Columns aligned to the left; the others hold figures.

    Raises:
        ValueError: A row has another number of cells than the head.
    """
    if any(len(r) != len(head) for r in rows):
        raise ValueError(f"every row needs {len(head)} cells")
    lines = [" & ".join(map(latex_text, r)) + r" \\" for r in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(head) - left)}}}",
            r"\toprule",
            " & ".join(map(latex_text, head)) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\caption{{{latex_text(caption)}}}"] if caption else []),
            r"\end{table}",
            "",
        ]
    )
