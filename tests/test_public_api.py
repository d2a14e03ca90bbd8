"""The public face: the stub, the names and their documentation agree."""

import ast
import importlib
import importlib.metadata
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cuakit as ck

pytestmark = pytest.mark.processes

STUB = ast.parse(Path(ck.__file__).with_suffix(".pyi").read_text("utf-8"))
FROM = {
    a.asname or a.name: (n.module or "", a.name) for n in STUB.body if isinstance(n, ast.ImportFrom) for a in n.names
}


def test_the_stub_is_the_list_of_names():
    assert set(dir(ck)) == set(ck.__all__) == set(FROM)


def test_every_name_is_reexported_explicitly():
    """``X as X`` is what tells a type checker that the name is public."""
    assert [a.name for n in STUB.body if isinstance(n, ast.ImportFrom) for a in n.names if a.asname != a.name] == []


@pytest.mark.parametrize("name", sorted(FROM))
def test_a_public_name_is_what_its_module_holds_and_is_documented(name):
    module, inside = FROM[name]
    home = importlib.import_module(f"cuakit.{module}" if module else "cuakit")
    value = getattr(ck, name)
    assert value is getattr(home, inside, value)
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        assert inspect.getdoc(value)
        assert len(inspect.getdoc(value).split()) >= 3


@pytest.mark.parametrize(
    "name", sorted(n for n in FROM if inspect.isclass(getattr(ck, n)) or inspect.isroutine(getattr(ck, n)))
)
def test_the_public_methods_of_a_public_class_are_documented(name):
    value = getattr(ck, name)
    members = vars(value).items() if inspect.isclass(value) else ()
    bare = [
        k
        for k, v in members
        if not k.startswith("_") and (inspect.isroutine(v) or isinstance(v, property)) and not inspect.getdoc(v)
    ]
    assert bare == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        ck.no_such_name  # noqa: B018 - the access is the test


def test_decide_is_the_function_also_after_the_package_of_that_name_was_loaded():
    from cuakit.decide.lexical import Lexical

    assert inspect.isfunction(ck.decide)
    assert sys.modules["cuakit.decide"].lexical.Lexical is Lexical


def test_the_version_is_the_installed_one():
    assert ck.__version__ == importlib.metadata.version("cuakit")


def test_every_public_name_loads_without_any_extra():
    """A bare `pip install cuakit` has all names; what needs an extra says so when it is used."""
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {"vision", "browser", "desktop", "notebook"}
    wanted = [re.split(r"[<>=;\[ ]", d)[0] for e in extras for d in project["optional-dependencies"][e]]
    modules = [{"opencv-python-headless": "cv2", "jupyterlab": "IPython"}.get(w, w) for w in wanted]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({modules!r}))\n"
        "import cuakit\nprint(len([getattr(cuakit, name) for name in dir(cuakit)]))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert int(out.stdout) == len(FROM)
