"""Which MiniWoB++ families there are, and what kind of work each one is. The one list; suites refer to it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "single-click": tuple(
            "click-button click-color click-dialog click-dialog-2 click-link click-tab click-test click-test-2 "
            "click-test-transfer click-widget focus-text focus-text-2 unicode-test".split()
        ),
    }
)
"""Group → families. A family belongs to one group."""

FAMILIES: Final = tuple(sorted(f for families in GROUPS.values() for f in families))
"""Every family with a gold path."""


def group_of(family: str) -> str:
    """Group of a family, or ``other``."""
    return next((g for g, families in GROUPS.items() if family in families), "other")
