"""Pixels that are scripted over an injected clock: no test here waits."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.screenshot import Screenshot
from cuakit.settle.fixed import FixedDelay
from cuakit.settle.pixels import PixelsQuiet
from cuakit.settle.thumbnail import differs, thumbnail

CALM = np.full((200, 320, 3), 255, np.uint8)


def spot(share: float) -> np.ndarray:
    """A black square that covers a share of the frame."""
    side = round((share * 200 * 320) ** 0.5)
    pixels = CALM.copy()
    pixels[50 : 50 + side, 50 : 50 + side] = 0
    return pixels


@dataclass
class Stage:
    """A clock, and a picture for every moment of it."""

    show: object
    now: float = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 1e-4)

    def grab(self) -> Screenshot:
        return Screenshot(pixels=self.show(self.now))

    def target(self): ...
    def size(self): ...
    def patch(self, box): ...
    def title(self): ...

    def settle(self, **options):
        return PixelsQuiet(clock=self.clock, sleep=self.sleep, **options).bind(self)


def until(moment: float, first: np.ndarray, then: np.ndarray = CALM):
    return lambda now: first if now < moment else then


def test_a_frame_that_never_changes_is_given_the_reaction_time():
    stage = Stage(lambda _: CALM)
    settled = stage.settle()(stage.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (False, True, "no reaction")
    assert settled.elapsed_ms == pytest.approx(600, abs=25)


@pytest.mark.parametrize("reaction", [0.05, 0.3, 0.55])
def test_a_late_reaction_is_waited_for_and_then_quiet(reaction):
    stage = Stage(until(reaction, CALM, spot(0.05)))
    settled = stage.settle()(stage.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (True, True, "quiet")
    assert settled.elapsed_ms == pytest.approx((reaction + 0.15) * 1000, abs=45)


def test_a_reaction_after_the_reaction_time_is_missed():
    stage = Stage(until(0.9, CALM, spot(0.05)))
    assert not stage.settle()(stage.grab).reacted


def test_an_animation_without_end_is_left_at_the_time_limit():
    stage = Stage(lambda now: spot(0.02 + 0.02 * (int(now / 0.02) % 2)))
    settled = stage.settle()(stage.grab)
    assert (settled.reacted, settled.quiet, settled.reason) == (True, False, "timeout")
    assert settled.elapsed_ms == pytest.approx(2000, abs=25)


@pytest.mark.parametrize(("share", "counts"), [(0.001, False), (0.004, True)])
def test_a_change_counts_from_two_thousandths_of_the_frame(share, counts):
    stage = Stage(until(0.1, CALM, spot(share)))
    assert stage.settle()(stage.grab).reacted is counts


def test_bound_to_a_surface_it_sees_a_reaction_that_was_over_before_the_first_look():
    stage = Stage(lambda now: CALM if now < 0.5 else spot(0.05))
    settle = stage.settle()
    stage.now = 1.0
    assert settle(stage.grab).reacted
    assert not settle(stage.grab).reacted


def test_unbound_it_compares_with_its_own_first_frame():
    stage = Stage(until(0.1, CALM, spot(0.05)))
    assert PixelsQuiet(clock=stage.clock, sleep=stage.sleep)(stage.grab).reacted


def test_a_resized_target_has_changed():
    assert differs(thumbnail(Screenshot(pixels=CALM)), thumbnail(Screenshot(pixels=CALM[:100])))


@pytest.mark.parametrize("size", [(1, 1), (4000, 3), (3, 4000), (3840, 2160)])
def test_thumbnails_are_small_whatever_the_frame(size):
    small = thumbnail(Screenshot(pixels=np.zeros((size[1], size[0], 3), np.uint8)))
    assert 1 <= max(small.shape) <= 320


@given(st.integers(0, 255), st.integers(0, 255))
def test_a_flat_change_counts_above_the_level_only(a, b):
    first, second = (thumbnail(Screenshot(pixels=np.full((8, 8, 3), v, np.uint8))) for v in (a, b))
    assert differs(first, second) is (abs(a - b) > 24)
    assert differs(first, second) is differs(second, first)


def test_a_fixed_pause_sleeps_and_claims_nothing():
    naps = []
    settled = FixedDelay(seconds=0.3, sleep=naps.append)(lambda: None)
    assert naps == [0.3]
    assert (settled.reacted, settled.quiet, settled.elapsed_ms) == (False, False, 300)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_pause_cannot_be_negative(seconds):
    from cuakit.core.errors import UsageError

    with pytest.raises(UsageError):
        FixedDelay(seconds=seconds)


def test_options_can_be_replaced_and_are_what_the_spec_records():
    from cuakit.core import registry

    quick = replace(PixelsQuiet(), timeout_s=0.5)
    assert dict(registry.spec(quick).args) == {"timeout_s": 0.5}
