"""A profile is one object: made here, kept in a file, read again, compared with another."""

import copy
import json

import pytest

from cuakit import data
from cuakit.bench import lab
from cuakit.bench.lab import stages, sweep
from cuakit.bench.lab.tables import comparison_text
from cuakit.bench.machine import machine_card
from cuakit.cli import main
from cuakit.core.errors import UsageError


@pytest.fixture(autouse=True)
def _one_small_screen(monkeypatch):
    monkeypatch.setattr(stages, "screens", lambda: {"form": data.form()})


@pytest.fixture(scope="module")
def kept():
    """A profile of plain numbers, as a file holds it."""

    def row(name, ms, **more):
        wide = {"value": ms, "low": ms * 0.98, "high": ms * 1.02, "n": 8, "coverage": 0.99}
        return {"name": name, "screen": "form", "stage": name, "wall_ms": wide, **more}

    noise = {"too_noisy": False, "says": "steady"}
    return {
        "schema": 1,
        "kind": "profile",
        "utc": "2026-12-01T00:00:00+00:00",
        "machine": machine_card(),
        "packages": {"numpy": "2.4"},
        "stages": {"noise": noise, "rows": [row("form: whole", 10.0), row("form: text", 8.0)]},
    }


def test_the_stages_of_a_real_parse_are_told_with_n_and_interval(tmp_path, capsys):
    pytest.importorskip("onnxruntime")
    out = tmp_path / "here.json"
    assert main(["profile", "--only", "stages", "--laps", "2", "--out", str(out), "--json", "--quiet"]) == 0
    printed = capsys.readouterr().out.splitlines()
    told = json.loads(printed[-1])
    assert told == lab.read_profile(out)
    assert told["machine"]["flags"] == machine_card()["flags"]
    rows = {r["stage"]: r for r in told["stages"]["rows"]}
    assert {"text detection", "text recognition", "contours", "fuse", "roles", "whole", "digest"} <= set(rows)
    assert all(r["wall_ms"]["n"] == 2 and 0 < r["wall_ms"]["low"] <= r["wall_ms"]["high"] for r in rows.values())
    parts = sum(r["wall_ms"]["low"] for r in rows.values() if r["stage"] in {"text detection", "text recognition"})
    assert parts < rows["whole"]["wall_ms"]["high"]
    assert told["stages"]["noise"]["n"] == 4
    assert any("form: whole" in line and "n=2 (50 %)" in line for line in printed)


@pytest.mark.browser
def test_the_stages_of_a_real_step_on_a_page():
    told = lab.profile(only=["page"], laps=2)["page"]
    assert {"capture", "perceive", "decide", "act", "settle", "whole"} <= {r["stage"] for r in told["rows"]}
    assert all(r["wall_ms"]["n"] == 2 for r in told["rows"])


def test_a_sweep_compares_within_the_same_laps_and_says_what_cannot_run():
    pytest.importorskip("onnxruntime")
    chosen = sweep.points((1,), sizes=((64, 64),), batches=())
    rows, noise = sweep.sweep(chosen, laps=2)
    by_how = {f"{r['runtime']} {r['precision']}": r for r in rows}
    assert by_how["onnxruntime f32"]["wall_ms"]["n"] == 2
    assert "ratio" not in by_how["onnxruntime f32"]
    for how in ("openvino f32", "openvino bf16"):
        assert "lost" in by_how[how] or by_how[how]["ratio"]["n"] == 2
    assert noise.n == 4


def test_threads_are_swept_up_to_the_cores_at_hand():
    found = sweep.thread_counts()
    assert found[0] == 1
    assert found[-1] == machine_card()["cores"]["usable"]
    named = sweep.points(found)
    assert len({p.name for p in named}) == len(named)


def test_a_roofline_names_its_roofs_and_how_it_was_counted(monkeypatch):
    pytest.importorskip("cv2")
    from cuakit.bench.lab import measure as module

    few = [p for p in module.pieces() if p.name in ("decode text", "matrix product")]
    monkeypatch.setattr(module, "pieces", lambda: few)
    told = module.roofline(rounds=2)
    assert told["roofs"]["gflops_f32"]["value"] > 0 < told["roofs"]["memory_gbytes"]["value"]
    rows = {r["name"]: r for r in told["rows"]}
    assert rows["matrix product"]["bound"] == "compute"
    for row in rows.values():
        assert row["fraction"]["n"] == 2
        assert row["how"]


def test_a_part_that_cannot_be_measured_says_why_and_the_others_stay(monkeypatch, kept):
    from cuakit.bench.lab import isa, measure
    from cuakit.core.errors import BackendError

    def broken(*_, **__):
        raise BackendError("a measuring process ended with 1")

    monkeypatch.setattr(isa, "run_worker", broken)
    monkeypatch.setattr(measure.isa, "ablation", lambda *_, **__: {"rows": [], "how": "nothing to cap"})
    told = lab.profile(only=["isa", "roofline"], rounds=1)
    assert told["roofline"] == {"rows": [], "lost": "a measuring process ended with 1"}
    text = lab.profile_text(told)
    assert "a measuring process ended with 1" in text
    assert "nothing to cap" in text


def test_a_machine_twice_as_slow_is_slower_in_every_piece(kept):
    other = copy.deepcopy(kept)
    other["machine"]["cpu"] = "abacus"
    for row in other["stages"]["rows"]:
        for key in ("value", "low", "high"):
            row["wall_ms"][key] *= 2
    found = lab.compare_profiles(kept, other)
    assert [r["says"] for r in found["rows"]] == ["slower", "slower"]
    assert [r["says"] for r in lab.compare_profiles(other, kept)["rows"]] == ["faster", "faster"]
    assert {r["says"] for r in lab.compare_profiles(kept, kept)["rows"]} == {"no difference seen"}
    assert list(found["machine"]) == ["cpu"]
    assert "abacus" in comparison_text(found)


@pytest.mark.parametrize(("factor", "says"), [(1.1, "no difference seen"), (1.2, "slower"), (0.8, "faster")])
def test_what_two_sessions_differ_by_themselves_is_no_difference(kept, factor, says):
    other = copy.deepcopy(kept)
    for row in other["stages"]["rows"]:
        row["wall_ms"] = {k: v * factor if k in ("value", "low", "high") else v for k, v in row["wall_ms"].items()}
    assert {r["says"] for r in lab.compare_profiles(kept, other)["rows"]} == {says}
    for row in other["stages"]["rows"]:
        row["wall_ms"]["n"] = 3
    assert {r["says"] for r in lab.compare_profiles(kept, other)["rows"]} == {"too few"}


def test_a_noisy_profile_proves_nothing(kept):
    other = copy.deepcopy(kept)
    other["stages"]["noise"]["too_noisy"] = True
    found = lab.compare_profiles(kept, other)
    assert {r["says"] for r in found["rows"]} == {"too noisy"}
    assert found["warnings"] == ["B was too noisy in stages"]


def test_profiles_without_a_common_piece_are_not_compared(kept):
    with pytest.raises(UsageError, match="no piece in common"):
        lab.compare_profiles(kept, {**kept, "stages": {"rows": []}})


def test_compare_on_the_command_line(kept, tmp_path, capsys):
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps(kept, indent=1))
    b.write_text("some table above\n" + json.dumps(kept) + "\n")
    assert main(["profile", "compare", str(a), str(b), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [r["says"] for r in told["rows"]] == ["no difference seen"] * 2


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"kind": "run"}', '{"kind": "profile"}', "\x00\xff"])
def test_a_file_that_holds_no_profile_is_a_sentence(text, tmp_path, kept, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(kept))
    if text is not None:
        bad.write_text(text)
    assert main(["profile", "compare", str(good), str(bad)]) == 2
    said = capsys.readouterr().err
    assert "profile" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "part",
    [
        [],
        {"rows": [{}]},
        {"rows": [{"name": "a", "wall_ms": 3}]},
        {"rows": [{"name": "a", "wall_ms": {"value": 1}}]},
        {"rows": [{"name": "a", "wall_ms": {"value": "1", "low": "1", "high": "1", "n": 6, "coverage": 1}}]},
        {"rows": [], "noise": 3},
        {"rows": []},
    ],
)
def test_a_damaged_profile_is_a_sentence(part, tmp_path, kept, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(kept))
    bad.write_text(json.dumps(kept | {"stages": part}))
    assert main(["profile", "compare", str(good), str(bad)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_newer_profile_is_refused(tmp_path, kept):
    newer = tmp_path / "newer.json"
    newer.write_text(json.dumps(kept | {"schema": 99}))
    with pytest.raises(UsageError, match="newer version"):
        lab.read_profile(newer)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "stags"], "no such part: stags"),
        (["--laps", "1"], "at least 2 laps"),
        (["--rounds", "0"], "1 round"),
        (["--out", "nowhere/at/all.json"], "there is no folder"),
    ],
)
def test_a_mistake_is_told_before_anything_is_measured(words, told, capsys):
    assert main(["profile", *words]) == 2
    assert told in capsys.readouterr().err
