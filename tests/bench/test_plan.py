"""A trial's identity changes with everything that can change its result, and with nothing else."""

import json
from dataclasses import replace

import pytest

from cuakit.agent import Agent
from cuakit.bench.agents import agent_dict, agent_names, load_agents
from cuakit.bench.machine import machine_card, package_set
from cuakit.bench.plan import Job, plan, trial_id
from cuakit.core import codec, registry
from cuakit.core.errors import UnknownName, UsageError
from cuakit.core.registry import Spec


@pytest.fixture
def identity(toy_suite, toy_agent):
    given = {"task": toy_suite("ok").tasks[0], "agent": toy_agent(), "seed": 3, "version": 1, "packages": {"a": "1"}}

    def id_of(**changed):
        return trial_id(**given | changed)

    return id_of, given


@pytest.mark.parametrize(
    "change",
    [
        lambda g: {"task": replace(g["task"], name="other")},
        lambda g: {"task": replace(g["task"], max_actions=7)},
        lambda g: {"task": replace(g["task"], deadline_s=7.0)},
        lambda g: {"agent": replace(g["agent"], name="other")},
        lambda g: {"agent": replace(g["agent"], decide=Spec("noop-v1"))},
        lambda g: {"agent": replace(g["agent"], settle=Spec("fixed-v1", args={"seconds": 1.0}))},
        lambda g: {"seed": 4},
        lambda g: {"version": 2},
        lambda g: {"packages": {"a": "2"}},
    ],
)
def test_whatever_can_change_a_result_changes_the_identity(identity, change):
    id_of, given = identity
    assert id_of(**change(given)) != id_of()


def test_the_same_trial_has_the_same_identity_after_a_trip_through_json(identity):
    id_of, given = identity
    job = Job(id="x", task=given["task"], agent=given["agent"], seed=3)
    back = Job.from_dict(json.loads(codec.dumps(job.to_dict())))
    assert id_of(task=back.task, agent=back.agent) == id_of()
    assert (back.id, back.seed) == ("x", 3)


def test_agents_take_turns_on_each_instance(toy_suite, toy_agent):
    jobs = plan(toy_suite("ok", "fail"), [toy_agent("a"), toy_agent("b")], 2, {})
    assert [(j.task.name, j.seed, j.agent.name) for j in jobs[:4]] == [
        ("ok", 0, "a"),
        ("ok", 0, "b"),
        ("ok", 1, "a"),
        ("ok", 1, "b"),
    ]
    assert len({j.id for j in jobs}) == len(jobs) == 8


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_of_ours_is_made_of_stages_that_exist(name):
    (agent,) = load_agents([name])
    for verb in ("perceive", "decide", "act", "settle"):
        spec = getattr(agent, verb)
        assert spec.name in registry.stages(verb)
        registry.build(verb, spec.name, **spec.args)
    assert Agent.from_dict(json.loads(codec.dumps(agent_dict(agent)))) == agent
    assert agent.observe == name.rsplit("-", 1)[1]


def test_agents_are_named_by_glob_once_each():
    names = [a.name for a in load_agents(["*-dom", "lexical-*"])]
    assert len(names) == len(set(names))
    assert {"lexical-dom", "lexical-pixels", "noop-dom"} <= set(names)


def test_an_unknown_agent_is_answered_with_close_ones():
    with pytest.raises(UnknownName, match="lexical-dom"):
        load_agents(["lexcal-dom"])


def test_two_agents_may_not_share_a_name(toy_agent, tmp_path):
    with pytest.raises(UsageError, match="two different agents"):
        load_agents([toy_agent("a"), replace(toy_agent("a"), decide=Spec("noop-v1"))])
    (tmp_path / "b.toml").write_text('name = "c"\n')
    with pytest.raises(UsageError, match="holds an agent called"):
        load_agents(["b"], tmp_path)


def test_package_set_and_machine_card_are_plain_data_and_name_no_host():
    import platform

    text = codec.dumps([package_set(), machine_card()])
    assert "+src." in package_set()["cuakit"]
    assert package_set() == package_set()
    assert machine_card()["cores"]["usable"] >= 1
    assert platform.node() not in text
