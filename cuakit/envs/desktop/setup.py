"""Carries out what a task file says is done before the agent starts, and before the judge looks."""

from __future__ import annotations

import shutil
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from cuakit.backends.x11_manage import activate
from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.getters import LARGEST, fixture
from cuakit.envs.desktop.hands import perform
from cuakit.envs.desktop.places import Places
from cuakit.envs.desktop.programs import IGNORED, PROGRAMS, Program, arguments_inside, program_for, recognised
from cuakit.envs.desktop.scripts import Deed, Gesture, deed, gestures, split_command
from cuakit.envs.desktop.session import POLL_S, Session
from cuakit.envs.desktop.task import SetupStep
from cuakit.envs.desktop.vocabulary import truth

Given = Mapping[str, Any]


def carry_out(session: Session, steps: Sequence[SetupStep]) -> None:
    """Carry out steps in order, all of them within the session's time for set-up.

    Raises:
        InvalidTask: A step that cannot be carried out here (code ``step_unsupported``), or a path out of the home.
        CommandNotAllowed: It would run something, which is not allowed.
        BackendError: An application or a fixture is missing, or something did not get ready.
    """
    session.deadline = time.monotonic() + session.limits.setup_s
    try:
        for step in steps:
            session.check_time(step.place)
            if step.type not in STEPS:
                raise InvalidTask(
                    f"{step.place}: {step.type!r} cannot be carried out here",
                    hint=f"steps: {', '.join(STEPS)}",
                    code="step_unsupported",
                )
            STEPS[step.type](session, step.parameters, step.place)
    finally:
        session.deadline = float("inf")


def obstacles(step: SetupStep) -> tuple[str, ...]:
    """Why a step cannot be carried out here without running a command of the task file; empty when it can.

    Decided from its words alone: whether an application is installed is another question.
    """
    if step.type not in STEPS:
        return (f"step {step.type}",)
    command = step.parameters.get("command")
    if command is None:
        return ()
    if step.type == "launch":
        words = split_command(command, step.place)
        known = bool(words) and (words[0] in IGNORED or _recognised(step.parameters, words) is not None)
    else:
        known = gestures(command, _ANY_SCREEN) is not None or deed(command) is not None
    return () if known else ("a command",)


_ANY_SCREEN: Final = (1920, 1080)


def _recognised(given: Given, words: Sequence[str]) -> tuple[Program, tuple[str, ...]] | None:
    """The application that a launch means; None when it is a shell's business."""
    shell = truth(given.get("shell", False)) and not isinstance(given["command"], str)
    return None if shell else recognised(words)


def _launch(session: Session, given: Given, place: str) -> None:
    """A known application with known options is started; anything else is a command."""
    command = given["command"]
    words = split_command(command, place)
    if words and words[0] in IGNORED:
        return
    found = _recognised(given, words)
    if found is None:
        session.permit(command, place)
        session.spawn(["/bin/sh", "-c", command] if isinstance(command, str) else words)
        session.rest()
        return
    program, arguments = found
    session.launch(program, arguments_inside(program, arguments, session.places))


def _execute(session: Session, given: Given, place: str) -> None:
    """What is understood is done without running it; anything else is a command."""
    command = given["command"]
    if (moves := gestures(command, session.x.size)) is not None:
        perform(session, moves)
    elif (done := deed(command)) is not None:
        _do(session, done)
    elif until := given.get("until"):
        session.wait(lambda: _as_told(session.run(command, place=place), until), f"{place}: what the command waits for")
    else:
        session.run(command, shell=truth(given.get("shell", False)), place=place)


def _as_told(result: Any, until: Given) -> bool:
    return all(
        (
            result.returncode == until.get("returncode", result.returncode),
            until.get("stdout", "") in result.stdout,
            until.get("stderr", "") in result.stderr,
        )
    )


def _do(session: Session, what: Deed) -> None:
    if what.kind == "mkdir":
        for name in what.paths:
            session.places.inside(name).mkdir(parents=True, exist_ok=True)
    elif what.kind == "end":
        session.end(what.paths[0])
    else:
        archive, folder = (session.places.inside(p) for p in what.paths)
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as packed:
            if sum(member.size for member in packed) > LARGEST:
                raise InvalidTask(f"{archive.name} unpacks to more than {LARGEST >> 20} MiB", hint="use a smaller one")
            packed.extractall(folder, filter="data")


def _download(session: Session, given: Given, place: str) -> None:
    del place
    for file in given["files"]:
        _put(session, fixture(session.fixtures, file["url"]), file["path"])


def _upload(session: Session, given: Given, place: str) -> None:
    for file in given["files"]:
        if "url" in file:
            _put(session, fixture(session.fixtures, file["url"]), file["path"])
        elif session.fixtures is None:
            raise InvalidTask(f"{place} needs a folder of fixtures", hint="name it with fixtures")
        else:
            _put(session, Places(session.fixtures).inside(file["local_path"]), file["path"])


def _put(session: Session, source: Path, name: str) -> None:
    target = session.places.inside(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _open(session: Session, given: Given, place: str) -> None:
    file = session.places.inside(given["path"])
    if not file.exists():
        raise InvalidTask(f"{place}: there is no {given['path']}", hint="download it in an earlier step")
    session.launch(program_for(file), [str(file)])


def _activate(session: Session, given: Given, place: str) -> None:
    name = given["window_name"]
    strict, by_class = truth(given.get("strict", False)), truth(given.get("by_class", False))
    window = session.wait(lambda: session.window(name, strict=strict, by_class=by_class), f"{place}: window {name!r}")
    _to_front(session, window.id, place)


def _to_front(session: Session, window: int, place: str) -> None:
    activate(session.x, window)
    session.wait(lambda: any(w.id == window and w.active for w in session.windows()), f"{place}: its being in front")


def _close(session: Session, given: Given, place: str) -> None:
    name = given["window_name"]
    strict, by_class = truth(given.get("strict", False)), truth(given.get("by_class", False))
    window = session.window(name, strict=strict, by_class=by_class)
    if window is None:
        return
    _to_front(session, window.id, place)
    perform(session, (Gesture(kind="keys", keys=("ALT", "F4")),))
    session.wait(lambda: all(w.id != window.id for w in session.windows()), f"{place}: the end of window {name!r}")


def _open_tabs(session: Session, given: Given, place: str) -> None:
    del place
    browser = PROGRAMS["chrome"]
    for url in arguments_inside(browser, given["urls_to_open"], session.places):
        session.launch(browser, [url])


def _sleep(session: Session, given: Given, place: str) -> None:
    """Published tasks sleep until applications are ready; here that is waited for, at most as long."""
    del place
    time.sleep(POLL_S)
    session.rest(min(float(given["seconds"]), session.limits.rest_s))


STEPS: Final[Mapping[str, Callable[[Session, Given, str], None]]] = MappingProxyType(
    {
        "launch": _launch,
        "execute": _execute,
        "command": _execute,
        "download": _download,
        "upload_file": _upload,
        "open": _open,
        "activate_window": _activate,
        "close_window": _close,
        "chrome_open_tabs": _open_tabs,
        "sleep": _sleep,
    }
)
"""Step → how it is carried out."""
