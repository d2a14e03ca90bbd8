"""``cuakit serve`` and ``cuakit mcp``: our deciders and the desktop for other programs, on loopback behind a token."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cyclopts import App

from cuakit.cli.options import Flag, Names

if TYPE_CHECKING:
    from cuakit.core.stages import Decider
    from cuakit.serve.permissions import Policy

app = App(name="serve", help="Serve to other programs, on loopback behind a token.")


@app.command
def systemone(
    *, decider: str = "lexical-v1", agent: str | None = None, port: int = 0, token_file: Path | None = None
) -> None:
    """Serve a decider behind the System One protocol. The first line of output is {"url", "token", "model"}.

    Args:
        decider: Decision stage by name.
        agent: Agent by name or TOML file, whose decision stage is served with its options; instead of a decider.
        port: Port on 127.0.0.1; a free one by default.
        token_file: File that holds the token; written, for its owner alone, when it is not there. The token itself is
            then not printed.
    """
    from cuakit.cli.signals import Stopped, stoppable
    from cuakit.serve.answer import Answerer
    from cuakit.serve.systemone import SystemOneServer

    chosen, name = _decider(decider, agent)
    token = _token(token_file)
    answer = Answerer(decider=chosen, model=name)
    with (
        contextlib.suppress(Stopped),
        stoppable(),
        SystemOneServer(answer, model=name, token=token, port=_port(port)) as server,
    ):
        shown = {"token_file": str(token_file)} if token_file else {"token": token}
        print(json.dumps({"url": server.url, **shown, "model": name}), flush=True)
        server.wait()


def mcp(
    *,
    http: Flag = False,
    port: int = 0,
    token_file: Path | None = None,
    mode: Literal["observe", "standard", "bounded"] = "standard",
    manifest: Path | None = None,
    consent: Names = (),
    display: str = "",
) -> None:
    """Serve the desktop as an MCP server, over stdio. With --http, the first line of output is {"url", "token"}.

    Args:
        http: Loopback HTTP behind a token instead of stdio.
        port: Port on 127.0.0.1 for HTTP; a free one by default.
        token_file: As for `cuakit serve systemone`.
        mode: What the client may do: observe only, everything, or what the manifest lists.
        manifest: JSON file with tools, windows, expires_s and idle_s; goes with --mode bounded.
        consent: Kind of consequential action that the client may take: delete, send, purchase or close; may be repeated. The
            others are refused with consent_required.
        display: X display such as :0; that of the environment by default.
    """
    from cuakit.cli.signals import Stopped, stoppable
    from cuakit.core.errors import UsageError
    from cuakit.serve.desk import Desk
    from cuakit.serve.mcp import build

    if not http and (port or token_file):
        raise UsageError("--port and --token-file go with --http", hint="stdio has neither")
    policy = _policy(mode, manifest, frozenset(consent))
    with contextlib.suppress(Stopped), stoppable(), Desk(display=display, policy=policy) as desk:
        server = build(desk)
        if http:
            _serve_http(server, _port(port), token_file)
        else:
            server.run("stdio")


def _serve_http(server: Any, port: int, token_file: Path | None) -> None:
    import socket

    import uvicorn

    from cuakit.core.errors import PortTaken
    from cuakit.serve.mcp import guarded

    token = _token(token_file)
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as taken:
            raise PortTaken(f"port {port} on 127.0.0.1 is in use: {taken}", hint="choose another, or 0") from taken
        listening.listen()
        options = uvicorn.Config(
            guarded(server.streamable_http_app(), token),
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=2,
        )
        shown = {"token_file": str(token_file)} if token_file else {"token": token}
        print(json.dumps({"url": f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", **shown}), flush=True)
        uvicorn.Server(options).run(sockets=[listening])


def _decider(decider: str, agent: str | None) -> tuple[Decider, str]:
    from cuakit.core import registry
    from cuakit.core.errors import UsageError

    if agent is None:
        return registry.build("decide", decider), decider
    from cuakit.bench.agents import load_agents

    found = load_agents((agent,))
    if len(found) != 1:
        raise UsageError(f"{agent!r} matches {len(found)} agents", hint="name one")
    return found[0].decider(), found[0].name


def _token(file: Path | None) -> str:
    from cuakit.core.errors import UsageError

    if file is None:
        return secrets.token_urlsafe(24)
    try:
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as made:
                made.write(secrets.token_urlsafe(24) + "\n")
        token = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(f"cannot use token file {file}: {wrong}") from wrong
    if len(token) < 16:
        raise UsageError(
            f"{file} holds {len(token)} characters", hint="a token needs 16; delete the file for a new one"
        )
    return token


def _port(port: int) -> int:
    from cuakit.core.errors import UsageError

    if not 0 <= port < 1 << 16:
        raise UsageError(f"there is no port {port}", hint="1 to 65535, or 0 for a free one")
    return port


def _policy(mode: Literal["observe", "standard", "bounded"], manifest: Path | None, consent: frozenset[str]) -> Policy:
    from cuakit.core.errors import UsageError
    from cuakit.serve.permissions import Manifest, Policy

    if manifest is None:
        return Policy(mode=mode, consent=consent)
    try:
        data = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError) as wrong:
        raise UsageError(f"cannot read manifest {manifest}: {wrong}") from wrong
    return Policy(mode=mode, manifest=Manifest.from_dict(data), consent=consent)
