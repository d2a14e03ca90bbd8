"""From the kind of an environment to a live one. Importing this module imports no environment."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final

from cuakit.core.errors import MissingExtra, UnknownName, UsageError
from cuakit.envs.base import Environment

BUILT_IN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "miniwob": "cuakit.envs.miniwob:MiniWob",
        "miniwob-timed": "cuakit.envs.miniwob:TimedMiniWob",
        "drawio": "cuakit.envs.drawio:DrawIo",
    }
)
"""Kind → class. Other packages add theirs through the entry-point group ``cuakit.env``."""


def env_kinds() -> Mapping[str, str]:
    """All kinds by name → ``module:Class``, ours and those of other packages."""
    return MappingProxyType({e.name: e.value for e in entry_points(group="cuakit.env")} | dict(BUILT_IN))


def env_class(kind: str) -> type[Any]:
    """The class behind a kind, or behind ``module:Class``.

    Raises:
        UnknownName: No such kind, module or class.
        MissingExtra: It needs a package that is not installed.
    """
    kinds = env_kinds()
    value = kind if ":" in kind else kinds.get(kind)
    if value is None:
        close = difflib.get_close_matches(kind, kinds, n=3, cutoff=0.5)
        near = f" Close: {', '.join(map(repr, close))}." if close else ""
        raise UnknownName(f"no environment named {kind!r}.{near}", hint=f"known: {', '.join(sorted(kinds))}")
    module, _, name = value.partition(":")
    try:
        found: type[Any] = getattr(import_module(module), name)
    except ModuleNotFoundError as lost:
        if lost.name and (module == lost.name or module.startswith(f"{lost.name}.")):
            raise UnknownName(f"no module {module!r} for environment {kind!r}", hint="check its spelling") from lost
        raise MissingExtra(
            f"environment {kind!r} needs the package {lost.name!r}", hint="pip install 'cuakit[all]'"
        ) from lost
    except AttributeError as lost:
        raise UnknownName(f"{module} has no {name!r}", hint="an environment is named module:Class") from lost
    return found


def open_env(kind: str, browser: Any = None, **options: Any) -> Environment:
    """A live environment; close it when done.

    Args:
        kind: Such as ``miniwob``, or ``module:Class``.
        browser: A browser to share; without one the environment has its own, if it needs any.
        **options: Passed on.

    Raises:
        UnknownName, MissingExtra: See :func:`env_class`.
        UsageError: It does not take these options.
        BackendError: The application did not start.
    """
    made = env_class(kind)
    given = options if browser is None else {"browser": browser, **options}
    try:
        env: Environment = made(**given)
    except TypeError as wrong:
        raise UsageError(f"environment {kind!r}: {wrong}", hint="see its documentation for its options") from wrong
    return env
