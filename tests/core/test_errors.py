import inspect

import pytest

from cuakit.core import errors
from cuakit.core.errors import LEASE_CODES, CuakitError, LeaseError

TREE = [t for _, t in inspect.getmembers(errors, inspect.isclass) if issubclass(t, CuakitError)]


def test_every_kind_of_error_has_its_own_code_and_a_place_in_the_drawing():
    codes = [t.code for t in TREE if t is not LeaseError]
    assert len(set(codes)) == len(codes)
    assert all(t.__name__ in errors.__doc__ for t in TREE)


@pytest.mark.parametrize("code", LEASE_CODES)
def test_a_refusal_says_whether_to_retry_and_what_to_do(code):
    refused = LeaseError(code, "found this")
    assert refused.as_dict() == {
        "code": code,
        "message": "found this",
        "hint": LEASE_CODES[code][1],
        "retryable": LEASE_CODES[code][0],
    }
    assert str(refused).splitlines() == ["found this", LEASE_CODES[code][1]]


def test_a_refusal_with_a_code_of_ones_own_cannot_be_made():
    with pytest.raises(KeyError):
        LeaseError("because", "no")
