"""What a run consists of: one job per task, seed and agent, each with an identity of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cuakit.agent import Agent
from cuakit.bench.agents import agent_dict
from cuakit.core import codec
from cuakit.suites.spec import Suite, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One trial to be run.

    Args:
        id: See :func:`trial_id`.
        task: What to do.
        agent: Who does it.
        seed: Instance of the task.
    """

    id: str
    task: Task
    agent: Agent
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a worker."""
        return {"id": self.id, "task": codec.jsonable(self.task), "agent": agent_dict(self.agent), "seed": self.seed}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of :meth:`to_dict`."""
        task, agent = Task(**data["task"]), Agent.from_dict(data["agent"])
        return cls(id=data["id"], task=task, agent=agent, seed=data["seed"])


def trial_id(task: Task, agent: Agent, seed: int, *, version: int, packages: Mapping[str, str]) -> str:
    """Identity of a trial, 20 hex digits: equal for equal task, agent, seed, suite version and package set.

    A trial with the same identity is the same measurement, so a resumed run knows what it has.
    """
    whole = {"task": task, "agent": agent_dict(agent), "seed": seed, "version": version, "packages": packages}
    return codec.digest(whole)[:20]


def plan(suite: Suite, agents: Sequence[Agent], seeds: int, packages: Mapping[str, str]) -> tuple[Job, ...]:
    """All jobs of a run. Agents take turns on each instance, so that a drifting machine favours none."""
    return tuple(
        Job(id=trial_id(task, agent, seed, version=suite.version, packages=packages), task=task, agent=agent, seed=seed)
        for task in suite.tasks
        for seed in task.seeds(seeds)
        for agent in agents
    )


def plan_digest(jobs: Sequence[Job]) -> str:
    """Identity of a whole plan, 64 hex digits."""
    return codec.digest([job.id for job in jobs])
