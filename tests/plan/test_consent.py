"""A plan that deletes, closes or sends needs consent; what is written on a drawing does not."""

import json

import pytest

from cuakit.core.action import Click, Drag
from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.risk import consequences
from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.history import History
from cuakit.plan.rehearse import rehearse
from cuakit.plan.repair import carry_out
from cuakit.plan.runner import Runner
from cuakit.plan.scene import Scene
from cuakit.plan.tools import Step
from cuakit.plan.view import table

CANVAS = Box(220, 70, 1020, 750)
DOMAIN = DrawIoDomain()


def scene(label="A"):
    made, a = Scene().add("Rectangle", label=label, box=Box(260, 200, 380, 260))
    made, b = made.add("Ellipse", label="B", box=Box(600, 200, 720, 280))
    return made.connect(a, b, label="delete")[0]


def tried(step, consent):
    return rehearse([step], History(present=scene()), DOMAIN, DOMAIN.board(CANVAS), consent=frozenset(consent)).present


NEEDS = [
    (Step(tool="delete_object", args={"object": "A"}), "delete"),
    (Step(tool="delete_edge", args={"edge": "A -> B"}), "delete"),
    (Step(tool="press", args={"keys": "DELETE"}), "delete"),
    (Step(tool="press", args={"keys": "MOD+W"}), "close"),
    (Step(tool="press", args={"keys": "MOD+ENTER"}), "send"),
]


@pytest.mark.parametrize(("step", "kind"), NEEDS, ids=[json.dumps(dict(s.args)) for s, _ in NEEDS])
def test_a_destructive_step_is_refused_before_anything_moves_unless_its_kind_is_consented_to(step, kind):
    for consent in ((), {"delete", "send", "purchase", "close"} - {kind}):
        with pytest.raises(UsageError, match=f"step 1: {step.tool}.*{kind}") as caught:
            tried(step, consent)
        assert caught.value.error_code == "consent_required"
        assert kind in caught.value.hint
    assert tried(step, {kind})


@pytest.mark.parametrize("label", ["Send", "Delete account", "Buy", "Quit"])
def test_what_is_written_on_an_object_is_no_button(label):
    area = Candidate(id="canvas", box=CANVAS, role="group", name="canvas", source="contours")
    rows = table(scene(label), area, (), 1.0)
    assert consequences(Click(target="obj_001"), rows) == frozenset()
    assert consequences(Click(target="edge_001"), rows) == frozenset()
    assert consequences(Drag(target="obj_002", to="obj_001"), rows) == frozenset()


@pytest.mark.parametrize("how", [Runner.run, carry_out], ids=["run", "carry_out"])
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_is_deleted_on_the_real_canvas_without_consent(drawio, runner, how):
    assert runner.run([Step(tool="place_and_label", args={"shape": "box", "label": "Delete me"})]).ok
    runner.consent = frozenset()
    delete = [Step(tool="delete_object", args={"object": "Delete me"})]
    with pytest.raises(UsageError, match="consented"):
        how(runner, delete)
    tried = runner.run(delete, tried=True)
    assert (tried.ok, tried.results[0].code) == (False, "consent_required")
    assert [c.label for c in drawio.document().vertices] == ["Delete me"]
    runner.consent = frozenset({"delete"})
    assert how(runner, delete).ok
    assert drawio.document().vertices == ()
