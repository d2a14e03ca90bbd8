"""``cuakit bench export`` and ``leaderboard``: results in other people's formats, and the table of all of them."""

from __future__ import annotations

import json
from pathlib import Path

from cuakit.cli.options import AsJson, Flag, Names


def export(run: Path, *, out: Path | None = None, format: Names = (), as_json: AsJson = False) -> None:
    """Write a run as Parquet, Markdown, LaTeX, and one JSON object for the leaderboard.

    Args:
        run: Folder of the run.
        out: Folder of the files; "export" in the run's folder by default.
        format: parquet, markdown, latex or json; may be repeated. All by default.
        as_json: End with one JSON object on the last line.
    """
    from cuakit.bench.export import FORMATS, export as write
    from cuakit.bench.results import Run

    done = Run(run)
    for path in write(done, out, formats=format or FORMATS):
        print(path)
    if as_json:
        print(json.dumps(done.summary() | {"out": str(out or run / "export")}))


def leaderboard(results: Path = Path("results"), *, out: Path | None = None, check: Flag = False) -> int:
    """Make LEADERBOARD.md from the result files of a folder.

    Args:
        results: Folder with what "cuakit bench export --format json" wrote.
        out: The file; LEADERBOARD.md in that folder by default.
        check: Write nothing; exit code 1 when the file is not what the results say.
    """
    from cuakit.bench.leaderboard import leaderboard as table, read_results

    path, text = out or results / "LEADERBOARD.md", table(read_results(results))
    if check:
        same = path.is_file() and path.read_text("utf-8") == text
        print(f"{path} {'is' if same else 'is not'} what the results say")
        return 0 if same else 1
    path.write_text(text, "utf-8")
    print(path)
    return 0
