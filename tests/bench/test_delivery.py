"""The delivery matrix counts what programs say, not what receipts say."""

import shutil

import pytest

from cuakit.bench.delivery import Result, rows, run_delivery, skipped, summary
from cuakit.bench.delivery_hands import OurHand, action_of
from cuakit.bench.delivery_programs import PROGRAMS, Cell, apps_folder
from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box


def result(outcome, disturbed=(), hand="us"):
    return Result(
        hand=hand, toolkit="t", action="a", state="covered", outcome=outcome, note="", disturbed=disturbed, ms=1.0
    )


def test_every_cell_is_counted_once_and_disturbance_beside_it():
    counts = summary(
        [result("delivered"), result("silent", ("the focus moved",)), result("refused"), result("doubtful")]
    )
    assert counts == {
        "us": {"cells": 4, "delivered": 1, "refused": 1, "silent_failures": 1, "doubtful": 1, "disturbed": 1}
    }


def test_hands_are_counted_apart():
    counts = summary([result("delivered"), result("refused", hand="peer")])
    assert (counts["us"]["delivered"], counts["peer"]["refused"]) == (1, 1)
    assert len(rows([result("delivered")])) == 1


def test_an_unknown_toolkit_is_a_sentence():
    with pytest.raises(UsageError, match="gtk3"):
        run_delivery([], toolkits=["motif"])


def test_the_programs_are_there():
    assert {p.name for p in apps_folder().iterdir()} >= {"gtk_app.py", "qt_app.py", "page.html"}
    assert set(skipped()) <= {p.name for p in PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_texts_differ_from_turn_to_turn_so_that_nothing_counts_twice(program):
    first, second = program.cells(1), program.cells(2)
    assert [c.action for c in first] == [c.action for c in second]
    typed = [(a.value, b.value) for a, b in zip(first, second, strict=True) if a.action in ("type", "set_value")]
    assert typed
    assert all(a != b for a, b in typed)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("click", "click"),
        ("place", "click"),
        ("double", "double_click"),
        ("right", "right_click"),
        ("drag", "drag"),
        ("scroll", "scroll"),
        ("type", "type_text"),
        ("set_value", "set_value"),
        ("key", "press_key"),
        ("hotkey", "hotkey"),
    ],
)
def test_cells_are_our_actions(name, kind):
    cell = Cell(action=name, target=None, arrived=lambda *_: True, value="CTRL+B" if name == "hotkey" else "F5")
    assert action_of(cell, Candidate(id="c1", box=Box(0, 0, 1, 1))).kind == kind


@pytest.mark.x11
@pytest.mark.slow
@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("Xvfb", "xterm", "openbox")), reason="needs Xvfb, xterm and openbox"
)
def test_a_terminal_gets_keys_in_the_background_and_refuses_them_minimized():
    results = run_delivery([OurHand], toolkits=["xterm"], states=["covered", "minimized"])
    assert [r.outcome for r in results if r.state == "covered"] == ["delivered"] * 3
    assert [(r.outcome, r.note) for r in results if r.state == "minimized"] == [
        ("refused", "background_unavailable")
    ] * 3
    assert not any(r.disturbed for r in results)
