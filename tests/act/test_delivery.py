"""Every rung of the ladder on real programs that are covered and unfocused, judged by the programs' own event logs."""

import json
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import WindowActor
from cuakit.backends.desktop import Desktop
from cuakit.backends.input.mpx import masters
from cuakit.backends.x11 import X11
from cuakit.backends.x11_manage import activate, iconify, manager_caught_up
from cuakit.backends.x11_situation import situation
from cuakit.backends.x11_windows import list_windows
from cuakit.capture.window import Window
from cuakit.core.action import (
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
)
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.perceive.accessibility import AccessibilityElements
from tests import waiting

APPS = Path(__file__).parents[2] / "benchmarks" / "apps"
SYSTEM_PYTHON = "/usr/bin/python3"


def imports(*modules):
    code = "import gi\n" if modules[0] == "gi" else ""
    code += "".join(f"gi.require_version('Gtk', '{m}.0')\n" if m.isdigit() else f"import {m}\n" for m in modules)
    return (
        Path(SYSTEM_PYTHON).exists()
        and subprocess.run([SYSTEM_PYTHON, "-c", code], capture_output=True, check=False).returncode == 0
    )


pytestmark = [
    pytest.mark.x11,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed"),
    pytest.mark.skipif(shutil.which("xterm") is None, reason="xterm is not installed"),
]

PROGRAMS = {
    "gtk3": ([SYSTEM_PYTHON, APPS / "gtk_app.py", "3"], ("gi", "3"), "python3-gi gir1.2-gtk-3.0"),
    "gtk4": ([SYSTEM_PYTHON, APPS / "gtk_app.py", "4"], ("gi", "4"), "python3-gi gir1.2-gtk-4.0"),
    "qt6": ([SYSTEM_PYTHON, APPS / "qt_app.py", "6"], ("PyQt6.QtWidgets",), "python3-pyqt6"),
}


wait_for = partial(waiting.wait_for, within_s=15.0, despite=(BackendError,))


@pytest.fixture(scope="module")
def desktop():
    with Desktop.launch(width=1024, height=768) as made:
        yield made


@pytest.fixture(scope="module")
def x(desktop):
    with X11.open(desktop.display) as connection:
        yield connection


@pytest.fixture(scope="module")
def cover(desktop, x):
    """A terminal over the whole screen that has the person's focus; what is typed into it by mistake is kept."""
    log = desktop.home / "cover.log"
    desktop.spawn(["xterm", "-T", "cover", "-geometry", "170x60+0+0", "-e", f"cat > {log}"])
    window = wait_for(lambda: [w for w in list_windows(x) if w.title == "cover" and w.on_screen])[0]
    return window.id, log


class Running:
    """A program under test, its window, and what reached it."""

    def __init__(self, desktop, x, cover, name):
        self.desktop, self.x, self.cover = desktop, x, cover
        command, _, _ = PROGRAMS[name]
        self.log = desktop.home / f"{name}.log"
        self.program = desktop.spawn([*command, self.log])
        wait_for(lambda: self.log.exists() and "ready" in self.log.read_text())
        self.id = wait_for(lambda: [w.id for w in list_windows(x) if w.title == f"{name} app" and w.on_screen])[0]
        self.window = Window.open(self.id, x=x)
        session = desktop.env["DBUS_SESSION_BUS_ADDRESS"]
        self.perceive = AccessibilityElements(session=session).bind(self.window)
        self.broker = CaptureBroker()
        self.actor = WindowActor(session=session).bind(self.window, self.broker)
        wait_for(lambda: len(self.perceive(self.window.grab())) > 4)

    def hide(self):
        activate(self.x, self.cover[0])
        wait_for(lambda: (s := situation(self.x)).active == self.cover[0] and s.stacking[-1] == self.cover[0])

    def observe(self):
        shot = self.window.grab()
        found = list(self.perceive(shot))
        capture = self.broker.issue(self.window, shot, Candidates(found, check_parents=False))
        return capture.id, Candidates(found, check_parents=False)

    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def do(self, action, capture, *, expect=None, **kwargs):
        """Receipt, the program's new events without focus, and what the person noticed."""
        self.hide()
        before, seen, typed = situation(self.x), len(self.events()), self.cover[1].read_text()
        receipt = self.actor.perform(action, capture, **kwargs)

        def new():
            return [e for e in self.events()[seen:] if not e["event"].startswith("focus")]

        if expect:
            wait_for(lambda: expect in [e["event"] for e in new()], within_s=60, what=receipt)
        manager_caught_up(self.x)
        noticed = before.changes(situation(self.x))
        assert self.cover[1].read_text() == typed, "the person's window got what was meant for another"
        return receipt, new(), noticed

    def close(self):
        self.actor.close()
        self.window.close()
        self.program.terminate()
        self.program.wait(10)


@pytest.fixture(scope="module", params=list(PROGRAMS))
def app(request, desktop, x, cover):
    _, needed, packages = PROGRAMS[request.param]
    if not imports(*needed):
        pytest.skip(f"needs apt-get install {packages}")
    running = Running(desktop, x, cover, request.param)
    running.kind = request.param
    yield running
    running.close()


def pick(found, role, name=None):
    return next(c for c in found if c.role == role and (name is None or c.label == name))


def canvas(app, found):
    """The drawing area, which offers nothing but pixels."""
    if app.kind.startswith("qt"):
        return pick(found, "text", "canvas")
    return max((c for c in found if c.role in ("image", "group")), key=lambda c: c.box.area)


def test_a_button_is_pressed(app):
    capture, found = app.observe()
    receipt, events, noticed = app.do(Click(target=pick(found, "button", "Press me").id), capture, expect="clicked")
    assert [e["event"] for e in events] == ["clicked"]
    assert receipt.injected
    assert receipt.delivery == "background"
    assert receipt.route == "accessibility"
    assert noticed == ()


def test_a_place_is_clicked(app):
    capture, found = app.observe()
    target = canvas(app, found)
    if app.kind == "gtk4":
        receipt, events, noticed = app.do(Click(target=target.id), capture)
        assert (receipt.effect, receipt.code) == ("refused", "background_unavailable")
        assert receipt.escalation.target == "foreground"
        assert events == []
    else:
        receipt, events, noticed = app.do(Click(target=target.id, at=(0.5, 0.5)), capture, expect="release")
        assert [e["event"] for e in events] == ["press", "release"]
        assert events[0]["values"][-1] == 1
        assert abs(events[0]["values"][1] - target.box.width / 2) <= 1
        assert abs(events[0]["values"][2] - target.box.height / 2) <= 1
        assert receipt.delivery == "background"
    assert noticed == ()


@pytest.mark.parametrize(
    ("make", "last", "kinds"),
    [
        (lambda c: DoubleClick(target=c.id), "release", {"press", "release"}),
        (lambda c: RightClick(target=c.id), "release", {"press", "release"}),
        (
            lambda c: Drag(target=c.id, to=c.id, at=(0.2, 0.2), to_at=(0.8, 0.6)),
            "release",
            {"press", "drag", "release"},
        ),
        (lambda c: Scroll(target=c.id, amount=2), "scroll", {"scroll"}),
    ],
    ids=["double", "right", "drag", "scroll"],
)
def test_pointer_actions_reach_a_covered_window(app, make, last, kinds):
    if app.kind == "gtk4":
        pytest.skip("GTK 4 takes no events that are sent; the refusal has its own test")
    capture, found = app.observe()
    receipt, events, noticed = app.do(make(canvas(app, found)), capture, expect=last)
    assert {e["event"] for e in events} == kinds
    assert receipt.delivery == "background"
    assert noticed == ()


@pytest.mark.parametrize("text", ["Hello World", "a<b>c|d\\e~f@g#h", "Grüße, señor", "語言 ∑ 😀", ""], ids=ascii)
def test_text_is_typed_exactly(app, text):
    capture, found = app.observe()
    target = pick(found, "textbox")
    receipt, events, noticed = app.do(TypeText(target=target.id, text=text), capture)
    _, after = app.observe()
    assert pick(after, "textbox").value == text
    assert receipt.effect == "confirmed"
    assert receipt.evidence[0].kind == "value_readback"
    assert noticed == ()
    assert not [e for e in events if e["event"] == "key"]


def test_text_is_added_and_enter_pressed(app):
    capture, found = app.observe()
    app.do(TypeText(target=pick(found, "textbox").id, text="one "), capture)
    capture, found = app.observe()
    action = TypeText(target=pick(found, "textbox").id, text="two", replace=False, then="ENTER")
    if app.kind == "gtk4":  # an entry without the keyboard cannot be given it
        receipt, events, noticed = app.do(action, capture)
        assert (receipt.effect, receipt.code, events) == ("refused", "background_unavailable", [])
        return
    receipt, events, noticed = app.do(action, capture, expect="entry-enter")
    assert [e["values"] for e in events if e["event"] == "entry-enter"] == [["one two"]]
    assert receipt.injected
    assert noticed == ()


def test_a_check_box_is_set_and_stays_set(app):
    capture, found = app.observe()
    box = pick(found, "checkbox")
    says = None if app.kind == "gtk4" else "toggled"  # the next step counts events, so this one must have come
    receipt, _, noticed = app.do(SetValue(target=box.id, value="true"), capture, expect=says)
    if app.kind == "gtk4" and receipt.effect == "refused":
        assert receipt.code == "background_unavailable"
        assert noticed == ()
        return
    assert receipt.effect == "confirmed"
    capture, found = app.observe()
    assert "checked" in pick(found, "checkbox").states
    _, events, _ = app.do(SetValue(target=pick(found, "checkbox").id, value="true"), capture)
    assert events == []
    capture, found = app.observe()
    app.do(SetValue(target=pick(found, "checkbox").id, value="false"), capture, expect="toggled")
    assert noticed == ()


def test_a_slider_gets_its_number(app):
    capture, found = app.observe()
    receipt, events, noticed = app.do(SetValue(target=pick(found, "slider").id, value="42"), capture, expect="scale")
    assert events[-1]["values"] == [42]
    assert receipt.effect == "confirmed"
    assert noticed == ()


def test_a_key_goes_to_the_window_and_to_no_other(app, x):
    capture, _ = app.observe()
    receipt, events, noticed = app.do(PressKey(key="F5"), capture, expect="key")
    assert receipt.injected
    assert len([e for e in events if e["event"] == "key"]) == 1
    assert noticed == ()
    assert len(masters(x)) == 2


def test_a_chord_arrives_with_its_modifiers_and_leaves_none_held(app, x):
    capture, _ = app.observe()
    _, events, noticed = app.do(Hotkey(keys=("CTRL", "SHIFT", "F6")), capture, expect="key")
    assert any(e["values"][1] == 1 + 4 for e in events if e["event"] == "key")
    assert noticed == ()
    assert x.connection.core.QueryPointer(x.root).reply().mask & 0xFF == 0


def test_a_capture_pays_once(app):
    capture, found = app.observe()
    target = pick(found, "button", "Press me")
    app.do(Click(target=target.id), capture, expect="clicked")
    receipt, events, _ = app.do(Click(target=target.id), capture)
    assert (receipt.effect, receipt.code) == ("refused", "capture_not_found")
    assert events == []


def test_in_the_foreground_everything_works_and_is_put_back(app):
    capture, found = app.observe()
    receipt, events, noticed = app.do(
        Click(target=canvas(app, found).id), capture, expect="release", delivery="foreground"
    )
    assert {"press", "release"} <= {e["event"] for e in events}
    assert receipt.route == "global_input"
    assert noticed == ()


def minimize(app, x):
    app.hide()
    iconify(x, app.id)
    wait_for(lambda: not app.window.info().on_screen)


@pytest.fixture
def minimized(app, x):
    app.window.grab()
    minimize(app, x)
    yield app
    x.connection.core.MapWindow(app.id, is_checked=True).check()
    wait_for(lambda: app.window.info().on_screen)
    wait_for(lambda: painted(app))


def painted(app):
    """Digest of a window that has finished painting; empty while it is at it."""
    first = app.window.grab().digest
    time.sleep(0.1)
    return first if app.window.grab().digest == first else ""


def test_a_minimized_window_is_operated_and_stays_minimized(minimized):
    app = minimized
    capture, found = app.observe()
    receipt, events, noticed = app.do(Click(target=pick(found, "button", "Press me").id), capture, expect="clicked")
    assert [e["event"] for e in events] == ["clicked"]
    assert receipt.injected
    capture, found = app.observe()
    receipt, _, noticed = app.do(TypeText(target=pick(found, "textbox").id, text="while away"), capture)
    assert receipt.effect == "confirmed"
    assert noticed == ()
    assert app.window.info().minimized


def test_keys_reach_a_minimized_window_or_are_refused_with_the_reason(minimized):
    app = minimized
    capture, _ = app.observe()
    if app.kind == "gtk4":
        receipt, events, _ = app.do(PressKey(key="F5"), capture)
        assert (receipt.effect, receipt.code, events) == ("refused", "background_unavailable", [])
        assert "minimized" in receipt.message
    else:
        receipt, events, _ = app.do(PressKey(key="F5"), capture, expect="key")
        assert len(events) == 1
        assert receipt.effect == "unverifiable"


def test_a_program_that_hangs_is_refused(app):
    import signal

    capture, found = app.observe()
    target = pick(found, "button", "Press me")
    app.program.send_signal(signal.SIGSTOP)
    try:
        receipt, events, noticed = app.do(Click(target=target.id), capture)
    finally:
        app.program.send_signal(signal.SIGCONT)
    assert (receipt.effect, receipt.code) == ("refused", "not_responding")
    assert events == []
    assert noticed == ()


def test_a_candidate_from_pixels_alone_can_be_clicked(app):
    if app.kind == "gtk4":
        pytest.skip("GTK 4 takes no events that are sent")
    capture, found = app.observe()
    box = pick(found, "button", "Press me").box
    shot = app.window.grab()
    seen = Candidates([Candidate(id="c1", box=Box(*box.xyxy), role="button", name="Press me", source="contours")])
    capture = app.broker.issue(app.window, shot, seen).id
    receipt, events, noticed = app.do(Click(target="c1"), capture, expect="clicked")
    assert [e["event"] for e in events] == ["clicked"]
    assert receipt.route == "synthetic_events"
    assert noticed == ()
