"""The command line. Each command is the Python function of the same name with its arguments as options."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

if TYPE_CHECKING:
    from cuakit.bench.results import Run
    from cuakit.core.observation import Observation

app = App(name="cuakit", help="See named objects instead of pixels, act under a lease, and measure all of it.")
bench = App(name="bench", help="Run agents on suites, and report.")
app.command(bench)


@bench.command
def run(
    suite: str,
    *,
    agent: Annotated[tuple[str, ...], Parameter(negative=())] = ("*",),
    task: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    seeds: int | None = None,
    workers: int | None = None,
    out: Path | None = None,
    resume: str | None = None,
    limit: int | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Run agents on a suite. The same command with the same --out goes on where it was stopped.

    Args:
        suite: Name of a suite, or path of its YAML file.
        agent: Agent by name, shell glob or TOML file; may be repeated. All agents by default.
        task: Only tasks whose id, name or group matches this glob; may be repeated.
        seeds: Instances per task; the suite's own number by default.
        workers: Processes at once; the CPU count by default.
        out: Folder of the run; results/<suite>/<time>-<random> by default.
        resume: Folder of a run to go on with, or "latest".
        limit: Most trials.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from cuakit import bench as benches
    from cuakit.bench.launch import latest, new_folder

    if resume is not None:
        out = latest(suite) if resume == "latest" else Path(resume)
    folder = out or new_folder(suite)
    try:
        done = benches.run(
            suite, agent, seeds=seeds, tasks=task, workers=workers, out=folder, limit=limit, progress=not quiet
        )
    except KeyboardInterrupt:
        print(f"stopped; go on with: cuakit bench run {suite} … --resume {folder}", file=sys.stderr)
        raise
    _print_table(done)
    print(benches.write_report(done))
    if as_json:
        print(json.dumps(done.summary() | {"out": str(folder)}))


@bench.command
def report(
    run: Path, *, out: Path | None = None, as_json: Annotated[bool, Parameter(name="--json", negative=())] = False
) -> None:
    """Table and self-contained HTML report of a run.

    Args:
        run: Folder of the run.
        out: The HTML file; report.html in the run's folder by default. The table goes beside it as Markdown.
        as_json: End with one JSON object on the last line.
    """
    from cuakit import bench as benches

    done = benches.Run(run)
    path = benches.write_report(done, out)
    _print_table(done)
    print(path)
    if as_json:
        print(json.dumps(done.summary() | {"out": str(run)}))


@bench.command
def resume(
    suite: str = "quickstart",
    *,
    kills: int = 20,
    seed: int = 0,
    agent: Annotated[tuple[str, ...], Parameter(negative=())] = ("oracle-dom",),
    task: Annotated[tuple[str, ...], Parameter(negative=())] = ("single-click",),
    seeds: int = 5,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> int:
    """Kill runs at random moments, resume them, and count what is lost. Exit code 1 when anything is.

    Args:
        suite: Suite to run.
        kills: Kills to do, among runner, workers, browsers and disk.
        seed: Of moments and victims.
        agent: Agent by name or glob; may be repeated.
        task: Task by glob; may be repeated.
        seeds: Instances per task.
        out: Folder for the runs; a temporary one by default.
        as_json: One JSON object on the last line.
    """
    import tempfile
    from contextlib import nullcontext

    from cuakit.bench.chaos import Chaos
    from cuakit.core.codec import jsonable

    words = [suite, "--seeds", str(seeds), *(f"--agent={a}" for a in agent), *(f"--task={t}" for t in task)]
    with nullcontext(str(out)) if out else tempfile.TemporaryDirectory(prefix="cuakit-chaos-") as folder:
        damage = Chaos(command=words, folder=Path(folder), kills=kills, seed=seed)()
    print(json.dumps(jsonable(damage)) if as_json else damage)
    return 1 if damage.lost or damage.duplicated or damage.half_written or damage.orphans else 0


@bench.command
def reproduce(
    run: Path,
    *,
    out: Path | None = None,
    workers: int | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> int:
    """Run the plan of a run again and compare scores and decisions. Exit code 1 when they differ.

    Args:
        run: Folder of the first run.
        out: Folder of the second; beside the first by default.
        workers: Processes at once.
        as_json: One JSON object on the last line.
    """
    from cuakit import bench as benches
    from cuakit.bench.reproduce import reproduce as again
    from cuakit.core.codec import jsonable

    found = again(benches.Run(run), out or run.with_name(f"{run.name}-again"), workers=workers)
    told = jsonable({k: getattr(found, k) for k in ("compared", "same_score", "same_actions", "differing", "packages")})
    print(json.dumps(told) if as_json else found)
    return 0 if found.identical else 1


@bench.command
def compare(
    run: Path,
    *,
    agent: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    other: Path | None = None,
    allow: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Say whether one agent is better than another, paired by task and seed.

    Args:
        run: Folder of a run.
        agent: Two agents; every pair by default.
        other: Folder of another run that holds the second agent.
        allow: What may differ between two runs: suite, seeds, machine, packages; may be repeated.
        as_json: One JSON object on the last line.
    """
    from cuakit import bench as benches
    from cuakit.core.codec import jsonable
    from cuakit.core.errors import UsageError

    here = benches.Run(run)
    if len(agent) not in (0, 2) or (other is not None and not agent):
        raise UsageError("name two agents, or none for every pair of one run", hint="--agent A --agent B")
    if agent:
        made = [benches.compare(here, *agent, other=benches.Run(other) if other else None, allow=allow)]
    else:
        made = list(benches.compare_all(here))
    for one in made:
        print(one)
    if as_json:
        print(json.dumps({"comparisons": [jsonable(c) | {"n": c.n, "verdict": c.verdict} for c in made]}))


@app.command(name="list")
def list_(what: str = "", *, as_json: Annotated[bool, Parameter(name="--json", negative=())] = False) -> None:
    """What there is: stages by verb, agents, suites, environments.

    Args:
        what: A verb such as "perceive", or "agents", "suites", "envs"; everything by default.
        as_json: One JSON object on the last line.
    """
    found = _everything() if not what else {what: _named(what)}
    if as_json:
        print(json.dumps(found))
        return
    for name, members in found.items():
        print(name)
        for member in members:
            print(f"  {member}")


def _named(what: str) -> list[str]:
    from cuakit.core import registry

    others = _others()
    return list(others[what]) if what in others else list(registry.stages(what))


def _everything() -> dict[str, list[str]]:
    from cuakit.core.registry import VERBS, stages

    return {verb: list(stages(verb)) for verb in VERBS} | {k: list(v) for k, v in _others().items()}


def _others() -> dict[str, Sequence[str]]:
    from cuakit.bench.agents import agent_names
    from cuakit.suites.loader import suite_names
    from cuakit.suites.opener import env_kinds

    return {"agents": agent_names(), "suites": suite_names(), "envs": sorted(env_kinds())}


@app.command
def parse(
    image: Path | None = None,
    *,
    url: str | None = None,
    screen: Annotated[bool, Parameter(negative=())] = False,
    perceive: Literal["auto", "dom", "pixels"] = "auto",
    scale: float = 1.0,
    overlay: Path | None = None,
) -> None:
    """Find the objects on a picture, a page or the screen, and print them as a JSON menu.

    Args:
        image: A picture file.
        url: A page, opened in a headless browser.
        screen: The whole screen.
        perceive: Read the page's own elements, or pixels only. A page is read through its elements by default.
        scale: Physical pixels per logical point, for a picture or a page.
        overlay: Also write a picture with numbered boxes: .png, .svg or .html.
    """
    from cuakit.core.errors import UsageError

    if sum((image is not None, url is not None, screen)) != 1:
        raise UsageError("name one thing to parse", hint="cuakit parse IMAGE, or --url URL, or --screen")
    stage = {"auto": None, "dom": "dom-v1", "pixels": "pixels-v1"}[perceive]
    if stage == "dom-v1" and url is None:
        raise UsageError("only a page has elements", hint="--perceive dom goes with --url; leave it out for pixels")
    seen = _observe(image, url, stage, scale)
    if overlay is not None:
        from cuakit.viz.overlay import save

        save(seen, overlay)
    print(json.dumps(seen.menu(), ensure_ascii=False, indent=1))


def _observe(image: Path | None, url: str | None, stage: str | None, scale: float) -> Observation:
    from cuakit.facade import observe

    if image is not None:
        from cuakit.capture.image import load_image

        return observe(load_image(image, scale=scale), stage)
    if url is not None:
        from cuakit.backends.cdp import Browser

        with Browser.launch() as browser:
            page = browser.new_page(scale=scale)
            page.navigate(url)
            return observe(page, stage)
    from cuakit.capture.screen import Screen

    with Screen.open() as live:
        return observe(live, stage)


@app.command
def doctor(*, as_json: Annotated[bool, Parameter(name="--json", negative=())] = False) -> int:
    """What works on this machine, and how to get what does not. Exit code 1 when the quickstart suite cannot run.

    Args:
        as_json: One JSON object on the last line.
    """
    from cuakit.bench.doctor import examine
    from cuakit.core.codec import jsonable

    findings = examine()
    works = all(f.ok or f.optional for f in findings)
    if as_json:
        print(json.dumps({"ok": works, "findings": jsonable(findings)}))
    else:
        for f in findings:
            print(f"{'ok     ' if f.ok else 'missing'} {f.name:<15} {f.detail}")
            if not f.ok:
                print(f"        needed for {f.needed_for}; {f.hint}")
    return 0 if works else 1


def _print_table(run: Run) -> None:
    from rich.console import Console
    from rich.table import Table

    from cuakit.bench.results import COLUMNS, cells

    table = Table(title=str(run.folder))
    for i, name in enumerate(COLUMNS):
        table.add_column(name, justify="left" if i < 2 else "right")
    for line in run.lines:
        table.add_row(*cells(line), style="bold" if line.group == "all" else None, end_section=line.group == "all")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        words: Arguments; those of the process by default.

    Returns:
        Exit code: 0, or what a command says; 1 for an error outside, 2 for wrong use, 130 when interrupted.
    """
    from cuakit.core.errors import CuakitError, UsageError

    try:
        ended: Any = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as wrong:
        print(f"invalid_arguments: {wrong}\ncuakit --help lists the commands", file=sys.stderr)
        return 2
    except CuakitError as wrong:
        print(f"{wrong.error_code}: {wrong}", file=sys.stderr)
        return 2 if isinstance(wrong, UsageError) else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone, as with `| head`
        return 1
    return ended if isinstance(ended, int) else 0


if __name__ == "__main__":
    sys.exit(main())
