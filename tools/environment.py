"""Write environment.yml from pyproject.toml, so that conda users get the same packages; ``--check`` only compares."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

HEAD = "# Generated from pyproject.toml by tools/environment.py; edit that file, then run it again.\n"


def render(project: dict[str, Any]) -> str:
    """Text of environment.yml: Python from conda, everything else by pip from the project itself.

    One source of versions is kept that way, and ``pip check`` holds inside the conda environment.
    """
    lines = [
        f"name: {project['name']}",
        "channels: [conda-forge]",
        "dependencies:",
        f'  - "python{project["requires-python"]}"',
        '  - "nodejs>=20"',
        '  - "pip>=24"',
        "  - pip:",
    ]
    extras = project["optional-dependencies"]
    wanted = sorted({*project["dependencies"], *(d for name in ("all", "dev", "docs") for d in flat(extras, name))})
    lines += [f'      - "{spec}"' for spec in wanted]
    lines += ['      - "-e ."', ""]
    return HEAD + "\n".join(lines)


def flat(extras: dict[str, list[str]], name: str) -> list[str]:
    """Requirements of an extra, with references to other extras of the project followed."""
    out: list[str] = []
    for spec in extras[name]:
        if spec.startswith("cuakit["):
            out += [d for inner in spec[len("cuakit[") : -1].split(",") for d in flat(extras, inner)]
        else:
            out.append(spec.replace('"', "'"))
    return out


def main(arguments: list[str]) -> int:
    """Write the file, or compare it; 1 when it differs."""
    root = Path(__file__).resolve().parent.parent
    wanted = render(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"])
    path = root / "environment.yml"
    if "--check" in arguments:
        same = path.is_file() and path.read_text(encoding="utf-8") == wanted
        if not same:
            print("environment.yml differs from pyproject.toml; run: python tools/environment.py", file=sys.stderr)
        return int(not same)
    path.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
