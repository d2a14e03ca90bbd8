"""The comparison of deciders: the suite is what it says, the figures are the ledger's, and nothing is left running."""

import json
import os

import pytest

from cuakit.bench import Run, deciders
from cuakit.bench.deciders import BASELINE, DECIDERS, agents, leaderboard, spread
from cuakit.bench.stats import wilson
from cuakit.cli import main
from cuakit.core.errors import ModelError, UsageError
from cuakit.envs.miniwob import FAMILIES, GROUPS
from cuakit.record.ledger import Ledger
from cuakit.suites.loader import load_suite


def test_the_suite_is_every_family_with_a_gold_path_in_its_group():
    suite = load_suite("deciders")
    assert {t.name: t.group for t in suite.tasks} == {f: g for g, families in GROUPS.items() for f in families}
    assert len(suite.tasks) == len(FAMILIES) >= 60
    assert suite.seeds == 5


def test_the_agents_differ_in_the_decision_alone():
    made = agents()
    assert [a.name for a in made] == [name for name, _, _ in DECIDERS]
    assert len({(a.observe, str(a.perceive), str(a.act), str(a.settle)) for a in made}) == 1
    assert len({str(a.decide) for a in made}) == len(made)
    assert {a.name for a in made} - {a.name for a in agents(llm=False)} == {"local-1.5b"}


@pytest.mark.parametrize("count", [1, 8, 9, 60, 86, 1000])
def test_a_cut_keeps_the_groups_in_balance(count):
    suite = load_suite("deciders")
    cut = spread(suite, count)
    assert len(cut) == min(count, len(suite.tasks))
    assert [t for t in suite.tasks if t in cut] == list(cut)
    sizes = [sum(t.group == g for t in cut) for g, families in GROUPS.items() if len(families) > count // len(GROUPS)]
    assert max(sizes, default=0) - min(sizes, default=0) <= max(1, count - 8 * 8)


def test_a_cut_to_nothing_is_refused():
    with pytest.raises(UsageError, match="at least 1"):
        spread(load_suite("deciders"), 0)


def written(folder, wins, ms):
    """A run in which each decider solves the first of 40 instances, as many as told."""
    with Ledger(folder / "ledger.jsonl") as ledger:
        for agent, won in wins.items():
            for i in range(40):
                id = f"{agent}-{i}"
                ledger.append(
                    {
                        "kind": "step",
                        "trial": id,
                        "attempt": 1,
                        "index": 0,
                        "spans": {"decide": ms[agent] + i},
                        "decision": {
                            "outcome": "abstain" if i % 4 == 0 else "act",
                            "usage": {"input_tokens": 100, "output_tokens": i % 2},
                        },
                    }
                )
                ledger.append(
                    {
                        "kind": "trial",
                        "attempt": 1,
                        "id": id,
                        "suite": "deciders",
                        "task": f"miniwob/t{i % 8}",
                        "agent": agent,
                        "seed": i // 8,
                        "outcome": "scored",
                        "score": float(i < won),
                        "status": "NEEDS_AGENT" if i % 2 else "SUBTASK_COMPLETE",
                        "steps": 1,
                        "extra": {"step_ms": [float(i)]},
                    }
                )
    return Run(folder)


def test_the_figures_are_those_of_the_ledger(tmp_path):
    ms = {"oracle": 0.0, BASELINE: 100.0, "noop": 200.0}
    board = leaderboard(written(tmp_path, {"noop": 0, BASELINE: 20, "oracle": 40}, ms))
    said = board.summary()
    assert (said["families"], said["seeds"]) == (8, 5)
    assert list(said["deciders"]) == ["oracle", BASELINE, "noop"]
    for name, won in (("oracle", 40), (BASELINE, 20), ("noop", 0)):
        rate = wilson(won, 40)
        assert said["deciders"][name] == {
            "rate": won / 40,
            "low": round(rate.low, 4),
            "high": round(rate.high, 4),
            "n": 40,
            "ended_wrong": (40 - won) / 2 / 40,
            "pass_hat_k": won // 40,
            "pass_at_k": float(won > 0),
            "mean_steps": 1.0,
            "abstained": 0.25,
            "tokens_per_decision": 100.5,
            "median_decision_ms": ms[name] + 19.5,
            "median_step_ms": 19.5,
            "embedded": name != "oracle",
        }
    versus = {s.name: s.versus for s in board.standings}
    assert versus[BASELINE] is None
    assert versus["oracle"].only_a == versus["noop"].only_b == 20
    assert versus["oracle"].p == pytest.approx(2 * 2 * 0.5**20)  # both signs, and Holm over two comparisons
    assert "50 %" in repr(board)
    json.dumps(said, allow_nan=False)


def test_a_run_without_the_baseline_has_no_comparison(tmp_path):
    board = leaderboard(written(tmp_path, {"noop": 0}, {"noop": 1.0}))
    assert [s.versus for s in board.standings] == [None]


def test_a_model_that_is_not_here_is_told_before_anything_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cuakit.models.minilm.cache_dir", lambda: tmp_path)
    assert main(["bench", "deciders", "--no-llm", "--out", str(tmp_path / "run")]) == 1
    assert "cuakit models pull minilm" in capsys.readouterr().err
    monkeypatch.setattr("cuakit.models.minilm.load", lambda: None)
    monkeypatch.setattr("cuakit.models.gguf.cache_dir", lambda: tmp_path)
    assert main(["bench", "deciders", "--out", str(tmp_path / "run")]) == 1
    assert "--no-llm" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_language_model_is_closed_and_the_environment_restored_whatever_happens(tmp_path, monkeypatch):
    class Server:
        base_url, token, open = "http://127.0.0.1:1/v1", "secret", 0

        def __enter__(self):
            Server.open += 1
            return self

        def __exit__(self, *_):
            Server.open -= 1

    def broken(*_, **__):
        assert Server.open == 1
        assert os.environ["CUAKIT_LLM_KEY"] == "secret"
        raise ModelError("no")

    model = tmp_path / "model.gguf"
    model.write_bytes(b"x")
    monkeypatch.delenv("CUAKIT_LLM_KEY", raising=False)
    monkeypatch.setenv("CUAKIT_LLM_URL", "mine")
    monkeypatch.setattr(deciders.minilm, "load", lambda: None)
    monkeypatch.setattr(deciders.gguf, "path_of", lambda _: model)
    monkeypatch.setattr(deciders.LlamaServer, "launch", lambda _: Server())
    monkeypatch.setattr(deciders, "run", broken)
    with pytest.raises(ModelError):
        deciders.measure(families=1, out=tmp_path / "run")
    assert Server.open == 0
    assert os.environ["CUAKIT_LLM_URL"] == "mine"
    assert "CUAKIT_LLM_KEY" not in os.environ


@pytest.mark.browser
@pytest.mark.slow
def test_the_command_ends_with_one_object(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cuakit.bench.launch.package_set", lambda: {"cuakit": "frozen"})
    monkeypatch.setattr(deciders.minilm, "load", lambda: None)
    kept = [d for d in DECIDERS if d[0] in ("noop", "constant-v1", "lexical-v1", "oracle")]
    monkeypatch.setattr(deciders, "DECIDERS", tuple(kept))
    words = ["--no-llm", "--task", "click-test", "--seeds", "2", "--workers", "1", "--quiet", "--json"]
    assert main(["bench", "deciders", *words, "--out", str(tmp_path / "run")]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(said) == {"families", "seeds", "deciders"}
    assert (said["families"], said["seeds"]) == (1, 2)
    assert {n: d["rate"] for n, d in said["deciders"].items()} == {
        "noop": 0, "constant-v1": 1, "lexical-v1": 1, "oracle": 1,
    }  # fmt: skip
