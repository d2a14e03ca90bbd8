"""An environment without an application, for testing the harness: its tasks do what harnesses must survive.

Found by workers as ``toy_env:Toy`` because the tests put this folder on their path.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, UnknownName
from cuakit.core.lease import Target
from cuakit.core.screenshot import Screenshot
from cuakit.core.subtask import Subtask

LOOKS = 2
"""Times that the oracle looks before it is done; a trial has one step more."""


class Picture:
    """A still picture as a surface."""

    def __init__(self) -> None:
        self.value = 0

    def target(self) -> Target:
        return Target("page", "toy", str(self.value))

    def size(self) -> tuple[int, int]:
        return 64, 48

    def grab(self) -> Screenshot:
        pixels = np.full((48, 64, 3), 255, np.uint8)
        pixels[10:30, 10:30] = self.value % 200
        return Screenshot(pixels=pixels, source="toy")

    def patch(self, box):
        return self.grab().crop(box)

    def title(self) -> str:
        return "Toy"

    def call(self, method: str, **params: object) -> None:
        raise AssertionError(f"no toy agent acts, but {method} was called")

    evaluate = call


def forever() -> None:
    threading.Event().wait()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def first_time(what: str) -> bool:
    """Whether this has not happened before in any process of the test."""
    try:
        (Path(os.environ["TOY_FOLDER"]) / what).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def leave_a_child() -> None:
    """Start a process that leaves group and session, as a careless application does."""
    code = "import threading; threading.Event().wait()"
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    with (Path(os.environ["TOY_FOLDER"]) / "children").open("a") as file:
        file.write(f"{child.pid}\n")


class Toy:
    """Tasks: ``ok fail half nan raise page hang hang-reset hang-score crash crash-once shy wait secret spend``."""

    def __init__(self) -> None:
        if os.environ.get("TOY_BROKEN"):
            raise BackendError("the toy is broken", hint="mend it")
        self.surface = Picture()
        self._task = ""

    def reset(self, task: str, seed: int) -> Subtask:
        self._task = task
        self.surface.value = seed
        if task == "hang-reset":
            forever()
        if task == "shy" and first_time(f"shy-{seed}"):
            raise BackendError("not ready yet")
        if task == "secret":
            return Subtask(goal="say hunter2", inputs={"pw": "hunter2"}, secret_inputs={"pw"})
        return Subtask(goal=f"do {task}")

    def done(self) -> bool:
        return False

    def score(self) -> float:
        if self._task == "hang-score":
            forever()
        return {"fail": 0.0, "half": 0.5, "nan": float("nan")}.get(self._task, float(os.environ.get("TOY_WORTH", "1")))

    def gold(self, task: str):
        if task == "no-gold":
            raise UnknownName("no gold path")

        def policy(subtask, observation, history) -> Decision:
            seed = self.surface.value
            if task == "hang":
                leave_a_child()
                forever()
            if task == "crash" or (task == "crash-once" and first_time(f"crash-{seed}")):
                leave_a_child()
                die()
            if task == "raise":
                raise ZeroDivisionError("the agent divides by zero")
            if task == "secret":
                raise ValueError("cannot say hunter2")
            if task == "page":
                raise BackendError("the page crashed")
            if task == "wait":
                with (Path(os.environ["TOY_FOLDER"]) / "waiting").open("a") as file:
                    file.write(f"{os.getpid()}\n")
                gate = Path(os.environ["TOY_FOLDER"]) / "gate"
                tick = threading.Event()
                while not gate.exists():
                    tick.wait(0.01)
            if task == "spend":
                return Decision(outcome="reobserve", usage={"input_tokens": 40.0, "output_tokens": 10.0})
            if len(history) < LOOKS:
                return Decision(outcome="reobserve")
            return Decision(outcome="complete", reason="done")

        return policy

    def close(self) -> None:
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
