"""Does a client that was written for another server work with ours? arc-cua on MiniWoB++, judged by the pages.

arc-cua brings its own Chrome backend, its own policy and its own loop; only the decisions are ours, asked for over the
System One protocol. It needs Python 3.12 or newer, here in an environment of its own::

    python3.12 -m venv arc && arc/bin/pip install arc-cua==0.1.1
    python benchmarks/arc_cua/run.py --python arc/bin/python --json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from cuakit.backends.cdp import Browser
from cuakit.backends.chromium import find_chromium
from cuakit.bench.machine import machine_card
from cuakit.bench.stats import wilson
from cuakit.core.registry import build
from cuakit.envs.miniwob import MiniWob
from cuakit.serve.answer import Answerer
from cuakit.serve.systemone import SystemOneServer

TASKS = (
    "click-button", "click-test-2", "click-dialog", "click-link", "click-tab", "click-option", "click-checkboxes",
    "focus-text-2", "enter-text", "enter-password", "login-user", "choose-list",
)  # fmt: skip
"""Families of single clicks, several clicks, texts and lists, set before the first run."""


ONE_EPISODE = "core.startEpisodeReal = () => undefined"
"""A click on the cover that follows an episode would start another and lose the score of the first."""


@contextmanager
def client(python: str, server: SystemOneServer) -> Iterator[subprocess.Popen[str]]:
    """The other program; its Chrome ends with it."""
    script = Path(__file__).with_name("client.py")
    process = subprocess.Popen(
        [python, script, server.url, server.token, find_chromium()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def heard(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Its next line."""
    line = process.stdout.readline()
    if not line:
        sys.exit(f"arc-cua ended with status {process.wait()}; is arc-cua installed in that Python?")
    return json.loads(line)


def measure(python: str, decider: str, tasks: tuple[str, ...], seeds: int) -> dict[str, Any]:
    """Rows of trials, and what they come to."""
    rows: list[dict[str, Any]] = []
    answer = Answerer(decider=build("decide", decider), model=decider)
    with SystemOneServer(answer, model=decider) as server, client(python, server) as process:
        browser = Browser.connect(f"http://127.0.0.1:{heard(process)['port']}")
        try:
            page = browser.attach(browser.targets()[0]["targetId"])
            with MiniWob(page=page) as world:
                for task, seed in tqdm([(t, s) for t in tasks for s in range(seeds)]):
                    subtask = world.reset(task, seed)
                    page.evaluate(ONE_EPISODE)
                    asked = {
                        "goal": subtask.goal,
                        "inputs": dict(subtask.inputs),
                        "verification": list(subtask.verification),
                    }
                    process.stdin.write(json.dumps(asked) + "\n")
                    process.stdin.flush()
                    told = heard(process)
                    rows.append({"task": task, "seed": seed, "score": world.score(), "done": world.done(), **told})
        finally:
            browser.close()
    solved = wilson(sum(r["score"] == 1 for r in rows), len(rows))
    return {
        "tasks": len(tasks), "seeds": seeds, "n": len(rows), "decider": decider,
        "rate": round(solved.rate or 0.0, 4), "low": round(solved.low, 4), "high": round(solved.high, 4),
        "errors": sum(r["status"] == "ERROR" for r in rows), "rows": rows, "machine": machine_card(),
    }  # fmt: skip


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parse.add_argument("--python", required=True, help="Python 3.12 or newer that has arc-cua")
    parse.add_argument("--decider", default="lexical-v1")
    parse.add_argument("--tasks", nargs="+", default=TASKS)
    parse.add_argument("--seeds", type=int, default=5)
    parse.add_argument("--json", action="store_true", help="end with one JSON object")
    args = parse.parse_args()
    found = measure(args.python, args.decider, tuple(args.tasks), args.seeds)
    for task in args.tasks:
        scores = [r["score"] for r in found["rows"] if r["task"] == task]
        print(f"{task:20} {sum(s == 1 for s in scores)} of {len(scores)}")
    print(f"{'all':20} {found['rate']:.2f} [{found['low']:.2f}, {found['high']:.2f}], n = {found['n']}")
    if args.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
