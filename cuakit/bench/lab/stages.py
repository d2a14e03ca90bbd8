"""Where the time of one step goes: every part of a parse on three screens, and, with a browser, of a whole leased step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from cuakit import data
from cuakit.act import guard
from cuakit.agent import Agent
from cuakit.bench.lab.laps import Laps, run_laps
from cuakit.bench.lab.samples import Noise, median_interval
from cuakit.core.observation import Observation
from cuakit.core.registry import Spec
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.timing import Stopwatch
from cuakit.decide.lexical import Lexical
from cuakit.envs.miniwob import MiniWob
from cuakit.loop import run_subtask
from cuakit.perceive.pipeline import Pixels

WHOLE: Final = "whole"
"""Name of the row that holds all parts of a screen."""


def screens() -> dict[str, Screenshot]:
    """What is parsed: name → screen, from small to large."""
    return {"form": data.form(), "form at 200 %": data.form_2x(), "draw.io": data.drawio()}


def offline(
    shots: Mapping[str, Screenshot], *, laps: int, progress: Callable[[], object] = lambda: None
) -> tuple[list[dict[str, Any]], Noise]:
    """Parts of a parse, and what a step does around it, without any display.

    Args:
        shots: Name → screen.
        laps: Laps that count.
        progress: Called after each lap.

    Returns:
        Rows ``name``, ``screen``, ``stage``, ``wall_ms`` (and ``cpu_ms`` where a part has a clock of its own), and the noise.
    """
    parser = Pixels(remember=0)
    spans: dict[str, list[list[Any]]] = {name: [] for name in shots}

    def parse(name: str, shot: Screenshot) -> None:
        watch = Stopwatch()
        parser.parse(shot, watch=watch)
        spans[name].append(list(watch.take()))

    pieces: dict[str, Callable[[], object]] = {}
    for name, shot in shots.items():
        pieces[f"{name}: {WHOLE}"] = lambda n=name, s=shot: parse(n, s)  # type: ignore[misc]  # bound now, not later
        pieces |= {f"{name}: {k}": v for k, v in _around(shot, parser).items()}
    timed = run_laps(pieces, laps=laps, progress=progress)
    rows = []
    for name in shots:
        rows += list(_parts(name, spans[name][-laps:]))
        rows += [_row(timed, piece) for piece in pieces if piece.startswith(f"{name}: ")]
    return rows, timed.noise()


def _around(shot: Screenshot, parser: Pixels) -> dict[str, Callable[[], object]]:
    seen = Observation(screenshot=shot, candidates=parser.parse(shot))
    decider, task, after, limits = Lexical(), Subtask(goal="save as draft"), shot.pixels.copy(), guard.Limits()
    return {
        "digest": lambda: Screenshot(pixels=shot.pixels).digest,
        "decide (words)": lambda: decider(task, seen, ()),
        "guard, equal frames": lambda: guard.compare(shot.pixels, after, limits),
        "record (PNG)": shot.png,
    }


def _parts(screen: str, laps: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for stage in dict.fromkeys(span.name for lap in laps for span in lap):
        values = [sum(span.ms for span in lap if span.name == stage) for lap in laps]
        row = median_interval(values).row()
        yield {"name": f"{screen}: {stage}", "screen": screen, "stage": stage, "wall_ms": row}


def _row(timed: Laps, piece: str) -> dict[str, Any]:
    screen, _, stage = piece.partition(": ")
    return {
        "name": piece,
        "screen": screen,
        "stage": stage,
        "wall_ms": timed.wall(piece).row(),
        "cpu_ms": timed.cpu(piece).row(),
    }


def online(*, laps: int, progress: Callable[[], object] = lambda: None) -> tuple[list[dict[str, Any]], Noise]:
    """Stages of one whole step on a page in Chromium, read from its document: ``click-button`` of MiniWoB++.

    Setting the task up and starting the browser are not part of it.

    Raises:
        BrowserUnavailable: There is no Chromium.
        MissingExtra: The extra ``browser`` is not installed.
    """
    agent, seeds = Agent(name="profile", settle=Spec("page-fast-v1")), count(1000)
    spans: list[tuple[Any, ...]] = []
    with MiniWob(scale=1) as env:

        def step() -> None:
            task = env.reset("click-button", next(seeds))
            trajectory = run_subtask(agent, env.surface, task, done=env.done)
            spans.append(trajectory.steps[0].spans)

        timed = run_laps({"step": step}, laps=laps, progress=progress)
    taken = spans[-laps:]
    rows = list(_parts("page", taken))
    whole = median_interval([sum(s.ms for s in lap) for lap in taken]).row()
    return [*rows, {"name": f"page: {WHOLE}", "screen": "page", "stage": WHOLE, "wall_ms": whole}], timed.noise()
