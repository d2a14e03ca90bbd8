"""Meaning helps where words do not, and never hides what words know."""

import numpy as np
import pytest

from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import ModelError
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask
from cuakit.decide.embedding import Embedding
from cuakit.decide.lexical import Lexical

MEANINGS = {"preferences": 0, "settings": 0, "gear": 0, "export": 1, "download": 1}


def encode(texts):
    """A stand-in encoder whose meaning is known: one axis per group of synonyms, one for anything else."""
    out = np.zeros((len(texts), 3), np.float32)
    for row, text in zip(out, texts, strict=True):
        row[next((axis for word, axis in MEANINGS.items() if word in text.lower()), 2)] = 1
    return out


def look(*names, states=()):
    return Observation(
        screenshot=Screenshot(pixels=np.zeros((99, 99, 3), np.uint8)),
        candidates=Candidates(
            Candidate(
                id=f"c{i}", box=Box(0, i * 9, 9, i * 9 + 8), role="button", name=n, actions=("click",), states=states
            )
            for i, n in enumerate(names)
        ),
    )


def test_a_synonym_is_found_where_no_word_matches():
    seen = look("Cancel", "Settings", "Export")
    made = Embedding(encoder=encode)(Subtask(goal="Open the preferences"), seen, ())
    assert made.action.target == "c1"
    assert Lexical()(Subtask(goal="Open the preferences"), seen, ()).outcome == "abstain"


def test_words_that_match_exactly_still_win():
    seen = look("Settings", "Preferences")
    assert Embedding(encoder=encode)(Subtask(goal='Click "Preferences"'), seen, ()).action.target == "c1"


def test_weight_zero_is_the_lexical_decider():
    seen, task = look("Save", "Export"), Subtask(goal="press Export")
    a, b = Embedding(encoder=encode, weight=0.0)(task, seen, ()), Lexical()(task, seen, ())
    assert a.action == b.action


def test_what_is_disabled_is_not_offered():
    made = Embedding(encoder=encode)(Subtask(goal="Open the preferences"), look("Settings", states=("disabled",)), ())
    assert made.outcome == "abstain"


def test_a_text_is_encoded_once():
    asked = []

    def counting(texts):
        asked.extend(texts)
        return encode(texts)

    decider = Embedding(encoder=counting)
    for _ in range(3):
        decider(Subtask(goal="Open the preferences"), look("Settings", "Export"), ())
    assert len(asked) == len(set(asked))


def test_a_secret_is_never_encoded():
    asked = []

    def counting(texts):
        asked.extend(texts)
        return encode(texts)

    task = Subtask(goal="use hunter2", inputs={"p": "hunter2"}, secret_inputs=frozenset({"p"}))
    Embedding(encoder=counting)(task, look("hunter2", "Settings"), ())
    assert asked
    assert not any("hunter2" in t for t in asked)


def test_without_the_model_one_is_told_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CUAKIT_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="models pull minilm"):
        Embedding()
