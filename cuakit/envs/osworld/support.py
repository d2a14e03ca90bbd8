"""Which of the published tasks can be judged here, which not, and why; counted, not claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cuakit.envs.desktop.getters import GETTERS
from cuakit.envs.desktop.judge import INFEASIBLE
from cuakit.envs.desktop.metrics import METRICS
from cuakit.envs.desktop.safety import commands
from cuakit.envs.desktop.setup import obstacles
from cuakit.envs.desktop.task import Check, DesktopTask
from cuakit.envs.desktop.vocabulary import PPTX_OPTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What can be done here with one task.

    Args:
        name: ``domain/id``.
        missing: Metrics, getters and options that there are not, such as ``metric compare_pdfs``; empty: it can be judged.
        postconfig: Whether something must happen before its judge looks, such as saving the open document.
        commands: Places where the file runs a command of its own.
        obstacles: Steps that cannot be carried out without running a command, before the agent or the judge.
        fixtures: Whether it needs files of the task set.
    """

    name: str
    missing: tuple[str, ...]
    postconfig: bool
    commands: tuple[str, ...]
    obstacles: tuple[str, ...] = ()
    fixtures: bool = False

    @property
    def runs(self) -> bool:
        """Whether a private desktop can be set up for it and judged, where its applications and files are there."""
        return self.judged and not self.obstacles

    @property
    def judged(self) -> bool:
        """Whether its judge works here, on the files left behind."""
        return not self.missing


def support(name: str, task: DesktopTask) -> Support:
    """What can be done with a task."""
    checks = task.evaluator.checks
    metrics = [f"metric {c.func}" for c in checks if c.func not in METRICS and c.func != INFEASIBLE]
    parts = [part for c in checks if c.func != INFEASIBLE for part in (c.result, c.expected) if part is not None]
    getters = [f"getter {p.get('type')}" for p in parts if p.get("type") not in GETTERS]
    return Support(
        name=name,
        missing=tuple(dict.fromkeys((*metrics, *getters, *(o for c in checks for o in _options(c))))),
        postconfig=any(s.type != "sleep" for s in task.evaluator.postconfig),
        commands=commands(task),
        obstacles=tuple(dict.fromkeys(o for s in task.steps for o in obstacles(s))),
        fixtures=any(s.type in ("download", "upload_file") for s in task.steps)
        or any(p.get("type") == "cloud_file" for p in parts),
    )


def _options(check: Check) -> list[str]:
    if check.func != "compare_pptx_files":
        return []
    return [f"option {o}" for o in check.options if o not in PPTX_OPTIONS and not o.startswith("_")]


def survey(tasks: Mapping[str, DesktopTask]) -> tuple[Support, ...]:
    """What can be done with each task, in the order given."""
    return tuple(support(name, task) for name, task in tasks.items())


def reasons(found: tuple[Support, ...]) -> dict[str, int]:
    """Missing metric or getter → number of tasks that need it, most needed first."""
    return dict(Counter(reason for s in found for reason in s.missing).most_common())
