"""Controls that look alike are told apart by what is around them."""

import pytest
from hypothesis import given, strategies as st

from cuakit.act.context import surroundings, twins
from cuakit.act.guard import Limits
from cuakit.core.action import Click, Drag
from cuakit.core.geometry import Box
from tests.act.conftest import named

ROW = "<div class=row><span>{}</span><button>{}</button></div>"
STYLE = (
    "<style>.row{display:flex;align-items:center;height:34px;padding:0 8px;width:300px}.row span{flex:1}button{width:70px;height:22px;padding:0;background:#ddd;border:0}"
    ".row.over{background:#eef}</style>"
)
CROSS = '<svg width=12 height=12><path d="M1 1l10 10M11 1L1 11" stroke="#111"/></svg>'


def rows(*names: str, button: str = "Delete") -> str:
    return STYLE + "".join(ROW.format(name, button) for name in names)


@pytest.mark.browser
@pytest.mark.parametrize("button", ["Delete", CROSS], ids=["words", "icon"])
def test_a_button_in_a_row_that_now_says_something_else_is_not_clicked(desk, button):
    capture, found = desk.open(rows("Ada", "Grace", "Alan", button=button)).look()
    second = [c for c in found if c.interactive][1]
    desk.page.evaluate("document.querySelectorAll('span')[1].textContent = 'Linus'")
    receipt = desk.actor.click_candidate(capture.id, second.id)
    assert (receipt.effect, receipt.code) == ("refused", "capture_stale")
    assert "around it" in receipt.message
    assert desk.nothing_reached_it()


@pytest.mark.browser
@pytest.mark.parametrize(
    "change",
    [
        "document.querySelectorAll('.row')[1].classList.add('over')",
        "document.body.insertAdjacentHTML('beforeend', '<p>news</p>')",
        "document.querySelectorAll('span')[3].textContent = 'Linus'",
    ],
    ids=["row highlight", "news below", "a row further away"],
)
def test_what_does_not_concern_the_row_does_not_hinder(desk, change):
    capture, found = desk.open(rows("Ada", "Grace", "Alan", "Niklaus")).look()
    second = [c for c in found if c.interactive][1]
    desk.page.evaluate(f"{change}; 0")
    assert desk.actor.click_candidate(capture.id, second.id).injected


@pytest.mark.browser
def test_a_control_of_its_own_has_no_twins(desk):
    capture, found = desk.open("<button>Save</button> <button>Load</button> <a href=#>Help</a>").look()
    shot, _ = desk.broker.recall(capture.id)
    assert all(not twins(shot, found, c, Limits()) for c in found if c.interactive)


@pytest.mark.browser
def test_a_drag_looks_around_both_ends(desk):
    capture, found = desk.open(rows("Ada", "Grace", "Alan")).look()
    desk.page.evaluate("document.querySelectorAll('span')[2].textContent = 'Linus'")
    first, _, third = [c for c in found if c.interactive]
    assert desk.actor.perform(Drag(target=first.id, to=third.id), capture.id).code == "capture_stale"


@pytest.mark.browser
def test_a_named_control_without_twins_is_clicked_as_ever(desk):
    desk.open("<p>one</p><button>Save</button>")
    assert desk.do(lambda of: Click(target=of("Save"))).injected
    assert named(desk.look()[1], "Save")


def test_without_twins_nothing_more_is_looked_at():
    assert surroundings(Box(0, 0, 10, 10), [], (100, 100)) is None


def test_between_neighbours_in_a_bar_only_their_gap_is_looked_at():
    others = [Box(20, 40, 30, 50), Box(70, 40, 80, 50)]
    assert surroundings(Box(45, 40, 55, 50), others, (100, 100)).xyxy == (30, 25, 70, 65)


coordinate = st.integers(0, 180)
boxes = st.builds(lambda x, y: Box(x, y, x + 20, y + 10), coordinate, coordinate)


@given(boxes, st.lists(boxes, min_size=1, max_size=6))
def test_the_surroundings_hold_the_control_and_lie_in_the_frame(one, others):
    around = surroundings(one, others, (200, 190))
    assert around is not None
    assert around.contains(one)
    assert Box(0, 0, 200, 190).contains(around)
