"""The worker: a process that loads one network and answers with boxes. It reads messages and nothing else.

``python -I -m cuakit.extension.worker MEMORY_MB``. The first message is its own: the protocol and the protections in force.
It ends when its input ends, whatever it is doing then, so it never outlives the process that started it.
"""

from __future__ import annotations

import hashlib
import os
import select
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

from cuakit.core.errors import CuakitError
from cuakit.extension import frames, sandbox
from cuakit.extension.catalogue import PROTOCOL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cuakit.models.session import Session


class Refused(Exception):
    """A request that is answered with a code of :data:`cuakit.extension.errors.EXTENSION_CODES`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def main(words: list[str]) -> int:
    """Answer requests until the input ends."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no message
    done = sandbox.enter(int(words[0]))
    threading.Thread(target=_end_with_input, args=(sys.stdin.fileno(),), daemon=True).start()
    frames.write(out, {"protocol": PROTOCOL, "sandbox": list(done)})
    return serve(sys.stdin.buffer, out)


def serve(requests: IO[bytes], out: IO[bytes]) -> int:
    """Answer each request with one message that bears its id; 1 when the input is no message."""
    network: Session | None = None
    while True:
        try:
            got = frames.read(requests)
        except frames.BadFrame:
            return 1
        if got is None:
            return 0
        head, body = got
        try:
            if head.get("method") == "load":
                network = load(head)
            said, blob = answer(network, head, body)
        except Exception as wrong:  # noqa: BLE001 - boundary: whatever fails here is an answer, not our end
            said, blob = {"code": _code(wrong), "message": str(wrong)[:2000]}, b""
        frames.write(out, {"id": head.get("id"), **said}, blob)


def answer(network: Session | None, head: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """What is said to a request, once a network is loaded."""
    method = head.get("method")
    if network is not None and method == "load":
        return {"runtime": network.runtime, "precision": network.precision, "note": network.note}, b""
    if network is not None and method == "detect":
        return detect(network, head, body)
    raise Refused("incompatible_protocol", f"no method {method!r} now")


def load(head: dict[str, Any]) -> Session:
    """The network, made from the very bytes that were compared with the digest."""
    from cuakit.core.errors import MissingExtra  # noqa: PLC0415 - everything heavy is loaded inside the sandbox
    from cuakit.models.session import onnx_session, openvino_session  # noqa: PLC0415 - see above

    with open(head["path"], "rb") as file:  # noqa: PTH123 - one file, by a name that was checked
        data = file.read(int(head["size"]) + 1)
    if len(data) != head["size"] or hashlib.sha256(data).hexdigest() != head["sha256"]:
        raise Refused("artifact_invalid", f"{head['path']} has other bytes than signed")
    threads = int(head["threads"])
    if head["runtime"] == "onnxruntime":
        return onnx_session(data, threads=threads)
    try:
        return openvino_session(data, threads=threads)
    except MissingExtra:
        if head["runtime"] == "openvino":
            raise
        return onnx_session(data, threads=threads)


def detect(network: Session, head: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Rows (left, top, right, bottom, score) in pixels of the picture that came, float32, the surest first."""
    import numpy as np  # noqa: PLC0415 - see load

    height, width = int(head["height"]), int(head["width"])
    if len(body) != height * width * 3:
        raise Refused("invalid_frame", f"{len(body)} bytes are no picture of {width} × {height}")
    pixels = np.frombuffer(body, np.uint8).reshape(height, width, 3)
    start = time.perf_counter_ns()
    raw = network(np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(255))
    spent = (time.perf_counter_ns() - start) / 1e6
    kept = rows(raw, float(head["confidence"]), int(head["most"]))
    return {"count": len(kept), "inference_ms": spent}, kept.tobytes()


def rows(raw: NDArray[np.float32], confidence: float, most: int) -> NDArray[np.float32]:
    """Boxes by their corners from a network's (1, 4 + classes, places) centres, sizes and scores."""
    import numpy as np  # noqa: PLC0415 - see load

    if raw.ndim != 3 or raw.shape[0] != 1 or raw.shape[1] < 5:
        raise Refused("inference_failed", f"output of shape {raw.shape}, expected (1, 5, places)")
    middle, size, score = raw[0, :2], raw[0, 2:4], raw[0, 4:].max(axis=0)
    table = np.vstack([middle - size / 2, middle + size / 2, score]).T
    table = table[np.isfinite(table).all(axis=1) & (score >= confidence) & (size > 0).all(axis=0)]
    best = np.argsort(-table[:, 4], kind="stable")[:most]
    return np.ascontiguousarray(table[best], dtype=np.float32)


def _code(wrong: Exception) -> str:
    if isinstance(wrong, Refused):
        return wrong.code
    if isinstance(wrong, MemoryError) or any(
        s in str(wrong) for s in ("bad_alloc", "allocate memory", "bad allocation")
    ):
        return "resource_limit_exceeded"
    if isinstance(wrong, CuakitError) and wrong.error_code == "missing_extra":
        return "worker_launch_failed"
    return "invalid_frame" if isinstance(wrong, KeyError | TypeError) else "inference_failed"


def _end_with_input(fd: int) -> None:
    """End this process as soon as nobody holds the other end of its input, also in the middle of a forward pass."""
    if not hasattr(select, "poll"):  # Windows: the end shows at the next read
        return
    watch = select.poll()
    watch.register(fd, 0)
    watch.poll()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
