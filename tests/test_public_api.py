"""The public face: the stub, the names and their documentation agree."""

import ast
import importlib
import importlib.metadata
import inspect
import sys
from pathlib import Path

import pytest

import cuakit as ck

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


def test_a_missing_package_is_a_sentence_that_says_what_to_install(monkeypatch):
    face = importlib.import_module("cuakit")
    monkeypatch.delitem(vars(face), "Screen", raising=False)
    monkeypatch.delitem(sys.modules, "cuakit.capture.screen", raising=False)
    monkeypatch.setitem(sys.modules, "mss", None)
    with pytest.raises(ck.errors.MissingExtra, match="mss") as told:
        ck.Screen  # noqa: B018 - the access is the test
    assert "pip install" in told.value.hint
