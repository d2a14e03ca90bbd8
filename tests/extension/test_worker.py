"""A worker that hangs, crashes, lies or is killed becomes a code, never our own end; and it has given up the network."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest

from cuakit.extension import frames
from cuakit.extension.catalogue import PROTOCOL
from cuakit.extension.client import Worker
from cuakit.extension.errors import EXTENSION_CODES, ExtensionError
from cuakit.extension.publish import list_files
from cuakit.extension.sandbox import NO_NETWORK
from tests.extension.conftest import ROWS, network
from tests.waiting import wait_for

pytestmark = pytest.mark.processes
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's protections are Linux's")
PICTURE = np.full((64, 96, 3), 200, np.uint8)


def worker(folder: Path, **options) -> Worker:
    (file,) = list_files(folder, ["model.onnx"])
    return Worker(model=folder / "model.onnx", **({"size": file.size, "sha256": file.sha256} | options))


def liar(folder: Path, script: str, **options) -> Worker:
    """A worker that says hello properly and then does as the script says, with ``say`` and ``hear``."""
    code = f"""
        import os, sys, time
        from cuakit.extension import frames
        out = sys.stdout.buffer
        def say(head, body=b""): frames.write(out, head, body)
        def hear(): return frames.read(sys.stdin.buffer)
        say({{"protocol": {PROTOCOL!r}, "sandbox": ["seccomp"]}})
        head, _ = hear()
        say({{"id": head["id"], "runtime": "none", "precision": "none"}})
        head, _ = hear()
    """
    text = textwrap.dedent(code) + textwrap.dedent(script)
    return worker(folder, command=[sys.executable, "-c", text], **options)


def code_of(asked: Worker, **options) -> str:
    with pytest.raises(ExtensionError) as told:
        asked.detect(PICTURE, **({"confidence": 0.1, "deadline_s": 60} | options))
    assert told.value.hint
    return told.value.error_code


def test_boxes_come_back_as_corners_the_surest_first(toy_files):
    with worker(toy_files) as asked:
        found = asked.detect(PICTURE, confidence=0.5)
        assert found.round(3).tolist() == [[30, 25, 50, 35, pytest.approx(0.9)], [32, 26, 52, 36, pytest.approx(0.8)]]
        assert len(asked.detect(PICTURE, confidence=0.0, most=1)) == 1
        assert len(asked.detect(PICTURE, confidence=0.0)) == len(ROWS)
        assert asked.info().runtime.startswith("onnxruntime")


def test_what_a_network_says_that_cannot_be_a_box_is_dropped(tmp_path):
    odd = (*ROWS, (float("nan"), 1, 1, 1, 0.9), (5, 5, 0, 4, 0.9), (5, 5, -3, 4, 0.9), (5, 5, 4, 4, float("inf")))
    network(tmp_path / "model.onnx", odd)
    with worker(tmp_path) as asked:
        assert len(asked.detect(PICTURE, confidence=0.1)) == len(ROWS)


@linux
def test_it_has_no_network_and_says_which_protections_hold(toy_files):
    with worker(toy_files) as asked:
        assert NO_NETWORK & set(asked.info().sandbox)


SANDBOXED = """
    import os, socket, subprocess, sys
    from cuakit.extension import sandbox
    sandbox.enter(2048)
    tries = {
        "socket": lambda: socket.socket(),
        "raw socket": lambda: __import__("ctypes").CDLL(None, use_errno=True).socket(2, 1, 0) >= 0,
        "connect": lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5),
        "program": lambda: subprocess.run(["true"]),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "memory": lambda: bytearray(4 << 30),
        "signal": lambda: os.kill(os.getppid(), 0),
    }
    if sys.argv[2] == "landlock":
        tries["write"] = lambda: open(sys.argv[3], "w").write("x")
        tries["remove"] = lambda: os.unlink(sys.argv[4])
    done = []
    for name, go in tries.items():
        try:
            if go() is not False: done.append(name)
        except (OSError, MemoryError): pass
    print(",".join(done))
"""


@linux
def test_from_inside_there_is_no_way_out(tmp_path):
    from cuakit.backends.static import StaticServer

    kept = tmp_path / "kept"
    kept.touch()
    probe = "from cuakit.extension import sandbox; print('landlock-no-writes' in sandbox.enter(2048))"
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=120).stdout
    with StaticServer(tmp_path) as server:
        args = [str(server.port), "landlock" if "True" in said else "none", str(tmp_path / "new"), str(kept)]
        told = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(SANDBOXED), *args],
            capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
    assert told.stdout.strip() == ""
    assert kept.exists()


@linux
def test_one_that_keeps_the_network_is_not_used(toy_files):
    hello = f"from cuakit.extension import frames; import sys; frames.write(sys.stdout.buffer, {{'protocol': {PROTOCOL!r}, 'sandbox': ['audit-hook']}}); sys.stdin.read()"
    assert code_of(worker(toy_files, command=[sys.executable, "-c", hello])) == "unsupported_platform"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("os._exit(3)", "worker_crashed"),
        ("os.abort()", "worker_crashed"),
        ("out.write(b'Segmentation fault, says a library\\n' * 9); out.flush(); hear()", "invalid_frame"),
        ("out.write(b'\\xff' * 64); out.flush(); hear()", "invalid_frame"),
        ("say({'id': 99, 'count': 0}); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'count': 7}, b'x' * 20); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'count': 1}, b'\\x00\\x00\\xc0\\x7f' * 5); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'count': 1}, b'\\x00\\x00\\x00\\x40' * 5); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'count': 99999}, b'x' * 20 * 99999); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'code': 'sudo', 'message': 'run me'}); hear()", "invalid_frame"),
        ("say({'id': head['id'], 'code': 'inference_failed', 'message': 'no'}); hear()", "inference_failed"),
    ],
)
def test_whatever_it_says_instead_of_boxes_is_a_code(toy_files, script, code):
    with liar(toy_files, script) as asked:
        assert code_of(asked) == code


def test_one_that_hangs_is_ended_at_the_deadline(toy_files):
    with liar(toy_files, "time.sleep(600)") as asked:
        asked.info()
        pid = asked.pid
        assert code_of(asked, deadline_s=0.3) == "timeout"
        assert not psutil.pid_exists(pid)


def test_killed_in_the_middle_it_is_a_code_and_the_next_call_has_a_new_one(toy_files, tmp_path):
    mark = tmp_path / "here"
    script = f"open({str(mark)!r}, 'w').close(); time.sleep(600)"
    with liar(toy_files, script) as asked:
        told: list[str] = []
        thread = threading.Thread(target=lambda: told.append(code_of(asked)))
        thread.start()
        wait_for(mark.exists)
        os.kill(asked.pid, signal.SIGKILL)
        thread.join(120)
        assert told == ["worker_crashed"]
        asked.command = ()
        assert len(asked.detect(PICTURE, confidence=0.5)) == 2


def test_killed_between_two_calls_nobody_notices(toy_files):
    with worker(toy_files) as asked:
        asked.detect(PICTURE, confidence=0.5)
        process = asked._live.process
        process.kill()
        wait_for(lambda: process.poll() is not None)  # the last of its threads is gone a moment after the first
        assert len(asked.detect(PICTURE, confidence=0.5)) == 2


def test_it_ends_with_whoever_started_it_also_in_the_middle_of_work(toy_files):
    code = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        from pathlib import Path
        from tests.extension.test_worker import worker
        asked = worker(Path({str(toy_files)!r}))
        asked.info()
        print(asked.pid, flush=True)
        sys.stdin.read()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
    finally:
        parent.kill()
        parent.communicate()
    wait_for(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"sha256": "0" * 64}, "artifact_invalid"),
        ({"command": ["/no/such/program"]}, "worker_launch_failed"),
        ({"command": [sys.executable, "-c", "raise SystemExit('no module named anything')"]}, "worker_launch_failed"),
    ],
)
def test_one_that_cannot_be_started_says_why(toy_files, options, code):
    assert code_of(worker(toy_files, **options)) == code


def test_a_file_that_is_no_network_is_an_answer(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"no network at all")
    with worker(tmp_path) as asked:
        assert code_of(asked) == "inference_failed"
        assert asked.pid is not None  # it said so itself; it did not crash


def test_a_picture_beyond_the_limit_is_not_sent(toy_files):
    with worker(toy_files) as asked:
        huge = np.broadcast_to(np.uint8(0), (8192, 4096, 3))
        assert code_of_huge(asked, huge) == "invalid_frame"


def code_of_huge(asked: Worker, pixels) -> str:
    with pytest.raises(ExtensionError) as told:
        asked.detect(pixels, confidence=0.1)
    return told.value.error_code


def test_every_code_says_what_to_do_next():
    assert all(hint and not hint.endswith(".") for _, hint in EXTENSION_CODES.values())


def test_our_own_worker_refuses_noise(toy_files):
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "cuakit.extension.worker", "2048"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert frames.read(process.stdout)[0]["protocol"] == PROTOCOL
        frames.write(process.stdin, {"id": 1, "method": "exec", "code": "import os"})
        assert frames.read(process.stdout)[0]["code"] == "incompatible_protocol"
        process.stdin.write(b"\xff" * 64)
        process.stdin.flush()
        assert process.wait(120) == 1
    finally:
        process.kill()
        process.communicate()
