"""A decider is served from the command line, says where, and stops when it is asked to."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from cuakit.cli import main

pytestmark = pytest.mark.processes

CHOICE = {"type": "choice", "criteria": {"Billing": "invoices", "Technical": "crashes and bugs"}}


@contextmanager
def serving(*words):
    command = [sys.executable, "-m", "cuakit.cli", "serve", "systemone", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def ask(url, token):
    body = {"model": "any", "state": "The app crashes with a bug", "questions": {"a": CHOICE}}
    request = urllib.request.Request(f"{url}/v1/systemone", data=json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_and_then_ends_cleanly(number):
    with serving() as (process, said):
        assert set(said) == {"url", "token", "model"}
        assert ask(said["url"], said["token"])["answers"]["a"]["choice"] == "Technical"
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(said["url"], "guess")
        refused.value.close()
        assert refused.value.code == 401
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


def test_a_token_file_is_private_reused_and_keeps_the_token_off_the_output(tmp_path):
    file = tmp_path / "token"
    for _ in range(2):
        with serving("--token-file", str(file), "--agent", "noop-dom") as (_, said):
            token = file.read_text().strip()
            assert file.stat().st_mode & 0o777 == 0o600
            assert token not in json.dumps(said)
            assert said["model"] == "noop-dom"
            assert ask(said["url"], token)["model"] == "noop-dom"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--decider", "lexcal-v1"], "lexical-v1"),
        (["--decider", "choice-v1"], "options: provider"),
        (["--agent", "*-dom"], "matches"),
        (["--port", "70000"], "no port 70000"),
        (["--token-file", "/no/such/folder/token"], "cannot use token file"),
    ],
)
def test_a_mistake_is_a_sentence(capsys, words, told):
    assert main(["serve", "systemone", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_short_token_is_refused(capsys, tmp_path):
    (tmp_path / "token").write_text("1234")
    assert main(["serve", "systemone", "--token-file", str(tmp_path / "token")]) == 2
    assert "holds 4 characters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "1"], "go with --http"),
        (["--mode", "bounded"], "manifest"),
        (["--mode", "standard", "--manifest", "{manifest}"], "only it"),
        (["--mode", "bounded", "--manifest", "/no/such.json"], "cannot read manifest"),
        (["--mode", "bounded", "--manifest", "{broken}"], "exactly"),
    ],
)
def test_mcp_refuses_a_mistake_before_it_touches_the_desktop(capsys, tmp_path, words, told):
    manifest, broken = tmp_path / "m.json", tmp_path / "b.json"
    manifest.write_text(json.dumps({"tools": ["*"], "windows": ["*"], "expires_s": 60, "idle_s": 60}))
    broken.write_text("{}")
    assert main(["mcp", *(w.format(manifest=manifest, broken=broken) for w in words)]) == 2
    assert told in capsys.readouterr().err
