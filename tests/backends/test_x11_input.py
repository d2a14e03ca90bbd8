"""Keys and devices on a real X server: what is lent is given back, what is made is removed."""

import signal
import subprocess
import sys
import textwrap
from functools import partial

import pytest

from cuakit.backends.input.mpx import AgentKeyboard, masters, remove_stale
from cuakit.backends.input.us_keyboard import BY_CODE, CONTROL, SHIFT
from cuakit.backends.input.x11 import SentEvents, Spot, spot_at, takes_events
from cuakit.backends.input.x11_keys import Keyboard, keysym, state_of
from cuakit.backends.x11_manage import activate, manager_caught_up, refocus
from cuakit.backends.x11_ping import Pinger
from cuakit.backends.x11_situation import Situation, situation
from cuakit.backends.x11_windows import list_windows
from cuakit.core.errors import BackendError, TargetGone
from cuakit.core.geometry import Point
from tests import waiting
from tests.x11 import NEEDS_X11

pytestmark = NEEDS_X11


wait_for = partial(waiting.wait_for, within_s=15.0)


@pytest.fixture(scope="module")
def terminals(desktop, x):
    """Two terminals whose input lands in files: ``back`` is covered by ``front``, which has the focus."""
    found = {}
    for name in ("back", "front"):
        log = desktop.home / f"{name}.log"
        desktop.spawn(["xterm", "-T", name, "-geometry", "60x20+0+0", "-e", f"cat > {log}"])
        window = wait_for(lambda name=name: [w for w in list_windows(x) if w.title == name and w.on_screen])[0]
        wait_for(log.exists)
        found[name] = window.id, log
    wait_for(lambda: situation(x).active == found["front"][0])
    return found


def mapping(x):
    setup = x.connection.get_setup()
    first, last = setup.min_keycode, setup.max_keycode
    return list(x.connection.core.GetKeyboardMapping(first, last - first + 1).reply().keysyms)


@pytest.mark.parametrize(
    ("character", "symbol"),
    [("a", 0x61), ("é", 0xE9), ("語", 0x01008A9E), ("\n", 0xFF0D), ("\t", 0xFF09), ("€", 0x010020AC)],
)
def test_characters_have_their_keysyms(character, symbol):
    assert keysym(character) == symbol


def test_shifted_characters_know_their_shift(x):
    keyboard = Keyboard(x)
    with keyboard.text("aA1!<>") as strokes:
        lower, upper, digit, bang, less, more = strokes
    assert lower.keycode == upper.keycode
    assert (lower.state, upper.state, digit.state, bang.state) == (0, 1, 0, 1)
    assert (less.keycode, less.state) != (more.keycode, more.state)


def test_spare_keys_are_lent_and_given_back_also_after_an_error(x):
    before = mapping(x)
    keyboard = Keyboard(x)
    with keyboard.text("日本語") as strokes:
        assert len({s.keycode for s in strokes}) == 3
        assert mapping(x) != before
    assert mapping(x) == before
    with pytest.raises(RuntimeError), keyboard.text("日"):
        raise RuntimeError
    assert mapping(x) == before


def test_no_key_of_the_person_s_is_changed_while_keys_are_lent(x):
    before, keyboard = mapping(x), Keyboard(x)
    with keyboard.text("日本"):
        now = mapping(x)
    assert all(b in (0, n) for b, n in zip(before, now, strict=True))


def test_more_foreign_characters_than_spare_keys_are_refused_and_nothing_is_lent(x):
    before, keyboard = mapping(x), Keyboard(x)
    text = "".join(chr(0x4E00 + i) for i in range(len(keyboard.spare()) + 1))
    with pytest.raises(BackendError) as refused, keyboard.text(text):
        pytest.fail("it was typed")
    assert refused.value.error_code == "key_unavailable"
    assert mapping(x) == before


def test_named_keys_and_modifiers_are_found(x):
    keyboard = Keyboard(x)
    assert (
        len({keyboard.key(BY_CODE[code]).keycode for code in ("Enter", "Tab", "F5", "ArrowUp", "KeyA", "Space")}) == 6
    )
    assert state_of([CONTROL, SHIFT]) == 5
    assert keyboard.modifier(1) != keyboard.modifier(4)


def test_a_second_keyboard_exists_only_inside_its_context(desktop, x):
    before = masters(x)
    with AgentKeyboard.open(desktop.display):
        assert len(masters(x)) == len(before) + 2
    assert masters(x) == before


def test_the_device_of_a_killed_process_is_removed_at_the_next_start(desktop, x):
    code = """
        import sys, time
        from cuakit.backends.input.mpx import AgentKeyboard
        keyboard = AgentKeyboard.open(sys.argv[1])
        print("made", flush=True)
        time.sleep(300)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), desktop.display], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "made\n"
        assert len(masters(x)) == 4
        assert remove_stale(x) == 0, "it took the device of a process that lives"
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=10)
    assert remove_stale(x) == 1
    assert len(masters(x)) == 2


def test_keys_of_the_second_keyboard_reach_a_covered_window_and_the_person_keeps_everything(desktop, x, terminals):
    back, log = terminals["back"]
    before, untouched = situation(x), terminals["front"][1].read_text()
    keyboard = Keyboard(x)
    with AgentKeyboard.open(desktop.display) as agent, keyboard.text("Ab<C>\n") as strokes:
        agent.copy_layout(x, {s.keycode for s in strokes})
        with agent.focus(back):
            agent.strike(strokes)
            wait_for(lambda: log.read_text().endswith("\n"))
    manager_caught_up(x)
    if situation(x).active != before.active:
        refocus(x, before.focus)
        manager_caught_up(x)
    assert log.read_text() == "Ab<C>\n"
    assert before.changes(situation(x)) == ()
    assert terminals["front"][1].read_text() == untouched
    assert x.connection.core.QueryPointer(x.root).reply().mask & 0xFF == 0


def test_a_spot_is_the_deepest_window_that_listens(x, terminals):
    back, _ = terminals["back"]
    spot = spot_at(x, back, Point(20, 20))
    assert isinstance(spot, Spot)
    assert spot.window != back, "a terminal draws in a window of its own"
    assert takes_events(x, spot.window, 4)
    assert spot_at(x, back, Point(20, 20), mask=1 << 24) is None


def test_events_to_a_closed_window_are_refused(desktop, x):
    program = desktop.spawn(["xterm", "-T", "mortal", "-e", "sleep", "300"])
    window = wait_for(lambda: [w for w in list_windows(x) if w.title == "mortal" and w.on_screen])[0]
    spot = spot_at(x, window.id, Point(5, 5))
    program.terminate()
    program.wait(10)
    wait_for(lambda: all(w.id != window.id for w in list_windows(x)))
    with pytest.raises(TargetGone):
        SentEvents(x, window.id).click(spot)
    with Pinger(desktop.display) as pinger, pytest.raises(TargetGone):
        pinger.answers(window.id)


def test_a_program_that_takes_no_part_in_pings_says_nothing(desktop, terminals):
    with Pinger(desktop.display) as pinger:
        assert pinger.answers(terminals["back"][0]) is None


def test_activation_shows_in_the_situation_and_goes_back(x, terminals):
    before = situation(x)
    activate(x, terminals["back"][0])
    wait_for(lambda: situation(x).active == terminals["back"][0])
    assert set(before.changes(situation(x))) >= {"the focus moved", "another window became active"}
    activate(x, terminals["front"][0])
    wait_for(lambda: before.changes(situation(x)) == ())


def test_windows_that_come_or_go_are_no_restacking():
    def seen(*stacking):
        return Situation(pointer=(0, 0), focus=1, active=1, stacking=stacking, popups=frozenset())

    assert seen(1, 2, 3).changes(seen(1, 3)) == ()
    assert seen(1, 3).changes(seen(1, 2, 3)) == ()
    assert seen(1, 2, 3).changes(seen(2, 1, 3)) == ("windows were restacked",)
