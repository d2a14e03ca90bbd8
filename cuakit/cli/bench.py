"""``cuakit bench``: run agents on suites, compare them, and report."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Literal

from cyclopts import App

from cuakit.cli.options import AsJson, Flag, Names
from cuakit.cli.table import print_table
from cuakit.core.errors import UsageError

app = App(name="bench", help="Run agents on suites, and report.")


@app.command
def run(
    suite: str,
    *,
    agent: Names = ("*",),
    task: Names = (),
    seeds: int | None = None,
    workers: int | None = None,
    out: Path | None = None,
    resume: str | None = None,
    limit: int | None = None,
    tokens: int | None = None,
    usd: float | None = None,
    usd_per_million: tuple[float, float] = (0.0, 0.0),
    as_json: AsJson = False,
    quiet: Flag = False,
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
        tokens: Most tokens of a trial's decision model, read and written together; looked at before each decision.
        usd: Most money of a trial, in US dollars; needs the prices.
        usd_per_million: Prices of a million tokens read and a million tokens written, in US dollars.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from cuakit import bench as benches
    from cuakit.bench.budget import Budget
    from cuakit.bench.launch import latest, new_folder

    budget = Budget(
        tokens=tokens, usd=usd, usd_per_million_in=usd_per_million[0], usd_per_million_out=usd_per_million[1]
    )

    if resume is not None:
        out = latest(suite) if resume == "latest" else Path(resume)
    folder = out or new_folder(suite)
    try:
        done = benches.run(
            suite,
            agent,
            seeds=seeds,
            tasks=task,
            workers=workers,
            out=folder,
            limit=limit,
            limits=benches.Limits(budget=None if budget == Budget() else budget),
            progress=not quiet,
        )
    except KeyboardInterrupt:
        print(f"stopped; go on with: cuakit bench run {suite} … --resume {folder}", file=sys.stderr)
        raise
    print_table(done)
    print(benches.write_report(done))
    if as_json:
        print(json.dumps(done.summary() | {"out": str(folder)}))


@app.command
def report(run: Path, *, out: Path | None = None, as_json: AsJson = False) -> None:
    """Table and self-contained HTML report of a run.

    Args:
        run: Folder of the run.
        out: The HTML file; report.html in the run's folder by default. The table goes beside it as Markdown.
        as_json: End with one JSON object on the last line.
    """
    from cuakit import bench as benches

    done = benches.Run(run)
    path = benches.write_report(done, out)
    print_table(done)
    print(path)
    if as_json:
        print(json.dumps(done.summary() | {"out": str(run)}))


@app.command
def resume(
    suite: str = "quickstart",
    *,
    kills: int = 20,
    seed: int = 0,
    agent: Names = ("oracle-dom",),
    task: Names = ("single-click",),
    seeds: int = 5,
    out: Path | None = None,
    as_json: AsJson = False,
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


@app.command
def reproduce(
    run: Path,
    *,
    out: Path | None = None,
    workers: int | None = None,
    as_json: AsJson = False,
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


@app.command
def compare(
    run: Path,
    *,
    agent: Names = (),
    other: Path | None = None,
    allow: Names = (),
    as_json: AsJson = False,
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


@app.command
def deciders(
    *,
    suite: Literal["deciders", "choices"] = "deciders",
    families: int | None = None,
    seeds: int | None = None,
    task: Names = (),
    llm: bool = True,
    workers: int | None = None,
    out: Path | None = None,
    as_json: AsJson = False,
    quiet: Flag = False,
) -> None:
    """Compare decision models on the same MiniWoB++ instances. The same command with the same --out goes on.

    Args:
        suite: Every family, or those whose whole way is on offer to a decider that clicks, types given texts and sets given
            values.
        families: Most task families, taken from each group in turn; all by default.
        seeds: Instances per family; 5 by default.
        task: Only tasks whose id, name or group matches this glob; may be repeated.
        llm: Whether the local language model takes part; it must have been pulled.
        workers: Processes at once; the CPU count by default.
        out: Folder of the run; results/deciders/<time>-<random> by default.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from cuakit import bench as benches
    from cuakit.bench.deciders import measure

    board = measure(
        suite=suite, families=families, seeds=seeds, tasks=task, llm=llm, workers=workers, out=out, progress=not quiet
    )
    print(board)
    print(benches.write_report(board.run))
    if as_json:
        print(json.dumps(board.summary()))


@app.command
def calibration(
    *,
    decider: Names = ("lexical-v1", "embedding-v1", "constant-v1", "random-v1"),
    families: int | None = None,
    seeds: int = 2,
    as_json: AsJson = False,
    quiet: Flag = False,
) -> None:
    """Ask deciders at every step of the oracle's way through MiniWoB++: does their confidence say how often they are right?

    Args:
        decider: Decision stage; may be repeated.
        families: Most task families, taken from each group in turn; all by default.
        seeds: Instances per family.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from tqdm import tqdm

    from cuakit.bench.calibration import measure
    from cuakit.core.registry import Spec

    with tqdm(unit="task", disable=quiet or None) as bar:
        found = measure({d: Spec(d) for d in decider}, families=families, seeds=seeds, progress=lambda _: bar.update())
    for c in found:
        print(
            f"{c.decider:<14} right {c.right!s:<24} calibration error {c.ece.value:.3f} [{c.ece.low:.3f}, {c.ece.high:.3f}]"
            f", at temperature {c.temperature:.2f} {c.ece_after.value:.3f} [{c.ece_after.low:.3f}, {c.ece_after.high:.3f}]"
        )
    if as_json:
        print(json.dumps({c.decider: c.summary() for c in found}))


@app.command
def perception(
    *,
    data: Path | None = None,
    split: Literal["train", "validation", "test"] = "test",
    application: Names = (),
    limit: int | None = None,
    peers: bool = True,
    speed: bool = True,
    handles: bool = True,
    as_json: AsJson = False,
    quiet: Flag = False,
) -> None:
    """Judge the default pixels pipeline, and other parsers, on screens of real applications with exact truth.

    Args:
        data: Folder of screens; that of ``python datasets/screens/build.py`` by default.
        split: Part of the data; only ``test`` holds applications that nothing was tuned on.
        application: Only applications whose name matches this glob; may be repeated.
        limit: Most screens, spread over the applications.
        peers: Whether other parsers are judged too.
        speed: Whether times and memory are measured as well.
        handles: Whether selection handles on draw.io are judged as well.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from cuakit.bench.perception_report import measure, table

    report = measure(
        data=data,
        split=split,
        applications=application,
        limit=limit,
        peers=peers,
        speed=speed,
        handles=handles,
        progress=not quiet,
    )
    print(table(report))
    if as_json:
        print(json.dumps(report))


@app.command
def drawing(
    *,
    task: Names = (),
    arm: Names = ("undisturbed", "repair", "no_repair", "baseline"),
    width: int = 1280,
    height: int = 800,
    scale: float = 1.0,
    dark: Flag = False,
    limit: int | None = None,
    out: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Draw on the real draw.io from sentences, without a model; draw.io's own document judges.

    Args:
        task: Only tasks whose name or group matches this glob; may be repeated.
        arm: undisturbed, repair (disturbed in mid-plan), no_repair or baseline; may be repeated.
        width: Viewport width in CSS pixels.
        height: Viewport height in CSS pixels.
        scale: Device pixels per CSS pixel.
        dark: The application's dark theme.
        limit: Most tasks.
        out: File for one JSON line per trial.
        as_json: End with one JSON object on the last line.
    """
    from fnmatch import fnmatch

    from cuakit.bench.drawing import arms_of, summary, trials
    from cuakit.bench.drawing_tasks import DRAWINGS
    from cuakit.core.codec import jsonable
    from cuakit.envs.drawio import DrawIo

    arms = arms_of(arm)
    chosen = [d for d in DRAWINGS if not task or any(fnmatch(d.name, t) or fnmatch(d.group, t) for t in task)][:limit]
    if not chosen:
        raise UsageError("no task fits", hint=f"tasks: {', '.join(d.name for d in DRAWINGS)}")
    drawn = []
    with DrawIo(width=width, height=height, scale=scale, dark=dark) as env:
        for d in trials(env, chosen, arms=arms):
            drawn.append(d)
            print(
                f"{d.arm:<12} {d.task:<20} {d.disturbance:<13} {'ok' if d.ok else 'WRONG':<6} {d.repairs} {d.stopped}"
            )
            if out is not None:
                with out.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(jsonable(d)) + "\n")
    if as_json:
        print(json.dumps(summary(drawn)))


@app.command
def leases(*, trials: int = 1200, seed: int = 0, as_json: AsJson = False, quiet: Flag = False) -> int:
    """Count ghost clicks on pages that change between look and click. Exit code 1 when one of ours gets through.

    Args:
        trials: Clicks in all, over remembered coordinates, a lease without content guard, and ours.
        seed: First seed of the pages.
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from tqdm import tqdm

    from cuakit.bench.ghosts import OURS, ghosts, summary

    with tqdm(total=trials, unit="click", disable=quiet or None) as bar:
        found = summary(ghosts(trials, seed=seed, progress=lambda _: bar.update()))
    for arm, n in found["arms"].items():
        print(f"{arm:<14} ghost {n['ghost']:>4} of {n['ghosts_of']:<5} right {n['right']:<5} refused {n['refused']}")
    if as_json:
        print(json.dumps(found))
    return 1 if any(found["ghost_clicks"].get(arm) for arm in OURS) else 0


@app.command
def delivery(
    *,
    toolkit: Names = (),
    state: Names = (),
    as_json: AsJson = False,
) -> int:
    """Operate real programs in the background and count what arrives, by their own logs. Exit code 1 on a silent failure.

    Args:
        toolkit: gtk3, gtk4, qt5, qt6, chromium, libreoffice or xterm; may be repeated, all by default.
        state: State of the window; may be repeated, all by default.
        as_json: End with one JSON object on the last line.
    """
    from cuakit.bench.delivery import STATES, run_delivery, skipped, summary
    from cuakit.bench.delivery_hands import OurHand

    unknown = set(state) - set(STATES)
    if unknown:
        raise UsageError(f"no such state: {', '.join(sorted(unknown))}", hint=f"states: {', '.join(STATES)}")
    for name, needs in skipped(toolkit).items():
        print(f"{name}: skipped, needs {needs}")
    results = run_delivery(
        [OurHand],
        toolkits=toolkit,
        states=[s for s in STATES if not state or s in state],
        progress=lambda r: print(f"{r.toolkit:<12}{r.action:<10}{r.state:<11}{r.outcome:<10}{r.note}"),
    )
    counts = summary(results).get(OurHand.name, {})
    print(" ".join(f"{kind} {n}" for kind, n in counts.items()))
    if as_json:
        print(json.dumps(counts))
    return 1 if counts.get("silent_failures") else 0


@app.command
def observe(
    *, toolkit: Names = (), n: int = 15, peer: Path | None = None, mcp: bool = True, as_json: AsJson = False
) -> int:
    """Time how long it takes to read real windows, tree and picture in one, beside cua-driver. Exit code 1 when we cannot.

    Args:
        toolkit: gtk3, gtk4, qt5, qt6, chromium, libreoffice or xterm; may be repeated, all by default.
        n: Reads of each window by each reader.
        peer: Executable of cua-driver; the one on the path by default. Its telemetry is turned off.
        mcp: Read through our MCP server as well.
        as_json: End with one JSON object on the last line.
    """
    from cuakit.bench.observe import (
        OURS,
        OVER_MCP,
        PEER,
        by_peer,
        in_process,
        observe as measure,
        over_mcp,
        peer_executable,
    )
    from cuakit.serve.desk import Desk

    executable = peer_executable(peer)
    readers = {OURS: in_process(Desk)}
    readers |= {OVER_MCP: over_mcp()} if mcp else {}
    readers |= {PEER: by_peer(executable)} if executable else {}
    found = measure(
        readers,
        n=n,
        toolkits=toolkit,
        progress=lambda name, r: print(
            f"{name:<12} {r['ms']} ms {r['elements']} elements; mcp {r['mcp_ms']} ms; "
            f"peer {r['peer_ms']} ms {r['peer_elements']} elements"
        ),
    )
    for name, needs in found["skipped"].items():
        print(f"{name}: skipped, needs {needs}")
    print(
        f"DOM of {found['dom_nodes']} nodes: {found['dom_ms']} ms in the page, {found['dom_end_to_end_ms']} ms from outside"
    )
    for note in found["notes"]:
        print(note)
    if as_json:
        print(json.dumps(found))
    return 1 if any(r["ms"] is None for r in found["windows"].values()) else 0
