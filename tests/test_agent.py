"""An agent is written down and built again."""

import pytest

from cuakit.agent import Agent
from cuakit.core.errors import UsageError
from cuakit.core.registry import Spec


def test_toml_gives_each_stage_its_options(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(
        'name = "mine"\nobserve = "pixels"\n[perceive]\nname = "pixels-v1"\n[decide]\nname = "random-v1"\nseed = 7\n'
    )
    agent = Agent.from_toml(path)
    assert agent.perceive == Spec("pixels-v1", args={})
    assert agent.decide.args == {"seed": 7}
    assert agent.act.name == "leased-v1"


@pytest.mark.parametrize(
    ("observe", "perceiver"),
    [
        ("pixels", "dom-v1"),
        ("pixels", "accessibility-v1"),
        ("pixels", "page-accessibility-v1"),
        ("accessibility", "dom-v1"),
    ],
)
def test_an_agent_cannot_be_given_more_than_it_may_see(observe, perceiver):
    with pytest.raises(UsageError, match=f"{observe} only"):
        Agent(name="cheat", observe=observe, perceive=Spec(perceiver))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no name"),
        ('name = "a"\ncolour = 1', "unknown keys colour"),
        ('name = "a"\ndecide = "lexical-v1"', "decide needs a table"),
        ('name = "a"\nobserve = "smell"', "observe is 'smell'"),
        ("name = ", "cannot read agent file"),
    ],
)
def test_a_malformed_file_is_explained(tmp_path, text, message):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        Agent.from_toml(path)


def test_a_missing_file_is_explained(tmp_path):
    with pytest.raises(UsageError, match="cannot read agent file"):
        Agent.from_toml(tmp_path / "none.toml")


def test_the_trial_seed_reaches_a_decider_that_takes_one():
    agent = Agent(name="r", decide=Spec("random-v1"))
    assert agent.decider(seed=5).seed == 5
    assert Agent(name="r", decide=Spec("random-v1", args={"seed": 1})).decider(seed=5).seed == 1
