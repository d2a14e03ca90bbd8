"""Task files: what is taken, what is refused, and how it is said."""

import copy
import json

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.places import HOME, Places
from cuakit.envs.desktop.read import LARGEST, parse_task, problems, read_task
from cuakit.envs.desktop.safety import MOST_STEPS, commands

TASK = {
    "id": "t1",
    "instruction": " Sort the table. ",
    "related_apps": ["libreoffice calc", "Calc", "OS"],
    "config": [
        {"type": "download", "parameters": {"files": [{"url": "https://x.org/a.xlsx", "path": f"{HOME}/a.xlsx"}]}},
        {"type": "launch", "parameters": {"command": ["xterm"], "shell": "true"}},
    ],
    "evaluator": {
        "func": ["check_list", "exact_match"],
        "conj": "or",
        "result": [{"type": "vm_file", "path": "~/a.xlsx", "dest": "a.xlsx"}, {"type": "vm_command_line"}],
        "expected": [{}, {"type": "rule", "rules": {"expected": 1}}],
        "options": [{}, {"ignore_case": True}],
        "postconfig": [{"type": "sleep", "parameters": {"seconds": 0.5}}],
    },
}


def changed(where: str, value: object) -> dict:
    """The good task with one thing changed; numbers in the path are places in a list."""
    task = copy.deepcopy(TASK)
    *path, last = [int(w) if w.isdigit() else w for w in where.split("/")]
    at = task
    for key in path:
        at = at[key]
    at[last] = value
    return task


def test_a_task_is_read_with_every_field():
    task = parse_task(TASK)
    assert task.instruction == "Sort the table."
    assert task.apps == ("calc", "os")
    assert [s.type for s in task.steps] == ["download", "launch", "sleep"]
    assert task.evaluator.conj == "or"
    first, second = task.evaluator.checks
    assert (first.func, first.expected, first.options) == ("check_list", None, {})
    assert (second.func, second.options) == ("exact_match", {"ignore_case": True})


def test_a_single_metric_needs_no_lists():
    task = parse_task({**TASK, "evaluator": {"func": "infeasible"}})
    assert [c.func for c in task.evaluator.checks] == ["infeasible"]
    assert task.evaluator.checks[0].result is None


def test_the_places_where_a_task_runs_commands_are_named():
    assert commands(parse_task(TASK)) == ("config[1]", "evaluator.func[1].result")


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        ("instruction", 3, "instruction: needs text, found 3"),
        ("instruction", "  ", "instruction: is empty"),
        ("evalutor", {}, "evalutor: is not a known key; did you mean 'evaluator'?"),
        ("config/1/type", "lunch", "config[1].type: no step named 'lunch'; did you mean 'launch'?"),
        ("config/1/parameters", {}, "config[1].parameters.command: is missing"),
        ("config/1/parameters/command", [], "config[1].parameters.command: is empty"),
        ("config/1/parameters/command", ["a", 3], "config[1].parameters.command[1]: needs text, found 3"),
        ("config/0/parameters/files", ["a"], "config[0].parameters.files[0]: needs an object, found 'a'"),
        ("evaluator/conj", "xor", "evaluator.conj: needs 'and', 'or' or 'mean', found 'xor'"),
        ("cuakit", {"level": 4}, "cuakit.level: needs a number from 1 to 3, found 4"),
        ("cuakit", {"level": "hard"}, "cuakit.level: needs a number, found 'hard'"),
        ("cuakit", {"paraphase": ""}, "cuakit.paraphase: is not a known key; did you mean 'paraphrase'?"),
        ("evaluator/func", [], "evaluator.func: is empty"),
        ("evaluator/options", [{}], "evaluator.options: has 1 entries for 2 metrics"),
    ],
)
def test_a_mistake_is_named_with_its_place(where, value, said):
    assert said in problems(changed(where, value))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("config/0/parameters/files/0/path", "/etc/passwd"),
        ("config/0/parameters/files/0/path", f"{HOME}/../root/.ssh/id"),
        ("config/0/parameters/files/0/path", f"{HOME}2/x"),
        ("config/0/parameters/files/0/path", "a\x00b"),
        ("config/0/parameters/files/0/path", "--output=/etc/passwd"),
        ("config/0/parameters/files/0/url", "file:///etc/passwd"),
        ("config/0/parameters/files/0/url", "https://user:password@x.org/a"),
        ("config/0/parameters/files/0/url", "https://x.org/a\nHost: y"),
        ("config/0", {"type": "open", "parameters": {"path": "../../etc"}}),
        ("config/0", {"type": "activate_window", "parameters": {"window_name": "-x; rm -rf ~"}}),
        ("config/0", {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["javascript:alert(1)"]}}),
        ("evaluator/result/0/path", "~/../../etc/shadow"),
        ("evaluator/result/0/dest", "../a.xlsx"),
        ("evaluator/result/0/dest", ".."),
        ("evaluator/postconfig/0/parameters/seconds", 1e9),
        ("evaluator/postconfig/0/parameters/seconds", -1),
        ("evaluator/postconfig/0/parameters/seconds", float("nan")),
        ("config", [{"type": "tidy_desktop", "parameters": {}}] * (MOST_STEPS + 1)),
    ],
)
def test_a_hostile_task_is_refused(where, value):
    assert not problems(TASK)
    with pytest.raises(InvalidTask):
        parse_task(changed(where, value))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"id": 1e999}'])
def test_what_is_no_task_is_a_sentence(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InvalidTask):
        read_task(tmp_path / "t.json")


def test_a_file_without_end_is_not_read(tmp_path):
    with (tmp_path / "t.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(InvalidTask, match="larger than"):
        read_task(tmp_path / "t.json")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=9), lambda x: st.lists(x, max_size=3)))
def test_any_value_in_any_place_is_answered_with_words(value):
    for where in ("id", "config", "config/0", "config/0/parameters", "evaluator", "evaluator/func", "evaluator/result"):
        assert all(isinstance(p, str) for p in problems(changed(where, value)))


@pytest.mark.parametrize(
    ("name", "relative"),
    [
        (f"{HOME}/a b.txt", "a b.txt"),
        ("~", "."),
        ("~/x/../y", "y"),
        ("notes", "notes"),
        ("/tmp/a", "tmp/a"),
        (f"{HOME}/.config/google-chrome/Default", ".config/chromium/Default"),
    ],
)
def test_names_of_a_task_lie_in_the_private_home(tmp_path, name, relative):
    assert Places(tmp_path).inside(name) == (tmp_path / relative).resolve()


@given(st.text(alphabet="./~ab$\\-", min_size=1, max_size=30))
def test_no_name_leads_out_of_the_private_home(tmp_path_factory, name):
    home = tmp_path_factory.getbasetemp() / "some-home"
    for whole in (name, f"/tmp/{name}", f"{HOME}/{name}"):
        try:
            found = Places(home).inside(whole)
        except InvalidTask:
            continue
        assert found.is_relative_to(home.resolve())


def test_a_symbolic_link_does_not_lead_out_either(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/link").symlink_to(tmp_path)
    with pytest.raises(InvalidTask) as told:
        Places(tmp_path / "home").inside("~/link/secret")
    assert told.value.error_code == "path_escape"


def test_a_file_is_read_as_the_object_is(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(TASK))
    assert read_task(tmp_path / "t.json") == parse_task(TASK)
