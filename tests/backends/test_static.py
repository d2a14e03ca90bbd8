"""The loopback file server."""

import http.client
import socket
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest

from cuakit.backends.static import StaticServer
from cuakit.core.errors import PortTaken, UsageError

pytestmark = pytest.mark.processes


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    (root / "index.html").write_text("<h1>Hé</h1>", encoding="utf-8")
    (root / "sub" / "index.html").write_text("sub")
    (root / "empty").mkdir()
    for name in ("a.mjs", "a.wasm", "a.svg", "a.js", "a.css", "a.unknown", "with space.txt"):
        (root / name).write_bytes(name.encode())
    (tmp_path / "secret.txt").write_text("secret")
    return root


def fetch(server, path, *, method="GET", host=None):
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    try:
        link.putrequest(method, path, skip_host=True)
        link.putheader("Host", host or f"127.0.0.1:{server.port}")
        link.endheaders()
        answer = link.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        link.close()


def test_serves_files_under_the_token(site):
    with StaticServer(site) as server:
        status, headers, body = fetch(server, urlsplit(server.url_for("index.html", {"a": "b c"})).path)
    assert (status, body.decode()) == (200, "<h1>Hé</h1>")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.wasm", "application/wasm"),
        ("a.svg", "image/svg+xml"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.unknown", "application/octet-stream"),
        ("with space.txt", "text/plain; charset=utf-8"),
    ],
)
def test_content_types_do_not_depend_on_the_machine(site, name, kind):
    with StaticServer(site) as server:
        status, headers, body = fetch(server, urlsplit(server.url_for(name)).path)
    assert (status, headers["Content-Type"], body) == (200, kind, name.encode())


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "sub/../../secret.txt",
        "..\\secret.txt",
        "%5c..%5csecret.txt",
        "a.js%00.html",
        "missing.html",
        "empty/",
        "x" * 5000,
    ],
)
def test_nothing_outside_the_folder_is_served(site, path):
    with StaticServer(site) as server:
        assert fetch(server, f"/{server.token}/{path}")[0] == 404


def test_an_absolute_path_stays_inside(site):
    with StaticServer(site) as server:
        assert fetch(server, f"/{server.token}/{site.parent}/secret.txt")[0] == 404
        assert fetch(server, f"/{server.token}//index.html")[0] == 200


def test_a_link_out_of_the_folder_is_not_followed(site):
    (site / "out.txt").symlink_to(site.parent / "secret.txt")
    (site / "loop").symlink_to(site / "loop")
    with StaticServer(site) as server:
        assert fetch(server, f"/{server.token}/out.txt")[0] == 404
        assert fetch(server, f"/{server.token}/loop")[0] == 404


def test_a_request_without_the_token_or_under_a_foreign_name_sees_nothing(site):
    with StaticServer(site) as server:
        assert fetch(server, "/index.html")[0] == 404
        assert fetch(server, "/")[0] == 404
        assert fetch(server, f"/{server.token}/index.html", host="evil.example")[0] == 404
        assert fetch(server, f"/{server.token}/index.html", host=f"localhost:{server.port}")[0] == 200


def test_a_folder_answers_with_its_index(site):
    with StaticServer(site) as server:
        assert fetch(server, f"/{server.token}/sub/")[2] == b"sub"
        assert fetch(server, f"/{server.token}/")[0] == 200


def test_head_has_no_body_and_other_methods_are_refused(site):
    with StaticServer(site) as server:
        path = f"/{server.token}/a.js"
        status, headers, body = fetch(server, path, method="HEAD")
        assert (status, headers["Content-Length"], body) == (200, "4", b"")
        assert fetch(server, path, method="POST")[0] == 501


def test_tokens_differ_and_the_cache_can_be_allowed(site):
    with StaticServer(site, cache_s=60) as one, StaticServer(site) as two:
        assert one.token != two.token
        assert len(one.token) >= 20
        assert fetch(one, f"/{one.token}/a.js")[1]["Cache-Control"] == "private, max-age=60"


def test_a_taken_port_says_what_to_do(site):
    with StaticServer(site) as server, pytest.raises(PortTaken, match=str(server.port)) as caught:
        StaticServer(site, port=server.port)
    assert "port=0" in caught.value.hint


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_out_of_range_is_a_usage_error(site, port):
    with pytest.raises(UsageError, match="65535"):
        StaticServer(site, port=port)


def test_a_missing_folder_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="no folder"):
        StaticServer(tmp_path / "nothing")


def test_it_listens_on_loopback_only(site):
    with StaticServer(site) as server:
        assert server._server.socket.getsockname()[0] == "127.0.0.1"


def test_closing_frees_the_port_and_cuts_idle_connections(site):
    server = StaticServer(site)
    port = server.port
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    link.request("GET", f"/{server.token}/a.js")
    link.getresponse().read()
    server.close()
    server.close()
    assert link.sock.recv(1) == b""
    link.close()
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=2):
        pass
    assert not [t for t in threading.enumerate() if t.name == f"static:{port}"]


def test_many_requests_at_once(site):
    with StaticServer(site) as server:
        got = []
        threads = [
            threading.Thread(target=lambda: got.append(fetch(server, f"/{server.token}/a.js")[2])) for _ in range(40)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert got == [b"a.js"] * 40


def test_it_dies_with_its_process(site):
    code = (
        "import os, sys; from cuakit.backends.static import StaticServer\n"
        "s = StaticServer(sys.argv[1]); print(s.port, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(site)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        port = int(child.stdout.readline())
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        child.kill()
        child.wait()
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=2):
        pass
