"""A llama.cpp server for one GGUF file, in a process of its own, on loopback, behind a token.

Speaks the OpenAI protocol with token log-probabilities. The process belongs to its owner: it ends with it, also when the
owner is killed, because it watches the pipe to it.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from cuakit.core.errors import MissingExtra, ModelError

_SERVE: Final = """
import json, sys, os, threading
import xllamacpp as llama
want = json.loads(sys.stdin.readline())
p = llama.CommonParams()
p.model.path = want["path"]
p.n_ctx = want["context"]
p.cpuparams.n_threads = want["threads"]
p.n_parallel = 1
p.port = 0
p.hostnames = ["127.0.0.1"]
p.api_keys = [want["token"]]
p.n_gpu_layers = 0
server = llama.Server(p)
print("READY " + json.dumps({"url": server.listening_address}), flush=True)
sys.stdin.read()
os._exit(0)
"""


@dataclass(frozen=True, kw_only=True)
class LlamaServer:
    """A running server; use it as a context manager.

    Args:
        base_url: OpenAI endpoint, ending in ``/v1``.
        token: API key that it asks for.
    """

    base_url: str
    token: str = field(repr=False)
    _process: subprocess.Popen[str] = field(repr=False, compare=False)

    @classmethod
    def launch(cls, path: Path, *, threads: int = 2, context: int = 4096) -> Self:
        """Start a server and wait until it has loaded the model.

        Args:
            path: GGUF file.
            threads: Threads for one answer.
            context: Longest prompt and answer in tokens.

        Raises:
            MissingExtra: ``xllamacpp`` is not installed.
            ModelError: The file cannot be loaded (code ``model_unloadable``).
        """
        if find_spec("xllamacpp") is None:
            raise MissingExtra("local language models need xllamacpp", hint="pip install 'cuakit[local-llm]'")
        if not path.is_file():
            raise ModelError(f"no model file at {path}", hint="cuakit models pull NAME", code="not_installed")
        token = secrets.token_urlsafe(24)
        # idle threads sleep instead of spinning, so that a browser beside it gets the cores
        env = os.environ | {"OMP_WAIT_POLICY": "passive"}
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        want = {"path": str(path), "threads": threads, "context": context, "token": token}
        process.stdin.write(json.dumps(want) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("READY "):
                url = json.loads(line.removeprefix("READY "))["url"]
                return cls(base_url=f"{url.rstrip('/')}/v1", token=token, _process=process)
        process.wait()
        raise ModelError(f"llama.cpp could not load {path.name}", hint="pull it again", code="model_unloadable")

    def close(self) -> None:
        """Stop the server; may be repeated."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
