import time

import numpy as np
import pytest

from cuakit.backends.x11_capture import is_covered
from cuakit.backends.x11_windows import list_windows
from cuakit.capture.window import Window, WindowCapture
from cuakit.core import registry
from cuakit.core.errors import DisplayUnavailable, TargetGone, UsageError
from cuakit.core.geometry import Box
from cuakit.core.stages import Surface
from tests.x11 import NEEDS_X11

pytestmark = NEEDS_X11


@pytest.fixture(scope="module")
def windows(desktop, x):
    """A red window, and a larger green one that covers it; id and program by name."""
    found = {}
    for name, color, size in (("red", "#ff0000", "20x5"), ("green", "#00ff00", "90x35")):
        look = ["-T", name, "-bg", color, "-fg", color, "-cr", color, "-geometry", f"{size}+20+20"]
        program = desktop.spawn(["xterm", *look, "-e", "sleep", "300"])
        end = time.monotonic() + 15
        while not (window := [w for w in list_windows(x) if w.title == name and w.on_screen]):
            assert time.monotonic() < end, "the window did not come up"
            time.sleep(0.02)
        found[name] = window[0].id, program
    return found


def color(pixels):
    return tuple(np.median(pixels.reshape(-1, 3), axis=0).astype(int))


def test_a_covered_window_shows_its_own_pixels(windows, x):
    assert is_covered(x, windows["red"][0])
    assert not is_covered(x, windows["green"][0])
    with Window.open(windows["red"][0], x=x) as red, Window.open(windows["green"][0], x=x) as green:
        assert color(red.grab().pixels) == (255, 0, 0)
        assert color(green.grab().pixels) == (0, 255, 0)


def test_frames_input_and_patches_share_the_window_s_own_pixels(windows, x):
    with Window.open(windows["red"][0], x=x) as red:
        shot = red.grab()
        box = red.info().box
        assert shot.size == red.size() == (box.width, box.height)
        assert shot.to_input.apply(box.center) == box.center
        for cut in (Box(0, 0, 7, 5), Box(3.2, 2.9, 20.1, 9), Box(-4, -4, 4, 4)):
            assert np.array_equal(red.patch(cut), shot.crop(cut))
        assert red.patch(Box(9000, 0, 9001, 1)).size == 0


def test_it_is_a_surface_with_a_stable_identity(windows, x):
    with Window.open(windows["red"][0], x=x) as red:
        assert isinstance(red, Surface)
        assert red.target() == red.target()
        assert red.target().kind == "window"
        assert red.title() == "red"


def test_a_window_is_found_by_a_part_of_its_title(windows, desktop):
    with Window.open("RED", display=desktop.display) as red:
        assert red.id == windows["red"][0]


@pytest.mark.parametrize(("title", "message"), [("r", "2 windows"), ("blue", "0 windows")])
def test_an_unclear_title_is_refused_with_the_list(windows, x, title, message):
    with pytest.raises(UsageError, match=rf"{message}(.|\n)*'red'"):
        Window.open(title, x=x)


def test_the_stage_is_found_by_name(windows, desktop):
    stage = registry.get("capture", "window-v1")(window=windows["red"][0], display=desktop.display)
    assert color(stage().pixels) == (255, 0, 0)


def test_the_stage_binds_to_a_window_that_is_open(windows, x):
    with Window.open(windows["red"][0], x=x) as red:
        assert color(WindowCapture().bind(red)().pixels) == (255, 0, 0)


def test_a_number_that_is_no_window_is_refused(x):
    with pytest.raises(TargetGone):
        Window.open(0x7FFFFF00, x=x)


def test_no_display_is_a_sentence(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(DisplayUnavailable, match="DISPLAY is not set"):
        Window.open("anything")


def test_a_minimized_window_shows_its_last_pixels_says_so_and_comes_back(windows, x):
    with Window.open(windows["red"][0], x=x) as red:
        seen = red.grab()
        x.connection.core.UnmapWindow(red.id, is_checked=True).check()
        last = red.grab()
        assert color(last.pixels) == (255, 0, 0)
        assert "minimized" in last.source
        assert "minimized" not in seen.source
        assert np.array_equal(red.patch(Box(0, 0, 5, 5)), last.crop(Box(0, 0, 5, 5)))
        x.connection.core.MapWindow(red.id, is_checked=True).check()
        end = time.monotonic() + 10
        while "minimized" in (now := red.grab()).source or color(now.pixels) != (255, 0, 0):
            assert time.monotonic() < end
            time.sleep(0.02)


def test_a_window_that_was_minimized_before_it_was_read_has_no_pixels(windows, x):
    x.connection.core.UnmapWindow(windows["red"][0], is_checked=True).check()
    try:
        with Window.open(windows["red"][0], x=x) as red, pytest.raises(TargetGone) as refused:
            red.grab()
        assert refused.value.error_code == "window_unmapped"
    finally:
        x.connection.core.MapWindow(windows["red"][0], is_checked=True).check()


def test_a_closed_window_is_gone(desktop, x):
    program = desktop.spawn(["xterm", "-T", "mortal", "-geometry", "20x5+0+0", "-e", "sleep", "300"])
    end = time.monotonic() + 15
    while not (found := [w for w in list_windows(x) if w.title == "mortal" and w.on_screen]):
        assert time.monotonic() < end
        time.sleep(0.02)
    with Window.open(found[0].id, x=x) as mortal:
        program.terminate()
        program.wait(10)
        while any(w.id == mortal.id for w in list_windows(x)):
            assert time.monotonic() < end
            time.sleep(0.02)
        for ask in (mortal.grab, mortal.size, mortal.target, mortal.title, lambda: mortal.patch(Box(0, 0, 1, 1))):
            with pytest.raises(TargetGone):
                ask()
