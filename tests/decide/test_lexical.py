import pytest
from hypothesis import given, settings, strategies as st

from cuakit.core.action import Click, SetValue, TypeText
from cuakit.core.subtask import Subtask
from cuakit.decide.lexical import Lexical

decide = Lexical()


def targets(scene, goal, *rows, inputs=None, steps=10):
    """Play until it abstains; the made-up screen does not change."""
    subtask, seen, taken = Subtask(goal=goal, inputs=inputs or {}), scene.screen(*rows), []
    for _ in range(steps):
        decision = decide(subtask, seen, scene.did(seen, *taken))
        if decision.action is None:
            break
        taken.append(decision.action)
    return [(a.kind, seen.candidates[a.target].label) for a in taken]


@pytest.mark.parametrize(
    ("goal", "rows", "first"),
    [
        ('Click on the "Ok" button.', [("button", "ok"), ("button", "Ok"), ("button", "No")], "Ok"),
        ('Click on the link "libero".', [("link", "liber"), ("link", "libero"), ("link", "et")], "libero"),
        ("Click button ONE.", [("button", "TWO"), ("button", "ONE")], "ONE"),
        ("Click on Tab #2.", [("tab", "Tab #1"), ("tab", "Tab #2"), ("tab", "Tab #3")], "Tab #2"),
        ('Close the dialog box by clicking the "x".', [("button", "OK"), ("button", "Close")], "Close"),
        ("Open the settings menu", [("menuitem", "File"), ("menuitem", "Settings")], "Settings"),
        ("Focus into the 2nd input textbox.", [("textbox", ""), ("textbox", "b"), ("textbox", "c")], "b"),
        ("Press the save button", [("link", "save"), ("button", "save")], "save"),
    ],
)
def test_the_label_that_the_goal_mentions_is_clicked_first(scene, goal, rows, first):
    subtask = Subtask(goal=goal, allowed_risks=frozenset({"close"}))
    seen = scene.screen(*(scene.row(i, r, n) for i, (r, n) in enumerate(rows, 1)))
    action = decide(subtask, seen, []).action
    assert isinstance(action, Click)
    assert seen.candidates[action.target].label == first


def test_a_role_word_decides_between_equal_labels(scene):
    seen = scene.screen(scene.row(1, "link", "save"), scene.row(2, "button", "save"))
    assert decide(Subtask(goal="Press the save button"), seen, []).action.target == "c02"


def test_things_are_done_in_the_order_of_mention_and_only_once(scene):
    rows = [scene.row(1, "button", "Submit"), scene.row(2, "checkbox", "beta"), scene.row(3, "checkbox", "alpha")]
    assert targets(scene, "Select alpha, beta and click Submit.", *rows) == [
        ("click", "alpha"),
        ("click", "beta"),
        ("click", "Submit"),
    ]


def test_a_box_that_is_ticked_already_stays_ticked(scene):
    rows = [scene.row(1, "checkbox", "alpha", states=("checked",)), scene.row(2, "button", "Submit")]
    assert targets(scene, "Select alpha and click Submit.", *rows) == [("click", "Submit")]


def test_inputs_go_into_the_fields_whose_names_fit(scene):
    rows = [scene.row(1, "textbox", "Password", states=("secret",)), scene.row(2, "textbox", "Username")]
    subtask = Subtask(goal='Enter user "kim" and password "pw1"', inputs={"username": "kim", "password": "pw1"})
    seen, taken = scene.screen(*rows), []
    for _ in range(2):
        taken.append(decide(subtask, seen, scene.did(seen, *taken)).action)
    assert {(a.target, a.text) for a in taken} == {("c01", "pw1"), ("c02", "kim")}


def test_a_field_that_holds_the_text_is_left_alone(scene):
    rows = [scene.row(1, "textbox", "Name", value="kim"), scene.row(2, "button", "Submit")]
    assert targets(scene, 'Enter "kim" and press Submit', *rows, inputs={"text": "kim"})[0] == ("click", "Submit")


def test_a_field_without_a_name_is_called_what_stands_beside_it(scene):
    rows = [
        scene.row(1, "text", "Year"),
        scene.row(2, "textbox"),
        scene.row(3, "text", "Director"),
        scene.row(4, "textbox"),
    ]
    subtask = Subtask(goal="Search films by Lee from 1999", inputs={"director": "Lee", "year": "1999"})
    action = decide(subtask, scene.screen(*rows), []).action
    assert (action.target, action.text) == ("c04", "Lee")


def test_the_counted_field_gets_the_text(scene):
    rows = [scene.row(i, "textbox") for i in (1, 2, 3)]
    subtask = Subtask(goal='Enter "7" into the 2nd textbox', inputs={"text": "7"})
    assert decide(subtask, scene.screen(*rows), []).action.target == "c02"


def test_both_fields_get_the_same_text_when_the_goal_says_so(scene):
    rows = [scene.row(1, "textbox"), scene.row(2, "textbox"), scene.row(3, "button", "Submit")]
    done = targets(scene, 'Enter "pw" into both fields and press submit', *rows, inputs={"password": "pw"})
    assert [kind for kind, _ in done] == ["type_text", "type_text", "click"]


def test_a_closed_list_is_set_to_the_option_that_the_goal_names(scene):
    rows = [
        scene.row(1, "combobox", "Country", value="Chad"),
        scene.row(2, "option", "Chad", parent="c01", actions=(), states=("selected", "offscreen")),
        scene.row(3, "option", "Cuba", parent="c01", actions=(), states=("offscreen",)),
        scene.row(4, "button", "Submit"),
    ]
    action = decide(Subtask(goal="Select Cuba from the list and click Submit"), scene.screen(*rows), []).action
    assert action == SetValue(target="c01", value="Cuba")


def test_further_options_of_a_list_are_added_to_the_selection(scene):
    rows = [
        scene.row(1, "listbox", "Names", actions=("scroll",)),
        scene.row(2, "option", "Ann", parent="c01"),
        scene.row(3, "option", "Bob", parent="c01"),
    ]
    subtask, seen = Subtask(goal="Select Ann, Bob from the list"), scene.screen(*rows)
    first = decide(subtask, seen, []).action
    assert first == Click(target="c02")
    assert decide(subtask, seen, scene.did(seen, first)).action == Click(target="c03", modifiers=("MOD",))


def test_a_field_that_does_not_take_what_is_typed_is_set_in_its_standard_form(scene):
    seen = scene.screen(scene.row(1, "textbox", "When"))
    subtask = Subtask(goal="Enter 05/21/2014", inputs={"date": "05/21/2014", "date_iso": "2014-05-21"})
    typed = decide(subtask, seen, []).action
    assert typed == TypeText(target="c01", text="05/21/2014", input_key="date")
    history = scene.did(seen, typed, effect="suspected_noop")
    assert decide(subtask, seen, history).action == SetValue(target="c01", value="2014-05-21", input_key="date_iso")


def test_of_two_things_called_the_same_the_inner_one_is_clicked(scene):
    seen = scene.screen(scene.row(1, "tab", "Tab #2"), scene.row(2, "link", "Tab #2", parent="c01"))
    assert decide(Subtask(goal="Click on Tab #2"), seen, []).action == Click(target="c02")


def test_click_the_button_is_enough_when_there_is_one_thing_to_click(scene):
    seen = scene.screen(scene.row(1, "text", "Press me", source="ocr"))
    assert decide(Subtask(goal="Click the button"), seen, []).action == Click(target="c01")


def test_what_unfolds_comes_before_sending(scene):
    rows = [scene.row(1, "tab", "Section #1"), scene.row(2, "button", "Submit")]
    assert targets(scene, "Expand the section below and click submit.", *rows) == [
        ("click", "Section #1"),
        ("click", "Submit"),
    ]


def test_a_refused_action_is_tried_again(scene):
    seen = scene.screen(scene.row(1, "button", "Go"))
    history = scene.did(seen, Click(target="c01"), refused=True)
    assert decide(Subtask(goal="Go"), seen, history).action == Click(target="c01")


def test_an_action_that_did_its_work_is_not_repeated(scene):
    seen = scene.screen(scene.row(1, "button", "Go"))
    assert decide(Subtask(goal="Go"), seen, scene.did(seen, Click(target="c01"))).outcome == "abstain"


def test_it_abstains_when_nothing_fits(scene):
    assert decide(Subtask(goal="Open the cupboard"), scene.screen(scene.row(1, "button", "Zebra")), []).outcome == (
        "abstain"
    )


def test_the_distribution_covers_what_was_possible_and_has_one_winner(scene):
    seen = scene.screen(scene.row(1, "button", "Go"), scene.row(2, "button", "Go"), scene.row(3, "textbox", "Name"))
    decision = decide(Subtask(goal="Go", inputs={"name": "kim"}), seen, [])
    assert set(decision.answers) == {"operation", f"{decision.action.kind}_target"}
    for answer in decision.answers.values():
        assert sum(answer.probabilities.values()) == pytest.approx(1)
        assert answer.margin > 0


def test_equal_candidates_are_told_apart_by_id(scene):
    seen = scene.screen(scene.row(1, "button", "Go"), scene.row(2, "button", "Go"))
    assert {decide(Subtask(goal="Go"), seen, []).action.target for _ in range(5)} == {"c01"}


LABELS = st.text("abc ", max_size=6)


@settings(deadline=None)  # time says nothing on a shared machine
@given(goal=st.text("abc \"'#2", min_size=1, max_size=40).filter(str.strip), labels=st.lists(LABELS, max_size=8))
def test_any_goal_and_any_screen_give_a_valid_decision_that_types_inputs_only(scene, goal, labels):
    roles = ["button", "textbox", "checkbox", "combobox", "text"]
    seen = scene.screen(*(scene.row(i, roles[i % 5], label) for i, label in enumerate(labels, 1)))
    subtask = Subtask(goal=goal, inputs={"text": "abc"})
    decision = decide(subtask, seen, [])
    if isinstance(decision.action, TypeText):
        assert decision.action.text == "abc"
    if decision.action is not None:
        assert decision.action.target in seen.candidates
