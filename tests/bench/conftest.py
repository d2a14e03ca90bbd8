"""The toy environment on the path of workers, and a run of it in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuakit.agent import Agent
from cuakit.bench import Limits, Run, run
from cuakit.core.registry import Spec
from cuakit.suites.spec import Suite, Task

HERE = Path(__file__).parent


def toy_suite(*names: str, seeds: int = 1, version: int = 1, deadline_s: float = 30.0) -> Suite:
    tasks = tuple(
        Task(suite="toy", env="toy_env:Toy", name=n, group=f"g{i % 2}", deadline_s=deadline_s)
        for i, n in enumerate(names)
    )
    return Suite(id="toy", version=version, tasks=tasks, seeds=seeds)


def toy_agent(name: str = "toy") -> Agent:
    return Agent(
        name=name,
        observe="pixels",
        perceive=Spec("contours-v1"),
        decide=Spec("scripted-v1"),
        act=Spec("leased-v1"),
        settle=Spec("fixed-v1", args={"seconds": 0.0}),
    )


def freeze_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the package set still, so that a source file that is saved meanwhile changes no trial's identity."""
    monkeypatch.setattr("cuakit.bench.launch.package_set", lambda: {"cuakit": "frozen"})


@pytest.fixture(name="toy_suite")
def _toy_suite() -> Callable[..., Suite]:
    return toy_suite


@pytest.fixture(name="toy_agent")
def _toy_agent() -> Callable[..., Agent]:
    return toy_agent


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Runs toy tasks in ``tmp_path/run`` unless told otherwise."""
    freeze_packages(monkeypatch)
    notes = tmp_path / "notes"
    notes.mkdir()
    monkeypatch.setenv("TOY_FOLDER", str(notes))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(str(HERE))

    def go(*names: str, seeds: int = 1, deadline_s: float = 30.0, version: int = 1, **options: Any) -> Run:
        options = {"out": tmp_path / "run", "workers": 2, "progress": False, "limits": Limits()} | options
        agents = options.pop("agents", [toy_agent()])
        suite = toy_suite(*names, version=version, deadline_s=deadline_s)
        return run(suite, agents, seeds=seeds, **options)

    return go
