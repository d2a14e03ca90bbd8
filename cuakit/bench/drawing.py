"""Drawing on the real draw.io from sentences, judged by draw.io's own document, with and without disturbances."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from cuakit.bench.drawing_tasks import DRAWINGS, Drawing
from cuakit.bench.stats import wilson
from cuakit.core.errors import UnknownName, UsageError
from cuakit.envs.drawio import Document, DrawIo
from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.planner import plan
from cuakit.plan.repair import carry_out
from cuakit.plan.runner import Runner, StepResult
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Step
from cuakit.plan.view import points
from cuakit.settle.page import PageQuiet

Arm = Literal["undisturbed", "repair", "no_repair", "baseline"]

DISTURBANCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dialog": "void __cuakit_drawio.actions.get('pageSetup').funct()",
        "missed press": """void ['pointerdown', 'mousedown'].forEach((kind) => window.addEventListener(kind,
            (e) => { e.stopImmediatePropagation(); e.preventDefault(); }, {capture: true, once: true}))""",
        "zoom": "void __cuakit_drawio.editor.graph.zoomTo(0.75)",
        "moved": """void ((g) => g.moveCells(g.getChildVertices().slice(-1), 0, 90))(__cuakit_drawio.editor.graph)""",
        "colours": "void (document.documentElement.style.filter = 'invert(1) hue-rotate(180deg)')",
    }
)
"""What happens in mid-plan: a dialog opens, the next press of the pointer is lost, the zoom changes, somebody moves the
newest object, all colours turn dark."""

ONE_SPOT: Final = "340,300"
"""Where the baseline puts every shape, in points from the canvas's corner: StructAgent's tool drops them on one spot."""

NEAR: Final = 3.0
"""How far a size may be off, in diagram units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One trial.

    Args:
        task: Name of the task.
        arm: How it was run.
        disturbance: What happened in mid-plan, or empty.
        ok: Whether the document is as asked, by the judge.
        object_f1: Agreement of labelled shapes with the goal, 0 to 1.
        edge_f1: Agreement of connectors with the goal, 0 to 1.
        same_graph: Whether the scene graph held the labels and connectors of the document.
        actions: Leased actions.
        seconds: Wall time of planning and running.
        repairs: Repairs made.
        planning_calls: Calls of the planner; none asks a model.
        stopped: Error code where the plan ended early, or empty.
    """

    task: str
    arm: Arm
    disturbance: str = ""
    ok: bool
    object_f1: float
    edge_f1: float
    same_graph: bool
    actions: int
    seconds: float
    repairs: int
    planning_calls: int
    stopped: str = ""


def arms_of(names: Sequence[str]) -> tuple[Arm, ...]:
    """Arms by name.

    Raises:
        UnknownName: No such arm.
    """
    known = get_args(Arm)
    for name in names:
        if name not in known:
            raise UnknownName(f"no arm {name!r}", hint=f"arms: {', '.join(known)}")
    return tuple(a for a in known if a in names)


def trials(
    env: DrawIo, drawings: Sequence[Drawing] = DRAWINGS, *, arms: Sequence[Arm] = ("undisturbed",)
) -> Iterator[Drawn]:
    """Run tasks, arm by arm. Disturbances take turns over the tasks, the same with and without repair.

    Args:
        env: The application.
        drawings: The tasks.
        arms: ``undisturbed`` (repair allowed), ``repair``, ``no_repair`` (disturbed), ``baseline``.
    """
    for arm in arms:
        for i, drawing in enumerate(drawings):
            kind = list(DISTURBANCES)[i % len(DISTURBANCES)] if arm in {"repair", "no_repair"} else ""
            yield trial(env, drawing, arm=arm, disturbance=kind)


def trial(env: DrawIo, drawing: Drawing, *, arm: Arm = "undisturbed", disturbance: str = "") -> Drawn:
    """Run one task on a fresh canvas and judge it.

    Raises:
        PageTimeout: The application did not get ready.
    """
    env.open()
    runner = Runner(
        surface=env.surface,
        domain=DrawIoDomain(),
        settle=PageQuiet(reaction_s=0.3).bind(env.surface),
        consent=frozenset({"delete"}),
    )
    started, repairs, stopped, calls = time.monotonic(), 0, "", 0
    for number, sentence in enumerate(drawing.say, 1):
        calls += 1
        try:
            steps = _planned(runner, sentence, one_spot=arm == "baseline")
            hit = disturbance if number == len(drawing.say) else ""
            done = carry_out(
                runner,
                steps,
                limit=3 if arm in {"undisturbed", "repair"} else 0,
                on_step=_disturber(env, hit, len(steps)),
            )
        except UsageError as wrong:
            stopped = wrong.error_code
            break
        repairs += done.repairs
        if not done.ok:
            stopped = done.results[-1].code
            break
    seconds = time.monotonic() - started
    document = env.document()
    nodes, links = graph(document)
    return Drawn(
        task=drawing.name,
        arm=arm,
        disturbance=disturbance,
        ok=solved(drawing, document),
        object_f1=f1(nodes, Counter(drawing.nodes)),
        edge_f1=f1(links, Counter(drawing.links)),
        same_graph=_same(runner.scene, document),
        actions=runner.actions,
        seconds=seconds,
        repairs=repairs,
        planning_calls=calls,
        stopped=stopped,
    )


def _planned(runner: Runner, sentence: str, *, one_spot: bool) -> tuple[Step, ...]:
    shot = runner.surface.grab()
    board = runner.domain.board(points(runner.domain.see(shot).canvas, shot.scale))
    steps = plan(sentence, runner.scene, runner.domain.words, board)
    if not one_spot:
        return steps
    return tuple(replace(s, args={**s.args, "place": ONE_SPOT}) if s.tool.startswith("place") else s for s in steps)


def _disturber(env: DrawIo, kind: str, count: int) -> Callable[[StepResult], bool] | None:
    """Disturb once: before the first step of one or two, else half-way."""
    if not kind:
        return None
    left = count // 2 if count > 2 else 0

    def strike(done: int) -> None:
        nonlocal left
        if done == left:
            env.surface.evaluate(DISTURBANCES[kind])
            left = -1

    done = 0
    strike(done)

    def on_step(result: StepResult) -> bool:
        nonlocal done
        done += result.ok
        strike(done)
        return True

    return on_step


def graph(document: Document) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str, str]]]:
    """Labelled shapes and connectors of a document, as multisets; an end that hangs free is empty."""
    names = {c.id: c.label for c in document.vertices}
    return (
        Counter((c.label, c.shape) for c in document.vertices),
        Counter((names.get(c.source, ""), names.get(c.target, ""), c.label) for c in document.edges),
    )


def solved(drawing: Drawing, document: Document) -> bool:
    """Whether a document holds exactly the goal, with the places and sizes that were asked for."""
    nodes, links = graph(document)
    if nodes != Counter(drawing.nodes) or links != Counter(drawing.links):
        return False
    boxes = {c.label: c.box for c in document.vertices}
    right = all(
        boxes[a].right <= boxes[b].left if word == "left of" else boxes[a].bottom <= boxes[b].top
        for a, word, b in drawing.order
    )
    return right and all(
        abs(boxes[name].width - w) <= NEAR and abs(boxes[name].height - h) <= NEAR for name, w, h in drawing.sizes
    )


def f1(found: Counter[Any], wanted: Counter[Any]) -> float:
    """Harmonic mean of precision and recall of multisets; 1 where nothing is wanted and nothing found.

    >>> f1(Counter("ab"), Counter("bc"))
    0.5
    """
    total = found.total() + wanted.total()
    return 2 * (found & wanted).total() / total if total else 1.0


def _same(scene: Scene, document: Document) -> bool:
    nodes, links = graph(document)
    ours = Counter((scene.nodes[e.source].label, scene.nodes[e.target].label, e.label) for e in scene.edges.values())
    labels: Counter[str] = Counter()
    for (label, _), n in nodes.items():
        labels[label] += n
    return labels == Counter(n.label for n in scene.nodes.values()) and ours == links


def summary(drawn: Sequence[Drawn]) -> dict[str, Any]:
    """The figures as one object: rates with 95 % Wilson intervals, F1, drift of the scene, planning calls."""

    def of(arm: Arm) -> dict[str, Any]:
        return _rate([d for d in drawn if d.arm == arm])

    most = max((d.planning_calls for d in drawn), default=0)
    return {
        "tasks": len({d.task for d in drawn}),
        "undisturbed": of("undisturbed"),
        "disturbed": {"repair": of("repair"), "no_repair": of("no_repair")},
        "baseline_preset": of("baseline"),
        "scene_drift": _drift([d for d in drawn if d.arm == "undisturbed"]),
        "planning_calls": {"most": most, "to_a_model": 0},
    }


def _rate(rows: Sequence[Drawn]) -> dict[str, Any]:
    rate = wilson(sum(d.ok for d in rows), len(rows))
    if not rows:
        return {"rate": None, "low": None, "high": None, "n": 0}
    return {
        "rate": round(rate.successes / rate.n, 4),
        "low": round(rate.low, 4),
        "high": round(rate.high, 4),
        "n": rate.n,
        "object_f1": round(mean(d.object_f1 for d in rows), 4),
        "edge_f1": round(mean(d.edge_f1 for d in rows), 4),
        "actions": round(mean(d.actions for d in rows), 2),
        "seconds": round(mean(d.seconds for d in rows), 2),
        "repairs": sum(d.repairs for d in rows),
    }


def _drift(rows: Sequence[Drawn]) -> dict[str, Any]:
    return {"differ": sum(not d.same_graph for d in rows), "n": len(rows)}
