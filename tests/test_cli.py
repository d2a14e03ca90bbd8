"""The command line says the same as Python, and a mistake gets a sentence and an exit code."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuakit.bench import Run, load_agents
from cuakit.cli import main
from cuakit.core import registry
from cuakit.core.errors import BackendError

pytestmark = pytest.mark.processes

QUICK = ["--agent", "noop-dom", "--agent", "oracle-dom", "--task", "click-test", "--seeds", "2", "--workers", "1"]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_help_and_version_answer_without_loading_the_library():
    code = (
        "import sys; from cuakit.cli import main; main(['--help']); main(['--version']);"
        "heavy = {'numpy', 'cv2', 'pandas', 'onnxruntime', 'yaml'} & set(sys.modules); assert not heavy, heavy"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "bench" in ran.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["bench", "run", "quikstart"], 2, "unknown_name: no suite named 'quikstart'. Close: 'quickstart'"),
        (["bench", "run", "quickstart", "--agent", "lexcal-dom"], 2, "no agent named 'lexcal-dom'"),
        (["bench", "run", "quickstart", "--agnt", "x"], 2, "--agent"),
        (["bench", "run", "quickstart", "--seeds", "many"], 2, "many"),
        (["bench", "run", "quickstart", "--seeds", "0"], 2, "seeds must be at least 1"),
        (["bench", "report", "nowhere"], 1, "record_failed"),
        (["bench"], 0, ""),
        (["nothing"], 2, "nothing"),
        (["list", "stages"], 2, "verbs: capture"),
        (["parse"], 2, "name one thing"),
        (["parse", "nowhere.png"], 2, "image_not_found"),
        (["parse", "x.png", "--perceive", "dom"], 2, "only a page"),
    ],
)
def test_a_mistake_is_a_sentence_and_an_exit_code(words, code, told, capsys, elsewhere):
    assert main(words) == code
    err = capsys.readouterr().err
    assert told in err
    assert "Traceback" not in err


def test_list_shows_what_python_lists(capsys):
    assert main(["list", "perceive"]) == 0
    assert capsys.readouterr().out.split()[1:] == list(registry.stages("perceive"))
    assert main(["list", "--json"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert set(registry.VERBS) < set(everything)
    assert set(everything["agents"]) == {a.name for a in load_agents(["*"])}
    assert "quickstart" in everything["suites"]


def test_parse_prints_a_menu_and_writes_an_overlay(tmp_path, capsys):
    picture = np.full((120, 200, 3), 255, np.uint8)
    picture[40:64, 40:64] = 30
    Image.fromarray(picture).save(tmp_path / "icon.png")
    overlay = tmp_path / "overlay.png"
    assert main(["parse", str(tmp_path / "icon.png"), "--overlay", str(overlay)]) == 0
    menu = json.loads(capsys.readouterr().out)
    assert menu["expires_in_seconds"] == 0, "nothing can be acted on in a file"
    assert any(c["bounds"][0] <= 50 <= c["bounds"][2] for c in menu["candidates"])
    with Image.open(overlay) as drawn:
        assert drawn.size == (200, 120)


@pytest.mark.browser
@pytest.mark.parametrize(("how", "type_"), [("dom", "button"), ("auto", "button")])
def test_parse_reads_a_page(tmp_path, capsys, how, type_):
    page = tmp_path / "page.html"
    page.write_text("<title>t</title><button>Send it</button>")
    assert main(["parse", "--url", page.as_uri(), "--perceive", how]) == 0
    found = json.loads(capsys.readouterr().out)["candidates"]
    assert [c["text"] for c in found if c["type"] == type_] == ["Send it"]


def test_doctor_names_what_is_missing(capsys, monkeypatch):
    monkeypatch.setenv("CUAKIT_CHROMIUM", "/no/such/browser")
    assert main(["doctor"]) == 1
    assert "missing chromium" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["ok"] is False
    assert next(f for f in last["findings"] if f["name"] == "chromium")["hint"]


@pytest.mark.browser
def test_a_run_on_the_command_line_is_the_run_in_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "run", "quickstart", *QUICK, "--quiet", "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = json.loads(lines[-1])
    run = Run(Path(told.pop("out")))
    assert told == run.summary()
    assert told["trials"] == 4
    assert told["invalid"] == 0
    assert {name: s["rate"] for name, s in told["success"].items()} == {"noop-dom": 0, "oracle-dom": 1}
    assert set(told["median_step_ms"]) == {"noop-dom", "oracle-dom"}
    assert run.folder.parts[:2] == ("results", "quickstart")
    report = (run.folder / "report.html").read_text("utf-8")
    assert 'src="data:image/jpeg' in report
    assert "http" not in report.replace("https://cuakit", "").split("<h2>Machine")[0]
    assert "| oracle-dom |" in (run.folder / "report.md").read_text("utf-8")

    assert main(["bench", "run", "quickstart", *QUICK, "--quiet", "--json", "--resume", "latest"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == told | {"out": str(run.folder)}
    assert [h["resumed"] for h in Run(run.folder).headers] == [0, 4]
    assert main(["bench", "report", str(run.folder), "--out", str(tmp_path / "r.html")]) == 0
    assert (tmp_path / "r.html").exists()


def test_resuming_what_was_never_begun_is_told(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "run", "quickstart", "--resume", "latest"]) == 2
    assert "no run of 'quickstart'" in capsys.readouterr().err


def test_without_a_browser_the_run_stops_with_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUAKIT_CHROMIUM", "/no/such/browser")
    assert main(["bench", "run", "quickstart", *QUICK, "--quiet", "--out", str(tmp_path / "run")]) == 1
    err = capsys.readouterr().err
    assert "environment_unavailable" in err
    assert "/no/such/browser" in err
    assert "doctor" in err


def test_what_python_raises_the_command_line_tells(monkeypatch, capsys):
    def broken(*_, **__):
        raise BackendError("the moon is not there", hint="wait for the night", code="no_moon")

    monkeypatch.setattr("cuakit.bench.run", broken)
    assert main(["bench", "run", "quickstart", "--out", "x"]) == 1
    assert capsys.readouterr().err == "no_moon: the moon is not there\nwait for the night\n"
