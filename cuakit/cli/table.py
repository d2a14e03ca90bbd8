"""A run as a table on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuakit.bench.results import Run


def print_table(run: Run) -> None:
    """Print the table of a run; 120 columns wide when nobody looks."""
    from rich.console import Console
    from rich.table import Table

    from cuakit.bench.results import COLUMNS, cells

    table = Table(title=str(run.folder))
    for i, name in enumerate(COLUMNS):
        table.add_column(name, justify="left" if i < 2 else "right")
    for line in run.lines:
        table.add_row(*cells(line), style="bold" if line.group == "all" else None, end_section=line.group == "all")
    Console(width=None if sys.stdout.isatty() else 120).print(table)
