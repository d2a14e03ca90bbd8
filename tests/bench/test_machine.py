"""What the processor can do is read on every system, in the same words."""

import subprocess
import sys

import numpy as np
import pytest

from cuakit.bench.machine import FLAGS, machine_card, peak_memory_mb, processor

LINUX = "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu sse4_2 avx2 amx_tile\n\nprocessor\t: 1\n"
LINUX_ARM = "processor\t: 0\nFeatures\t: fp asimd asimddp sve\n"
MAC = "machdep.cpu.brand_string: Intel(R) Core(TM) i7\nmachdep.cpu.features: FPU SSE4.2 AVX1.0\nmachdep.cpu.leaf7_features: AVX2 AVX512F\n"
MAC_ARM = "machdep.cpu.brand_string: Apple M2\nhw.optional.AdvSIMD: 1\nhw.optional.arm.FEAT_BF16: 1\nhw.optional.arm.FEAT_I8MM: 0\n"


@pytest.mark.parametrize(
    ("text", "name", "flags"),
    [(LINUX, "Some CPU", {"sse4_2", "avx2", "amx_tile"}), (LINUX_ARM, None, {"asimd", "asimddp", "sve"})],
)
def test_linux_is_read(text, name, flags, tmp_path):
    (tmp_path / "cpuinfo").write_text(text)
    found = processor("linux", cpuinfo=tmp_path / "cpuinfo")
    assert name is None or found[0] == name
    assert set(found[1]) & set(FLAGS) == flags


@pytest.mark.parametrize(
    ("told", "name", "flags"),
    [
        (MAC, "Intel(R) Core(TM) i7", {"sse4_2", "avx", "avx2", "avx512f"}),
        (MAC_ARM, "Apple M2", {"asimd", "bf16"}),
        ("", None, set()),
    ],
)
def test_macos_is_asked(told, name, flags, tmp_path):
    found = processor("darwin", cpuinfo=tmp_path / "none", ask=lambda *_: told)
    assert name is None or found[0] == name
    assert found[1] == flags


def test_elsewhere_numpy_tells_what_it_looks_for(tmp_path, monkeypatch):
    simd = {"SIMD Extensions": {"baseline": ["X86_V2"], "found": ["X86_V3", "AVX512_ICL"]}}
    monkeypatch.setattr(np, "show_config", lambda mode: simd)
    found = processor("win32", cpuinfo=tmp_path / "none")
    assert found[0]
    assert set(found[1]) == {"sse4_1", "sse4_2", "avx", "avx2", "fma", "avx512_vnni"}


def test_the_card_tells_how_the_cores_are_set():
    card = machine_card()
    assert isinstance(card["smt"], bool)
    assert card["governor"]
    assert card["cores"]["usable"] >= 1


def test_memory_only_grows():
    before = peak_memory_mb()
    block = np.ones(8_000_000)
    assert before > 1
    assert peak_memory_mb() >= before
    assert block.sum() > 0


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program does not inherit its parent's peak")
def test_the_peak_is_that_of_the_program_and_not_of_its_parent():
    ask = "from cuakit.bench.machine import peak_memory_mb; print(peak_memory_mb())"
    code = f"""
import subprocess, sys
held = bytearray(b"x") * (600 << 20)
print(subprocess.run([sys.executable, "-c", {ask!r}], capture_output=True, text=True, check=True).stdout)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert 10 < float(told.stdout) < 400
