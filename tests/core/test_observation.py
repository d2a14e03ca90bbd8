import json

from hypothesis import given

from cuakit.core import codec
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.observation import Observation
from tests.strategies import shot, tables


def test_the_menu_has_the_shape_of_the_contract():
    save = Candidate(id="c01", role="button", name="Save", box=Box(1.2, 2, 9.5, 11))
    menu = Observation(screenshot=shot(), candidates=Candidates([save]), capture_id="cap_" + "0" * 24).menu()
    assert menu == {
        "capture_id": "cap_" + "0" * 24,
        "expires_in_seconds": 60,
        "candidates": [{"id": "c01", "type": "button", "text": "Save", "bounds": [1, 2, 10, 11]}],
    }


@given(tables)
def test_any_menu_is_json_and_names_every_candidate(table):
    menu = json.loads(codec.dumps(Observation(screenshot=shot(), candidates=table).menu()))
    assert [c["id"] for c in menu["candidates"]] == list(table.ids)
    assert menu["expires_in_seconds"] == 0
