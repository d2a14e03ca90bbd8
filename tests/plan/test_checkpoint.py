"""Checkpoints: neither part is dropped, and unknown is no pass."""

import pytest

from cuakit.core.errors import UsageError
from cuakit.core.outcome import Verdict
from cuakit.plan.checkpoint import judge
from cuakit.plan.scene import Scene


def scene():
    made, a = Scene().add("Rectangle", label="A")
    made, b = made.add("Ellipse", label="B")
    made, _ = made.connect(a, b)
    return made.select([a])


@pytest.mark.parametrize(
    ("statement", "result"),
    [
        ({"kind": "objects_count", "value": 2}, "passed"),
        ({"kind": "objects_count", "op": ">", "value": 2}, "failed"),
        ({"kind": "edges_count", "op": "<=", "value": 1}, "passed"),
        ({"kind": "object_exists", "object": "A"}, "passed"),
        ({"kind": "object_exists", "object": "obj_002"}, "passed"),
        ({"kind": "object_exists", "object": "a"}, "failed"),
        ({"kind": "edge_exists", "source": "A", "target": "B"}, "passed"),
        ({"kind": "edge_exists", "source": "B", "target": "A"}, "failed"),
        ({"kind": "edge_exists", "source": "B", "target": "A", "directed": False}, "passed"),
        ({"kind": "edge_exists", "source": "B", "target": "Z"}, "failed"),
        ({"kind": "selected"}, "passed"),
        ({"kind": "selected", "object": "A"}, "passed"),
        ({"kind": "selected", "object": "B"}, "failed"),
    ],
)
def test_statements_about_the_scene(statement, result):
    assert judge({"assert": [statement]}, scene()).result == result


@pytest.mark.parametrize("checkpoint", [{}, {"assert": []}, {"description": " "}, {"description": "", "assert": []}])
def test_an_empty_checkpoint_is_no_pass(checkpoint):
    assert judge(checkpoint, scene()).result == "unknown"


def test_a_description_is_kept_whether_or_not_there_are_asserts():
    both = {"description": "A is blue", "assert": [{"kind": "objects_count", "value": 2}]}
    assert judge(both, scene()).result == "unknown"
    assert judge(both, scene(), lambda d, s: Verdict(result="passed", reason=d)).passed
    assert judge(both, scene(), lambda d, s: Verdict(result="failed", reason=d)).result == "failed"
    both["assert"][0]["value"] = 3
    assert judge(both, scene(), lambda d, s: Verdict(result="passed", reason=d)).result == "failed"


@pytest.mark.parametrize(
    "checkpoint",
    [
        {"asserts": []},
        {"assert": {}},
        {"description": True},
        {"assert": ["ok"]},
        {"assert": [{"kind": "looks_good"}]},
        {"assert": [{"kind": "objects_count"}]},
        {"assert": [{"kind": "objects_count", "value": "2"}]},
        {"assert": [{"kind": "objects_count", "value": True}]},
        {"assert": [{"kind": "objects_count", "op": "~", "value": 2}]},
    ],
)
def test_a_malformed_checkpoint_is_refused(checkpoint):
    with pytest.raises(UsageError) as caught:
        judge(checkpoint, scene())
    assert caught.value.error_code == "bad_checkpoint"
