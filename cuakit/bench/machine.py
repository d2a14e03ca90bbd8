"""What a result depends on besides the agent: the machine, and the packages."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import psutil

PACKAGES: Final = (
    "cuakit miniwob mss numpy onnxruntime opencv-python-headless pillow pyclipper rapidocr websockets xcffib"
).split()
"""Packages whose version can change what an agent sees or does; they are part of a trial's identity."""

FLAGS: Final = (
    "sse4_1 sse4_2 avx avx2 fma avx512f avx512bw avx512_vnni avx_vnni avx512_bf16 amx_tile amx_int8 amx_bf16 "
    "neon asimd asimddp i8mm bf16 sve sve2"
).split()
"""Instruction sets that decide how fast models run."""


def package_set() -> dict[str, str]:
    """Package → version of what is installed, cuakit with a digest of its sources.

    The digest tells two states of a working tree apart that carry the same version.
    """
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    found["cuakit"] = f"{found.get('cuakit', '0')}+src.{source_digest()[:12]}"
    found["python"] = platform.python_version()
    return found


@cache
def source_digest() -> str:
    """SHA-256 over the package's source files, by path."""
    root = Path(__file__).resolve().parents[1]
    whole = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".js", ".json")):
        whole.update(path.relative_to(root).as_posix().encode() + b"\0")
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def machine_card() -> dict[str, Any]:
    """CPU, flags, cores, memory, system and commit, as plain data. Names no person and no host."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    model, flags = _cpu()
    return {
        "cpu": model,
        "flags": [f for f in FLAGS if f in flags],
        "arch": platform.machine(),
        "cores": {"physical": psutil.cpu_count(logical=False), "logical": os.cpu_count(), "usable": usable},
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "os": platform.platform(),
        "python": platform.python_version(),
        "commit": commit(),
    }


def _cpu() -> tuple[str, frozenset[str]]:
    try:
        info = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor() or platform.machine(), frozenset()
    name = re.search(r"^model name\s*:\s*(.+)$", info, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", info, re.MULTILINE)
    return name[1] if name else platform.machine(), frozenset(flags[1].split()) if flags else frozenset()


def commit() -> str:
    """Commit of the working tree cuakit runs from, with ``+`` when files differ from it; empty for a wheel."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        return head + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(root: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *words],  # noqa: S607 - git is found on the path, as everywhere
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    ).stdout.strip()
