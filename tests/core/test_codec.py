import json
from enum import Enum

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core import codec
from cuakit.core.action import Click, action_from_dict
from cuakit.core.candidate import Candidate
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box, Point
from cuakit.core.lease import Capture
from cuakit.core.outcome import Evidence, Receipt
from cuakit.core.subtask import Subtask
from tests.strategies import actions, boxes, rows, shot, tables

json_data = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(json_data)
def test_plain_data_survives_the_canonical_form(data):
    assert json.loads(codec.dumps(data)) == data


@given(json_data)
def test_the_canonical_form_is_a_fixed_point(data):
    text = codec.dumps(data)
    assert codec.dumps(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2, max_size=6))
def test_equal_values_have_equal_digests_whatever_their_order(data):
    turned = dict(reversed(data.items()))
    assert codec.digest(data) == codec.digest(turned)
    assert codec.digest(data) != codec.digest(data | {"one more": 1})


@given(rows())
def test_a_candidate_round_trips(candidate):
    assert codec.candidate_from_dict(json.loads(codec.dumps(candidate))) == candidate


@given(tables)
def test_a_table_round_trips(table):
    assert codec.candidates_from_list(json.loads(codec.dumps(table))) == table


@given(actions)
def test_an_action_round_trips(action):
    assert action_from_dict(json.loads(codec.dumps(action))) == action


@given(boxes)
def test_a_box_loads_back_through_its_schema(box):
    assert codec.load(Box, json.loads(codec.dumps(box))) == box


@pytest.mark.parametrize("kind", [Box, Point, Candidate, Capture, Receipt, Evidence, Click, Subtask])
def test_core_values_have_a_json_schema(kind):
    schema = codec.schema(kind)
    assert schema["type"] == "object"
    assert schema["properties"]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"left": 0, "top": 0, "right": 1}, "bottom"),
        ({"left": "x", "top": 0, "right": 1, "bottom": 1}, "left"),
        (7, "Box"),
    ],
)
def test_data_that_does_not_fit_names_the_place(data, place):
    with pytest.raises(UsageError, match=place):
        codec.load(Box, data)


def test_a_screenshot_becomes_its_digest_and_size():
    frame = shot(4, 3, scale=2.0)
    assert codec.jsonable(frame) == {"digest": frame.digest, "size": [4, 3], "scale": 2, "source": "memory"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan"), b"bytes", object()])
def test_what_has_no_json_form_is_refused(value):
    with pytest.raises(UsageError, match="no JSON form"):
        codec.dumps({"deep": [value]})


def test_numbers_of_numpy_and_words_of_enums_are_plain():
    class Colour(Enum):
        RED = "red"

    assert codec.dumps([np.int64(3), np.float32(0.5), Colour.RED, {"b", "a"}]) == '[3,0.5,"red",["a","b"]]'
