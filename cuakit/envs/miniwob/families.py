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
        "figures": tuple(
            "ascending-numbers click-shape find-greatest grid-coordinate number-checkboxes visual-addition".split()
        ),
        "multi-click": tuple(
            "buy-ticket click-button-sequence click-checkboxes click-checkboxes-large click-checkboxes-soft "
            "click-checkboxes-transfer click-option click-scroll-list click-shades generate-number odd-or-even "
            "social-media-all social-media-some".split()
        ),
        "navigate": tuple(
            "click-collapsible click-collapsible-2 click-collapsible-2-nodelay click-collapsible-nodelay click-tab-2 "
            "click-tab-2-easy click-tab-2-hard click-tab-2-medium navigate-tree phone-book search-engine".split()
        ),
        "type": tuple(
            "copy-paste copy-paste-2 enter-password enter-text enter-text-2 enter-text-dynamic login-user login-user-popup "
            "multi-layouts multi-orderings use-autocomplete use-autocomplete-nodelay".split()
        ),
        "set-value": tuple(
            "choose-date choose-date-easy choose-date-medium choose-date-nodelay choose-list enter-date enter-time "
            "form-sequence form-sequence-2 form-sequence-3 use-colorwheel use-slider use-slider-2 use-spinner".split()
        ),
        "read": tuple(
            "find-word guess-number read-table read-table-2 scroll-text simple-algebra simple-arithmetic "
            "text-transform".split()
        ),
        "drag-scroll": tuple(
            "drag-box drag-circle drag-items drag-single-shape drag-sort-numbers highlight-text highlight-text-2 scroll-text-2 sign-agreement".split()
        ),
    }
)
"""Group → families. A family belongs to one group."""

FAMILIES: Final = tuple(sorted(f for families in GROUPS.values() for f in families))
"""Every family with a gold path."""


def group_of(family: str) -> str:
    """Group of a family, or ``other``."""
    return next((g for g, families in GROUPS.items() if family in families), "other")
