"""Reading real programs over the accessibility bus, with the traps that each toolkit sets."""

import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from cuakit.backends.atspi import Accessibility, App, Ref
from cuakit.backends.atspi_bus import AccessibilityUnavailable, Bus, Call, Failure, get_property
from cuakit.backends.atspi_tree import Limits, read_tree
from cuakit.backends.atspi_window import match_frame, read_window
from cuakit.backends.atspi_words import ROLES, STATES, role_word, state_words
from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import list_windows
from cuakit.core.geometry import Box
from tests import waiting

APPS = Path(__file__).parents[2] / "benchmarks" / "apps"
SYSTEM_PYTHON = "/usr/bin/python3"


def on_desktop(test):
    """Marks a test that needs a private desktop with an accessibility bus."""
    for name in ("Xvfb", "dbus-daemon"):
        test = pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")(test)
    return pytest.mark.x11(test)


wait_for = partial(waiting.wait_for, within_s=20.0, despite=(AccessibilityUnavailable,))


def test_words_stand_at_their_numbers():
    assert (role_word(43), role_word(61), role_word(7), role_word(95)) == (
        "push button",
        "text",
        "check box",
        "document web",
    )
    assert role_word(10_000) == role_word(-1) == "unknown"
    assert len(set(ROLES)) == len(ROLES)
    assert (STATES.index("showing"), STATES.index("visible"), STATES.index("checkable")) == (25, 30, 41)
    assert state_words([1 << 25, 1 << 9]) == {"showing", "checkable"}


@pytest.fixture(scope="module")
def desktop():
    with Desktop.launch(width=1024, height=768) as made:
        yield made


@pytest.fixture(scope="module")
def access(desktop):
    with Accessibility.open(desktop.env["DBUS_SESSION_BUS_ADDRESS"]) as made:
        yield made


@pytest.fixture(scope="module")
def x(desktop):
    with X11.open(desktop.display) as made:
        yield made


def start(desktop, access, x, command, title, *, least=5):
    program = desktop.spawn(command)
    window = wait_for(lambda: [w for w in list_windows(x) if title in w.title and w.on_screen])[0]
    wait_for(lambda: len(read_window(access, window).nodes) >= least)
    return program, window


@pytest.fixture(scope="module")
def calculator(desktop, access, x):
    if shutil.which("galculator") is None:
        pytest.skip("needs apt-get install galculator")
    return start(desktop, access, x, ["galculator"], "galculator", least=30)


@pytest.fixture(scope="module")
def qt(desktop, access, x):
    done = subprocess.run([SYSTEM_PYTHON, "-c", "import PyQt6.QtWidgets"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs apt-get install python3-pyqt6")
    log = desktop.home / "qt.log"
    return start(desktop, access, x, [SYSTEM_PYTHON, APPS / "qt_app.py", "6", log], "qt6 app")


def by_name(tree, name):
    return next(node for node in tree.nodes if node.name == name)


@on_desktop
def test_an_application_is_found_by_its_process(access, calculator):
    program, _ = calculator
    app = access.app_of(program.pid)
    assert (app.name, app.toolkit) == ("galculator", "gtk")
    assert access.app_of(2**30) is None


@on_desktop
def test_everything_that_shows_is_read_with_place_and_name(access, calculator):
    _, window = calculator
    tree = read_window(access, window)
    assert tree.truncated == ""
    assert {str(d) for d in range(10)} <= {n.name for n in tree.nodes if "Action" in n.interfaces}
    frame = Box(0, 0, window.box.width, window.box.height)
    for node in tree.nodes:
        if node.name and node.box and node.depth > 1:
            assert frame.contains(node.box), node
    assert tree.nodes[0].parent == -1
    assert all(node.parent < at for at, node in enumerate(tree.nodes))


@on_desktop
def test_keys_of_the_calculator_lie_in_their_rows(access, calculator):
    tree = read_window(access, calculator[1])
    seven, eight, four = (by_name(tree, name).box for name in "784")
    assert seven.top == eight.top
    assert seven.right <= eight.left
    assert seven.bottom <= four.top


@on_desktop
def test_closed_menus_are_not_entered(access, calculator):
    tree = read_window(access, calculator[1])
    menus = [node for node in tree.nodes if node.role == "menu"]
    assert len(menus) >= 4
    assert not [node for node in tree.nodes if node.role == "menu item"]


@on_desktop
def test_qt_reports_screen_positions_and_they_become_the_window_s(access, qt):
    _, window = qt
    tree = read_window(access, window)
    button = by_name(tree, "Press me")
    assert button.box.left < 40
    assert button.box.top < 40
    assert button.actions[0] == "Press"


@on_desktop
def test_qt_survives_being_read_again_and_again(access, qt):
    program, window = qt
    for _ in range(20):
        assert len(read_window(access, window).nodes) >= 7
    assert program.poll() is None


@on_desktop
def test_a_secret_is_not_read(access, qt):
    tree = read_window(access, qt[1])
    (secret,) = (node for node in tree.nodes if node.role == "password text")
    assert secret.value == ""


@on_desktop
def test_limits_cut_the_read_and_say_so(access, calculator):
    tree = read_window(access, calculator[1], Limits(nodes=10))
    assert (len(tree.nodes), tree.truncated) == (10, "node_limit")


@on_desktop
def test_a_list_longer_than_the_limit_is_not_asked_for(access, calculator):
    tree = read_window(access, calculator[1], Limits(children=1))
    assert tree.truncated == "huge_container"


@on_desktop
def test_a_program_that_hangs_costs_its_deadline_and_no_more(access, calculator, qt):
    program, window = calculator
    program.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        tree = read_window(access, window, Limits(deadline_s=0.5))
        assert time.monotonic() - began < 10
        assert tree.truncated in ("not_answering", "deadline")
        assert access.hangs(program.pid, 0.3) is True
        assert access.hangs(qt[0].pid, 0.3) is False
    finally:
        program.send_signal(signal.SIGCONT)
    wait_for(lambda: not access.hangs(program.pid))


@on_desktop
def test_a_program_without_accessibility_is_named(access, x, desktop):
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    desktop.spawn(["xterm", "-T", "mute", "-e", "sleep", "300"])
    window = wait_for(lambda: [w for w in list_windows(x) if w.title == "mute"])[0]
    with pytest.raises(AccessibilityUnavailable, match="XTerm"):
        read_window(access, window)


@on_desktop
def test_threads_share_one_connection(access, calculator):
    app = access.app_of(calculator[0].pid)
    (frame, *_) = access.frames(app)
    sizes = Counter()

    def read():
        sizes[len(read_tree(access, app, frame).nodes)] += 1

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert list(sizes.values()) == [8]


@on_desktop
def test_a_late_answer_is_not_taken_for_another(access, calculator):
    app = access.app_of(calculator[0].pid)
    name = get_property(app.ref.dest, app.ref.path, "org.a11y.atspi.Accessible", "Name")
    assert access.bus.batch([name] * 50, timeout_s=0) == [Failure("timeout")] * 50
    toolkit = get_property(app.ref.dest, app.ref.path, "org.a11y.atspi.Application", "ToolkitName")
    assert access.bus.call(toolkit) == (("s", "gtk"),)


@on_desktop
def test_an_error_is_a_value_and_the_rest_of_the_batch_is_kept(access, calculator):
    app = access.app_of(calculator[0].pid)
    good = get_property(app.ref.dest, app.ref.path, "org.a11y.atspi.Accessible", "Name")
    bad = Call(app.ref.dest, "/no/such/object", "org.a11y.atspi.Accessible", "GetState")
    gone = Call(":1.999999", "/a", "org.a11y.atspi.Accessible", "GetState")
    first, second, third, fourth = access.bus.batch([good, bad, gone, good])
    assert first == fourth == (("s", "galculator"),)
    assert isinstance(second, Failure)
    assert third.name == "org.freedesktop.DBus.Error.ServiceUnknown"


@pytest.mark.parametrize("address", ["", "unix:path=/no/such/socket", "tcp:host=x", "nonsense", "unix:", "unix:path"])
def test_no_bus_is_a_sentence(address, monkeypatch):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    with pytest.raises(AccessibilityUnavailable, match="apt-get install at-spi2-core"):
        Accessibility.open(address)


def test_something_that_is_no_bus_is_refused(tmp_path):
    import socket

    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def rude():
            client, _ = listener.accept()
            with client:
                client.recv(100)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n")

        thread = threading.Thread(target=rude)
        thread.start()
        with pytest.raises(AccessibilityUnavailable, match="does not accept us"):
            Bus.open(f"unix:path={path}")
        thread.join(5)


@on_desktop
def test_a_bus_that_dies_is_reported():
    with Desktop.launch(width=64, height=64, window_manager=False) as made:
        access = Accessibility.open(made.env["DBUS_SESSION_BUS_ADDRESS"])
        made.close()
        with pytest.raises(AccessibilityUnavailable):
            access.apps()
        access.close()
        access.close()


def test_frames_are_matched_by_title_then_by_size():
    from cuakit.backends.atspi import Frame
    from cuakit.backends.x11_windows import WindowInfo

    def frame(name, width, path):
        return Frame(ref=Ref(":1.1", path), name=name, box=Box(0, 0, width, 100))

    window = WindowInfo(
        id=1, pid=1, started=1, title="b", app="A", box=Box(5, 5, 305, 105), stacking=0, active=True, minimized=False,
        on_screen=True,
    )  # fmt: skip
    frames = [frame("a", 300, "/1"), frame("b", 700, "/2"), frame("b", 302, "/3"), frame("", 300, "/4")]
    assert match_frame(frames, window).ref.path == "/3"
    assert match_frame([frames[0], frames[3]], window).ref.path in ("/1", "/4")
    assert isinstance(App(ref=Ref("a", "b"), name="", pid=0, toolkit="", version=""), App)


SPREADSHEET = "name,qty\npear,2\nfig,5\n"


@on_desktop
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs apt-get install libreoffice-calc libreoffice-gtk3")
def test_a_spreadsheet_of_two_billion_cells_gives_those_that_show():
    with Desktop.launch(width=700, height=500) as made, X11.open(made.display) as x:
        (made.home / "data.csv").write_text(SPREADSHEET)
        options = ["--calc", "--norestore", "--nologo", "--nofirststartwizard", "--infilter=CSV:44,34,76,1"]
        program = made.spawn(["soffice", *options, made.home / "data.csv"])
        with Accessibility.open(made.env["DBUS_SESSION_BUS_ADDRESS"]) as access:

            def cells():
                windows = [w for w in list_windows(x) if "data.csv" in w.title and w.on_screen]
                tree = read_window(access, windows[0], Limits(deadline_s=30)) if windows else None
                return {n.name: n for n in tree.nodes if n.role == "table cell"} if tree else {}

            found = wait_for(lambda: (now := cells()) and "B3" in now and now, within_s=90)
        assert (found["A1"].value, found["B2"].value, found["A3"].value) == ("name", "2", "fig")
        assert found["B1"].box.left == found["B2"].box.left > found["A1"].box.left
        assert len(found) > 40
        assert program.poll() is None
