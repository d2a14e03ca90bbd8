"""A run in other formats says the same as its ledger, and the leaderboard says the same as the results."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cuakit.agent import Agent
from cuakit.bench import Run, run
from cuakit.bench.export import export, parquet, result
from cuakit.bench.latex import latex_table, latex_text
from cuakit.bench.leaderboard import leaderboard, read_results
from cuakit.cli import main
from cuakit.core.errors import MissingExtra, RecordError, UsageError
from cuakit.core.registry import Spec
from cuakit.suites.spec import Suite, Task

HERE = Path(__file__).parent
RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One real run for all tests: a task that succeeds and one that fails, two seeds each."""
    folder = tmp_path_factory.mktemp("ran")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOY_FOLDER", str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
        patch.syspath_prepend(str(HERE))
        tasks = tuple(Task(suite="toy", env="toy_env:Toy", name=n, group="g") for n in ("ok", "fail"))
        agent = Agent(
            name="toy",
            observe="pixels",
            perceive=Spec("contours-v1"),
            decide=Spec("scripted-v1"),
            act=Spec("leased-v1"),
            settle=Spec("fixed-v1", args={"seconds": 0.0}),
        )
        suite = Suite(id="toy", version=1, tasks=tasks, seeds=2)
        return run(suite, [agent], out=folder / "run", workers=1, progress=False).folder


@pytest.fixture
def done(ran, tmp_path):
    """A copy of it."""
    return Run(shutil.copytree(ran, tmp_path / "run"))


def test_parquet_holds_the_rows_of_the_ledger_and_names_its_run(done, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "tables"
    written = export(done, out, formats=("parquet",))
    assert [p.name for p in written] == ["trials.parquet", "steps.parquet", "spans.parquet"]
    trials = pq.read_table(out / "trials.parquet")
    assert sorted(trials["id"].to_pylist()) == sorted(t.id for t in done.trials)
    assert dict(zip(trials["id"].to_pylist(), trials["score"].to_pylist(), strict=True)) == {
        t.id: t.score for t in done.trials
    }
    about = json.loads(trials.schema.metadata[b"cuakit"])
    assert about["suite"]["id"] == "toy"
    assert about["command"].startswith("cuakit bench run toy")
    assert about["machine"]["cpu"]
    steps = pq.read_table(out / "steps.parquet")
    assert steps.num_rows == len(done.steps_frame())
    spans = pq.read_table(out / "spans.parquet").to_pydict()
    assert set(spans) == {"trial", "index", "stage", "ms"}
    assert len(spans["ms"]) == len(done.spans_frame())


def test_cells_without_a_parquet_type_become_json_text(tmp_path):
    pd, pq = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    frame = pd.DataFrame(
        {
            "mapping": [{"a": 1}, {}],
            "mixed": [1, "one"],
            "numbers": [[1.5, 2.5], [3.5]],
            "text": ["x", None],
            "score": [1.0, float("nan")],
        }
    )
    back = pq.read_table(parquet(frame, tmp_path / "odd.parquet", {})).to_pydict()
    assert back == {
        "mapping": ['{"a": 1}', "{}"],
        "mixed": ["1", '"one"'],
        "numbers": [[1.5, 2.5], [3.5]],
        "text": ["x", None],
        "score": [1.0, None],
    }


def test_an_empty_table_is_a_file_too(tmp_path):
    pd, pq = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    assert pq.read_table(parquet(pd.DataFrame(), tmp_path / "none.parquet", {})).num_rows == 0


def test_the_result_counts_with_two_intervals(done):
    found = result(done)
    (row,) = found["rows"]
    assert (row["n"], row["tasks"], row["invalid"]) == (4, 2, 0)
    assert row["success"] == 0.5
    for low, high in (row["wilson_95"], row["tasks_95"]):
        assert 0 <= low <= row["success"] <= high <= 1
    assert len(found["ledger_sha256"]) == 64
    assert json.loads(json.dumps(found)) == found


def test_a_trial_that_was_not_scored_is_no_zero(done):
    (row,) = result(done)["rows"]
    lost = replace(done.trials[0], outcome="env_error", score=None)
    done.record.__dict__["trials"] = (lost, *done.trials[1:])  # a cached property of a frozen record
    (less,) = result(done)["rows"]
    assert (less["n"], less["invalid"]) == (row["n"] - 1, 1)


def test_every_format_on_the_command_line(done, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    assert main(["bench", "export", str(done.folder), "--json"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert json.loads(printed[-1])["trials"] == 4
    names = {Path(line).name for line in printed[:-1]}
    assert names == {"trials.parquet", "steps.parquet", "spans.parquet", "table.md", "table.tex", "result.json"}
    latex = (done.folder / "export" / "table.tex").read_text("utf-8")
    assert r"\toprule" in latex
    assert r"\%" in latex


def test_a_format_that_does_not_exist_is_a_sentence(done):
    with pytest.raises(UsageError, match="no such format: excel"):
        export(done, formats=("excel",))


def test_parquet_without_its_packages_names_the_extra(done, monkeypatch):
    monkeypatch.setattr("cuakit.bench.export.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="pyarrow") as told:
        export(done)
    assert "cuakit[parquet]" in told.value.hint
    assert not (done.folder / "export").exists()


def test_a_folder_that_cannot_be_written_is_a_sentence(done, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordError, match="cannot be written"):
        export(done, tmp_path / "file", formats=("json",))


def test_a_folder_without_a_run_is_a_sentence(tmp_path):
    with pytest.raises(RecordError):
        export(Run(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b & 5 %", r"a\_b \& 5 \%"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2~#", r"\$x\textasciicircum{}2\textasciitilde{}\#"),
        ("0.1 – 0.2\n×", r"0.1 -- 0.2 $\times$"),
    ],
)
def test_nothing_in_a_name_is_a_command_to_latex(text, latex):
    assert latex_text(text) == latex


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="2 cells"):
        latex_table(["a", "b"], [["1"]])


def made(agent, success, **more):
    row = {"agent": agent, "n": 10, "tasks": 5, "invalid": 0, "success": success}
    row |= {"tasks_95": [0.1, 0.9], "step_ms": {"value": 50.4, "low": 40.0, "high": 61.0, "n": 9, "coverage": 0.96}}
    header = {
        "schema": 1,
        "kind": "result",
        "suite": {"id": "quick", "version": 1, "digest": "abc"},
        "started": "2026-12-01T00:00:00+00:00",
        "command": f"cuakit bench run quick --agent {agent}",
        "commit": "abcdef123456+",
        "machine": {"cpu": "Some CPU", "cores": {"usable": 2}},
        "planned": 10,
        "trials": 10,
        "rows": [row],
    }
    return header | more


def test_each_row_names_commit_machine_run_n_and_interval(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(made("worse", 0.2)))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.json").write_text(json.dumps(made("better|x", 0.9)))
    (tmp_path / "other.json").write_text('{"kind": "profile"}')
    text = leaderboard(read_results(tmp_path))
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [
        "| `better\\|x` | 90.0 % | 10.0 – 90.0 % | 10 | 5 | 0 | 50 [40, 61] | abcdef123456+ | Some CPU, 2 cores | 2026-12-01 | 2 |",
        "| `worse` | 20.0 % | 10.0 – 90.0 % | 10 | 5 | 0 | 50 [40, 61] | abcdef123456+ | Some CPU, 2 cores | 2026-12-01 | 1 |",
    ]
    assert "Run 1: `cuakit bench run quick --agent worse` (10 of 10 trials, [a.json](a.json))" in text


def test_versions_of_a_suite_are_not_ranked_together():
    old, new = made("a", 0.5), made("a", 0.6, suite={"id": "quick", "version": 2, "digest": "def"})
    text = leaderboard([f | {"file": "x.json"} for f in (old, new)])
    assert text.count("## quick version") == 2


def test_an_agent_without_a_scored_trial_has_no_figure():
    found = made("a", None) | {"file": "x.json"}
    found["rows"] = [{"agent": "a", "n": 0, "tasks": 0, "invalid": 3, "success": None, "step_ms": None}]
    assert "| `a` | – | 0.0 – 100.0 % | 0 | 0 | 3 | – |" in leaderboard([found])


@pytest.mark.parametrize("text", ["{", '{"kind": "result", "schema": 99}', '{"kind": "result", "schema": 1}'])
def test_a_damaged_result_is_named(text, tmp_path, capsys):
    (tmp_path / "bad.json").write_text(text)
    assert main(["bench", "leaderboard", str(tmp_path)]) == 1
    assert "bad.json" in capsys.readouterr().err


def test_a_missing_folder_is_a_sentence(tmp_path):
    with pytest.raises(RecordError, match="there is no folder"):
        read_results(tmp_path / "nowhere")


def test_check_notices_an_edited_leaderboard(tmp_path, capsys):
    (tmp_path / "a.json").write_text(json.dumps(made("a", 0.5)))
    assert main(["bench", "leaderboard", str(tmp_path), "--check"]) == 1
    assert main(["bench", "leaderboard", str(tmp_path)]) == 0
    assert main(["bench", "leaderboard", str(tmp_path), "--check"]) == 0
    board = tmp_path / "LEADERBOARD.md"
    board.write_text(board.read_text("utf-8").replace("50.0 %", "99.0 %"), "utf-8")
    assert main(["bench", "leaderboard", str(tmp_path), "--check"]) == 1
    assert "is not what the results say" in capsys.readouterr().out


def committed() -> bool:
    """Only what is committed counts; a folder of runs in progress holds other people's files."""
    told = subprocess.run(["git", "ls-files", str(RESULTS)], cwd=RESULTS.parent, capture_output=True, check=False)
    return b"LEADERBOARD.md" in told.stdout


@pytest.mark.skipif(not committed(), reason="no checkout")
def test_the_committed_leaderboard_is_what_the_committed_results_say():
    names = subprocess.run(
        ["git", "ls-files", "results/*.json"], cwd=RESULTS.parent, capture_output=True, text=True, check=True
    ).stdout.split()
    assert names
    found = [f for f in read_results(RESULTS) if f"results/{f['file']}" in names]
    assert leaderboard(found) == (RESULTS / "LEADERBOARD.md").read_text("utf-8")
