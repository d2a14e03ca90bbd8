"""A tool server of somebody's on a private desktop, spoken to over standard input and output (MCP)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from cuakit.backends.desktop import Desktop
from cuakit.core.errors import BackendError

_PROTOCOL: Final = "2025-06-18"


class ToolServer:
    """A running tool server. One call at a time.

    Args:
        desktop: Where it runs; it ends with it.
        command: Program and arguments.

    Attributes:
        name: What it calls itself.
        version: What version it says it is.

    Raises:
        BackendError: It does not start.
        UsageError: There is no such program.
    """

    def __init__(self, desktop: Desktop, command: Sequence[str | Path]) -> None:
        self._process = desktop.spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._serial = 0
        client = {"name": "cuakit-bench", "version": "0"}
        made = self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        info = made.get("result", {}).get("serverInfo", {})
        self.name, self.version = str(info.get("name", "")), str(info.get("version", ""))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of a tool: ``content``, ``structuredContent``, and ``isError`` where it failed.

        Raises:
            BackendError: The server has ended.
        """
        answer = self._ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        failed = {"isError": True, "structuredContent": answer.get("error") or {}}
        result: dict[str, Any] = answer.get("result") or failed
        return result

    def close(self) -> None:
        """Ask it to end; may be repeated. What is left ends with the desktop."""
        self._process.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._serial += 1
        self._send({"jsonrpc": "2.0", "id": self._serial, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._serial:
                return message
        raise BackendError("the tool server ended", hint="look at its own log")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as gone:
            raise BackendError("the tool server ended", hint="look at its own log") from gone


def cua_driver(desktop: Desktop, executable: Path) -> ToolServer:
    """cua-driver, its telemetry off.

    Args:
        desktop: Where it runs.
        executable: The driver.

    Raises:
        BackendError: It does not start.
        UsageError: There is no such program.
    """
    desktop.spawn([executable, "telemetry", "disable"]).wait(30)
    return ToolServer(desktop, [executable, "mcp"])
