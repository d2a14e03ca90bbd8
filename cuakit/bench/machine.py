"""What a result depends on besides the agent: the machine, and the packages."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil

from cuakit.core.cores import affinity

PACKAGES: Final = (
    "cuakit miniwob mss numpy onnxruntime opencv-python-headless pillow pyclipper rapidocr websockets xcffib"
).split()
"""Packages whose version can change what an agent sees or does; they are part of a trial's identity."""

FLAGS: Final = (
    "sse4_1 sse4_2 avx avx2 fma avx512f avx512bw avx512_vnni avx_vnni avx512_bf16 avx512_fp16 amx_tile amx_int8 amx_bf16 "
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
    model, flags = processor()
    physical, logical = psutil.cpu_count(logical=False), os.cpu_count()
    return {
        "cpu": model,
        "flags": [f for f in FLAGS if f in flags],
        "arch": platform.machine(),
        "cores": {"physical": physical, "logical": logical, "usable": len(affinity())},
        "affinity": list(affinity()),
        "smt": bool(physical and logical and logical > physical),
        "governor": _read(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")) or "not told",
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "os": platform.platform(),
        "python": platform.python_version(),
        "commit": commit(),
    }


def processor(
    system: str = sys.platform, *, cpuinfo: Path = Path("/proc/cpuinfo"), ask: Callable[..., str] | None = None
) -> tuple[str, frozenset[str]]:
    """Name of the processor and its flags in Linux's words.

    Linux and macOS are asked themselves. Elsewhere the flags are those that numpy looks for, which are fewer: what it has
    no code for is not told.

    Args:
        system: ``sys.platform``.
        cpuinfo: Linux's description.
        ask: Runs a command and gives its output; for tests.
    """
    ask = ask or _said
    if text := _read(cpuinfo):
        name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
        flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
        return name[1] if name else platform.machine(), frozenset(flags[1].split()) if flags else frozenset()
    if system == "darwin":
        name = re.search(r"^machdep.cpu.brand_string: (.+)$", told := ask("sysctl", "-a"), re.MULTILINE)
        return name[1] if name else platform.machine(), _apple(told)
    return platform.processor() or platform.machine(), _numpys()


_MAC_INTEL: Final = {
    "SSE4.1": "sse4_1",
    "SSE4.2": "sse4_2",
    "AVX1.0": "avx",
    "AVX2": "avx2",
    "FMA": "fma",
    "AVX512F": "avx512f",
}
_MAC_ARM: Final = {
    "AdvSIMD": "asimd",
    "FEAT_DotProd": "asimddp",
    "FEAT_I8MM": "i8mm",
    "FEAT_BF16": "bf16",
    "FEAT_SVE": "sve",
}


def _apple(told: str) -> frozenset[str]:
    words = {
        w for line in re.findall(r"^machdep\.cpu\.(?:leaf7_)?features: (.+)$", told, re.MULTILINE) for w in line.split()
    }
    arm = set(re.findall(r"^hw\.optional\.(?:arm\.)?(\w+): 1$", told, re.MULTILINE))
    return frozenset({v for k, v in _MAC_INTEL.items() if k in words} | {v for k, v in _MAC_ARM.items() if k in arm})


_LEVELS: Final = {
    "X86_V2": "sse4_1 sse4_2",
    "X86_V3": "avx avx2 fma",
    "X86_V4": "avx512f avx512bw",
    "AVX512_ICL": "avx512_vnni",
    "AVX512_SPR": "avx512_fp16",
    "ASIMD": "asimd",
    "ASIMDDP": "asimddp",
    "SVE": "sve",
}


def _numpys() -> frozenset[str]:
    told: Any = np.show_config(mode="dicts")
    simd = told.get("SIMD Extensions", {})
    names = [*simd.get("baseline", ()), *simd.get("found", ())]
    return frozenset(flag for n in names for flag in _LEVELS.get(n, n.lower()).split())


def _said(*words: str) -> str:
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def peak_memory_mb() -> float:
    """Most memory that this process has held so far, in megabytes of 10⁶ bytes.

    On Linux it is the kernel's mark for this program: that of ``getrusage`` also holds what the parent held when it forked.
    """
    status = Path("/proc/self/status")
    if status.exists() and (mark := re.search(r"^VmHWM:\s+(\d+) kB", status.read_text("utf-8"), re.MULTILINE)):
        return int(mark[1]) * 1024 / 1e6
    on_windows = getattr(psutil.Process().memory_info(), "peak_wset", None)
    if on_windows is not None:
        return float(on_windows) / 1e6
    import resource  # noqa: PLC0415 - not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6


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
