"""From scores to checked answers with probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cuakit.core.decision import Answer, Question

_STEP = 1e-4


def softmax_answer(
    name: str, scores: Mapping[str, float], *, temperature: float = 1.0, descriptions: Mapping[str, str] | None = None
) -> Answer:
    """Answer whose probabilities are the softmax of scores; a tie goes to the smaller id, by a hair.

    Args:
        name: Question name.
        scores: Option id → finite score, at least one.
        temperature: Score difference that counts as a factor e.
        descriptions: Option id → description, for the question.

    Returns:
        A checked answer with a single most probable option.
    """
    order = sorted(scores, key=lambda option: (-scores[option], option))
    lifted: dict[str, float] = {}
    level = math.inf
    for option in order:  # each step down is at least a hair, so that no two options tie
        level = min(scores[option], level - _STEP * temperature)
        lifted[option] = level
    top = lifted[order[0]]
    weights = {option: math.exp((lifted[option] - top) / temperature) for option in scores}
    total = sum(weights.values())
    question = Question(name=name, options={o: (descriptions or {}).get(o, o) for o in scores})
    return Answer.check(question, order[0], {o: w / total for o, w in weights.items()})
