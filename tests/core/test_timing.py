import pytest

from cuakit.core.timing import Stopwatch


def test_spans_are_kept_in_order_also_when_the_work_fails():
    ticks = iter([0, 2_000_000, 5_000_000, 6_500_000])
    watch = Stopwatch(clock=lambda: next(ticks))
    with watch.span("look"):
        pass
    with pytest.raises(ZeroDivisionError), watch.span("act"):
        _ = 1 / 0
    assert [(s.name, s.ms) for s in watch.take()] == [("look", 2.0), ("act", 1.5)]
    assert watch.take() == ()
