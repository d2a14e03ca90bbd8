"""What works on this machine, and how to get what does not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from cuakit.backends.chromium import find_chromium
from cuakit.core.errors import CuakitError


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked for.

    Args:
        name: What.
        ok: Whether it is there.
        detail: Where, or what is wrong.
        hint: How to get it.
        needed_for: What does not work without it.
        optional: Whether the quickstart suite works without it.
    """

    name: str
    ok: bool
    detail: str = ""
    hint: str = ""
    needed_for: str = ""
    optional: bool = False


def examine() -> tuple[Finding, ...]:
    """Look for everything that parts of cuakit need. Starts nothing, takes milliseconds."""
    findings = [
        _tried("chromium", find_chromium, "pages, MiniWoB++, draw.io"),
        _package("vision", ("cv2", "onnxruntime", "rapidocr", "pyclipper"), "agents that see pixels only"),
        _package("browser", ("miniwob",), "MiniWoB++"),
        _package("notebook", ("pandas", "ipywidgets", "matplotlib"), "tables and notebooks"),
        _program("npm", "npm", "fetching draw.io once", "install Node.js"),
    ]
    if sys.platform == "linux":
        findings.append(
            Finding(
                name="X display",
                ok=bool(os.environ.get("DISPLAY")),
                detail=os.environ.get("DISPLAY", "DISPLAY is not set"),
                hint="run inside a desktop session, or use a private desktop (Xvfb)",
                needed_for="looking at your own screen",
                optional=True,
            )
        )
        findings.append(_program("Xvfb", "Xvfb", "private desktops", "apt-get install xvfb"))
    return tuple(findings)


def _tried(name: str, look: Callable[[], str], needed_for: str) -> Finding:
    try:
        return Finding(name=name, ok=True, detail=look(), needed_for=needed_for)
    except CuakitError as lost:
        return Finding(name=name, ok=False, detail=lost.message, hint=lost.hint, needed_for=needed_for)


def _package(extra: str, modules: tuple[str, ...], needed_for: str) -> Finding:
    lost = [m for m in modules if find_spec(m) is None]
    return Finding(
        name=f"extra {extra}",
        ok=not lost,
        detail=f"missing: {', '.join(lost)}" if lost else "installed",
        hint=f"pip install 'cuakit[{extra}]'",
        needed_for=needed_for,
        optional=extra == "notebook",
    )


def _program(name: str, program: str, needed_for: str, hint: str) -> Finding:
    found = shutil.which(program)
    return Finding(
        name=name,
        ok=bool(found),
        detail=found or "not on the PATH",
        hint=hint,
        needed_for=needed_for,
        optional=True,
    )
