"""What the detector tells apart: the order of the scores that its network gives."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CLASSES: Final = (
    "button",
    "icon",
    "link",
    "textbox",
    "checkbox",
    "radio",
    "switch",
    "tab",
    "combobox",
    "slider",
    "menuitem",
    "listitem",
    "cell",
    "text",
)
"""Roles, in the order of the network's scores. ``icon`` is a button without a word, ``text`` a line outside controls."""

STATES: Final = ("checked", "selected", "disabled", "expanded")
"""States, in the order of the network's scores."""

STRIDES: Final = (8, 16, 32)
"""Pixels between the places at which the network answers, per level."""

SAME: Final = MappingProxyType(
    {
        "searchbox": "textbox",
        "spinbutton": "textbox",
        "option": "listitem",
        "treeitem": "listitem",
        "columnheader": "cell",
        "heading": "text",
    }
)
"""Roles that are one class here."""


def class_of(role: str, text: str) -> str:
    """Class of a true element, or an empty string where it is none that can be learned.

    Args:
        role: Its role.
        text: What is written on it.
    """
    role = SAME.get(role, role)
    if role in ("button", "link", "icon") and not text.strip():
        return "icon"
    if role == "icon":
        return "button"
    return role if role in CLASSES else ""
