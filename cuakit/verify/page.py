"""Whether a page shows what it should, judged from the observation alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from cuakit.core.decision import Decision
from cuakit.core.observation import Observation
from cuakit.core.outcome import Verdict
from cuakit.verify.criteria import Criterion, criterion


@dataclass(frozen=True, kw_only=True)
class PageCriteria:
    """All criteria must hold. No criteria is no proof, so the answer is then unknown.

    Args:
        criteria: Criteria, or their plain data; see :func:`cuakit.verify.criteria.criterion`.

    Raises:
        UsageError: A criterion is malformed.
    """

    stage_id: ClassVar[str] = "page-criteria-v1"

    criteria: tuple[Criterion | Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for one in self.criteria:
            criterion(one)

    def __call__(self, _before: Observation, after: Observation, _decision: Decision, /) -> Verdict:
        """Judge what was seen after the step."""
        return self.check(after)

    def check(self, seen: Observation) -> Verdict:
        """Judge one observation: failed as soon as one criterion fails, passed only when all do."""
        verdicts = [criterion(one).check(seen) for one in self.criteria]
        if not verdicts:
            return Verdict(result="unknown", reason="there is no criterion")
        worst = next((v for kind in ("failed", "unknown") for v in verdicts if v.result == kind), None)
        if worst is not None:
            return worst
        return Verdict(
            result="passed",
            reason="; ".join(v.reason for v in verdicts),
            evidence=tuple(e for v in verdicts for e in v.evidence),
        )
