"""Agents by name: each TOML file of ``benchmarks/agents`` is one choice per stage."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from cuakit.agent import Agent
from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.registry import Spec

_VERBS = ("perceive", "decide", "act", "settle")


def agents_folder() -> Path:
    """Where our agents are: inside an installed package, or in the repository."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "data" / "agents"
    return packaged if packaged.is_dir() else package.parent / "benchmarks" / "agents"


def agent_names(folder: Path | None = None) -> tuple[str, ...]:
    """Names of our agents, sorted."""
    return tuple(sorted(p.stem for p in (folder or agents_folder()).glob("*.toml")))


def load_agents(patterns: Iterable[str | Agent], folder: Path | None = None) -> tuple[Agent, ...]:
    """Agents from names, shell globs, paths of TOML files, or agents already made; each name once.

    Raises:
        UnknownName: A name or glob matches none, with close matches.
        UsageError: A file is malformed, or two different agents share a name.
    """
    found: dict[str, Agent] = {}
    for pattern in patterns:
        for agent in [pattern] if isinstance(pattern, Agent) else _matching(pattern, folder or agents_folder()):
            if found.setdefault(agent.name, agent) != agent:
                raise UsageError(f"two different agents are called {agent.name!r}", hint="rename one of them")
    return tuple(found.values())


def _matching(pattern: str, folder: Path) -> list[Agent]:
    if pattern.endswith(".toml"):
        return [Agent.from_toml(Path(pattern))]
    names = agent_names(folder)
    matching = [n for n in names if fnmatchcase(n, pattern)]
    if not matching:
        close = difflib.get_close_matches(pattern, names, n=3, cutoff=0.5)
        near = f" Close: {', '.join(map(repr, close))}." if close else ""
        raise UnknownName(
            f"no agent named {pattern!r}.{near}", hint=f"agents: {', '.join(names)}; or give a path to a TOML file"
        )
    return [_named(Agent.from_toml(folder / f"{n}.toml"), n) for n in matching]


def _named(agent: Agent, stem: str) -> Agent:
    if agent.name != stem:
        raise UsageError(f"{stem}.toml holds an agent called {agent.name!r}", hint="file and agent carry the same name")
    return agent


def agent_dict(agent: Agent) -> dict[str, Any]:
    """Plain data from which :meth:`Agent.from_dict` makes the agent again."""
    stages: dict[str, Any] = {verb: _spec_dict(getattr(agent, verb)) for verb in _VERBS}
    return {"name": agent.name, "observe": agent.observe, **stages}


def _spec_dict(spec: Spec) -> Mapping[str, Any]:
    return {"name": spec.name, **spec.args}
