"""The environment on the real pages, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
import pytest

from cuakit.backends.cdp import Browser
from cuakit.core.errors import MissingExtra, UnknownName
from cuakit.core.subtask import RISKS
from cuakit.envs import miniwob
from cuakit.envs.miniwob import FAMILIES, GROUPS, MiniWob, group_of

pytestmark = pytest.mark.browser

CONTENT = "document.getElementById('area').outerHTML"


@pytest.fixture(scope="module")
def env(browser: Browser) -> Iterator[MiniWob]:
    with MiniWob(browser) as env:
        yield env


@pytest.mark.parametrize("task", ["click-button", "use-slider", "search-engine", "click-checkboxes-soft"])
def test_an_instance_depends_on_family_and_seed_alone(env, task):
    first = env.reset(task, 7), env.surface.evaluate(CONTENT)
    other = env.reset(task, 8), env.surface.evaluate(CONTENT)
    env.reset("click-test", 0)
    assert (env.reset(task, 7), env.surface.evaluate(CONTENT)) == first
    assert first != other


def test_a_subtask_says_what_the_page_says_and_permits_what_a_sandbox_may(env):
    subtask = env.reset("login-user", 1)
    assert subtask.goal == env.surface.evaluate("core.getUtterance()")
    assert set(subtask.inputs) == {"username", "password"}
    assert all(f'"{v}"' in subtask.goal for v in subtask.inputs.values())
    assert subtask.allowed_risks == set(RISKS)
    assert subtask.metadata["task"] == "login-user"


def test_the_instruction_and_the_reward_display_cannot_be_seen(env):
    env.reset("click-button", 0)
    seen = env.surface.evaluate(
        "['query', 'reward-display', 'click-canvas', 'sync-task-cover'].filter(id => {"
        "const e = document.getElementById(id); return e && e.checkVisibility({visibilityProperty: true}) })"
    )
    assert seen == []
    pixels = env.surface.grab().pixels
    strip = pixels[: int(40 * env.surface.scale), : int(150 * env.surface.scale)]
    assert (strip == 255).all()


def test_a_fresh_episode_is_not_done_and_worth_nothing(env):
    env.reset("click-test", 0)
    assert not env.done()
    assert env.score() == 0


@pytest.mark.parametrize(("reward", "score"), [(1, 1), (0.25, 0.25), (0, 0), (-1, 0), (1.5, 1)])
def test_the_score_is_the_raw_reward_between_0_and_1(env, reward, score):
    env.reset("click-test", 0)
    env.surface.evaluate(f"core.endEpisode({reward}, true)")
    assert env.done()
    assert env.score() == score


def test_the_time_limit_is_lifted_unless_timed(env, browser):
    env.reset("click-test", 0)
    assert env.surface.evaluate("core.EPISODE_MAX_TIME") > 1e9
    with MiniWob(browser, timed=True) as timed:
        timed.reset("click-test", 0)
        assert timed.surface.evaluate("core.EPISODE_MAX_TIME") == 10_000


def test_an_unknown_family_is_answered_with_close_ones(env):
    with pytest.raises(UnknownName, match="click-buton") as caught:
        env.reset("click-buton", 0)
    assert "click-button" in caught.value.hint


def test_a_family_without_a_gold_path_says_so(env):
    with pytest.raises(UnknownName, match="no gold path"):
        env.gold("no-such-family")


def test_without_the_package_it_names_the_extra(monkeypatch):
    monkeypatch.setattr(miniwob.env.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="miniwob") as caught:
        MiniWob()
    assert "cuakit[browser]" in caught.value.hint


def test_closing_stops_what_it_started_and_may_be_repeated():
    before = set(psutil.Process().children())
    env = MiniWob()
    started = set(psutil.Process().children()) - before
    env.reset("click-test", 0)
    env.close()
    env.close()
    assert started
    assert not [p for p in started if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_a_page_of_someone_else_is_used_as_it_is_and_stays_open(browser):
    page = browser.new_page(width=300, height=300)
    with MiniWob(page=page) as env:
        env.reset("click-test", 0)
        assert env.surface is page
    assert page.evaluate("1 + 1") == 2
    page.close()


def test_closing_leaves_a_borrowed_browser_alone(browser):
    with MiniWob(browser) as env:
        env.reset("click-test", 0)
    page = browser.new_page()
    assert page.evaluate("1 + 1") == 2
    page.close()


def test_every_family_has_one_group_and_a_page_and_a_gold_path(env):
    listed = [f for families in GROUPS.values() for f in families]
    assert len(listed) == len(set(listed)) == len(FAMILIES)
    for family in FAMILIES:
        assert family in env.tasks
        assert callable(env.gold(family))
        assert family in GROUPS[group_of(family)]
    assert group_of("no-such-family") == "other"
