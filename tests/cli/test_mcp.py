"""The desktop over MCP, with the SDK's own client and a real program on a private desktop."""

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from cuakit.backends.desktop import Desktop
from cuakit.serve.permissions import READING

APP = Path(__file__).parents[2] / "benchmarks" / "apps" / "gtk_app.py"
SYSTEM_PYTHON = "/usr/bin/python3"
GTK3 = [SYSTEM_PYTHON, "-c", "import gi; gi.require_version('Gtk', '3.0')"]

pytestmark = [
    pytest.mark.x11,
    pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed"),
    pytest.mark.skipif(
        not Path(SYSTEM_PYTHON).exists() or subprocess.run(GTK3, capture_output=True, check=False).returncode != 0,
        reason="GTK 3 is missing: python3-gi gir1.2-gtk-3.0",
    ),
]


def poll(holds, *, within_s=30.0, what="it"):
    end = time.monotonic() + within_s
    while not (found := holds()):
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)
    return found


@pytest.fixture(scope="module")
def desktop():
    with Desktop.launch(width=1024, height=768) as made:
        yield made


@pytest.fixture(scope="module")
def log(desktop):
    path = desktop.home / "gtk3.log"
    desktop.spawn([SYSTEM_PYTHON, APP, "3", path])
    poll(lambda: path.exists() and "ready" in path.read_text(), what="the program")
    return path


def events(log):
    return [json.loads(line)["event"] for line in log.read_text().splitlines()]


def talk(desktop, conversation, *words):
    """Hold a conversation with a server of its own over stdio."""

    async def session():
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "cuakit.cli", "mcp", *words], env=dict(desktop.env)
        )
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            return await conversation(client)

    return anyio.run(session)


async def call(client, tool, **arguments):
    reply = await client.call_tool(tool, arguments)
    return reply.is_error, reply.structured_content


async def the_window(client):
    with anyio.fail_after(30):
        while True:
            _, seen = await call(client, "list_windows")
            found = [w for w in seen["windows"] if w["title"] == "gtk3 app"]
            if found:
                return found[0]["window_id"]
            await anyio.sleep(0.05)


async def the_button(client, window):
    with anyio.fail_after(30):
        while True:
            wrong, seen = await call(client, "get_window_state", window_id=window, include_screenshot=False)
            assert not wrong, seen
            found = [e for e in seen["elements"] if e["role"] == "button" and "click" in e.get("actions", ())]
            if found:
                return seen["capture_id"], found[0]["id"]
            await anyio.sleep(0.05)


@pytest.mark.parametrize("keys", [["CTRL", "W"], ["SHIFT", "MOD", "Q"], ["ALT", "F4"]], ids="+".join)
def test_consequences_need_the_consent_of_whoever_started_the_server(desktop, log, keys):
    async def conversation(client):
        window = await the_window(client)
        capture, _ = await the_button(client, window)
        before = events(log)
        wrong, refused = await call(client, "hotkey", capture_id=capture, keys=keys)
        assert wrong
        assert refused["code"] == "consent_required"
        await the_button(client, window)  # it still answers
        assert events(log) == before

    talk(desktop, conversation)


def test_an_unknown_kind_of_consent_is_refused(desktop):
    command = [sys.executable, "-m", "cuakit.cli", "mcp", "--consent", "fun"]
    ended = subprocess.run(
        command, env=dict(desktop.env), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert ended.returncode == 2
    assert "delete, send, purchase, close" in ended.stderr


def test_a_client_lists_looks_clicks_once_and_is_refused_the_second_time(desktop, log):
    async def conversation(client):
        tools = {t.name for t in (await client.list_tools()).tools}
        assert tools > READING
        assert {"click", "type_text", "set_value", "press_key", "hotkey", "scroll", "drag"} <= tools
        capture, button = await the_button(client, await the_window(client))
        before = len(events(log))
        wrong, done = await call(client, "click", capture_id=capture, element_id=button)
        assert not wrong, done
        assert done["next_call"]["tool"] == "get_window_state"
        poll(lambda: len(events(log)) > before, what="the click")
        wrong, again = await call(client, "click", capture_id=capture, element_id=button)
        assert wrong
        assert again["code"] == "capture_not_found"
        wrong, unknown = await call(client, "click", capture_id="nothing", element_id=button)
        assert wrong
        assert unknown["code"] == "capture_id_invalid"

    talk(desktop, conversation)


def test_the_pixels_of_a_capture_are_parsed_and_nothing_is_spent(desktop, log):
    async def conversation(client):
        capture, button = await the_button(client, await the_window(client))
        wrong, parsed = await call(client, "parse_visual_regions", capture_id=capture, kinds=["text"])
        assert not wrong, parsed
        assert parsed["schema"] == "cua.visual_regions_v1"
        assert parsed["capture"]["capture_id"] == capture
        assert {r["kind"] for r in parsed["regions"]} == {"text"}
        wrong, menu = await call(client, "parse_visual_regions", capture_id=capture, format="menu", max_regions=1)
        assert (wrong, menu["capture_id"], len(menu["candidates"])) == (False, capture, 1)
        for options, code in (({"deadline_ms": 0.001}, "timeout"), ({"min_confidence": 2}, "invalid_arguments")):
            wrong, refused = await call(client, "parse_visual_regions", capture_id=capture, **options)
            assert (wrong, refused["code"]) == (True, code)
        wrong, done = await call(client, "click", capture_id=capture, element_id=button)
        assert not wrong, done

    talk(desktop, conversation)


def test_an_observer_sees_and_may_not_touch(desktop, log):
    async def conversation(client):
        capture, button = await the_button(client, await the_window(client))
        before = len(events(log))
        wrong, refused = await call(client, "click", capture_id=capture, element_id=button)
        assert wrong
        assert refused["code"] == "authorization_required"
        assert len(events(log)) == before

    talk(desktop, conversation, "--mode", "observe")


def test_a_manifest_bounds_the_windows(desktop, log, tmp_path):
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"tools": ["*"], "windows": ["nothing*"], "expires_s": 60, "idle_s": 60}))

    async def conversation(client):
        wrong, refused = await call(client, "get_window_state", window_id=await the_window(client))
        assert wrong
        assert refused["code"] == "authorization_required"

    talk(desktop, conversation, "--mode", "bounded", "--manifest", str(manifest))


def test_over_http_only_the_bearer_of_the_token_is_answered(desktop, log):
    command = [sys.executable, "-m", "cuakit.cli", "mcp", "--http"]
    server = desktop.spawn(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        said = json.loads(server.stdout.readline())
        for headers in ({}, {"Authorization": "Bearer guess"}):
            request = urllib.request.Request(said["url"], data=b"{}", headers=headers)
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=30)
            refused.value.close()
            assert refused.value.code == 401

        anyio.run(over_http, said)
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=30)
        assert (server.returncode, out, err) == (0, b"", b"")
    finally:
        server.kill()
        server.communicate()


async def over_http(said):
    import httpx2

    headers = {"Authorization": f"Bearer {said['token']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as web,
        streamable_http_client(said["url"], http_client=web) as streams,
        ClientSession(*streams[:2]) as client,
    ):
        await client.initialize()
        assert await the_window(client)
