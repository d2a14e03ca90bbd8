import pytest
from hypothesis import given, strategies as st

from cuakit.core.outcome import Evidence, Receipt, Verdict

PROOF = (Evidence(kind="value_readback", detail="reads back"),)


@pytest.mark.parametrize("effect", ["confirmed", "partial"])
def test_nothing_is_confirmed_without_evidence(effect):
    with pytest.raises(ValueError, match="evidence"):
        Receipt(effect=effect)
    assert Receipt(effect=effect, evidence=PROOF).injected


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"code": "capture_stale", "evidence": PROOF},
        {"code": "capture_stale", "route": "trusted_input"},
    ],
)
def test_a_refusal_has_a_code_and_neither_evidence_nor_a_route(wrong):
    with pytest.raises(ValueError, match="refusal"):
        Receipt(effect="refused", **wrong)


@given(
    effect=st.sampled_from(["confirmed", "partial", "unverifiable", "suspected_noop", "refused"]),
    code=st.sampled_from(["", "capture_stale"]),
    evidence=st.sampled_from([(), PROOF]),
    route=st.sampled_from(["none", "trusted_input"]),
)
def test_every_receipt_that_can_be_made_is_consistent(effect, code, evidence, route):
    try:
        receipt = Receipt(effect=effect, code=code, evidence=evidence, route=route)
    except ValueError:
        return
    assert receipt.injected is (effect != "refused")
    assert bool(receipt.code) is (effect == "refused")
    assert receipt.effect not in ("confirmed", "partial") or receipt.evidence


@pytest.mark.parametrize(("result", "passed"), [("passed", True), ("failed", False), ("unknown", False)])
def test_unknown_is_never_a_pass(result, passed):
    assert Verdict(result=result).passed is passed
