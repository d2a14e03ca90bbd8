"""What stands before the HTTP server: no token, no answer; and nothing but HTTP."""

import asyncio

import pytest

pytest.importorskip("mcp")
from cuakit.serve.mcp import guarded


def say(scope):
    """What the guard sends, and whether what is behind it was reached."""
    sent, reached = [], []

    async def behind(scope, receive, send):
        reached.append(scope["type"])

    async def send(message):
        sent.append(message)

    async def receive():
        return {}

    asyncio.run(guarded(behind, "a" * 16)(scope, receive, send))
    return sent, reached


def test_the_token_opens():
    assert say({"type": "http", "headers": [(b"authorization", b"Bearer " + b"a" * 16)]}) == ([], ["http"])


@pytest.mark.parametrize("headers", [[], [(b"authorization", b"Bearer b")], [(b"authorization", b"")], None])
def test_without_it_nothing_is_reached(headers):
    sent, reached = say({"type": "http", "headers": headers})
    assert sent[0]["status"] == 401
    assert not reached


@pytest.mark.parametrize("kind", ["websocket", "unheard-of"])
def test_what_is_not_http_is_shut_out(kind):
    sent, reached = say({"type": kind, "headers": [(b"authorization", b"Bearer " + b"a" * 16)]})
    assert sent == [{"type": "websocket.close", "code": 1008}]
    assert not reached


def test_the_server_may_start_and_stop():
    assert say({"type": "lifespan"}) == ([], ["lifespan"])
