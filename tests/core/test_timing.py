import pytest

from cuakit.core.timing import OutOfTime, Stopwatch


def test_spans_are_kept_in_order_also_when_the_work_fails():
    ticks = iter([0, 0, 2_000_000, 5_000_000, 6_500_000])
    watch = Stopwatch(clock=lambda: next(ticks))
    with watch.span("look"):
        pass
    with pytest.raises(ZeroDivisionError), watch.span("act"):
        _ = 1 / 0
    assert [(s.name, s.ms) for s in watch.take()] == [("look", 2.0), ("act", 1.5)]
    assert watch.take() == ()


@pytest.mark.parametrize(("spent_ms", "late"), [(0, False), (5.0, False), (5.1, True)])
def test_a_deadline_is_kept_from_when_the_watch_was_made(spent_ms, late):
    now = [0]
    watch = Stopwatch(clock=lambda: now[0], limit_ms=5)
    now[0] = int(spent_ms * 1e6)
    if late:
        with pytest.raises(OutOfTime, match="5 ms") as raised, watch.span("never"):
            pytest.fail("nothing is begun after the deadline")
        assert (raised.value.error_code, raised.value.is_retryable) == ("timeout", True)
    else:
        watch.check()


def test_work_that_ends_too_late_is_not_returned():
    now = [0]
    watch = Stopwatch(clock=lambda: now[0], limit_ms=5)
    with pytest.raises(OutOfTime), watch.span("slow"):
        now[0] = 6_000_000
    assert [s.name for s in watch.spans] == ["slow"]
