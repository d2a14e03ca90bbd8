"""The ghost-click benchmark measures what it says: scenes are equal per seed, changes are real, and the page is the judge."""

import numpy as np
import pytest

from cuakit.bench.ghost_pages import PIXELLESS, SCENES, scene
from cuakit.bench.ghosts import ARMS, OURS, GhostTrial, Stage, ghosts, plan, summary

HARMLESS = {"still", "rerendered", "hovered", "caret", "banner"}


@pytest.mark.parametrize("name", SCENES)
def test_equal_seeds_make_equal_pages_and_other_seeds_others(name):
    assert scene(name, 3) == scene(name, 3)
    assert scene(name, 3) != scene(name, 4)
    assert f"data-key={scene(name, 3).target}" in scene(name, 3).html
    assert scene(name, 3).harmless == (name in HARMLESS)


def test_every_arm_gets_the_same_pages_but_pixels_are_not_asked_what_has_none():
    planned = list(plan(200, seed=5))
    assert len(planned) >= 200
    pages = {arm: [made for made, who in planned if who == arm] for arm in ARMS}
    assert pages["raw"] == pages["ttl_lease"] == pages["cuakit"]
    assert pages["cuakit_pixels"] == [made for made in pages["raw"] if made.name not in PIXELLESS]


@pytest.fixture(scope="module")
def stage(browser):
    stage = Stage.open(browser)
    yield stage
    stage.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", sorted(set(SCENES) - HARMLESS - {"animated"}))
def test_a_remembered_place_goes_wrong_and_ours_is_refused_or_right(stage, name):
    made = [scene(name, seed) for seed in (0, 1)]
    raw = [stage.play(one, "raw") for one in made]
    assert any(t.result in ("ghost", "nothing") for t in raw)
    for arm in OURS - ({"cuakit_pixels"} if name in PIXELLESS else set()):
        assert {stage.play(one, arm).result for one in made} <= {"refused", "right"}


@pytest.mark.browser
@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("name", ["still", "rerendered", "caret"])
def test_a_harmless_change_hinders_nobody(stage, name, arm):
    assert stage.play(scene(name, 1), arm).result == "right"


@pytest.mark.browser
@pytest.mark.parametrize("name", ["hovered", "caret", "banner", "backdrop", "repeated_rows", "scrolled"])
def test_a_change_is_one_that_can_be_seen(stage, name):
    made = scene(name, 1)
    stage._show(made)
    before = stage.page.grab()
    stage._change(made, stage._target(stage._boxes(made.scale), made.target, made.scale).point)
    assert not np.array_equal(before.pixels, stage.page.grab().pixels)


@pytest.mark.browser
def test_the_benchmark_runs_and_says_what_it_counted(browser):
    told: list[GhostTrial] = []
    done = ghosts(16, scenes=("still", "removed"), browser=browser, progress=told.append)
    assert told == done
    found = summary(done)
    assert found["trials"] == len(done) == 16
    assert set(found["ghost_clicks"]) == set(ARMS)
    assert found["ghost_clicks"]["cuakit"] == found["ghost_clicks"]["cuakit_pixels"] == 0
    assert found["ghost_clicks"]["raw"] > 0
    assert found["scenes"]["still"]["raw"]["right"] == 2


def test_a_refusal_is_needless_only_where_the_scene_was_harmless():
    def trial(scene_name, arm, result, *, harmless):
        return GhostTrial(scene=scene_name, seed=0, arm=arm, harmless=harmless, result=result)

    found = summary(
        [
            trial("still", "cuakit", "refused", harmless=True),
            trial("still", "cuakit_pixels", "right", harmless=True),
            trial("still", "raw", "right", harmless=True),
            trial("inserted", "cuakit", "refused", harmless=False),
            trial("inserted", "raw", "right", harmless=False),
            trial("inserted", "ttl_lease", "ghost", harmless=False),
        ]
    )
    assert found["needless_refusals"] == 0.5
    assert found["cautious_refusals"]["cuakit"] == 1
    assert found["ghost_clicks"] == {"raw": 0, "ttl_lease": 1, "cuakit": 0, "cuakit_pixels": 0}
