"""cuakit: see named objects instead of pixels, pick one by id, act under a lease, and measure all of it.

The names are listed in ``__init__.pyi`` and loaded when they are first used: importing the package costs a few
milliseconds and touches nothing.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


def _read_stub() -> dict[str, tuple[str, str]]:
    """Public name → module and the name inside it; an empty one inside means the module itself."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    return {
        alias.asname or alias.name: (node.module, alias.name) if node.module else (alias.name, "")
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


_HOMES = _read_stub()
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the stub is the list


def _load(name: str) -> Any:
    module, inside = _HOMES[name]
    home = import_module(f"{__name__}.{module}")
    if not inside:
        return home
    return getattr(home, inside) if hasattr(home, inside) else import_module(f"{home.__name__}.{inside}")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _load(name)
    return value


def __dir__() -> list[str]:
    return list(__all__)


class _Face(ModuleType):
    """The package as a module whose function ``decide`` is not hidden by the package of that name.

    Loading ``cuakit.decide.lexical`` binds the package ``decide`` on its parent; here that binding is ignored.
    ``from cuakit.decide.lexical import Lexical`` works as everywhere.
    """

    @property
    def decide(self) -> Any:
        return _load("decide")

    @decide.setter
    def decide(self, _: Any) -> None:
        """Ignore the import system's binding."""


sys.modules[__name__].__class__ = _Face
