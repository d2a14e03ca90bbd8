"""A cap is a set of variables in a process of its own; it reaches the libraries, and it may kill the process."""

import os
import subprocess
import sys

import pytest

from cuakit.bench.lab import isa
from cuakit.bench.lab.laps import YARDSTICK
from cuakit.bench.machine import machine_card
from cuakit.core.errors import BackendError

pytestmark = pytest.mark.processes

EPYC = "sse4_1 sse4_2 avx avx2 fma avx512f avx512bw avx512_vnni avx512_bf16".split()


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (EPYC, ["sse4_2", "avx2", "avx512f", "avx512_vnni"]),
        ([*EPYC, "amx_tile"], ["sse4_2", "avx2", "avx512f", "avx512_vnni", "avx512_bf16"]),
        (["sse4_2"], []),
        (["asimd", "sve"], []),
    ],
)
def test_a_cap_takes_something_away(flags, names):
    assert [level.name for level in isa.levels(flags)] == names


def test_a_machine_without_known_caps_is_told_so():
    found = isa.ablation(["asimd"])
    assert found["rows"] == []
    assert "no cap is known" in found["how"]


def test_numpy_is_only_denied_what_it_found():
    by_name = {level.name: level for level in isa.LEVELS}
    found = ("X86_V3", "X86_V4", "AVX512_ICL")
    denied = {n: isa.environment(v, numpy_found=found).get("NPY_DISABLE_CPU_FEATURES") for n, v in by_name.items()}
    assert denied["sse4_2"] == "X86_V3 X86_V4 AVX512_ICL"
    assert denied["avx2"] == "X86_V4 AVX512_ICL"
    assert denied["avx512f"] == "AVX512_ICL"
    assert denied["avx512_vnni"] is None


def test_every_process_has_one_thread_per_library_and_only_a_cap_has_caps():
    free = isa.environment(None)
    assert set(free.values()) == {"1"}
    for level in isa.LEVELS:
        capped = isa.environment(level)
        assert capped.items() > free.items()
        assert capped["ONEDNN_MAX_CPU_ISA"] == level.onednn


SEEN = """
import cv2, numpy as np
print(cv2.getCPUFeaturesLine())
print(*np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))
"""


@pytest.mark.skipif("avx2" not in machine_card()["flags"], reason="nothing to take away here")
def test_the_lowest_cap_reaches_opencv_and_numpy():
    pytest.importorskip("cv2")
    variables = isa.environment(isa.LEVELS[0], numpy_found=isa.numpy_features())
    told = subprocess.run(
        [sys.executable, "-c", SEEN], env=os.environ | variables, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "AVX2?" in told[0]  # how OpenCV marks what it has code for and may not use
    assert told[1] == ""


def test_what_was_measured_before_a_crash_is_kept():
    out = '{"piece": "a", "ms": [1.0, 2.0]}\n{"piece": "b", "why": "not installed"}\nnoise\n'
    found = isa.told(out, -11, "", ["a", "b", "c", "d"])
    assert found.ms == {"a": [1.0, 2.0]}
    assert found.lost == {
        "b": "not installed",
        "c": "the process died of signal 11 here",
        "d": "the process died of signal 11 before it",
    }


def test_a_process_that_measured_nothing_is_an_error():
    with pytest.raises(BackendError, match="ended with 1: no such module"):
        isa.told("", 1, "no such module", ["a"])


@pytest.mark.skipif(not isa.levels(machine_card()["flags"]), reason="no caps here")
def test_an_ablation_measures_real_pieces_under_every_cap():
    pytest.importorskip("cv2")
    flags = machine_card()["flags"]
    steps = []
    found = isa.ablation(flags, rounds=2, laps=1, names=("decode text",), progress=lambda: steps.append(1))
    assert found["levels"] == [*(level.name for level in isa.levels(flags)), "all"]
    assert len(steps) == 2 * len(found["levels"])
    assert [r["level"] for r in found["rows"]] == found["levels"]
    for row in found["rows"]:
        assert row["cpu_ms"]["n"] == 2
        assert row["cpu_ms"]["value"] > 0
        assert ("ratio" in row) == (row["level"] != "all")
        assert row.get("says", "too few") == "too few"


def test_a_piece_lost_under_one_cap_says_why_and_the_others_keep_their_ratio(monkeypatch):
    def worker(variables, *, laps, names):
        if variables.get("ONEDNN_MAX_CPU_ISA") == "AVX2":
            return isa.Told({YARDSTICK: [1.0]}, {"decode text": "the process died of signal 11 here"})
        slow = 3.0 if "ONEDNN_MAX_CPU_ISA" in variables else 1.0
        return isa.Told({YARDSTICK: [1.0], "decode text": [slow] * laps}, {})

    monkeypatch.setattr(isa, "run_worker", worker)
    rows = {r["level"]: r for r in isa.ablation(EPYC, rounds=6, names=("decode text",))["rows"]}
    assert rows["avx2"]["lost"].endswith("here")
    assert "cpu_ms" not in rows["avx2"]
    assert (rows["sse4_2"]["ratio"]["value"], rows["sse4_2"]["says"]) == (3.0, "slower")
    assert "ratio" not in rows["all"]


def test_a_round_that_failed_costs_that_round_alone(monkeypatch):
    calls = []

    def worker(variables, *, laps, names):
        calls.append(variables)
        if len(calls) == 1:
            raise BackendError("a measuring process took longer than 600 s")
        return isa.Told({YARDSTICK: [1.0], "decode text": [2.0 if "ONEDNN_MAX_CPU_ISA" in variables else 1.0]}, {})

    monkeypatch.setattr(isa, "run_worker", worker)
    rows = {r["level"]: r for r in isa.ablation(["sse4_2", "avx2"], rounds=7, names=("decode text",))["rows"]}
    row = rows["sse4_2"]
    assert (row["lost_rounds"], row["cpu_ms"]["n"], row["ratio"]["n"]) == (1, 6, 6)
    assert (row["ratio"]["value"], row["says"]) == (2.0, "slower")
    assert "lost_rounds" not in rows["all"]
