"""Judging what was left behind, by real files."""

import json

import pytest

from cuakit.core.errors import BackendError, InvalidTask, UnknownName
from cuakit.envs.desktop import getters
from cuakit.envs.desktop.judge import judge
from cuakit.envs.desktop.metrics import METRICS, metric
from cuakit.envs.desktop.read import parse_task

FILE = {"type": "vm_file", "path": "~/n.txt", "dest": "n.txt"}
HAS_B = ("check_list", FILE, {"type": "rule", "rules": {"expect": ["b"]}})
HAS_Z = ("check_list", FILE, {"type": "rule", "rules": {"expect": ["z"]}})
URL = "https://hub.example/d/resolve/main/os/1/n%20gold.txt"


def task(*checks: tuple, conj: str = "and"):
    funcs, results, expected = (list(p) for p in zip(*checks, strict=True))
    judge_ = {"func": funcs, "result": results, "expected": expected, "conj": conj}
    return parse_task({"id": "t", "instruction": "do", "evaluator": judge_})


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/n.txt").write_text("a\nb\n")
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("checks", "conj", "score"),
    [
        ([HAS_B], "and", 1.0),
        ([HAS_Z], "and", 0.0),
        ([HAS_B, HAS_Z], "and", 0.0),
        ([HAS_B, HAS_Z], "or", 1.0),
        ([HAS_Z, HAS_Z], "or", 0.0),
        ([HAS_B, HAS_Z], "mean", 0.5),
        ([HAS_B, HAS_B], "mean", 1.0),
        ([HAS_Z, HAS_Z], "mean", 0.0),
    ],
)
def test_checks_are_joined_as_the_task_says(home, checks, conj, score):
    assert judge(task(*checks, conj=conj), home) == score


def test_partial_credit_is_the_mean_of_checks_that_hold(home, tmp_path):
    (tmp_path / "os/1").mkdir(parents=True)
    (tmp_path / "os/1/n gold.txt").write_text("a\nc\n")
    half = ("diff_text_file", FILE, {"type": "cloud_file", "path": URL, "dest": "gold.txt"})
    assert judge(task(HAS_B, half), home, fixtures=tmp_path) == 0.75


def test_a_file_that_is_not_there_scores_zero(tmp_path):
    assert judge(task(HAS_B), tmp_path) == 0.0


def test_a_missing_fixture_is_no_zero(home, tmp_path):
    compared = task(("compare_text_file", FILE, {"type": "cloud_file", "path": URL, "dest": "gold.txt"}))
    for fixtures in (None, tmp_path):
        with pytest.raises(BackendError) as told:
            judge(compared, home, fixtures=fixtures)
        assert told.value.error_code == "fixture_missing"


def test_only_a_task_that_cannot_be_done_is_solved_by_giving_up(home):
    impossible = parse_task({"id": "t", "instruction": "do", "evaluator": {"func": "infeasible"}})
    assert judge(impossible, home, gave_up=True) == 1.0
    assert judge(impossible, home) == 0.0
    assert judge(task(HAS_B), home, gave_up=True) == 0.0


def test_the_home_is_only_read(home):
    before = {p: p.read_bytes() for p in home.rglob("*")}
    judge(task(HAS_B), home)
    assert {p: p.read_bytes() for p in home.rglob("*")} == before


def test_a_link_out_of_the_home_is_not_followed(home, tmp_path):
    (tmp_path / "secret").write_text("b")
    (home / "n.txt").unlink()
    (home / "n.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidTask) as told:
        judge(task(HAS_B), home)
    assert told.value.error_code == "path_escape"


def test_a_file_without_end_is_not_read(home):
    with (home / "n.txt").open("wb") as file:
        file.truncate(getters.LARGEST + 1)
    with pytest.raises(InvalidTask, match="larger than"):
        judge(task(HAS_B), home)


@pytest.mark.parametrize(
    ("check", "error"),
    [
        (("no_such_metric", FILE, {}), UnknownName),
        (("check_list", {"type": "no_such_getter"}, {}), InvalidTask),
        (("check_list", {"type": "vm_file", "dest": "n.txt"}, {}), InvalidTask),
        (("check_list", FILE, {}), InvalidTask),
        (("check_list", FILE, {"type": "rule", "rules": {"expect": ["("]}}), InvalidTask),
    ],
)
def test_a_task_that_cannot_be_judged_says_so(home, check, error):
    with pytest.raises(error):
        judge(task(check), home)


def test_of_many_files_those_given_reach_the_metric(home):
    (home / "m.txt").write_text("z")
    many = {"type": "vm_file", "multi": True, "path": ["~/m.txt", "~/n.txt"], "dest": ["m.txt", "n.txt"], "gives": [1]}
    assert judge(task(("check_list", many, HAS_B[2])), home) == 1.0
    assert judge(task(("check_list", {**many, "gives": [0]}, HAS_B[2])), home) == 0.0


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_listed_is_there(name):
    assert callable(metric(name))


def test_settings_are_judged_as_they_are_stored(home):
    (home / "n.txt").write_text(json.dumps({"editor.fontSize": 14}))
    rule = {"type": "rule", "rules": {"expected": {"editor.fontSize": 14}}}
    assert judge(task(("check_json_settings", FILE, rule)), home) == 1.0
