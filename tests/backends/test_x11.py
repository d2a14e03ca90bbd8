import time

import numpy as np
import pytest

from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11, numbers
from cuakit.backends.x11_windows import client_of, list_windows, process_start, window_info
from cuakit.core.errors import DisplayUnavailable, TargetGone
from tests.x11 import NEEDS_X11

pytestmark = NEEDS_X11


def open_xterm(desktop, x, title, *, at="+50+60"):
    program = desktop.spawn(["xterm", "-T", title, "-geometry", f"40x10{at}", "-e", "sleep", "300"])
    end = time.monotonic() + 15
    while True:
        found = [w for w in list_windows(x) if w.title == title and w.on_screen]
        if found:
            return program, found[0]
        assert time.monotonic() < end, "the window did not come up"
        time.sleep(0.02)


def close(program, x, window):
    program.terminate()
    program.wait(10)
    end = time.monotonic() + 10
    while any(w.id == window.id for w in list_windows(x)):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_window_is_listed_with_owner_place_and_name(desktop, x):
    program, window = open_xterm(desktop, x, "first")
    try:
        assert window.pid == program.pid
        assert window.started == process_start(program.pid) > 0
        assert window.app == "XTerm"
        assert not window.minimized
        assert not window.popup
        assert 50 <= window.box.left <= 60
        assert window.box.width > 100
    finally:
        close(program, x, window)


def test_stacking_and_attention_follow_the_window_opened_last(desktop, x):
    first, low = open_xterm(desktop, x, "low")
    second, high = open_xterm(desktop, x, "high")
    try:
        end = time.monotonic() + 10
        while not window_info(x, high.id).active:
            assert time.monotonic() < end
            time.sleep(0.02)
        order = [w.title for w in list_windows(x)]
        assert order.index("low") < order.index("high")
        assert not window_info(x, low.id).active
        assert window_info(x, low.id).stacking < window_info(x, high.id).stacking
    finally:
        close(first, x, low)
        close(second, x, high)


def test_one_window_reads_the_same_as_in_the_list(desktop, x):
    program, window = open_xterm(desktop, x, "same")
    try:
        (listed,) = (w for w in list_windows(x) if w.id == window.id)
        assert window_info(x, window.id) == listed
    finally:
        close(program, x, window)


def test_the_frame_and_children_of_a_window_lead_to_it(desktop, x):
    program, window = open_xterm(desktop, x, "framed")
    try:
        frame = x.connection.core.QueryTree(window.id).reply().parent
        child = x.connection.core.QueryTree(window.id).reply().children[0]
        assert frame != x.root
        assert client_of(x, child) == client_of(x, window.id) == window.id
    finally:
        close(program, x, window)


def test_a_minimized_window_says_so(desktop, x):
    program, window = open_xterm(desktop, x, "small")
    try:
        iconify(x, window.id)
        end = time.monotonic() + 10
        while not (now := window_info(x, window.id)).minimized or now.on_screen:
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        close(program, x, window)


def iconify(x, window):
    import struct

    import xcffib.xproto as xp

    iconic = 3
    event = struct.pack("=BBHII5I", 33, 32, 0, window, x.atom("WM_CHANGE_STATE"), iconic, 0, 0, 0, 0)
    mask = xp.EventMask.SubstructureNotify | xp.EventMask.SubstructureRedirect
    x.connection.core.SendEvent(False, x.root, mask, event, is_checked=True).check()


def test_a_closed_window_is_gone_and_its_generation_is_not_reused(desktop, x):
    program, window = open_xterm(desktop, x, "mortal")
    close(program, x, window)
    with pytest.raises(TargetGone):
        window_info(x, window.id)
    again, next_window = open_xterm(desktop, x, "mortal")
    try:
        assert next_window.generation != window.generation
    finally:
        close(again, x, next_window)


def test_a_number_that_is_no_window_is_refused(x):
    with pytest.raises(TargetGone, match="0x7fffff00"):
        window_info(x, 0x7FFFFF00)


def test_pixels_of_the_root_have_the_asked_shape(x):
    cut = x.pixels(x.root, (10, 20, 110, 60), "root")
    assert cut.shape == (40, 100, 3)
    assert np.array_equal(cut, x.pixels(x.root, (0, 0, 800, 600), "root")[20:60, 10:110])


def test_a_large_read_is_put_together_from_parts(x, monkeypatch):
    whole = x.pixels(x.root, (0, 0, 800, 600), "root")
    monkeypatch.setattr("cuakit.backends.x11._ROWS_AT_ONCE_BYTES", 800 * 4 * 7)
    assert np.array_equal(whole, x.pixels(x.root, (0, 0, 800, 600), "root"))


def test_atoms_have_names_and_keep_their_numbers(x):
    assert x.atom("WM_NAME") == x.atom("WM_NAME")
    assert x.atom_names([x.atom("WM_NAME"), x.atom("_CUAKIT")]) == ["WM_NAME", "_CUAKIT"]


def test_a_property_that_is_not_set_is_empty(x):
    assert x.cardinals(x.root, "_CUAKIT_NOT_SET") == ()


def test_numbers_ignores_an_incomplete_tail():
    assert numbers(b"\x01\0\0\0\x02\0\0\0\x03") == (1, 2)


def test_no_process_has_no_start_time():
    assert process_start(0) == 0
    assert process_start(2**30) == 0


def test_a_server_that_dies_is_reported():
    made = Desktop.launch(width=64, height=64, window_manager=False, accessibility=False)
    with X11.open(made.display) as connection:
        made.close()
        with pytest.raises(DisplayUnavailable):
            connection.sync()
        with pytest.raises(DisplayUnavailable):
            list_windows(connection)


def test_a_closed_connection_is_refused():
    with Desktop.launch(width=64, height=64, window_manager=False, accessibility=False) as made:
        connection = X11.open(made.display)
        connection.close()
        connection.close()
        with pytest.raises(DisplayUnavailable, match="was closed"):
            connection.sync()


def test_without_a_window_manager_windows_are_still_found():
    launch = Desktop.launch(width=300, height=200, window_manager=False, accessibility=False)
    with launch as made, X11.open(made.display) as connection:
        program, window = open_xterm(made, connection, "bare", at="+0+0")
        assert window.pid == program.pid
