"""Runs survive what agents, environments and machines do to them: nothing is lost, nothing is counted twice."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import psutil
import pytest

from cuakit.bench import Limits, Run
from cuakit.core.errors import BackendError, RecordError, UsageError
from cuakit.record.ledger import read
from tests.waiting import wait_for

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent


def outcomes(run: Run) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for t in run.trials:
        found.setdefault(t.task.rpartition("/")[2], []).append(t.outcome if t.score is None else f"{t.score:g}")
    return found


def final_rows(folder: Path) -> Counter[str]:
    return Counter(row["id"] for row in read(folder / "ledger.jsonl") if row["kind"] == "trial")


def alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_every_outcome_is_told_from_every_other(toy):
    run = toy("ok", "fail", "half", "nan", "raise", "page", "no-gold", "secret", limits=Limits(retries=1))
    assert outcomes(run) == {
        "ok": ["1"],
        "fail": ["0"],
        "half": ["0.5"],
        "nan": ["evaluator_error"],
        "raise": ["agent_error"],
        "page": ["env_error"],
        "no-gold": ["agent_error"],
        "secret": ["agent_error"],
    }
    by_task = {t.task.rpartition("/")[2]: t for t in run.trials}
    assert "divides by zero" in by_task["raise"].error
    assert by_task["ok"].steps == 3
    assert by_task["ok"].status == "SUBTASK_COMPLETE"
    assert "hunter2" not in (run.folder / "ledger.jsonl").read_text("utf-8")
    assert by_task["secret"].error == "ValueError: cannot say [secret]"
    assert run.summary()["invalid"] == 5
    told = run.summary()["success"]["toy"]
    assert (told["n"], told["rate"], told["strict_rate"]) == (
        3,
        0.3333,
        0.1667,
    )  # 3 of the 5 are the agent's own failures
    assert "16.7 % with its own failures" in run._repr_html_()


def test_what_says_nothing_about_the_agent_is_tried_again(toy):
    run = toy("shy", "crash-once", "crash")
    assert outcomes(run) == {"shy": ["1"], "crash-once": ["1"], "crash": ["infra_error"]}
    rows = [r for r in read(run.folder / "ledger.jsonl") if r["kind"] in ("attempt", "trial")]
    tries = Counter(r["task"].rpartition("/")[2] for r in rows)
    assert tries == {"shy": 2, "crash-once": 2, "crash": 3}
    assert "killed by SIGKILL" in rows[-1]["error"]


@pytest.mark.parametrize(
    ("task", "outcome"), [("hang", "timeout"), ("hang-score", "evaluator_error"), ("hang-reset", "env_error")]
)
def test_a_trial_that_hangs_dies_at_its_deadline_with_all_it_started(toy, tmp_path, task, outcome):
    limits = Limits(grace_s=1.0, reset_s=8.0, retries=0)
    run = toy(task, "ok", deadline_s=8.0, workers=1, limits=limits)
    assert outcomes(run) == {task: [outcome], "ok": ["1"]}
    children = (tmp_path / "notes" / "children").read_text().split() if task == "hang" else []
    assert not [pid for pid in children if alive(int(pid))]
    assert len(children) == (task == "hang")


def test_workers_are_replaced_after_their_share(toy):
    run = toy("ok", seeds=7, workers=1, limits=Limits(recycle=2))
    assert outcomes(run) == {"ok": ["1"] * 7}


def test_an_environment_that_never_opens_stops_the_run_with_its_own_words(toy, monkeypatch):
    monkeypatch.setenv("TOY_BROKEN", "1")
    with pytest.raises(BackendError, match="the toy is broken") as told:
        toy("ok", seeds=50, workers=1)
    assert told.value.error_code == "environment_unavailable"
    assert "resume" in told.value.hint


def test_a_second_call_runs_nothing_and_more_seeds_run_only_what_is_new(toy):
    first = toy("ok", "fail", seeds=2)
    before = final_rows(first.folder)
    again = toy("ok", "fail", seeds=2)
    assert final_rows(again.folder) == before
    more = toy("ok", "fail", seeds=3)
    after = final_rows(more.folder)
    assert set(after.values()) == {1}
    assert before.items() <= after.items()
    assert len(after) == 6
    assert [h["resumed"] for h in more.headers] == [0, 4, 4]


def test_infrastructure_errors_get_another_chance_when_resumed(toy, tmp_path):
    run = toy("crash-once", limits=Limits(retries=0))
    assert outcomes(run) == {"crash-once": ["infra_error"]}
    run = toy("crash-once", limits=Limits(retries=0))
    assert outcomes(run) == {"crash-once": ["1"]}
    assert len(run) == 1
    assert run.record.trial_rows[run.trials[0].id]["attempt"] == 2


@pytest.mark.parametrize("what", ["version", "packages"])
def test_a_folder_of_another_version_is_refused_with_what_differs(toy, monkeypatch, what):
    toy("ok")
    if what == "packages":
        monkeypatch.setattr("cuakit.bench.launch.package_set", lambda: {"cuakit": "99"})
    with pytest.raises(RecordError, match="holds a run made with") as told:
        toy("ok", version=2 if what == "version" else 1)
    assert told.value.error_code == "other_run"
    assert ("v1" if what == "version" else "cuakit") in told.value.message


def test_limit_and_task_globs_cut_the_plan_and_the_command_says_so(toy):
    run = toy("ok", "fail", seeds=3, limit=2, tasks=("*/ok",))
    assert len(run) == 2
    assert run.headers[0]["command"] == "cuakit bench run toy --agent toy --seeds 3 --task '*/ok' --limit 2"


@pytest.mark.parametrize("wrong", [{"seeds": 0}, {"limit": 0}, {"workers": 0}, {"agents": []}])
def test_numbers_that_make_no_run_are_refused(toy, wrong, tmp_path):
    with pytest.raises(UsageError):
        toy("ok", **wrong)


def test_deterministic_agents_do_the_same_again(toy, tmp_path):
    one, two = (toy("ok", "half", seeds=2, out=tmp_path / name) for name in ("one", "two"))
    assert [(t.id, t.score, t.extra["actions_digest"]) for t in sorted(one.trials, key=lambda t: t.id)] == [
        (t.id, t.score, t.extra["actions_digest"]) for t in sorted(two.trials, key=lambda t: t.id)
    ]


RUNNER = """
    import signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs deaf to it
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from importlib import util
    spec = util.spec_from_file_location("toys", Path(sys.argv[1]) / "conftest.py")
    toys = util.module_from_spec(spec)
    spec.loader.exec_module(toys)
    toys.freeze_packages(toys.pytest.MonkeyPatch())
    from cuakit.bench import Limits, run
    from cuakit.core.errors import CuakitError
    try:
        run(toys.toy_suite(*sys.argv[3:]), [toys.toy_agent()], seeds=4, out=sys.argv[2], workers=2, progress=False,
            limits=Limits(grace_s=5.0))
    except CuakitError as told:
        sys.exit(told.error_code)
    """


def start_runner(folder: Path, *names: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(RUNNER), HERE, folder, *names],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def both_wait(folder: Path) -> list[psutil.Process]:
    """The two workers, once each says from inside its trial that it waits."""
    waiting = folder.parent / "notes" / "waiting"
    wait_for(lambda: waiting.exists() and len(set(waiting.read_text().split())) == 2)
    return [psutil.Process(int(pid)) for pid in set(waiting.read_text().split())]


def kinds(folder: Path) -> Counter[str]:
    try:
        return Counter(row["kind"] for row in read(folder / "ledger.jsonl"))
    except RecordError:
        return Counter()


def test_a_killed_runner_leaves_no_process_and_a_resumed_run_loses_and_repeats_nothing(toy, tmp_path):
    folder, names = tmp_path / "run", ("ok", "fail", "wait")
    runner = start_runner(folder, *names)
    try:
        wait_for(lambda: kinds(folder)["trial"] >= 8)  # the quick ones are done
        workers = both_wait(folder)
    finally:
        runner.send_signal(signal.SIGKILL)
        runner.communicate()
    wait_for(lambda: not [p for p in workers if alive(p.pid)])
    finished = final_rows(folder)
    (tmp_path / "notes" / "gate").touch()
    run = toy(*names, seeds=4)
    after = final_rows(folder)
    assert outcomes(run) == {"ok": ["1"] * 4, "fail": ["0"] * 4, "wait": ["1"] * 4}
    assert set(after.values()) == {1}
    assert finished.items() <= after.items()


def test_a_killed_worker_costs_only_its_trial_and_that_one_is_tried_again(toy, tmp_path):
    folder = tmp_path / "run"
    runner = start_runner(folder, "ok", "wait")
    try:
        both_wait(folder)[0].kill()
        wait_for(lambda: kinds(folder)["attempt"] == 1)
        (tmp_path / "notes" / "gate").touch()
        assert runner.wait(120) == 0
    finally:
        runner.kill()
        runner.communicate()
    run = Run(folder)
    assert outcomes(run) == {"ok": ["1"] * 4, "wait": ["1"] * 4}
    assert set(final_rows(folder).values()) == {1}


def test_two_runners_on_one_folder_are_one_too_many(toy, tmp_path):
    folder = tmp_path / "run"
    runner = start_runner(folder, "wait")
    try:
        wait_for(lambda: kinds(folder)["run"] == 1)
        with pytest.raises(RecordError, match="another runner"):
            toy("wait", seeds=4)
        second = start_runner(folder, "wait")
        assert b"ledger_locked" in second.communicate()[1]
        (tmp_path / "notes" / "gate").touch()
        assert runner.wait(120) == 0
    finally:
        runner.kill()
        runner.communicate()
    assert outcomes(Run(folder)) == {"wait": ["1"] * 4}


def test_an_interrupt_stops_everything_and_keeps_what_is_done(toy, tmp_path):
    folder = tmp_path / "run"
    runner = start_runner(folder, "ok", "wait")
    try:
        wait_for(lambda: kinds(folder)["trial"] >= 4)
        both_wait(folder)
        workers = list(psutil.Process(runner.pid).children(recursive=True))
        runner.send_signal(signal.SIGINT)
        _, told = runner.communicate(timeout=120)
    finally:
        runner.kill()
        runner.communicate()
    assert b"KeyboardInterrupt" in told
    assert len(workers) >= 2
    assert not [p for p in workers if alive(p.pid)]
    assert len(Run(folder)) == 4


def test_a_torn_tail_is_set_aside_and_the_run_goes_on(toy):
    run = toy("ok", "fail", seeds=2)
    ledger = run.folder / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-7])
    again = toy("ok", "fail", seeds=2)
    assert outcomes(again) == {"ok": ["1", "1"], "fail": ["0", "0"]}
    assert set(final_rows(again.folder).values()) == {1}
    assert again.headers[-1]["torn"] > 0
    assert (run.folder / "ledger.jsonl.torn").exists()


def test_a_disk_that_fills_up_stops_the_run_and_leaves_a_whole_ledger(toy, tmp_path):
    folder = tmp_path / "run"
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n" + textwrap.dedent(RUNNER)
    full = subprocess.run(
        [sys.executable, "-c", code, HERE, folder, "ok", "fail", "half"], stderr=subprocess.PIPE, check=False
    )
    assert b"disk_full" in full.stderr
    done = final_rows(folder)
    assert 0 < len(done) < 12
    assert (folder / "ledger.jsonl").read_bytes().endswith(b"}\n")
    run = toy("ok", "fail", "half", seeds=4)
    assert outcomes(run) == {"ok": ["1"] * 4, "fail": ["0"] * 4, "half": ["0.5"] * 4}
    assert done.items() <= final_rows(folder).items()
    assert not (folder / "ledger.jsonl.torn").exists()


def test_a_run_shows_itself_as_a_table_and_a_trial_as_a_film_strip(toy):
    run = toy("ok", "fail")
    page = run._repr_html_()
    assert page.count("<tr") == 1 + 3
    assert "toy" in repr(run)
    trial = run[run.trials[0].id[:8]]
    assert trial._repr_html_().count("<img") == trial.trial.steps == 3
    assert json.dumps(run.summary())
    assert len(run.steps_frame()) == 6
    assert os.path.commonpath([run.folder, run.record.blobs.root]) == str(run.folder)
