"""A loopback file server for web applications that are tested offline.

Serves one folder to this machine only, under a path prefix that cannot be guessed. It lives in threads of this
process, so it ends with it, however the process ends.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import os
import secrets
import shutil
import socket
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, unquote, urlencode, urlsplit

from cuakit.core.errors import PortTaken, UsageError

LOOPBACK: Final = "127.0.0.1"

MIME: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".gif": "image/gif",
        ".htm": "text/html; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".ico": "image/x-icon",
        ".jpeg": "image/jpeg",
        ".jpg": "image/jpeg",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".map": "application/json",
        ".mjs": "text/javascript; charset=utf-8",
        ".mp3": "audio/mpeg",
        ".mp4": "video/mp4",
        ".pdf": "application/pdf",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".ttf": "font/ttf",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
        ".webp": "image/webp",
        ".woff": "font/woff",
        ".woff2": "font/woff2",
        ".xml": "text/xml; charset=utf-8",
    }
)
"""File ending → content type. A table of our own, because the system's differs from machine to machine."""


class StaticServer:
    """Serves the files below ``root`` on 127.0.0.1 until it is closed; a context manager.

    There are no folder listings; a folder answers with its ``index.html``. A link that leads out of ``root`` is not
    followed. Requests without the token, or with another host name in them, get 404.

    Args:
        root: Folder to serve.
        port: Port to listen on; 0 lets the system choose a free one.
        cache_s: How long a browser may keep what it got, in seconds; 0 forbids it.

    Raises:
        UsageError: ``root`` is no folder, or the port is out of range.
        PortTaken: The port is in use.
    """

    def __init__(self, root: Path | str, *, port: int = 0, cache_s: int = 0) -> None:
        folder = Path(root).resolve()
        if not folder.is_dir():
            raise UsageError(f"cannot serve {str(root)!r}: it is no folder", hint="pass the folder that holds the page")
        if not 0 <= port <= 65535:
            raise UsageError(f"port must lie in 0 to 65535, got {port}", hint="0 lets the system choose a free port")
        self.root = folder
        self.token = secrets.token_urlsafe(16)
        self._server = _listen(port)
        self._server.root, self._server.prefix = folder, f"/{self.token}/"
        self._server.cache = f"private, max-age={cache_s}" if cache_s else "no-store"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name=f"static:{self.port}", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Address of the root folder, with the token, ending in a slash."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def url_for(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        """Address of a file, such as ``url_for("index.html", {"offline": 1})``."""
        return self.url + quote(path.lstrip("/")) + (f"?{urlencode(query)}" if query else "")

    def close(self) -> None:
        """Stop listening and cut open connections. May be called again."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._server.cut()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"StaticServer({str(self.root)!r}, port={self.port})"


def _listen(port: int) -> _Server:
    try:
        return _Server((LOOPBACK, port), _Handler)
    except OSError as refused:
        if refused.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "is in use" if refused.errno == errno.EADDRINUSE else "needs more rights than this user has"
        raise PortTaken(
            f"port {port} on {LOOPBACK} {why}", hint="pass port=0 to get a free one, or stop what listens there"
        ) from refused


class _Server(ThreadingHTTPServer):
    root: Path
    prefix: str
    cache: str
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # there it only skips the wait after a close; elsewhere it shares ports
    request_queue_size = 128

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def cut(self) -> None:
        """Wake the threads that wait on idle connections; each then closes its own socket."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the browser was faster
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that drops a connection is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _answer(self, *, body: bool) -> None:
        path = self._find()
        if path is None:
            self.send_response(HTTPStatus.NOT_FOUND)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        with path.open("rb") as file:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", MIME.get(path.suffix.lower(), "application/octet-stream"))
            self.send_header("Content-Length", str(path.stat().st_size))
            self.send_header("Cache-Control", self.server.cache)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            if body:
                shutil.copyfileobj(file, self.wfile)

    def _find(self) -> Path | None:
        """The file that was asked for, or None where there is nothing to show."""
        if self.headers.get("Host", "") not in {f"{h}:{self.server.server_port}" for h in (LOOPBACK, "localhost")}:
            return None  # a foreign name that was made to resolve to us
        path = unquote(urlsplit(self.path).path)
        prefix = self.server.prefix
        if not hmac.compare_digest(path[: len(prefix)].encode(), prefix.encode()) or "\0" in path or "\\" in path:
            return None
        try:
            found = (self.server.root / path[len(prefix) :].lstrip("/")).resolve()
            found = found / "index.html" if found.is_dir() else found
            inside = found.is_file() and found.resolve().is_relative_to(self.server.root)
        except (OSError, RuntimeError):  # a name too long; a loop of links
            return None
        return found if inside else None
