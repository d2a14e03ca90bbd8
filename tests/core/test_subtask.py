import math

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import InvalidSubtask
from cuakit.core.subtask import SECRET, Subtask, is_key, parse_chord


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("goal", ""),
        ("goal", "  "),
        ("goal", 7),
        ("verification", ()),
        ("verification", "Saved"),
        ("verification", ("",)),
        ("verification", (7,)),
        ("constraints", "none"),
        ("constraints", (" ",)),
        ("inputs", ["a"]),
        ("inputs", {"": "x"}),
        ("inputs", {"n": math.nan}),
        ("inputs", {"n": math.inf}),
        ("inputs", {"n": {"nested": 1}}),
        ("inputs", {"n": None}),
        ("shortcuts", ["MOD+S"]),
        ("shortcuts", {"S": "Save"}),
        ("shortcuts", {"MOD+MOD": "Save"}),
        ("shortcuts", {"MOD+S": ""}),
        ("shortcuts", {7: "Save"}),
        ("allowed_risks", {"explode"}),
        ("allowed_risks", "delete"),
        ("secret_inputs", {"password"}),
        ("secret_inputs", "password"),
        ("max_actions", 0),
        ("max_actions", True),
        ("max_actions", 1.5),
        ("max_actions", "3"),
    ],
)
def test_a_field_that_breaks_its_rule_is_named(field, value):
    with pytest.raises(InvalidSubtask, match=field):
        Subtask(**({"goal": "Save the file"} | {field: value}))


def test_a_goal_alone_is_enough():
    subtask = Subtask(goal="Save the file")
    assert subtask.max_actions == 30
    assert subtask.verification
    assert not subtask.allowed_risks


@given(
    st.dictionaries(
        st.text(min_size=1),
        st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_text_numbers_and_booleans_are_inputs(inputs):
    assert dict(Subtask(goal="x", inputs=inputs).inputs) == inputs


def test_a_subtask_does_not_change_with_what_it_was_made_from():
    inputs = {"name": "Ada"}
    subtask = Subtask(goal="x", inputs=inputs)
    inputs["name"] = "Eve"
    assert subtask.inputs["name"] == "Ada"
    with pytest.raises(TypeError):
        subtask.inputs["name"] = "Eve"


@given(secret=st.text(min_size=1).filter(lambda s: s not in SECRET), around=st.text())
def test_no_secret_is_left_in_redacted_text(secret, around):
    subtask = Subtask(goal="x", inputs={"pw": secret}, secret_inputs=frozenset({"pw"}))
    redacted = subtask.redact(f"{secret}{secret}")
    assert secret not in redacted.replace(SECRET, "")
    assert subtask.visible_inputs() == {"pw": SECRET}


def test_a_secret_inside_a_longer_secret_leaves_no_remainder():
    subtask = Subtask(goal="x", inputs={"a": "abc", "b": "abcdef"}, secret_inputs=frozenset({"a", "b"}))
    assert subtask.redact("see abcdef and abc") == f"see {SECRET} and {SECRET}"


@pytest.mark.parametrize(
    "chord", ["MOD+S", "CTRL+ALT+DELETE", "MOD+SHIFT+F20", "ALT+ARROW_LEFT", "SHIFT+GRAVE", "MOD+9"]
)
def test_chords_of_the_vocabulary(chord):
    assert "+".join(parse_chord(chord)) == chord


@pytest.mark.parametrize(
    "chord", ["", "S", "MOD", "MOD+", "mod+s", "MOD+SAVE", "MOD+S+S", "S+MOD", "CTRL+CTRL+A", "META+S", "MOD+F21"]
)
def test_what_is_no_chord(chord):
    with pytest.raises(ValueError, match="chord"):
        parse_chord(chord)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("A", True),
        ("0", True),
        ("F1", True),
        ("ENTER", True),
        ("a", False),
        ("F0", False),
        ("F21", False),
        ("É", False),
        ("", False),
        ("MOD", False),
    ],
)
def test_key_names(name, known):
    assert is_key(name) is known
