"""A private desktop: it comes, it is fenced, task files set it up and run nothing by themselves, and it goes without trace."""

import shutil
import tarfile
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from cuakit.backends.desktop import Desktop
from cuakit.core.errors import BackendError, InvalidTask
from cuakit.envs.desktop import fence
from cuakit.envs.desktop.places import HOME
from cuakit.envs.desktop.programs import CommandNotAllowed
from cuakit.envs.desktop.read import parse_task
from cuakit.envs.desktop.session import Limits, Session, SetupTimeout
from cuakit.envs.desktop.setup import STEPS, carry_out

pytestmark = [
    pytest.mark.x11,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("xterm") is None, reason="needs xterm"),
]

LONG = Limits(setup_s=200.0, window_s=120.0)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    fixtures = tmp_path_factory.mktemp("fixtures")
    (fixtures / "a.txt").write_text("alpha\n")
    with tarfile.open(fixtures / "a.tar.gz", "w:gz") as packed:
        packed.add(fixtures / "a.txt", arcname="inside/a.txt")
    with Session.start(fixtures=fixtures, limits=LONG) as session:
        yield session


def steps(*given: tuple[str, dict]):
    config = [{"type": kind, "parameters": parameters} for kind, parameters in given]
    return parse_task({"id": "t", "instruction": "x", "config": config, "evaluator": {"func": "infeasible"}}).config


def until(holds: Callable[[], object], within_s: float = 60.0) -> None:
    stop_at = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < stop_at, "it did not come to pass"
        time.sleep(0.05)


def living(pids) -> list[int]:
    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            pass
    return found


def test_it_goes_without_trace():
    with Session.start(limits=LONG) as session:
        carry_out(session, steps(("launch", {"command": "xterm"})))
        pids, home = session.desktop.pids(), session.desktop.home
        assert session.window("xterm", by_class=True) is not None
        assert len(living(pids)) >= 3
    until(lambda: not living(pids))
    assert not home.exists()
    session.close()


def test_nothing_is_left_of_one_that_could_not_be_set_up(monkeypatch):
    made = []
    launch = Desktop.launch
    monkeypatch.setattr(Desktop, "launch", lambda **options: made.append(launch(**options)) or made[0])

    def fails(*_: object) -> None:
        raise BackendError("no surface today")

    monkeypatch.setattr("cuakit.envs.desktop.session.ActiveWindow", fails)
    with pytest.raises(BackendError, match="no surface today"):
        Session.start()
    assert not made[0].home.exists()
    assert not living(made[0].pids())


@pytest.mark.skipif(not fence.possible(), reason="name spaces cannot be made here")
def test_applications_write_in_their_home_only_and_have_no_network(session, tmp_path):
    outside = tmp_path / "outside"
    script = f'touch "{outside}"; cp /proc/net/dev "$HOME/net"; ls > "$HOME/listed"; touch "$HOME/done"'
    session.spawn(["/bin/sh", "-c", script])
    until((session.home / "done").exists)
    assert not outside.exists()
    assert (session.home / "listed").read_text()
    links = [line.partition(":")[0].strip() for line in (session.home / "net").read_text().splitlines()[2:]]
    assert links == ["lo"]


def test_files_folders_and_archives_come_into_the_home(session):
    carry_out(
        session,
        steps(
            ("download", {"files": [{"url": "fixture:a.txt", "path": f"{HOME}/new/b.txt"}]}),
            ("download", {"files": [{"url": "fixture:a.tar.gz", "path": f"{HOME}/a.tar.gz"}]}),
            ("execute", {"command": ["mkdir", "-p", f"{HOME}/x/y"]}),
            ("execute", {"command": f"tar -xzf {HOME}/a.tar.gz -C {HOME}/x/y"}),
            ("sleep", {"seconds": 0.1}),
        ),
    )
    assert (session.home / "new/b.txt").read_text() == "alpha\n"
    assert (session.home / "x/y/inside/a.txt").read_text() == "alpha\n"


@pytest.mark.parametrize(
    ("step", "given"),
    [
        ("execute", {"command": "touch {home}/bad"}),
        ("command", {"command": ["sh", "-c", "touch bad"]}),
        ("launch", {"command": ["sh", "-c", "touch bad"]}),
        ("launch", {"command": "xterm -e touch bad", "shell": True}),
        ("launch", {"command": ["chromium", "--renderer-cmd-prefix=touch bad"]}),
        ("execute", {"command": ["python", "-c", "import pyautogui; import os; os.system('touch bad')"]}),
        ("execute", {"command": f"mkdir -p {HOME}/a; touch bad"}),
    ],
)
def test_a_task_file_runs_nothing_by_itself(session, step, given):
    with pytest.raises(CommandNotAllowed, match=r"config\[0\] wants to run"):
        carry_out(session, steps((step, given)))
    assert not (session.home / "bad").exists()


def test_what_is_not_there_is_said_and_is_no_zero(session):
    with pytest.raises(BackendError, match="is not here") as wrong:
        carry_out(session, steps(("download", {"files": [{"url": "fixture:none.txt", "path": f"{HOME}/n"}]})))
    assert wrong.value.error_code == "fixture_missing"
    with pytest.raises(InvalidTask, match="there is no") as wrong:
        carry_out(session, steps(("open", {"path": f"{HOME}/none.txt"})))
    with pytest.raises(InvalidTask, match="cannot be carried out here") as wrong:
        carry_out(session, steps(("tidy_desktop", {})))
    assert wrong.value.error_code == "step_unsupported"
    assert "tidy_desktop" not in STEPS


def test_commands_run_in_the_home_when_they_are_allowed_and_end_in_time(session, monkeypatch):
    monkeypatch.setattr(session, "allow_commands", True)
    told = steps(("execute", {"command": f"printf yes > {HOME}/said; cat {HOME}/said", "until": {"stdout": "yes"}}))
    carry_out(session, told)
    assert (session.home / "said").read_text() == "yes"
    monkeypatch.setattr(session, "limits", Limits(command_s=0.5))
    with pytest.raises(SetupTimeout, match="ran longer"):
        carry_out(session, steps(("execute", {"command": "touch started; exec tail -f /dev/null"})))
    until(
        lambda: (
            not [p for p in psutil.process_iter(["cmdline"]) if p.pid in session.desktop.pids() and "tail" in p.name()]
        )
    )


def test_windows_come_to_the_front_are_typed_into_and_are_closed(session):
    carry_out(session, steps(("launch", {"command": ["xterm"]})))
    wanted = session.home / "typed"
    gestures = "import pyautogui; pyautogui.write('touch typed'); pyautogui.press('enter')"
    carry_out(
        session,
        steps(
            ("activate_window", {"window_name": "XTerm", "by_class": True}),
            ("execute", {"command": ["python", "-c", gestures]}),
        ),
    )
    until(wanted.exists)
    carry_out(session, steps(("close_window", {"window_name": "XTerm", "by_class": True})))
    assert session.window("XTerm", by_class=True) is None
    carry_out(session, steps(("close_window", {"window_name": "XTerm", "by_class": True})))
    shot = session.surface.grab() if session.surface.target() else None
    assert shot is not None
    assert shot.size == session.x.size


def test_a_set_up_without_end_is_ended(session, monkeypatch):
    monkeypatch.setattr(session, "limits", Limits(setup_s=0.0))
    with pytest.raises(SetupTimeout, match="came too late"):
        carry_out(session, steps(("sleep", {"seconds": 1})))
