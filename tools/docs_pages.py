"""The pages that are read from the code: tutorials, stages, error codes and the help of every command."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from cuakit.core import errors, registry

ROOT = Path(__file__).resolve().parent.parent


def write(docs: Path) -> None:
    """Write all generated pages below the documentation folder; none of them is committed."""
    tutorials = docs / "tutorials"
    shutil.rmtree(tutorials, ignore_errors=True)
    tutorials.mkdir()
    for notebook in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        shutil.copy(notebook, tutorials)
    made = docs / "_build" / "generated"
    made.mkdir(parents=True, exist_ok=True)
    (made / "stages.md").write_text(stages(), encoding="utf-8")
    (made / "errors.md").write_text(codes(), encoding="utf-8")
    (made / "cli.md").write_text(cli(), encoding="utf-8")
    (made / "tutorials.md").write_text(toctree(tutorials), encoding="utf-8")


def toctree(tutorials: Path) -> str:
    """The list of tutorials in file order."""
    names = "\n".join(f"/tutorials/{p.stem}" for p in sorted(tutorials.glob("*.ipynb")))
    return f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"


def stages() -> str:
    """One section per verb, one entry per stage: what it is and its options."""
    out = []
    for verb in registry.VERBS:
        names = registry.stages(verb)
        if not names:
            continue
        out.append(f"## {verb}\n")
        for name in names:
            made = registry.get(verb, name)
            first = (inspect.getdoc(made) or "").partition("\n\n")[0].replace("\n", " ")
            out.append(f"`{name}`\n: {_plain(first)}")
            options = _options(made)
            out.append(f"\n  Options: {options}\n" if options else "")
    return "\n".join(out)


def _plain(text: str) -> str:
    """Roles of reStructuredText as plain code: these pages are Markdown."""
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")


def _options(made: Any) -> str:
    if not is_dataclass(made):
        return ""
    shown = []
    for f in fields(made):
        if not f.init or not f.repr:
            continue
        value = (
            f.default if f.default is not MISSING else f.default_factory() if f.default_factory is not MISSING else ""
        )
        shown.append(f"`{f.name}`" if value == "" else f"`{f.name} = {value!r}`")
    return ", ".join(shown)


def codes() -> str:
    """All error codes with what to do next."""
    rows = ["| code | try again | what to do |", "|---|---|---|"]
    rows += [f"| `{c}` | {'yes' if again else 'no'} | {hint} |" for c, (again, hint) in errors.LEASE_CODES.items()]
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.CuakitError)]
    other = ["", "| class | code | try again | meaning |", "|---|---|---|---|"]
    for c in classes:
        meaning = _plain((inspect.getdoc(c) or "").partition("\n")[0])
        other.append(f"| `{c.__name__}` | `{c.code}` | {'yes' if c.retryable else 'no'} | {meaning} |")
    return "\n".join([*rows, *other, ""])


def cli() -> str:
    """Help of `cuakit` and of every command below it, found by reading the help itself."""
    out: list[str] = []
    todo: list[tuple[str, ...]] = [()]
    while todo:
        path = todo.pop(0)
        text = _help(path)
        out.append(f"## cuakit {' '.join(path)}".rstrip() + f"\n\n```text\n{text}```\n")
        todo += [(*path, name) for name in _commands(text)]
    return "\n".join(out)


def _help(path: tuple[str, ...]) -> str:
    words = [sys.executable, "-m", "cuakit.cli", *path, "--help"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    home = str(Path.home())
    lines = (line.rstrip() for line in told.stdout.replace(home, "~").splitlines())
    return "\n".join(lines).strip("\n") + "\n"


def _commands(text: str) -> list[str]:
    """Names in the box of commands."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith(("╭", "Commands")):
            inside = "Commands" in line
        named = re.match(r"│? ?([a-z][a-z-]+)  ", line) if inside else None
        if named:
            found.append(named[1])
    return found
