"""The experiment that kills runs finds nothing lost, and would have found it."""

from pathlib import Path

import pytest

from cuakit.bench.chaos import Chaos
from cuakit.bench.reproduce import reproduce
from cuakit.core.errors import UsageError
from cuakit.record.ledger import Ledger

SUITE = """\
id: toy
version: 1
tasks:
  - env: toy_env:Toy
    names: [ok, fail, half, crash-once]
"""
AGENT = """\
name = "toy"
observe = "pixels"
[perceive]
name = "contours-v1"
[decide]
name = "scripted-v1"
[settle]
name = "fixed-v1"
seconds = 0.0
"""


@pytest.fixture
def command(tmp_path, toy):
    (tmp_path / "toy.yaml").write_text(SUITE)
    (tmp_path / "toy.toml").write_text(AGENT)
    return [str(tmp_path / "toy.yaml"), "--agent", str(tmp_path / "toy.toml"), "--seeds", "10", "--workers", "2"]


@pytest.mark.slow
def test_kills_cost_nothing_but_time(command, tmp_path):
    damage = Chaos(command=command, folder=tmp_path / "chaos", kills=6, seed=1, longest_s=3.0)()
    assert damage.kills == sum(damage.by_victim.values()) >= 6
    assert len(damage.by_victim) >= 2
    assert damage.trials > 0
    assert (damage.lost, damage.duplicated, damage.half_written, damage.orphans) == (0, 0, 0, 0)


def rows(folder: Path, *ids: str, planned: int) -> None:
    (folder / "ledger.jsonl").unlink(missing_ok=True)
    with Ledger(folder / "ledger.jsonl") as ledger:
        ledger.append({"kind": "run", "planned": planned})
        for id in ids:
            ledger.append({"kind": "trial", "id": id, "outcome": "scored"})


def test_what_is_lost_doubled_or_half_written_is_counted(tmp_path):
    chaos = Chaos(command=[], folder=tmp_path)
    rows(tmp_path, "a", "b", planned=3)
    chaos._check(tmp_path, final=False)
    rows(tmp_path, "b", "b", planned=3)
    frames = tmp_path / "frames" / "00"
    frames.mkdir(parents=True)
    (frames / f"{'0' * 64}.png").write_bytes(b"half a pict")
    chaos._check(tmp_path, final=True)
    assert (chaos.damage.lost, chaos.damage.duplicated, chaos.damage.half_written) == (1 + 2, 1, 1)
    ledger = tmp_path / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'"planned":3', b'"planned":4', 1))
    chaos._check(tmp_path, final=False)
    assert chaos.damage.half_written == 2


def test_a_command_that_fails_by_itself_is_no_experiment(tmp_path):
    with pytest.raises(UsageError, match="no suite named 'nothing'"):
        Chaos(command=["nothing"], folder=tmp_path, kills=1, longest_s=60.0)()


def test_a_run_is_reproduced_trial_by_trial(toy, toy_suite, tmp_path):
    first = toy("ok", "half", seeds=2)
    found = reproduce(first, tmp_path / "again", suite=toy_suite("ok", "half"), progress=False)
    assert (found.compared, found.same_score, found.same_actions, found.differing) == (4, 4, 4, ())
    assert found.identical
    with pytest.raises(UsageError, match="is version 2 now"):
        reproduce(first, tmp_path / "other", suite=toy_suite("ok", "half", version=2), progress=False)


def test_a_run_that_comes_out_differently_is_named(toy, toy_suite, tmp_path, monkeypatch):
    first = toy("crash-once", limit=1)
    (trial,) = first.trials
    assert trial.score == 1
    monkeypatch.setenv("TOY_WORTH", "0.25")
    found = reproduce(first, tmp_path / "again", suite=toy_suite("crash-once"), progress=False)
    assert not found.identical
    assert found.differing == ("toy toy_env:Toy/crash-once 0",)
