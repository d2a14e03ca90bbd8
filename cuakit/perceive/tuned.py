"""What ``cuakit tune`` found to be fastest on this machine, kept in a file of the user's."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from platformdirs import user_config_dir

from cuakit.core.cores import affinity
from cuakit.core.errors import UsageError
from cuakit.core.registry import package_version

FORM: Final = "cuakit-tuned/1"
"""What the file calls itself."""


def place() -> Path:
    """``$CUAKIT_TUNED``, else a file in the user's configuration folder."""
    return Path(os.environ.get("CUAKIT_TUNED") or Path(user_config_dir("cuakit", appauthor=False)) / "tuned.json")


def here() -> dict[str, Any]:
    """What a measurement holds for: processor, cores that may be used, and versions of the runtimes."""
    return {
        "machine": platform.machine(),
        "cores": len(affinity()),
        "onnxruntime": package_version("onnxruntime"),
        "openvino": package_version("openvino"),
    }


def write(options: Mapping[str, Any], measured: Mapping[str, Any], to: Path | None = None) -> Path:
    """Keep options of ``pixels-v1`` with what they were measured on.

    Args:
        options: Such as ``{"text": {"threads": 2}}``.
        measured: Figures behind them.
        to: Another file than :func:`place`.
    """
    path = to or place()
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"form": FORM, "here": here(), "options": dict(options), "measured": dict(measured)}
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def read(of: Path | None = None) -> tuple[dict[str, Any], str]:
    """Options for ``pixels-v1``, and a sentence when they are the defaults because nothing fits this machine.

    Args:
        of: Another file than :func:`place`.

    Raises:
        UsageError: The file is damaged.
    """
    path = of or place()
    try:
        told = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}, "this machine was not tuned yet, so the defaults are used: cuakit tune"
    except ValueError as wrong:
        raise UsageError(f"{path} cannot be read: {wrong}", hint="make it anew: cuakit tune") from wrong
    if not isinstance(told, dict) or told.get("form") != FORM or not isinstance(told.get("options"), dict):
        raise UsageError(f"{path} is no {FORM} file", hint="make it anew: cuakit tune")
    if told.get("here") != here():
        return {}, "it was tuned on another processor, cores or runtimes, so the defaults are used: cuakit tune"
    return told["options"], ""
