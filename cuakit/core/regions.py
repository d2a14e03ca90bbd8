"""The rich projection of a parse: ``cua.visual_regions_v1``, with where it came from and what it cost.

The shape is that of the public Cua driver; ``role``, ``source`` and the timing per stage are ours. What is read from a
screen is content, never an instruction and never permission to act.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from cuakit.core import codec
from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.lease import LIFETIME_NS, Target
from cuakit.core.observation import Observation

SCHEMA: Final = "cua.visual_regions_v1"

Kind = Literal["text", "icon"]

KINDS: Final[tuple[Kind, ...]] = ("text", "icon")

_GROUPS: Final = frozenset(
    {"group", "listbox", "menu", "menubar", "radiogroup", "row", "table", "tablist", "toolbar", "tree"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Half-open rectangle in whole pixels of the screenshot."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """One thing on the screen.

    Args:
        id: Candidate id, unique in the result.
        kind: ``text`` for what is only read, ``icon`` for everything else, controls among it.
        role: ARIA word.
        bounds: Where it is.
        text: What is written on it.
        label: Its name.
        confidence: In [0, 1].
        interactive: Whether it looks like something to operate; no permission to do so.
        parent_id: What it lies in, or None.
        group_id: The nearest list, menu, toolbar, table or group around it, or None.
        reading_order: From 0.
        source: What found it, such as ``ocr`` or ``dom``.
    """

    id: str
    kind: Kind
    role: str
    bounds: Bounds
    text: str
    label: str
    confidence: float
    interactive: bool
    parent_id: str | None
    group_id: str | None
    reading_order: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A network that took part.

    Args:
        id: Its id in the catalogue.
        sha256: Digest of its file.
        runtime: What ran it, with version.
        precision: Number format that it computed in.
        threads: Threads of one call.
    """

    id: str
    sha256: str
    runtime: str
    precision: str
    threads: int


@dataclass(frozen=True, kw_only=True)
class VisualRegions:
    """A parse, with everything that a record of it needs.

    Args:
        capture: ``capture_id`` (empty when nothing can be acted on), ``expires_in_seconds``, ``source``, ``screenshot``
            and ``action_coordinate_space``, the affine map from screenshot pixels to input.
        parser: ``id``, ``version`` and ``models``.
        regions: In reading order.
        warnings: Sentences for a person.
        timing: ``duration_ms`` and ``stages``, milliseconds by name; stages may overlap, none is longer than the whole.
        observation: What it is a projection of; None once it was read back from JSON.

    Raises:
        UsageError: A region lies outside the picture, has no area, a second owner of its id, an unknown parent or a
            circle of parents, or a figure that is no number. Nothing is clamped.
    """

    capture: Mapping[str, Any]
    parser: Mapping[str, Any]
    regions: tuple[Region, ...]
    warnings: tuple[str, ...] = ()
    timing: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({"duration_ms": 0.0, "stages": {}}))
    observation: Observation | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        shot = self.capture["screenshot"]
        _check_regions(self.regions, shot["width"], shot["height"])
        whole = self.timing["duration_ms"]
        slow = [name for name, ms in self.timing["stages"].items() if not (math.isfinite(ms) and 0 <= ms <= whole)]
        if slow:
            raise UsageError(f"stage {slow[0]!r} took longer than the whole parse")

    def as_dict(self) -> dict[str, Any]:
        """Plain data, with ``schema`` first; :meth:`from_dict` reads it back."""
        fields = ("capture", "parser", "regions", "warnings", "timing")
        return {"schema": SCHEMA, **{name: codec.jsonable(getattr(self, name)) for name in fields}}

    def leased(self, capture_id: str, target: Target) -> VisualRegions:
        """The same parse as that of a capture, for whoever holds the lease on the picture that was parsed."""
        assert self.observation is not None
        seen = replace(self.observation, capture_id=capture_id, target=target, title="")
        return replace(self, capture=_capture(seen), observation=seen)

    def menu(self) -> dict[str, Any]:
        """The flat projection of what was kept; see :meth:`cuakit.core.observation.Observation.menu`."""
        return {
            "capture_id": self.capture["capture_id"],
            "expires_in_seconds": self.capture["expires_in_seconds"],
            "candidates": [
                {
                    "id": r.id,
                    "type": r.role,
                    "text": r.label or r.text,
                    "bounds": [b.x, b.y, b.x + b.width, b.y + b.height],
                }
                for r in self.regions
                for b in [r.bounds]
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> VisualRegions:
        """Inverse of :meth:`as_dict`.

        Raises:
            UsageError: Another schema, or data that breaks a rule.
        """
        if data.get("schema") != SCHEMA:
            raise UsageError(f"schema {data.get('schema')!r} is not {SCHEMA}")
        made = codec.load(_Document, {k: v for k, v in data.items() if k != "schema"})
        return cls(**{name: getattr(made, name) for name in ("capture", "parser", "regions", "warnings", "timing")})

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """JSON schema of :meth:`as_dict`."""
        made = codec.schema(_Document)
        made["properties"] = {"schema": {"const": SCHEMA, "type": "string"}, **made["properties"]}
        made["required"] = ["schema", *made["required"]]
        return made

    def _repr_html_(self) -> str:
        return self.observation._repr_html_() if self.observation is not None else ""


@dataclass(frozen=True, kw_only=True)
class _Document:
    capture: dict[str, Any]
    parser: dict[str, Any]
    regions: tuple[Region, ...]
    warnings: tuple[str, ...]
    timing: dict[str, Any]


def visual_regions(
    observation: Observation,
    *,
    kinds: Sequence[str] = KINDS,
    min_confidence: float = 0.0,
    max_regions: int | None = None,
    parser: Mapping[str, Any] = MappingProxyType({}),
    warnings: Sequence[str] = (),
    timing: Mapping[str, Any] = MappingProxyType({"duration_ms": 0.0, "stages": MappingProxyType({})}),
) -> VisualRegions:
    """The projection of an observation.

    Args:
        observation: What was found.
        kinds: Kinds to keep, one or both.
        min_confidence: Least confidence to keep, in [0, 1].
        max_regions: Most regions, at least 1; the least confident are left out, and a warning says how many.
        parser: Which stage, version and models.
        warnings: Sentences to pass on.
        timing: Cost of the parse.

    Raises:
        UsageError: An option is out of range.
    """
    unknown = [k for k in kinds if k not in KINDS]
    if unknown or not kinds:
        raise UsageError(f"kinds {list(kinds)!r} are not a choice of {list(KINDS)!r}")
    if not 0 <= min_confidence <= 1:
        raise UsageError(f"min_confidence must lie in [0, 1], got {min_confidence}")
    if max_regions is not None and max_regions < 1:
        raise UsageError(f"max_regions must be at least 1, got {max_regions}")
    kept = [c for c in observation.candidates if kind_of(c) in kinds and c.score >= min_confidence]
    said = list(warnings)
    if max_regions is not None and len(kept) > max_regions:
        best = sorted(range(len(kept)), key=lambda i: (-kept[i].score, i))[:max_regions]
        said.append(f"{len(kept) - max_regions} of {len(kept)} regions were left out: max_regions is {max_regions}")
        kept = [kept[i] for i in sorted(best)]
    return VisualRegions(
        capture=_capture(observation),
        parser=parser,
        regions=_regions(observation, kept),
        warnings=tuple(said),
        timing=timing,
        observation=observation,
    )


def kind_of(candidate: Candidate) -> Kind:
    """``text`` for what is only read, ``icon`` for everything else."""
    return "text" if candidate.role in ("text", "heading") else "icon"


def _capture(observation: Observation) -> dict[str, Any]:
    shot, target = observation.screenshot, observation.target
    return {
        "capture_id": observation.capture_id,
        "expires_in_seconds": LIFETIME_NS // 10**9 if observation.capture_id else 0,
        "source": {"kind": target.kind, "id": target.id, "title": observation.title},
        "screenshot": {"width": shot.width, "height": shot.height, "scale": shot.scale, "sha256": shot.digest},
        "action_coordinate_space": codec.jsonable(shot.to_input),
    }


def _regions(observation: Observation, kept: Sequence[Candidate]) -> tuple[Region, ...]:
    placed = [(c, bounds) for c in kept if (bounds := _bounds(c, observation)) is not None]
    shown = {c.id for c, _ in placed}
    by_id = {c.id: c for c in observation.candidates}
    out = []
    for order, (c, bounds) in enumerate(placed):
        above = [a for a in _ancestors(c, by_id) if a.id in shown]
        out.append(
            Region(
                id=c.id,
                kind=kind_of(c),
                role=c.role,
                bounds=bounds,
                text=c.text,
                label=c.label,
                confidence=c.score,
                interactive=c.interactive,
                parent_id=above[0].id if above else None,
                group_id=next((a.id for a in above if a.role in _GROUPS), None),
                reading_order=order,
                source=c.source,
            )
        )
    return tuple(out)


def _bounds(candidate: Candidate, observation: Observation) -> Bounds | None:
    """Whole pixels inside the picture; None for less than one, at which nobody could point."""
    width, height = observation.screenshot.size
    left, top, right, bottom = candidate.box.clip(width, height).rounded()
    right, bottom = min(right, width), min(bottom, height)
    if right <= left or bottom <= top:
        return None
    return Bounds(x=left, y=top, width=right - left, height=bottom - top)


def _ancestors(candidate: Candidate, by_id: Mapping[str, Candidate]) -> list[Candidate]:
    out: list[Candidate] = []
    at = by_id.get(candidate.parent)
    while at is not None and at not in out:
        out.append(at)
        at = by_id.get(at.parent)
    return out


def _check_regions(regions: Sequence[Region], width: int, height: int) -> None:
    parents = {r.id: r.parent_id for r in regions}
    if len(parents) != len(regions):
        raise UsageError("two regions share an id")
    for r in regions:
        b = r.bounds
        if b.width < 1 or b.height < 1 or b.x < 0 or b.y < 0 or b.x + b.width > width or b.y + b.height > height:
            raise UsageError(f"region {r.id!r} does not lie inside the {width} × {height} picture with some area")
        if not (math.isfinite(r.confidence) and 0 <= r.confidence <= 1):
            raise UsageError(f"region {r.id!r}: confidence {r.confidence!r} is not a number in [0, 1]")
        if any(id is not None and id not in parents for id in (r.parent_id, r.group_id)):
            raise UsageError(f"region {r.id!r} refers to a region that is not there")
    _check_circles(parents)


def _check_circles(parents: Mapping[str, str | None]) -> None:
    sound: set[str] = set()
    for start in parents:
        way: list[str] = []
        at: str | None = start
        while at is not None and at not in sound:
            if at in way:
                raise UsageError(f"region {at!r} is its own ancestor")
            way.append(at)
            at = parents[at]
        sound.update(way)
