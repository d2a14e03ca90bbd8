from hypothesis import given, settings, strategies as st

from cuakit.decide.answers import softmax_answer

SCORES = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.floats(-50, 50), min_size=1, max_size=12)


@settings(deadline=None)  # time says nothing on a shared machine
@given(SCORES, st.floats(0.05, 5))
def test_any_scores_give_a_valid_distribution_with_one_winner(scores, temperature):
    answer = softmax_answer("q", scores, temperature=temperature)
    best = max(scores.values())
    assert scores[answer.choice] == best
    assert answer.choice == min(o for o, s in scores.items() if s == best)
    assert set(answer.probabilities) == set(scores)
    assert len(scores) == 1 or answer.margin > 0


def test_equal_scores_are_nearly_equally_probable_and_the_smaller_id_wins():
    answer = softmax_answer("q", {"b": 1.0, "a": 1.0})
    assert answer.choice == "a"
    assert answer.margin < 1e-3
