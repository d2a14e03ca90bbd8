"""A setting is chosen when it is faster beyond noise and reads the same, and only then."""

import json
from dataclasses import dataclass

import pytest

import cuakit as ck
from cuakit.bench import tune as bench
from cuakit.cli import main
from cuakit.core.candidate import Candidate
from cuakit.core.errors import MissingExtra
from cuakit.core.geometry import Box


def reads(text: str) -> list[Candidate]:
    return [Candidate(id=f"c{i}", box=Box(0, 0, 9, 9), text=word) for i, word in enumerate(text.split())]


@dataclass
class Stage:
    """A pipeline of known speed: each read moves the clock."""

    clock: list[float]
    seconds: float
    text: str | None

    def __call__(self, _):
        if self.text is None:
            raise MissingExtra("no such runtime", hint="pip install it")
        self.clock[0] += self.seconds
        return reads(self.text)


@pytest.fixture
def world(monkeypatch):
    """``world(a=(seconds, text), …)`` gives what is chosen among such settings, the first being the default."""
    clock = [0.0]

    def choose(**settings):
        made = {name: Stage(clock, *how) for name, how in settings.items()}
        monkeypatch.setattr(bench, "choices", lambda _: ({"runtime": name} for name in made))

        monkeypatch.setattr(bench, "Pixels", lambda *, remember, text: made[text["runtime"]])
        monkeypatch.setattr(bench.time, "perf_counter", lambda: clock[0])
        best, tried = bench.tune([None])
        return best.options["runtime"], {s.options["runtime"]: s for s in tried}

    return choose


@pytest.mark.parametrize(
    ("settings", "chosen"),
    [
        ({"plain": (2.0, "a b"), "fast": (1.0, "a b")}, "fast"),
        ({"plain": (2.0, "a b"), "same": (1.98, "a b")}, "plain"),
        ({"plain": (2.0, "a b"), "wrong": (0.5, "a x")}, "plain"),
        ({"plain": (2.0, "a b"), "absent": (1.0, None)}, "plain"),
        ({"plain": (2.0, "a b"), "fast": (1.0, "a b"), "faster": (0.5, "b a")}, "faster"),
    ],
)
def test_the_fastest_that_reads_the_same_is_chosen(world, settings, chosen):
    best, tried = world(**settings)
    assert best == chosen
    assert set(tried) == set(settings)
    if "fast" in settings:
        assert tried["fast"].gain.value == pytest.approx(2.0)
    if "absent" in settings:
        assert tried["absent"].why_not.endswith("no such runtime")


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_the_defaults_come_first_and_no_setting_twice(cores):
    tried = list(bench.choices(cores))
    assert tried[0] == {"runtime": ck.build("perceive", "text-ppocr-v1").runtime, "threads": 1, "workers": 1}
    assert len({tuple(sorted(t.items())) for t in tried}) == len(tried)


def test_the_command_writes_what_parse_then_uses(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CUAKIT_TUNED", str(tmp_path / "tuned.json"))
    monkeypatch.setattr(bench, "choices", lambda _: iter([{"runtime": "onnxruntime", "threads": 1, "workers": 1}]))
    picture = tmp_path / "form.png"
    picture.write_bytes(ck.data.form().png())
    main(["tune", "--image", str(picture), "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["chosen"]["agrees"] == 1
    main(["parse", str(picture), "--tuned"])
    said = capsys.readouterr()
    assert "cuakit tune" not in said.err
    assert json.loads(said.out)["candidates"]
