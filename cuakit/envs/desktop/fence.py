"""What keeps applications away from the machine: no network, and a file system that can be written in one place only.

Linux name spaces, made anew for each program. They need root, or a system that lets users make them; where neither holds,
:func:`possible` says so and nothing is fenced. It guards against accidents and curious agents, not against an attacker:
for those, run the whole harness in a virtual machine.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

_READ_ONLY: Final = """
mount --bind "$1" "$1" || exit 97
while read -r _ place _; do
  case $place in "$1"|"$1"/*|/dev|/dev/*|/proc|/proc/*|/sys|/sys/*) ;; *) mount -o remount,bind,ro "$place" 2>/dev/null ;; esac
done < /proc/self/mounts
mkdir -p "$1/var-tmp" && mount --bind "$1/var-tmp" /var/tmp || exit 97
cd "$PWD" && shift && exec "$@"
"""
"""Makes every mount read-only but those of devices and the folder that is named first; then runs the rest of its words.

``/var/tmp`` becomes a private folder too, since LibreOffice makes its socket there when ``/tmp`` is closed to it.
``cd`` enters the folder again: the working folder of a new process still lies on the mount below.
"""

_PATIENCE_S: Final = 30.0


def command(writable: Path) -> tuple[str, ...]:
    """Words to put before a command, so that it runs behind the fence.

    Args:
        writable: The only folder that can be written.
    """
    return ("unshare", "--net", "--mount", "--", "/bin/sh", "-c", _READ_ONLY, "sh", str(writable))


@cache
def possible() -> bool:
    """Whether programs can be fenced here; tried, not guessed."""
    if shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="cuakit-fence-") as folder:
        inside, outside = Path(folder) / "inside", Path(folder) / "outside"
        inside.mkdir()
        attempt = [
            *command(inside),
            "/bin/sh",
            "-c",
            'touch "$1/written" && ! touch "$2"',
            "sh",
            str(inside),
            str(outside),
        ]
        done = subprocess.run(attempt, capture_output=True, check=False, timeout=_PATIENCE_S, cwd=inside)
        return done.returncode == 0 and (inside / "written").exists() and not outside.exists()
