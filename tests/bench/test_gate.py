"""The gate on ratios lets noise pass and stops a piece that became slower."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from cuakit.bench.lab.samples import Estimate

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def gate():
    spec = importlib.util.spec_from_file_location("benchmarks_gate", ROOT / "benchmarks" / "gate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def row(value, width=0.02):
    return Estimate(value, value * (1 - width), value * (1 + width), 21, 0.97).row()


@pytest.mark.parametrize(
    ("factor", "says"),
    [(1.0, "same"), (1.08, "same"), (1.2, "slower"), (3.0, "slower"), (0.95, "same"), (0.8, "faster")],
)
def test_a_tenth_and_both_intervals_are_let_pass(gate, factor, says):
    assert gate.judge({"piece": row(50)}, {"piece": row(50 * factor)}) == [("piece", says)]


def test_a_wide_interval_proves_nothing(gate):
    assert gate.judge({"piece": row(50)}, {"piece": row(60, width=0.2)}) == [("piece", "same")]


def test_a_piece_that_is_gone_cannot_hide_a_regression(gate, capsys):
    assert gate.judge({"a": row(1)}, {"b": row(1)}) == [("a", "gone"), ("b", "new")]
    assert gate.told({"a": row(1)}, {"b": row(1)}) == 1
    assert gate.told({"a": row(1)}, {"a": row(1), "b": row(1)}) == 0
    assert "new" in capsys.readouterr().out


def test_the_command_compares_with_the_baseline_of_such_machines(gate, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gate, "HERE", tmp_path)
    (tmp_path / "baseline").mkdir()
    monkeypatch.setattr(gate, "measure", lambda _: {"piece": row(10)})
    assert gate.main([]) == 0
    assert "no baseline" in capsys.readouterr().out
    assert gate.main(["--save"]) == 0
    kept = Path(capsys.readouterr().out.strip())
    assert json.loads(kept.read_text("utf-8"))["machine"] == gate.kind()
    assert gate.main([]) == 0
    monkeypatch.setattr(gate, "measure", lambda _: {"piece": row(15)})
    assert gate.main([]) == 1


def test_the_committed_baselines_speak_for_the_suite_that_is_there(gate):
    """Names in a baseline are those of the suite, or the gate would call them gone."""
    names = {f"test_piece[{p.name}]" for p in gate_pieces()} | {"test_parse", "test_decide", "test_digest"}
    for path in sorted((ROOT / "benchmarks" / "baseline").glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        assert path == gate.baseline_path(found["machine"])
        assert set(found["ratios"]) == names


def gate_pieces():
    from cuakit.bench.lab.pieces import pieces

    return [p for p in pieces() if p.library != "OpenVINO"]


def test_ratios_are_read_from_what_pytest_benchmark_writes(gate):
    told = {"benchmarks": [{"name": "a", "extra_info": {"ratio": row(2)}}, {"name": "b", "extra_info": {}}]}
    assert gate.ratios(told) == {"a": row(2)}
