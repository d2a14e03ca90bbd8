"""A System One server on loopback: ``POST /v1/systemone`` and ``GET /v1/models``, behind a bearer token."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from cuakit.core.errors import CuakitError, PortTaken
from cuakit.serve.protocol import Asked, Invalid, read

MAX_BODY: Final = 8 << 20
"""Longest request in bytes."""

AnswerFunction = Callable[[Any, Mapping[str, Asked]], dict[str, Any]]


class SystemOneServer:
    """Serves one answering function; use it as a context manager.

    Args:
        answer: State and questions → answers by question id.
        model: Name that it goes by; any other name is accepted as an alias of it.
        token: Bearer token asked for; a fresh one by default.
        port: Loopback port; 0 takes a free one.

    Raises:
        PortTaken: The port is in use.
    """

    def __init__(self, answer: AnswerFunction, *, model: str, token: str | None = None, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(24) if token is None else token
        try:
            self._web = _Web(("127.0.0.1", port), _Handler)
        except OSError as taken:
            raise PortTaken(f"port {port} on 127.0.0.1 is in use: {taken}", hint="choose another, or 0") from taken
        self._web.answer, self._web.model, self._web.token = answer, model, self.token
        self._thread = threading.Thread(target=self._web.serve_forever, name="systemone", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Server root."""
        return f"http://127.0.0.1:{self._web.server_port}"

    def close(self) -> None:
        """Stop serving; may be repeated."""
        if self._thread.is_alive():
            self._web.shutdown()
            self._thread.join()
        self._web.server_close()

    def wait(self) -> None:
        """Block until the server is closed."""
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Web(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False
    answer: AnswerFunction
    model: str
    token: str


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Web

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing of a request is logged."""

    def do_GET(self) -> None:
        """``/v1/models``."""
        if self._allowed():
            if self.path.partition("?")[0] == "/v1/models":
                self._send(200, {"object": "list", "data": [{"id": self.server.model, "object": "model"}]})
            else:
                self._fail(404, "not_found", "GET /v1/models or POST /v1/systemone")

    def do_POST(self) -> None:
        """``/v1/systemone``."""
        body = self._body()
        if body is None or not self._allowed():
            return
        if self.path.partition("?")[0] != "/v1/systemone":
            self._fail(404, "not_found", "POST /v1/systemone")
            return
        try:
            data = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._send(422, {"detail": [{"loc": ["body"], "msg": "not valid JSON", "type": "json_invalid"}]})
            return
        try:
            _, state, questions = read(data)
            answers = self.server.answer(state, questions)
        except Invalid as wrong:
            self._send(422, {"detail": wrong.detail})
        except CuakitError as wrong:
            self._fail(503 if wrong.is_retryable else 400, wrong.error_code, wrong.message)
        else:
            usage = {"input_tokens": len(body) // 4, "output_tokens": 0}
            self._send(200, {"model": self.server.model, "answers": answers, "usage": usage})

    def _body(self) -> bytes | None:
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= MAX_BODY:
            self.close_connection = True
            self._fail(413 if length > MAX_BODY else 411, "invalid_request", f"a body of at most {MAX_BODY} bytes")
            return None
        return self.rfile.read(length)

    def _allowed(self) -> bool:
        given = self.headers.get("Authorization", "")
        if hmac.compare_digest(given.encode(), f"Bearer {self.server.token}".encode()):
            return True
        self._fail(401, "authentication_error", "send the server's token as Authorization: Bearer")
        return False

    def _fail(self, status: int, kind: str, message: str) -> None:
        self._send(status, {"detail": {"error_type": kind, "message": message}})

    def _send(self, status: int, data: Mapping[str, Any]) -> None:
        out = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
