"""The command line. Each command is the Python function of the same name with its arguments as options.

One module per group of commands. They import late, so that ``cuakit --help`` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError

from cuakit.cli import bench, extension, models, osworld, perceive, profile, publish, run, serve, show, train, tune

app = App(name="cuakit", help="See named objects instead of pixels, act under a lease, and measure all of it.")
app.command(bench.app)
app.command(models.app)
app.command(osworld.app)
app.command(extension.app)
app.command(tune.tune)
app.command(train.app)
app.command(profile.app)
app.command(serve.app)
app.command(serve.mcp)
app.command(run.run)
app.command(show.list_, name="list")
app.command(show.doctor)
app.command(perceive.parse)
bench.app.command(publish.export)
bench.app.command(publish.leaderboard)


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
