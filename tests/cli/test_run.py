"""One subtask in, JSON lines out, and an exit code that tells input from run."""

import io
import json
import subprocess
import sys

import pytest

from cuakit.cli import main

pytestmark = pytest.mark.processes

PAGE = """<title>Form</title><input aria-label="Name" id=n><input aria-label="Password" type=text id=p>
<button onclick="document.title='saved '+n.value">Save</button>"""


def job(**fields):
    return {"url": "about:blank", "subtask": {"goal": "Click Save"}} | fields


@pytest.fixture
def give(monkeypatch, capsys):
    def run(data, *words):
        text = data if isinstance(data, str) else json.dumps(data)
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        code = main(["run", *words])
        said = capsys.readouterr()
        assert said.err == ""
        return code, [json.loads(line) for line in said.out.splitlines()]

    return run


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("", "not one JSON object"),
        ("[1]", "must be a JSON object"),
        ('{"url": NaN}', "NaN"),
        ("[" * 100_000, "not one JSON object"),
        ({"subtask": {"goal": "x"}}, "one place"),
        (job(window=3), "one place"),
        (job(url=""), "url must be"),
        (job(extra=1), "no field extra"),
        (job(subtask={"goal": "x", "gaol": 1}), "no field gaol"),
        (job(subtask={"goal": " "}), "goal must be"),
        (job(subtask={}), "needs a goal"),
        (job(subtask={"goal": "x", "metadata": 3}), "metadata"),
        (job(subtask={"goal": "x", "allowed_risks": [["delete"]]}), "allowed_risks"),
        (job(subtask={"goal": "x", "allowed_risks": ["explode"]}), "explode"),
        (job(subtask={"goal": "x", "inputs": {"a": [1]}}), "inputs"),
        (job(agent="lexcal-dom"), "lexcal-dom"),
        (job(agent="*-dom"), "name one"),
        (job(timeout_s=True), "timeout_s"),
        (job(timeout_s=0), "timeout_s"),
        ({"window": True, "subtask": {"goal": "x"}}, "window must be"),
    ],
)
def test_invalid_input_is_an_error_line_and_code_2(give, data, told):
    code, lines = give(data)
    assert code == 2
    assert [line["type"] for line in lines] == ["error"]
    error = lines[0]["error"]
    assert told in f"{error['message']} {error['hint']}"


def test_a_log_that_cannot_be_written_is_told_before_anything_runs(give):
    code, lines = give(job(), "--log", "/no/such/folder/log")
    assert (code, lines[0]["error"]["code"]) == (2, "invalid_arguments")


def test_a_browser_that_is_not_there_is_a_failed_run(give, monkeypatch):
    monkeypatch.setenv("CUAKIT_CHROMIUM", "/no/such/browser")
    code, lines = give(job())
    assert (code, lines[-1]["type"]) == (1, "error")


@pytest.mark.browser
def test_a_subtask_is_worked_on_and_no_secret_leaves(tmp_path):
    page, log = tmp_path / "page.html", tmp_path / "log.jsonl"
    page.write_text(PAGE)
    secret = "hunter2-horse"
    subtask = {
        "goal": "Type the name into Name, the password into Password, then click Save",
        "inputs": {"name": "Kim", "password": secret},
        "secret_inputs": ["password"],
        "max_actions": 6,
    }
    told = json.dumps({"url": page.as_uri(), "subtask": subtask})
    command = [sys.executable, "-m", "cuakit.cli", "run", "--log", str(log)]
    ran = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    *actions, result = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {"Name", "Password", "Save"} <= {a["target_name"] for a in actions}
    assert {a["type"] for a in actions} == {"action"}
    assert result["type"] == "result"
    assert result["actions"] == len(actions)
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(logged) == result["steps"]
    assert logged[0]["ms"]["decide"] >= 0
    assert logged[0]["answers"]
    assert secret not in ran.stdout + log.read_text()


@pytest.mark.browser
def test_a_model_that_cannot_be_reached_is_a_failed_run(give, tmp_path):
    page, agent = tmp_path / "page.html", tmp_path / "agent.toml"
    page.write_text(PAGE)
    agent.write_text(
        'name = "gone"\n[decide]\nname = "choice-v1"\nprovider = "systemone"\n'
        'base_url = "http://127.0.0.1:9"\ntimeout_s = 2\n'
    )
    code, lines = give(job(url=page.as_uri(), agent=str(agent)))
    assert (code, lines[-1]["type"]) == (1, "error")
