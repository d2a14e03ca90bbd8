import shutil
import sys

import numpy as np
import pytest
import xcffib.xproto as xp

from cuakit.backends.desktop import Desktop
from cuakit.backends.pixels import rgb_from_bgrx
from cuakit.backends.x11 import X11
from cuakit.capture.screen import Screen, ScreenCapture, x11_scale
from cuakit.core import registry
from cuakit.core.errors import DisplayUnavailable, TargetGone, UsageError
from cuakit.core.geometry import Box, Point
from cuakit.core.stages import Surface

needs_xvfb = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
x11 = pytest.mark.x11


@pytest.fixture(scope="module")
def desktop():
    launch = Desktop.launch(width=400, height=300, accessibility=False, window_manager=False)
    with launch as made, X11.open(made.display) as x:
        paint(x, 0x0000FF, (0, 0, 400, 300))
        paint(x, 0xFF8000, (10, 20, 30, 40))
        x.sync()
        yield made


def paint(x, color, xywh):
    gc = x.connection.generate_id()
    x.connection.core.CreateGC(gc, x.root, xp.GC.Foreground, [color])
    x.connection.core.PolyFillRectangle(x.root, gc, 1, [xp.RECTANGLE.synthetic(*xywh)])
    x.connection.core.FreeGC(gc)


def test_rgb_conversion_swaps_channels_and_ignores_padding_and_tail():
    data = bytes([1, 2, 3, 99, 4, 5, 6, 98]) + b"tail"
    assert rgb_from_bgrx(data, 2, 1).tolist() == [[[3, 2, 1], [6, 5, 4]]]


def test_rgb_conversion_refuses_too_little_data():
    with pytest.raises(ValueError, match="buffer"):
        rgb_from_bgrx(b"1234", 2, 1)


@x11
@needs_xvfb
def test_a_frame_shows_what_is_on_the_screen(desktop):
    with Screen.open(desktop.display) as screen:
        shot = screen.grab()
    assert shot.size == (400, 300)
    assert tuple(shot.pixels[0, 0]) == (0, 0, 255)
    assert tuple(shot.pixels[20, 10]) == (255, 128, 0)
    assert tuple(shot.pixels[59, 39]) == (255, 128, 0)
    assert tuple(shot.pixels[60, 40]) == (0, 0, 255)
    assert shot.source == f"screen:{desktop.display}"
    assert shot.taken_ns > 0


@x11
@needs_xvfb
def test_input_goes_where_the_pixel_is(desktop):
    with Screen.open(desktop.display) as screen:
        assert screen.grab().to_input.apply(Point(123, 45)) == Point(123, 45)


@x11
@needs_xvfb
@pytest.mark.parametrize("box", [Box(0, 0, 1, 1), Box(5, 15, 45, 65), Box(390, 290, 500, 500), Box(-5, -5, 3.5, 2.5)])
def test_a_patch_is_the_same_cut_of_a_frame(desktop, box):
    with Screen.open(desktop.display) as screen:
        assert np.array_equal(screen.patch(box), screen.grab().crop(box))


@x11
@needs_xvfb
def test_a_patch_outside_is_empty(desktop):
    with Screen.open(desktop.display) as screen:
        assert screen.patch(Box(400, 0, 420, 20)).size == 0


@x11
@needs_xvfb
def test_it_is_a_surface_with_a_stable_identity(desktop):
    with Screen.open(desktop.display) as screen:
        assert isinstance(screen, Surface)
        assert screen.target() == screen.target()
        assert screen.target().kind == "desktop"
        assert screen.size() == screen.grab().size


@x11
@needs_xvfb
def test_the_stage_is_found_by_name_and_grabs_again_and_again(desktop):
    with registry.get("capture", "screen-v1")(display=desktop.display) as stage:
        assert stage().digest == stage().digest


@x11
@needs_xvfb
def test_the_stage_takes_the_display_from_the_environment(desktop, monkeypatch):
    monkeypatch.setenv("DISPLAY", desktop.display)
    with ScreenCapture() as stage:
        assert stage().size == (400, 300)


@x11
@needs_xvfb
@pytest.mark.parametrize(("dpi", "scale"), [(96, 1.0), (120, 1.25), (144, 1.5), (168, 1.75), (192, 2.0), (288, 3.0)])
def test_the_scale_is_the_one_that_toolkits_are_told(dpi, scale):
    launch = Desktop.launch(width=64, height=64, dpi=dpi, window_manager=False, accessibility=False)
    with launch as made, Screen.open(made.display) as screen:
        assert screen.grab().scale == scale
        assert screen.grab().to_input.apply(Point(10, 10)) == Point(10, 10)


@x11
@needs_xvfb
@pytest.mark.parametrize("text", ["Xft.dpi:\tmany\n", "Xft.dpi: 0\n", "Xft.dpi: -96", "other: 1\n", ""])
def test_an_odd_resolution_setting_counts_as_none(text):
    with Desktop.launch(width=64, height=64, window_manager=False, accessibility=False) as made:
        with X11.open(made.display) as x:
            x.set_root_text("RESOURCE_MANAGER", text)
        assert x11_scale(made.display) == 1.0


@x11
@needs_xvfb
def test_an_unknown_monitor_is_a_sentence(desktop):
    with pytest.raises(UsageError, match="no monitor 7"):
        Screen.open(desktop.display, monitor=7)


@x11
@needs_xvfb
def test_a_screen_that_goes_away_is_reported():
    made = Desktop.launch(width=64, height=64, window_manager=False, accessibility=False)
    with Screen.open(made.display) as screen:
        made.close()
        with pytest.raises(TargetGone):
            screen.target()
        with pytest.raises(DisplayUnavailable):
            screen.grab()


@pytest.mark.skipif(sys.platform != "linux", reason="X displays are Linux's")
def test_no_display_is_a_sentence(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(DisplayUnavailable, match=r"DISPLAY is not set\n.*Desktop.launch"):
        ScreenCapture()()


@pytest.mark.skipif(sys.platform != "linux", reason="X displays are Linux's")
def test_wayland_alone_is_named(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(DisplayUnavailable, match="Wayland"):
        ScreenCapture()()


@pytest.mark.skipif(sys.platform != "linux", reason="X displays are Linux's")
@pytest.mark.parametrize("display", [":9753", "bogus", "no.such.host.invalid:0"])
def test_a_display_that_does_not_answer_is_a_sentence(display):
    with pytest.raises(DisplayUnavailable, match="cannot be opened"):
        Screen.open(display)
