"""Family → script, and the policy made of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cuakit.core.decision import Decision
from cuakit.core.errors import UnknownName
from cuakit.core.observation import Observation
from cuakit.core.stages import History
from cuakit.core.subtask import Subtask
from cuakit.envs.base import Policy
from cuakit.envs.miniwob.gold import clicks, drags, feeds, figures, forms, menus, reading, values
from cuakit.envs.miniwob.gold.view import Script, View

SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        **clicks.SCRIPTS,
        **drags.SCRIPTS,
        **figures.SCRIPTS,
        **feeds.SCRIPTS,
        **forms.SCRIPTS,
        **menus.SCRIPTS,
        **reading.SCRIPTS,
        **values.SCRIPTS,
    }
)
"""Family → gold script."""


def policy(family: str) -> Policy:
    """Oracle of a family.

    Raises:
        UnknownName: There is none.
    """
    if family not in SCRIPTS:
        raise UnknownName(
            f"no gold path for MiniWoB++ task {family!r}", hint=f"there are {len(SCRIPTS)}, listed in GROUPS"
        )
    script = SCRIPTS[family]

    def decide(subtask: Subtask, observation: Observation, history: History) -> Decision:
        action = script(View(subtask, observation, history))
        if action is None:
            return Decision(outcome="reobserve", reason="the gold script waits")
        return Decision(outcome="act", action=action, reason="gold script")

    return decide
