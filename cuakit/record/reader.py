"""Back from a ledger to trials, steps and tables. The ledger is the truth; everything here can be made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuakit.core.errors import RecordError
from cuakit.core.trajectory import Trial
from cuakit.record.blobs import Blobs
from cuakit.record.ledger import read
from cuakit.record.rows import SCHEMA, trial_from_row
from cuakit.record.writer import FRAMES, LEDGER

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Record:
    """The folder of a run, read on demand.

    Args:
        folder: Holds ``ledger.jsonl`` and ``frames/``.
    """

    folder: Path

    @property
    def blobs(self) -> Blobs:
        """The frames."""
        return Blobs(self.folder / FRAMES)

    def rows(self, kind: str | None = None) -> Iterator[dict[str, Any]]:
        """Ledger rows in order, all or of one kind. Streams; nothing is held in memory.

        Raises:
            RecordError: Missing, damaged, or written by a newer version.
        """
        for row in read(self.folder / LEDGER):
            if row.get("schema", 0) > SCHEMA:
                raise RecordError(
                    f"{self.folder} was written by a newer version (schema {row['schema']}; this one knows {SCHEMA})",
                    code="ledger_too_new",
                    hint="pip install -U cuakit",
                )
            if kind is None or row.get("kind") == kind:
                yield row

    @cached_property
    def trial_rows(self) -> Mapping[str, Mapping[str, Any]]:
        """Trial id → its last row; a trial that was tried again counts once."""
        return {row["id"]: row for row in self.rows("trial")}

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Finished trials, in the order in which they were first finished."""
        return tuple(trial_from_row(row) for row in self.trial_rows.values())

    def step_rows(self, *trial_ids: str) -> Iterator[dict[str, Any]]:
        """Step rows that belong to the finished attempts of trials (all, or those named), in the order written."""
        wanted = {i: r.get("attempt") for i, r in self.trial_rows.items() if not trial_ids or i in trial_ids}
        for row in self.rows("step"):
            if row.get("trial") in wanted and row.get("attempt") == wanted[row["trial"]]:
                yield row

    def trials_frame(self) -> pd.DataFrame:
        """One row per trial."""
        return _frame([_flat(row) for row in self.trial_rows.values()])

    def steps_frame(self) -> pd.DataFrame:
        """One row per step: trial, index, what was decided, what came of it, total milliseconds."""
        return _frame([step_summary(row) for row in self.step_rows()])

    def spans_frame(self) -> pd.DataFrame:
        """One row per stage of a step: trial, step, stage, milliseconds."""
        return _frame(
            [
                {"trial": row["trial"], "index": row["index"], "stage": name, "ms": ms}
                for row in self.step_rows()
                for name, ms in row["spans"].items()
            ]
        )


def step_summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """A step row as one flat record."""
    decision, receipt = row["decision"], row.get("receipt") or {}
    action = decision.get("action") or {}
    return {
        "trial": row["trial"],
        "index": row["index"],
        "outcome": decision["outcome"],
        "action": action.get("kind", ""),
        "target": action.get("target", ""),
        "effect": receipt.get("effect", ""),
        "code": receipt.get("code", ""),
        "candidates": len(row["observation"].get("candidates", ())),
        "ms": round(sum(row["spans"].values()), 3),
    }


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    nested = row.get("extra") or {}
    return {k: v for k, v in row.items() if k not in ("kind", "extra")} | {f"extra.{k}": v for k, v in nested.items()}


def _frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - a large package, needed only for tables

    return pd.DataFrame.from_records(records)
