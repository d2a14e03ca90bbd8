"""What one trial may spend on its decision model, in tokens and in money, and what it has spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from cuakit.core.decision import Decision
from cuakit.core.errors import UsageError
from cuakit.core.observation import Observation
from cuakit.core.stages import Decider, History
from cuakit.core.subtask import Subtask


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one trial. They are looked at before each decision, so the last one may exceed them.

    Args:
        tokens: Most tokens, read and written together; None for no limit.
        usd: Most money in US dollars; None for no limit.
        usd_per_million_in: Price of a million tokens read.
        usd_per_million_out: Price of a million tokens written.

    Raises:
        UsageError: A limit that is not above 0, a price below 0, or a limit on money without a price.
    """

    tokens: int | None = None
    usd: float | None = None
    usd_per_million_in: float = 0.0
    usd_per_million_out: float = 0.0

    def __post_init__(self) -> None:
        prices = (self.usd_per_million_in, self.usd_per_million_out)
        if any(limit is not None and not limit > 0 for limit in (self.tokens, self.usd)):
            raise UsageError(f"a budget of {self.tokens} tokens and {self.usd} USD", hint="limits are above 0")
        if not all(price >= 0 for price in prices):
            raise UsageError(f"prices of {prices[0]} and {prices[1]} USD", hint="a price is 0 or more")
        if self.usd is not None and not any(prices):
            raise UsageError("a limit on money needs a price", hint="say what a million tokens cost, read and written")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, from which ``Budget(**data)`` makes it again."""
        return asdict(self)

    def price(self, usage: Mapping[str, float]) -> float:
        """What tokens cost, in US dollars."""
        read, written = usage.get("input_tokens", 0.0), usage.get("output_tokens", 0.0)
        return (read * self.usd_per_million_in + written * self.usd_per_million_out) / 1e6

    def exhausted(self, usage: Mapping[str, float]) -> str:
        """Which limit is reached, in words; empty when none is."""
        tokens, usd = usage.get("input_tokens", 0.0) + usage.get("output_tokens", 0.0), self.price(usage)
        if self.tokens is not None and tokens >= self.tokens:
            return f"out of tokens: {tokens:.0f} of {self.tokens}"
        if self.usd is not None and usd >= self.usd:
            return f"out of money: {usd:.4f} of {self.usd:g} USD"
        return ""


@dataclass(slots=True)
class Metered:
    """A decider that counts what it uses, and hands back when its budget is spent.

    Args:
        decider: Asked as long as there is budget.
        budget: Its limits.
        usage: Sums of what its decisions used, by name.
    """

    decider: Decider
    budget: Budget
    usage: dict[str, float] = field(default_factory=dict)

    def __call__(self, subtask: Subtask, observation: Observation, history: History) -> Decision:
        """The decider's own decision, or ``needs_agent`` without asking it."""
        if why := self.budget.exhausted(self.usage):
            return Decision(outcome="needs_agent", reason=why)
        made = self.decider(subtask, observation, history)
        for name, amount in made.usage.items():
            self.usage[name] = self.usage.get(name, 0.0) + amount
        return made

    def told(self) -> dict[str, float]:
        """What was used, for a record: tokens by name, and money where there is a price."""
        cost = self.budget.price(self.usage)
        return {**self.usage, **({"usd": round(cost, 6)} if cost else {})}

    @classmethod
    def of(cls, decider: Decider, budget: Budget | None) -> Self:
        """A decider with a budget; without one it is only counted."""
        return cls(decider, budget or Budget())
