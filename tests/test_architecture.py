"""The shape of the package: who may import whom, and that importing it does nothing."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parent.parent

PLANTED = {
    "The loop reads downwards": ("perceive/planted_sibling.py", "import cuakit.decide"),
    "No click without a lease: raw input belongs to act alone": (
        "settle/planted_input.py",
        "import cuakit.backends.input",
    ),
    "The words need nothing but numpy and Pillow": ("core/planted_words.py", "import pandas"),
    "OpenCV stays where pixels are read": ("decide/planted_cv.py", "import cv2"),
    "Transports stay in backends and capture": ("bench/planted_transport.py", "import websockets"),
    "Widgets and plots stay in viz": ("perceive/planted_plot.py", "import matplotlib"),
    "Model clients stay in llm": ("decide/planted_llm.py", "import openai"),
    "No cycles at any level": ("core/planted_a.py", "import cuakit.core.planted_b"),
}
"""Contract → a file and the line in it that breaks the contract."""


def lint(where: Path) -> subprocess.CompletedProcess[str]:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or "lint-imports"
    return subprocess.run(
        [command, "--no-cache"],
        cwd=where,
        env=os.environ | {"PYTHONPATH": str(where), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_import_contract_is_kept():
    told = lint(ROOT)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "0 broken" in told.stdout


@pytest.fixture(scope="module")
def broken_copy(tmp_path_factory) -> str:
    """What import-linter says about a copy of the package with one violation per contract planted."""
    copy = tmp_path_factory.mktemp("planted")
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copytree(ROOT / "cuakit", copy / "cuakit", ignore=shutil.ignore_patterns("__pycache__"))
    for file, line in PLANTED.values():
        (copy / "cuakit" / file).write_text(f"{line}\n")
    (copy / "cuakit/core/planted_b.py").write_text("import cuakit.core.planted_a\n")
    (copy / "cuakit/unlisted").mkdir()
    (copy / "cuakit/unlisted/__init__.py").touch()
    told = lint(copy)
    assert told.returncode == 1, told.stderr
    return told.stdout


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_violation_breaks_its_contract(broken_copy, contract):
    assert f"{contract} BROKEN" in broken_copy


def test_a_package_outside_the_layers_is_noticed(broken_copy):
    assert "cuakit.unlisted" in broken_copy


def test_every_contract_has_a_planted_violation():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert {c["name"] for c in config["tool"]["importlinter"]["contracts"]} == set(PLANTED)


WATCHER = r"""
import json, logging, os, signal, sys, threading, warnings
events = []
wanted = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.putenv", "os.unsetenv", "_thread.start",
          "os.mkdir", "os.remove", "os.rename", "shutil.", "urllib.", "ctypes.dlopen")
def watch(name, args):
    if name.startswith(wanted):
        events.append(name)
    elif name == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        if "__pycache__" not in str(args[0]):
            events.append(f"open {args[0]} {args[1]}")
def state():
    return {
        "environment": dict(os.environ),
        "threads": threading.active_count(),
        "logging": [logging.root.level, len(logging.root.handlers), logging.Logger.manager.disable],
        "signals": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM)],
        "warnings": len(warnings.filters),
        "hooks": [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__],
    }
before = state()
sys.addaudithook(watch)
import cuakit
names = dir(cuakit)
told = list(events)
print(json.dumps({"events": told, "changed": [k for k, v in state().items() if v != before[k]],
                  "modules": sorted(sys.modules), "names": len(names)}))
"""


@pytest.fixture(scope="module")
def imported() -> dict:
    """What `import cuakit` did in a fresh interpreter."""
    out = subprocess.run([sys.executable, "-c", WATCHER], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(out.stdout)


def test_importing_opens_starts_and_writes_nothing(imported):
    assert imported["events"] == []


def test_importing_changes_no_state_of_the_process(imported):
    assert imported["changed"] == []


def test_importing_is_lazy(imported):
    heavy = {"PIL", "cv2", "numpy", "onnxruntime", "pandas", "pydantic", "matplotlib", "anywidget", "websockets"}
    heavy |= {"asyncio", "rich", "yaml", "cyclopts", "scipy", "IPython"}
    assert imported["names"] > 20
    assert heavy.isdisjoint(imported["modules"])
    ours = [m for m in imported["modules"] if m.startswith("cuakit")]
    assert ours == ["cuakit"]


def test_every_module_can_be_the_first_one_imported():
    """A hidden cycle, or a module that needs another's side effect, shows only when it comes first."""
    code = (
        "import importlib, pkgutil, sys, cuakit\n"
        "mods = [m.name for m in pkgutil.walk_packages(cuakit.__path__, 'cuakit.') if not m.name.endswith('__main__')]\n"
        "for name in mods:\n"
        "    for known in [k for k in sys.modules if k.startswith('cuakit.')]: del sys.modules[known]\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ModuleNotFoundError as lost:  # torch is only there where networks are trained\n"
        "        if lost.name != 'torch' or not name.startswith('cuakit.train.'): raise\n"
        "print(len(mods))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert out.returncode == 0, out.stderr
    assert int(out.stdout) > 30
