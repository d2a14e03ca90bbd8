"""The decider that matches meaning: sentence vectors beside the words that :mod:`cuakit.decide.lexical` matches.

Every score of the lexical decider stays; a candidate whose role and name mean something close to the goal gains on top,
so that *open preferences* finds *Settings*. The model runs in this process; see :mod:`cuakit.models.minilm`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from cuakit.core.action import Click
from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.decide.goal import Goal
from cuakit.decide.lexical import Lexical
from cuakit.decide.memory import Memory, identity
from cuakit.decide.offers import FIELDS, Offer, offers
from cuakit.decide.scoring import TOGGLES, Scored, score
from cuakit.models import minilm

Encoder = Callable[[Sequence[str]], NDArray[np.float32]]

REMEMBERED: Final = 4096
"""Vectors kept by text: names repeat from step to step."""


@dataclass(frozen=True, kw_only=True)
class Embedding:
    """Word overlap plus closeness of meaning.

    Args:
        weight: What a cosine of 1 adds to a score; 0 is the lexical decider.
        floor: Cosine below which nothing is added.
        temperature: See :class:`cuakit.decide.lexical.Lexical`.
        threshold: See :class:`cuakit.decide.lexical.Lexical`.
        threads: Threads that encoding may use.
        encoder: Texts → (N, D) unit vectors; by default MiniLM from the cache.

    Raises:
        ModelError: MiniLM was not pulled (code ``not_installed``).
    """

    stage_id: ClassVar[str] = "embedding-v1"

    weight: float = 1.0
    floor: float = 0.25
    temperature: float = Lexical.temperature
    threshold: float = Lexical.threshold
    threads: int = 1
    encoder: Encoder | None = field(default=None, repr=False)
    _vectors: OrderedDict[str, NDArray[np.float32]] = field(default_factory=OrderedDict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.encoder is None:
            object.__setattr__(self, "encoder", minilm.load(threads=self.threads))

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """The best-scoring action, with the distribution over operations and over its targets."""
        possible = offers(subtask, observation)
        memory = Memory.of(history)
        known = score(Goal.of(subtask), memory, subtask, possible)
        known += _unscored(possible, known, memory)
        lifted = self._lift(subtask, observation, known)
        base = Lexical(temperature=self.temperature, threshold=self.threshold)
        return base.choose(lifted, observation)

    def _lift(self, subtask: Subtask, observation: Observation, known: Sequence[Scored]) -> list[Scored]:
        clicks = [s for s in known if s.operation == "click" and observation.candidates[s.target].label]
        others = [s for s in known if s not in clicks]
        if not clicks:
            return others
        targets = [observation.candidates[s.target] for s in clicks]
        names = [f"{c.role} {c.label}" for c in targets]
        goal, *rows = self._encode([subtask.redact(subtask.goal), *map(subtask.redact, names)])
        gains = np.clip(np.stack(rows) @ goal - self.floor, 0, None) * self.weight
        return others + [
            Scored(s.operation, Click(target=s.target), s.score + float(g)) for s, g in zip(clicks, gains, strict=True)
        ]

    def _encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        assert self.encoder is not None
        new = list(dict.fromkeys(t for t in texts if t not in self._vectors))
        if new:
            self._vectors.update(zip(new, self.encoder(new), strict=True))
        out = [self._vectors[t] for t in texts]
        while len(self._vectors) > REMEMBERED:
            self._vectors.popitem(last=False)
        return out


def _unscored(possible: Sequence[Offer], known: Sequence[Scored], memory: Memory) -> list[Scored]:
    """Clicks that no word speaks for, and nothing speaks against: meaning may find them."""
    scored = {s.target for s in known}
    return [
        Scored("click", Click(target=c.id), 0.0)
        for o in possible
        if o.operation == "click"
        and (c := o.candidate).id not in scored
        and not memory.clicks[identity(c)]
        and c.role not in FIELDS
        and not (c.role in TOGGLES and {"checked", "selected"} & set(c.states))
    ]
