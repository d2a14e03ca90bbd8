"""``cuakit profile``: where the time goes on this machine, and comparing machines by what was kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cyclopts import App

from cuakit.cli.options import AsJson, Flag, Names

app = App(name="profile", help="Where the time goes on this machine.")


@app.default
def profile(
    *,
    only: Names = (),
    laps: int = 20,
    rounds: int = 6,
    out: Path | None = None,
    as_json: AsJson = False,
    quiet: Flag = False,
) -> None:
    """Measure stages, networks, instruction sets and rooflines, each with n and interval. Takes minutes.

    Args:
        only: Part to measure: stages, page, sweep, isa or roofline; may be repeated. All by default.
        laps: Laps per piece.
        rounds: Processes per cap of the instruction sets; fewer than six give no 95 % interval.
        out: File to keep the profile in, for "cuakit profile compare".
        as_json: End with one JSON object on the last line.
        quiet: No progress bar.
    """
    from tqdm import tqdm

    from cuakit.bench import lab
    from cuakit.core.errors import UsageError

    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {out.absolute().parent}", hint="make it first; measuring takes minutes")
    with tqdm(unit="lap", disable=quiet or not sys.stderr.isatty()) as bar:

        def told(part: str) -> None:
            bar.set_description(part)
            bar.update()

        found = lab.profile(only=only or lab.PARTS, laps=laps, rounds=rounds, progress=told)
    if out is not None:
        out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(lab.profile_text(found))
    if as_json:
        print(json.dumps(found))


@app.command
def compare(a: Path, b: Path, *, as_json: AsJson = False) -> None:
    """Say which pieces are faster on B than on A: two machines, systems, versions or settings.

    Args:
        a: A profile kept with --out, or the JSON line of one.
        b: Another.
        as_json: End with one JSON object on the last line.
    """
    from cuakit.bench import lab
    from cuakit.bench.lab.tables import comparison_text

    found = lab.compare_profiles(lab.read_profile(a), lab.read_profile(b))
    print(comparison_text(found))
    if as_json:
        print(json.dumps(found))
