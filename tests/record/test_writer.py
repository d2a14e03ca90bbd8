"""Steps become rows and frames, without secrets, and come back."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cuakit.core import registry
from cuakit.core.action import Click, SetValue, TypeText
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.decision import Answer, Decision
from cuakit.core.errors import RecordError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.outcome import Evidence, Receipt, Settled
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.core.timing import Span
from cuakit.core.trajectory import Step, Trial
from cuakit.record import rows
from cuakit.record.blobs import Blobs
from cuakit.record.reader import Record
from cuakit.record.writer import LedgerRecorder


def shot(value: int = 200) -> Screenshot:
    return Screenshot(pixels=np.full((40, 60, 3), value, np.uint8), scale=2.0)


def step(text: str = "", *, index: int = 0, key: str = "", action=None, value: int = 200) -> Step:
    found = Candidates(
        [
            Candidate(id="c01", box=Box(2, 2, 20, 10), role="textbox", name="Field", value=text, source="dom"),
            Candidate(id="c02", box=Box(30.123456, 20, 50, 30), role="button", name="OK", source="dom", parent="c01"),
        ]
    )
    return Step(
        index=index,
        observation=Observation(
            screenshot=shot(value), candidates=found, title=f"Page {text}", context={"role": text, "url": f"/?q={text}"}
        ),
        decision=Decision(
            outcome="act",
            action=action or TypeText(target="c01", text=text, input_key=key),
            answers={"operation": Answer(choice="type", probabilities={"type": 0.75, f"say {text}": 0.25})},
            reason=f"type {text}",
        ),
        receipt=Receipt(effect="confirmed", route="dom", evidence=(Evidence(kind="value_readback", detail=text),)),
        settled=Settled(reacted=True, quiet=True, elapsed_ms=12.5),
        spans=(Span("act", 0, 2_000_000), Span("act", 0, 1_000_000)),
    )


def record(folder, subtask, *steps, **keys) -> None:
    with LedgerRecorder(folder=str(folder)).open() as recording:
        keep = recording.start(subtask, **keys)
        for one in steps:
            keep(one)


def test_a_step_comes_back_with_its_frame_and_candidates(tmp_path):
    made = step("hello")
    record(tmp_path, Subtask(goal="g"), made, step("hello", index=1), trial="t")
    kept = Record(tmp_path)
    (first, second) = kept.rows("step")
    assert (first["index"], second["index"], first["trial"]) == (0, 1, "t")
    assert first["spans"] == {"act": 3}
    assert first["decision"]["action"]["text"] == "hello"
    frame = kept.blobs.get(first["observation"]["frame"])
    assert np.array_equal(frame.pixels, made.observation.screenshot.pixels)
    back = rows.candidates(first)
    assert [c.label for c in back] == ["Field", "OK"]
    assert back["c02"].box == Box(30.12, 20, 50, 30)
    assert len(list((tmp_path / "frames").rglob("*.png"))) == 1, "equal frames are kept once"


def bytes_kept(folder, secret):
    subtask = Subtask(goal=f"log in with {secret}", inputs={"pw": secret, "user": "ann"}, secret_inputs={"pw"})
    last = step("x", index=2, action=SetValue(target="c01", value=secret, input_key="pw"))
    record(folder, subtask, step(secret, key="pw"), step(f"is {secret}!", index=1), last)
    return (folder / "ledger.jsonl").read_bytes()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=4, max_size=20))
def test_a_secret_is_in_no_byte_of_what_is_kept(tmp_path_factory, secret):
    assume(secret.strip())
    assume(secret.encode() not in bytes_kept(tmp_path_factory.mktemp("other"), "\N{SNOWMAN}" * 4))
    folder = tmp_path_factory.mktemp("record")
    data = bytes_kept(folder, secret)
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    assert secret.encode() not in data
    assert escaped.encode() not in data
    kept = list(Record(folder).rows("step"))
    assert kept[0]["decision"]["action"]["text"] == "[secret]"
    assert kept[2]["decision"]["action"]["value"] == "[secret]"
    assert kept[0]["observation"]["candidates"][0]["role"] == "textbox"


def test_a_secret_that_is_a_word_of_ours_does_not_break_the_row(tmp_path):
    subtask = Subtask(goal="g", inputs={"pw": "button"}, secret_inputs={"pw"})
    record(tmp_path, subtask, step("button", key="pw"))
    (row,) = Record(tmp_path).rows("step")
    assert rows.candidates(row)["c02"].role == "button"
    assert row["observation"]["context"]["role"] == "[secret]", "in free content even such words are replaced"


def test_a_secret_that_was_read_on_the_screen_is_blackened_on_the_frame(tmp_path):
    subtask = Subtask(goal="g", inputs={"pw": "hunter2"}, secret_inputs={"pw"})
    record(tmp_path, subtask, step("my hunter2"))
    (row,) = Record(tmp_path).rows("step")
    pixels = Record(tmp_path).blobs.get(row["observation"]["frame"]).pixels
    assert (pixels[2:10, 2:20] == 0).all()
    assert (pixels[20:30, 31:50] == 200).all()


def test_an_action_without_text_and_a_step_without_receipt_are_kept(tmp_path):
    made = step("a", action=Click(target="c02"))
    bare = Step(index=1, observation=made.observation, decision=Decision(outcome="abstain"))
    record(tmp_path, Subtask(goal="g"), made, bare)
    first, second = Record(tmp_path).rows("step")
    assert first["decision"]["action"]["kind"] == "click"
    assert "receipt" not in second
    assert second["decision"] == {"outcome": "abstain"}


@pytest.mark.parametrize("score", [None, 0.0, 0.5, 1.0])
def test_trials_come_back(score):
    trial = Trial(
        id="i", suite="s", task="t", agent="a", seed=3, outcome="timeout" if score is None else "scored", score=score,
        seconds=1.25, extra={"step_ms": 4},
    )  # fmt: skip
    row = json.loads(json.dumps(rows.trial_row(trial))) | {"kind": "trial", "attempt": 1}
    assert rows.trial_from_row(row) == trial


def test_a_frame_that_was_changed_is_not_given_out(tmp_path):
    blobs = Blobs(tmp_path)
    digest = blobs.put(shot())
    assert blobs.get(digest).digest == digest
    blobs.path(digest).write_bytes(shot(7).png())
    with pytest.raises(RecordError, match="does not hold") as told:
        blobs.get(digest)
    assert told.value.error_code == "frame_damaged"
    blobs.path(digest).write_bytes(b"\x89PNG")
    with pytest.raises(RecordError, match="does not hold"):
        blobs.get(digest)
    with pytest.raises(RecordError, match="no frame"):
        blobs.get("0" * 64)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63])
def test_only_a_digest_names_a_frame(tmp_path, digest):
    with pytest.raises(RecordError, match="not a frame digest"):
        Blobs(tmp_path).path(digest)


def test_a_frame_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Screenshot, "png", full)
    with pytest.raises(RecordError, match="cannot be written") as told:
        Blobs(tmp_path).put(shot())
    assert told.value.error_code == "disk_full"
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_newer_ledger_is_refused(tmp_path):
    record(tmp_path, Subtask(goal="g"), schema=99)
    with pytest.raises(RecordError, match="newer version"):
        list(Record(tmp_path).rows())


def test_the_stage_is_known_by_its_name(tmp_path):
    stage = registry.build("record", "ledger-v1", folder=str(tmp_path))
    assert registry.spec(stage).args == {"folder": str(tmp_path)}


def test_tables_follow_the_trials(tmp_path):
    from cuakit.record.ledger import Ledger

    record(tmp_path, Subtask(goal="g"), step("a"), step("b", index=1), trial="t1", attempt=1)
    record(tmp_path, Subtask(goal="g"), step("a"), trial="t1", attempt=2)
    record(tmp_path, Subtask(goal="g"), step("a"), trial="t2", attempt=1)
    trial = Trial(id="t1", suite="s", task="t", agent="a", seed=0, outcome="scored", score=1.0, extra={"step_ms": 4})
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        ledger.append({"kind": "trial", "attempt": 2, **rows.trial_row(trial)})
    kept = Record(tmp_path)
    assert kept.trials_frame()[["id", "score", "extra.step_ms"]].to_numpy().tolist() == [["t1", 1, 4]]
    steps = kept.steps_frame()
    assert steps[["trial", "action", "effect", "ms"]].to_numpy().tolist() == [["t1", "type_text", "confirmed", 3]]
    assert kept.spans_frame()["stage"].tolist() == ["act"]
