"""A suite file is read whole or refused with its line, what was found, and what to write instead."""

import pytest
from hypothesis import given, settings, strategies as st

from cuakit.bench.agents import agents_folder
from cuakit.core.errors import InvalidTask, MissingExtra, UnknownName, UsageError
from cuakit.envs.drawio import TASKS
from cuakit.envs.miniwob import FAMILIES, group_of
from cuakit.suites.loader import load_suite, read_suite, suite_names
from cuakit.suites.opener import env_class, env_kinds, open_env
from cuakit.suites.spec import Suite, Task

GOOD = """\
id: mine
version: 2
about: a test
seeds: 3
tasks:
  - env: miniwob
    group: single-click
    names: [click-test, click-link]
    max_actions: 4
    deadline_s: 12.5
  - {env: drawio, names: [insert-shape], max_seeds: 1}
"""


def written(tmp_path, text: str):
    file = tmp_path / "suite.yaml"
    file.write_text(text, "utf-8")
    return file


def test_a_good_file_becomes_its_suite(tmp_path):
    suite = load_suite(written(tmp_path, GOOD))
    shared = {"suite": "mine", "env": "miniwob", "group": "single-click", "max_actions": 4, "deadline_s": 12.5}
    assert suite == Suite(
        id="mine",
        version=2,
        about="a test",
        seeds=3,
        tasks=(
            Task(name="click-test", **shared),
            Task(name="click-link", **shared),
            Task(suite="mine", env="drawio", name="insert-shape", max_seeds=1),
        ),
    )
    assert [t.id for t in suite.tasks] == ["miniwob/click-test", "miniwob/click-link", "drawio/insert-shape"]
    assert (list(suite.tasks[0].seeds(3)), list(suite.tasks[2].seeds(3))) == ([0, 1, 2], [0])


@pytest.mark.parametrize(
    ("was", "now", "line", "found"),
    [
        ("version: 2\n", "", 1, "'version' is missing"),
        ("version: 2", "version: two", 2, "whole number of at least 1, found 'two'"),
        ("version: 2", "version: true", 2, "whole number"),
        ("version: 2", "version: 0", 2, "whole number"),
        ("seeds: 3", "seed: 3", 4, "not a known key"),
        ("seeds: 3", "about: again", 4, "is given twice"),
        ("id: mine", "id: ../mine", 1, "cannot name a folder"),
        ("id: mine", "id: 7", 1, "needs text, found '7'"),
        ("names: [click-test, click-link]", "names: []", 8, "at least one entry"),
        ("names: [click-test, click-link]", "names: click-test", 8, "needs a list"),
        ("names: [click-test, click-link]", "names: [click-test, click-test]", 8, "already in line 8"),
        ("names: [click-test, click-link]", "names: [click-test, 3]", 8, "tasks[0].names[1]: needs text"),
        ("deadline_s: 12.5", "deadline_s: -1", 10, "seconds above 0"),
        ("deadline_s: 12.5", "deadline_s: .inf", 10, "seconds above 0"),
        ("deadline_s: 12.5", "deadline_s: !!float soon", 10, "seconds above 0"),
        ("max_actions: 4", "max_action: 4", 9, "tasks[0].max_action: is not a known key"),
        ("  - env: miniwob\n    group", "  - group", 6, "'env' is missing"),
        ("  - {env: drawio, names: [insert-shape], max_seeds: 1}", "  - drawio", 11, "needs keys and values"),
        ("about: a test", "about: !!python/object/apply:os.system [ls]", 3, "needs text"),
        ("about: a test", "about: [", 5, "not YAML"),
    ],
)
def test_each_mistake_is_told_with_its_line(tmp_path, was, now, line, found):
    assert was in GOOD
    file = written(tmp_path, GOOD.replace(was, now, 1))
    with pytest.raises(InvalidTask) as told:
        read_suite(file)
    assert told.value.message.startswith(f"{file}:{line}:")
    assert found in told.value.message
    assert told.value.hint


def test_a_misspelt_key_is_answered_with_the_right_one(tmp_path):
    with pytest.raises(InvalidTask) as told:
        read_suite(written(tmp_path, GOOD.replace("seeds: 3", "seedz: 3")))
    assert "did you mean 'seeds'" in told.value.hint


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"# only a comment\n", b"[" * 1500, b"just words", b"\x00"])
def test_what_is_no_suite_is_refused(tmp_path, content):
    file = tmp_path / "suite.yaml"
    file.write_bytes(content)
    with pytest.raises(InvalidTask, match=r"suite\.yaml"):
        read_suite(file)


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("idversontak:[]{}-&*!%\"' \n0129"), max_size=60))
def test_no_text_gets_past_the_reader_with_another_error(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("suite") / "suite.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidTask):
        read_suite(file)


def test_a_missing_file_and_an_unknown_name_are_told_apart(tmp_path):
    with pytest.raises(InvalidTask, match="cannot be read"):
        load_suite(tmp_path / "none.yaml")
    with pytest.raises(UnknownName, match="quickstart"):
        load_suite("quikstart")


@pytest.mark.parametrize("name", suite_names())
def test_our_suites_load_and_name_tasks_that_exist(name):
    suite = load_suite(name)
    assert suite.id == name
    for task in suite.tasks:
        assert task.env in env_kinds()
        if task.env == "miniwob":
            assert task.name in FAMILIES, "every family of ours has a gold path"
            assert task.group == group_of(task.name)
        if task.env == "drawio":
            assert task.name in TASKS


def test_quickstart_is_as_large_as_promised():
    suite = load_suite("quickstart")
    assert sum(t.env == "miniwob" for t in suite.tasks) >= 20
    assert sum(t.env == "drawio" for t in suite.tasks) == 3
    assert suite.seeds == 5
    assert agents_folder().is_dir()


def test_tasks_are_selected_by_id_name_or_group():
    suite = load_suite("quickstart")
    assert {t.group for t in suite.select("single-click").tasks} == {"single-click"}
    assert [t.id for t in suite.select("click-test").tasks] == ["miniwob/click-test"]
    assert {t.env for t in suite.select("drawio/*").tasks} == {"drawio"}
    assert suite.select() is suite
    with pytest.raises(UnknownName, match="matches 'nothing'"):
        suite.select("click-test", "nothing")


def test_a_changed_limit_changes_the_digest(tmp_path):
    one, two = (
        load_suite(written(tmp_path, text)) for text in (GOOD, GOOD.replace("max_actions: 4", "max_actions: 5"))
    )
    assert one.digest != two.digest


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("miniwop", UnknownName),
        ("no_such_module:Env", UnknownName),
        ("json:NoSuchClass", UnknownName),
        ("json:dumps", UsageError),
    ],
)
def test_an_environment_that_is_not_there_is_a_sentence(kind, error):
    with pytest.raises(error) as told:
        open_env(kind)
    assert told.value.hint


def test_a_package_that_an_environment_lacks_is_named(tmp_path, monkeypatch):
    (tmp_path / "needy_env.py").write_text("import a_package_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtra, match="a_package_nobody_has"):
        env_class("needy_env:Env")
