"""What must hold after a step: structural statements about the scene, a description for a critic, or both.

``{"description": "…", "assert": [{"kind": "objects_count", "op": ">=", "value": 3}, …]}``. Neither part is ever dropped:
a description that nobody can judge makes the verdict unknown, and so does an empty checkpoint. Unknown is not a pass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import UsageError
from cuakit.core.outcome import Verdict
from cuakit.plan.scene import Scene

Critic = Callable[[str, Scene], Verdict]
"""Judges a description, for example by looking at the screen."""

_OPS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)


def judge(checkpoint: Mapping[str, Any], scene: Scene, critic: Critic | None = None) -> Verdict:
    """Verdict on a checkpoint: failed if any part fails, unknown if any part cannot be judged, else passed.

    Args:
        checkpoint: See the module.
        scene: The scene, after it was held against the screen.
        critic: Judges the description.

    Raises:
        UsageError: The checkpoint is malformed (``bad_checkpoint``).
    """
    extra = set(checkpoint) - {"description", "assert"}
    asserts, description = checkpoint.get("assert", []), checkpoint.get("description", "")
    if extra or not isinstance(asserts, list) or not isinstance(description, str):
        raise _bad(f"a checkpoint has a description and a list of asserts, got {', '.join(map(str, checkpoint))}")
    verdicts = [_one(statement, scene) for statement in asserts]
    if description.strip():
        unjudged = Verdict(result="unknown", reason=f"nobody judged: {description}")
        verdicts.append(critic(description, scene) if critic else unjudged)
    if not verdicts:
        return Verdict(result="unknown", reason="the checkpoint is empty")
    for result in ("failed", "unknown"):
        reasons = [v.reason for v in verdicts if v.result == result]
        if reasons:
            return Verdict(result="failed" if result == "failed" else "unknown", reason="; ".join(reasons))
    return Verdict(result="passed", reason="; ".join(v.reason for v in verdicts))


def _one(statement: Any, scene: Scene) -> Verdict:
    kind = statement.get("kind") if isinstance(statement, Mapping) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _bad(f"no assert of kind {str(kind)[:40]!r}; kinds: {', '.join(_KINDS)}")
    try:
        holds = _KINDS[kind](statement, scene)
    except (KeyError, TypeError) as wrong:
        raise _bad(f"{kind}: {type(wrong).__name__}: {wrong}") from wrong
    said = ", ".join(f"{k} {v}" for k, v in statement.items())
    return Verdict(result="passed" if holds else "failed", reason=said)


def _count(things: Callable[[Scene], int]) -> Callable[[Mapping[str, Any], Scene], bool]:
    def holds(statement: Mapping[str, Any], scene: Scene) -> bool:
        value = statement["value"]
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"value {value!r} is no whole number")
        return _OPS[statement.get("op", "==")](things(scene), value)

    return holds


def _exists(statement: Mapping[str, Any], scene: Scene) -> bool:
    wanted = statement["object"]
    return wanted in scene.nodes or any(n.label == wanted for n in scene.nodes.values())


def _edge(statement: Mapping[str, Any], scene: Scene) -> bool:
    try:
        ends = scene.find(statement["source"]), scene.find(statement["target"])
    except UsageError:  # an end that is not there, or not clear, joins nothing
        return False
    pairs = {(e.source, e.target) for e in scene.edges.values()}
    return ends in pairs or (not statement.get("directed", True) and ends[::-1] in pairs)


def _selected(statement: Mapping[str, Any], scene: Scene) -> bool:
    if "object" not in statement:
        return bool(scene.selected)
    wanted = statement["object"]
    return any(id == wanted or (id in scene.nodes and scene.nodes[id].label == wanted) for id in scene.selected)


_KINDS: Final[Mapping[str, Callable[[Mapping[str, Any], Scene], bool]]] = MappingProxyType(
    {
        "objects_count": _count(lambda scene: len(scene.nodes)),
        "edges_count": _count(lambda scene: len(scene.edges)),
        "object_exists": _exists,
        "edge_exists": _edge,
        "selected": _selected,
    }
)


def _bad(why: str) -> UsageError:
    return UsageError(why, hint="correct the checkpoint", code="bad_checkpoint")
