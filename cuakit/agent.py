"""An agent is one choice per stage, written down, so that a result row can build it again."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self

from cuakit.act.broker import CaptureBroker
from cuakit.core import registry
from cuakit.core.errors import UsageError
from cuakit.core.registry import Spec
from cuakit.core.stages import Actor, Decider, Perceiver, Settler, Surface, bind


class Stages(NamedTuple):
    """The callables of one agent on one live surface."""

    perceive: Perceiver
    decide: Decider
    act: Actor
    settle: Settler
    title: Callable[[], str]


_MORE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"dom": (), "accessibility": ("dom-",), "pixels": ("dom-", "accessibility-", "page-accessibility-")}
)
"""Observation mode → beginnings of the stages that see more than it allows."""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """One choice per stage.

    Args:
        name: Unique in a comparison.
        observe: What the agent may see: the page's own elements, what it tells assistive technology, or pixels only.
        perceive: How objects are found.
        decide: How one is chosen.
        act: How the choice is carried out.
        settle: How long to wait afterwards.

    Raises:
        UsageError: A perceiver that reads more than the agent may see.
    """

    name: str
    observe: Literal["dom", "accessibility", "pixels"] = "dom"
    perceive: Spec = field(default_factory=lambda: Spec("dom-v1"))
    decide: Spec = field(default_factory=lambda: Spec("lexical-v1"))
    act: Spec = field(default_factory=lambda: Spec("leased-v1"))
    settle: Spec = field(default_factory=lambda: Spec("page-quiet-v1"))

    def __post_init__(self) -> None:
        if self.observe not in _MORE:
            raise UsageError(
                f"agent {self.name!r}: observe is {self.observe!r}", hint=f"use {' or '.join(map(repr, _MORE))}"
            )
        if self.perceive.name.startswith(_MORE[self.observe]):
            raise UsageError(
                f"agent {self.name!r} may see {self.observe} only, but {self.perceive.name!r} reads more than that",
                hint="use a perceiver such as 'pixels-v1' or 'page-accessibility-v1', or observe = 'dom'",
            )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Agent from plain data: ``name``, ``observe``, and per verb ``{"name": …, options…}``.

        Raises:
            UsageError: An unknown key, or a stage without a name.
        """
        known = {f.name for f in fields(cls)}
        extra = set(data) - known
        if extra or not isinstance(data.get("name"), str):
            what = f"unknown keys {', '.join(sorted(extra))}" if extra else "no name"
            raise UsageError(f"agent {data.get('name', '')!r}: {what}", hint=f"keys: {', '.join(sorted(known))}")
        made: dict[str, Any] = {}
        for key, value in data.items():
            if key in ("name", "observe"):
                made[key] = value
                continue
            if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
                raise UsageError(
                    f"agent {data['name']!r}: {key} needs a table with a name", hint=f'[{key}]\nname = "…"'
                )
            options = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items() if k != "name"}
            made[key] = Spec(value["name"], args=options)
        return cls(**made)

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Agent from a TOML file; see ``benchmarks/agents``.

        Raises:
            UsageError: The file is missing or malformed.
        """
        try:
            return cls.from_dict(tomllib.loads(path.read_text("utf-8")))
        except (OSError, tomllib.TOMLDecodeError) as wrong:
            raise UsageError(
                f"cannot read agent file {path}: {wrong}", hint="see benchmarks/agents for examples"
            ) from wrong

    def decider(self, seed: int = 0) -> Decider:
        """The decision stage; a ``seed`` option that is not fixed in the spec is set from the trial."""
        kind = registry.get("decide", self.decide.name)
        args = dict(self.decide.args)
        if "seed" in {f.name for f in fields(kind)} and "seed" not in args:
            args["seed"] = seed
        made: Decider = registry.build("decide", self.decide.name, **args)
        return made

    def assemble(
        self,
        surface: Surface,
        broker: CaptureBroker,
        decider: Decider | None = None,
        *,
        consent: frozenset[str] | None = None,
    ) -> Stages:
        """All stages, bound to a live surface.

        A pixels-only agent gets neither the title nor anything that the surface could tell its actor about itself.

        Args:
            surface: What is looked at and acted on.
            broker: Issues and checks the leases.
            decider: Used instead of the one in the spec, for example a scripted oracle.
            consent: Kinds of risk that the actor may take; None where whoever calls answers for it.
        """
        pixels = self.observe == "pixels"
        perceive = registry.build("perceive", self.perceive.name, **self.perceive.args)
        takes = {f.name for f in fields(registry.get("act", self.act.name))}
        blind = {"blind": True} if pixels and "blind" in takes else {}
        actor = registry.build("act", self.act.name, **{**self.act.args, **blind})
        settle = registry.build("settle", self.settle.name, **self.settle.args)
        return Stages(
            perceive=bind(perceive, surface),
            decide=decider or self.decider(),
            act=actor.bind(surface, broker, consent=consent),
            settle=bind(settle, surface),
            title=str if pixels else surface.title,
        )
