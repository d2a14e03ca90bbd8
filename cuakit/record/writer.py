"""The recorder stage: each step becomes a ledger row, each frame a file named after its pixels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, ClassVar, Self

from cuakit.core.subtask import Subtask
from cuakit.core.trajectory import Step
from cuakit.record.blobs import Blobs
from cuakit.record.ledger import Ledger
from cuakit.record.redact import redact_frame
from cuakit.record.rows import SCHEMA, step_row

LEDGER = "ledger.jsonl"
"""Name of the ledger in the folder of a run."""

FRAMES = "frames"
"""Name of the folder of frames in the folder of a run."""


@dataclass(frozen=True, kw_only=True)
class StepWriter:
    """Turns steps into rows and hands them on. It owns no file, so a worker can send its rows to whoever owns one.

    Args:
        subtask: Its secret inputs are kept out of rows and frames.
        emit: Takes each row.
        blobs: Keeps the frames; None keeps none.
        keys: Put into each row, such as the trial's id.
    """

    subtask: Subtask
    emit: Callable[[dict[str, Any]], None]
    blobs: Blobs | None = None
    keys: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __call__(self, step: Step) -> None:
        """Keep one step.

        Raises:
            RecordError: The frame or the row cannot be written.
        """
        seen = step.observation
        frame = self.blobs.put(redact_frame(seen.screenshot, seen.candidates, self.subtask)) if self.blobs else ""
        self.emit({"kind": "step", **self.keys, **step_row(step, self.subtask, frame)})


class Recording:
    """An open folder that takes the steps of one subtask after another. Use it as a context manager."""

    def __init__(self, folder: Path, *, frames: bool) -> None:
        self._ledger = Ledger(folder / LEDGER)
        self._blobs = Blobs(folder / FRAMES) if frames else None

    def start(self, subtask: Subtask, **keys: Any) -> StepWriter:
        """The recorder for one subtask; ``keys`` go into each of its rows."""
        self._ledger.append({"kind": "subtask", "schema": SCHEMA, "goal": subtask.redact(subtask.goal), **keys})
        return StepWriter(subtask=subtask, emit=self._ledger.append, blobs=self._blobs, keys=keys)

    def close(self) -> None:
        """Let go of the ledger."""
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, kw_only=True)
class LedgerRecorder:
    """Keeps steps in a folder: ``ledger.jsonl`` and ``frames/``.

    >>> with LedgerRecorder(folder="out").open() as recording:  # doctest: +SKIP
    ...     run_subtask(agent, page, subtask, record=recording.start(subtask))

    Args:
        folder: Where; made when missing.
        frames: Whether pictures are kept too.
    """

    stage_id: ClassVar[str] = "ledger-v1"

    folder: str = "recording"
    frames: bool = True

    def open(self) -> Recording:
        """Open the folder for writing.

        Raises:
            RecordError: Another process writes it, or it cannot be written.
        """
        return Recording(Path(self.folder), frames=self.frames)
