"""The README and the how-to pages are true: their snippets run, their commands exist and work."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs/howto").glob("*.md"))]
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md"]
BIN = Path(sys.executable).parent


def fences(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path, first: str) -> list[str]:
    """Commands of a page that start with a word, in page order."""
    lines = [line for block in fences(page, "console") for line in block.splitlines() if line.startswith("$ ")]
    parts = [part.strip() for line in lines for part in line.removeprefix("$ ").partition(" #")[0].split("&&")]
    return [p for p in parts if p.removeprefix(".venv/bin/").split()[0] == first]


def everywhere(*firsts: str) -> list[str]:
    return sorted({c for page in TEXTS for first in firsts for c in commands(page, first)})


def run(words: list[str], where: Path, limit_s: float = 100) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(words, cwd=where, env=env, capture_output=True, text=True, timeout=limit_s, check=False)


@pytest.mark.browser
@pytest.mark.parametrize("page", [p for p in PAGES if fences(p, "python")], ids=lambda p: p.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    told = run([sys.executable, "-W", "error", "-c", "\n".join(fences(page, "python"))], tmp_path)
    assert told.returncode == 0, told.stderr
    for expected in fences(page, "text"):
        assert expected.strip() in told.stdout


def test_the_readme_says_what_its_code_prints(tmp_path):
    told = run([sys.executable, "-c", "\n".join(fences(README, "python"))], tmp_path)
    lines = told.stdout.splitlines()
    assert lines[0].split()[1:4] == ["Save", "as", "draft"]
    assert lines[-1] == "capture_not_found"


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if commands(p, "cuakit")], ids=lambda p: p.name)
def test_the_cuakit_commands_of_a_page_work_one_after_the_other(page, tmp_path):
    for command in commands(page, "cuakit"):
        told = run(shlex.split(command), tmp_path)
        assert told.returncode == 0, f"{command}\n{told.stdout}{told.stderr}"
        if "--json" in command:
            assert set(json.loads(told.stdout.splitlines()[-1])) >= {"trials", "invalid", "success", "median_step_ms"}


@pytest.mark.parametrize("command", everywhere("make"))
def test_a_make_target_exists(command):
    told = run([*shlex.split(command), "-n"], ROOT)
    assert told.returncode == 0, told.stderr


@pytest.mark.parametrize("command", everywhere("pip", "python"))
def test_what_pip_is_asked_for_exists(command):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for wanted in re.findall(r"\[([a-z,]+)\]", command):
        assert set(wanted.split(",")) <= set(extras)


def test_every_command_of_the_pages_is_of_a_kind_that_is_tested():
    known = {"cuakit", "make", "pip", "python", "git", "cd", "conda", "pre-commit"}
    firsts = {
        p.split()[0]
        for page in TEXTS
        for block in fences(page, "console")
        for p in re.findall(r"(?:^\$ |&& )(.*)", block, re.MULTILINE)
    }
    assert {Path(f).name for f in firsts} <= known


@pytest.mark.parametrize("page", TEXTS, ids=lambda p: p.name)
def test_links_to_files_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_architecture_page_shows_the_layers_that_are_enforced():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers")
    page = (ROOT / "docs/explanation/architecture.md").read_text("utf-8")
    assert "\n".join(layers).replace("(", "").replace(")", "") in page


def test_the_architecture_page_lists_every_part_of_the_package():
    tree = fences(ROOT / "docs/explanation/architecture.md", "text")[1]
    shown = {m[1] for m in re.finditer(r"^  (\w+)(?:/|\.py| )", tree, re.MULTILINE)} - {"__init__"}
    there = {p.stem for p in (ROOT / "cuakit").iterdir() if not p.name.startswith(("_", "."))} - {"py"}
    assert shown == there


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs/reference/api.md").read_text("utf-8")
    stub = ast.parse((ROOT / "cuakit/__init__.pyi").read_text("utf-8"))
    names = [a.asname for n in stub.body if isinstance(n, ast.ImportFrom) for a in n.names]
    modules = {"bench", "data", "errors", "viz"}
    assert [n for n in names if n not in modules and f":: cuakit.{n}\n" not in page] == []


def test_the_lab_log_is_dated_newest_first():
    dates = re.findall(r"^## (\d{4}-\d\d-\d\d) · \S", (ROOT / "docs/lab-log.md").read_text("utf-8"), re.MULTILINE)
    assert dates
    assert dates == sorted(dates, reverse=True)
