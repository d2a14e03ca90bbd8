import hashlib
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import MissingExtra, ModelError, UnknownName
from cuakit.models import store
from cuakit.models.catalogue import CATALOGUE, ModelFile, model
from cuakit.models.load import load
from cuakit.models.onnx_file import metadata
from cuakit.models.session import onnx_session, openvino_session

pytestmark = pytest.mark.processes


def fake(tmp_path, monkeypatch, content=b"weights", sha256=None):
    package = tmp_path / "carrier"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "w.onnx").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    return ModelFile(
        id="fake",
        package="carrier",
        path="w.onnx",
        sha256=sha256 or hashlib.sha256(content).hexdigest(),
        licence="MIT",
        origin="here",
    )


@pytest.mark.parametrize("id", CATALOGUE)
def test_every_model_of_the_catalogue_is_installed_and_unchanged(id):
    entry = model(id)
    assert hashlib.sha256(store.read(entry)).hexdigest() == entry.sha256
    assert entry.licence
    assert entry.origin


def test_an_unknown_model_names_the_known_ones():
    with pytest.raises(UnknownName, match="ppocr-v6-small-det"):
        model("ppocr")


def test_the_verified_bytes_are_the_ones_returned(tmp_path, monkeypatch):
    assert store.read(fake(tmp_path, monkeypatch)) == b"weights"


def test_one_changed_byte_is_refused(tmp_path, monkeypatch):
    entry = fake(tmp_path, monkeypatch, b"weightz", hashlib.sha256(b"weights").hexdigest())
    with pytest.raises(ModelError) as caught:
        store.read(entry)
    assert caught.value.error_code == "model_digest_mismatch"


def test_a_missing_file_and_a_missing_package_are_told_apart(tmp_path, monkeypatch):
    entry = fake(tmp_path, monkeypatch)
    store.locate(entry).unlink()
    with pytest.raises(ModelError) as caught:
        store.read(entry)
    assert caught.value.error_code == "model_missing"
    gone = ModelFile(id="x", package="no_such_package_here", path="w", sha256="", licence="", origin="")
    with pytest.raises(MissingExtra, match="cuakit\\[vision\\]"):
        store.read(gone)


def test_bytes_that_are_no_model_are_refused():
    with pytest.raises(ModelError) as caught:
        onnx_session(b"not a model")
    assert caught.value.error_code == "model_unloadable"


def test_threads_are_counted_from_one():
    with pytest.raises(ModelError) as caught:
        onnx_session(b"", threads=0)
    assert caught.value.error_code == "invalid_threads"


def test_a_wrong_input_is_an_error_with_its_shape():
    with pytest.raises(ModelError, match=r"\(1, 1, 8, 8\)") as caught:
        load("ppocr-v6-small-det")(np.zeros((1, 1, 8, 8), np.float32))
    assert caught.value.error_code == "inference_failed"


def test_a_network_is_loaded_once_and_serves_many_threads():
    session = load("ppocr-v6-small-det")
    assert load("ppocr-v6-small-det") is session
    x = np.random.default_rng(0).normal(size=(1, 3, 64, 96)).astype(np.float32)
    alone = session(x)
    answers = []
    workers = [threading.Thread(target=lambda: answers.append(session(x))) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(60)
    assert len(answers) == 4
    assert all(np.array_equal(alone, a) for a in answers)


def test_the_strings_of_a_model_file_are_read_without_a_runtime():
    import onnxruntime as ort

    weights = store.read(model("ppocr-v6-small-rec"))
    theirs = ort.InferenceSession(weights).get_modelmeta().custom_metadata_map
    assert metadata(weights) == theirs
    assert len(metadata(weights)["character"].splitlines()) > 18_000


@given(st.binary(max_size=200))
def test_any_bytes_have_strings_or_none(junk):
    assert isinstance(metadata(junk).get("character", ""), str)


def test_openvino_agrees_with_onnxruntime_and_says_how_it_computes():
    pytest.importorskip("openvino")
    there = load("ppocr-v6-small-det", runtime="openvino")
    x = np.random.default_rng(0).normal(size=(1, 3, 64, 96)).astype(np.float32)
    assert np.abs(there(x) - load("ppocr-v6-small-det")(x)).max() < 0.1
    assert there.runtime.startswith("openvino 20")
    assert there.precision in ("f32", "f16", "bf16")


def test_bytes_that_openvino_cannot_compile_are_refused():
    pytest.importorskip("openvino")
    with pytest.raises(ModelError) as caught:
        openvino_session(b"not a model")
    assert caught.value.error_code == "model_unloadable"


def test_without_openvino_auto_falls_back_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "openvino", None)
    load.cache_clear()
    session = load("ppocr-v6-small-det", runtime="auto")
    assert session.runtime.startswith("onnxruntime")
    assert "openvino is not installed" in session.note
    with pytest.raises(MissingExtra, match="cuakit\\[openvino\\]"):
        load("ppocr-v6-small-det", runtime="openvino")
    load.cache_clear()
