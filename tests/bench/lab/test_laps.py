"""Pieces run in turn, there and back, and the yardstick around them."""

from cuakit.bench.lab.laps import YARDSTICK, run_laps, yardstick


def test_every_second_lap_runs_backwards_and_warming_up_does_not_count():
    ran, laps_told = [], []
    pieces = {name: lambda name=name: ran.append(name) for name in "abc"}
    timed = run_laps(pieces, laps=4, warmup=2, progress=lambda: laps_told.append(1))
    assert "".join(ran) in {"abccba" * 3, "cbaabc" * 3}
    assert len(laps_told) == 6
    assert {n: len(v) for n, v in timed.wall_ms.items()} == {"a": 4, "b": 4, "c": 4, YARDSTICK: 8}
    assert all(len(timed.cpu_ms[n]) == len(timed.wall_ms[n]) for n in timed.wall_ms)
    assert timed.wall("a").n == timed.cpu("a").n == 4
    assert timed.noise().n == 8


def test_the_yardstick_is_the_same_work_every_time():
    assert yardstick() == yardstick() != 1
