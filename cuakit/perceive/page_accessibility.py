"""Objects of a live page as its browser describes them to assistive technology, over DevTools.

Roles and names are the browser's own, computed for screen readers; boxes come from the layout. Nothing of the page's script
is run, and nothing is asked of the document beyond that. Text of the page is data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol

from cuakit.core.candidate import INTERACTIVE, Candidate, Candidates
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot

ROLE: Final[Mapping[str, str]] = MappingProxyType(
    {
        chromium: aria
        for aria, words in {
            "alert": "alert alertdialog log status",
            "button": "button ToggleButton PopUpButton DisclosureTriangle",
            "cell": "cell gridcell rowheader LayoutTableCell",
            "checkbox": "checkbox",
            "columnheader": "columnheader",
            "combobox": "combobox ComboBoxSelect ComboBoxMenuButton Date DateTime InputTime",
            "dialog": "dialog",
            "grid": "grid treegrid",
            "group": "group radiogroup form toolbar region",
            "heading": "heading",
            "image": "image img graphics-symbol Canvas",
            "link": "link",
            "listbox": "listbox",
            "listitem": "listitem",
            "menu": "menu",
            "menubar": "menubar",
            "menuitem": "menuitem menuitemcheckbox menuitemradio",
            "option": "option MenuListOption ListBoxOption",
            "progressbar": "progressbar meter",
            "radio": "radio",
            "row": "row",
            "scrollbar": "scrollbar",
            "searchbox": "searchbox",
            "slider": "slider",
            "spinbutton": "spinbutton",
            "switch": "switch",
            "tab": "tab",
            "table": "table",
            "text": "StaticText",
            "textbox": "textbox",
            "tooltip": "tooltip",
            "tree": "tree",
            "treeitem": "treeitem",
        }.items()
        for chromium in words.split()
    }
)
"""Chromium's role word → ARIA's; what is not listed only holds other things."""

_WRITABLE: Final = frozenset({"textbox", "searchbox"})
_SETTABLE: Final = frozenset({"combobox", "slider", "spinbutton"})


class Commanded(Protocol):
    """A page that takes DevTools commands."""

    def call(self, method: str, **params: Any) -> Any:
        """Result of a command."""


@dataclass(frozen=True, kw_only=True)
class PageAccessibility:
    """Stage ``page-accessibility-v1``: a page as a screen reader is told about it.

    What has no role for assistive technology, such as a clickable ``span``, is seen as text only: that is the mode's
    point. Only the main frame is read. Values of password fields are left out.

    Args:
        text: Whether text that names no control is listed.
        limit: Candidates at most.
    """

    stage_id: ClassVar[str] = "page-accessibility-v1"

    text: bool = True
    limit: int = 3000

    def bind(self, page: Commanded) -> Callable[[Screenshot], Candidates]:
        """A callable that reads ``page``; boxes are in the pixels of the screenshot that it is given."""

        def read(shot: Screenshot) -> Candidates:
            tree = page.call("Accessibility.getFullAXTree")
            layout = page.call("DOMSnapshot.captureSnapshot", computedStyles=[])
            found = candidates(tree["nodes"], layout, shot, text=self.text)
            return Candidates.numbered(found[: self.limit])

        return read


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node of the document is laid out, in CSS pixels, and whether it is a password field."""

    box: Box
    secret: bool


_NOWHERE: Final = _Place(Box(0, 0, 0, 0), secret=False)


def candidates(
    nodes: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], shot: Screenshot, *, text: bool = True
) -> list[Candidate]:
    """A tree as candidates, in the tree's order.

    Args:
        nodes: ``Accessibility.getFullAXTree``.
        layout: ``DOMSnapshot.captureSnapshot`` of the same moment.
        shot: The frame that they lie in.
        text: Whether text that names no control is listed.
    """
    places = dict(_places(layout))
    frame = Box(0, 0, shot.width / shot.scale, shot.height / shot.scale)
    by_id = {n["nodeId"]: n for n in nodes}
    made: dict[str, Candidate] = {}
    for node in _in_order(nodes):
        role = "" if node.get("ignored") else ROLE.get(_word(node, "role"), "")
        place = places.get(node.get("backendDOMNodeId", 0), _NOWHERE)
        parent = _above(node, by_id, made)
        folded = role == "option" and place.box.area <= 0 and parent != ""
        if not role or (role == "text" and not text):
            continue
        if folded:  # an option of a closed list is where the list is
            made[node["nodeId"]] = _folded(node, made[parent])
            continue
        seen = place.box.intersect(frame)
        name = _name(node)
        if seen.area <= 0 or (role == "text" and (not name or (parent and name in made[parent].label))):
            continue
        if role in ("image", "group") and not name:
            continue
        made[node["nodeId"]] = _candidate(node, seen, shot.scale, parent, secret=place.secret)
    return list(made.values())


def _candidate(node: Mapping[str, Any], seen: Box, scale: float, parent: str, *, secret: bool) -> Candidate:
    role, name = ROLE[_word(node, "role")], _name(node)
    said = _said(node)
    states = tuple(_states(said, secret=secret))
    offers = () if "disabled" in states or said.get("readonly") else tuple(_actions(role))
    return Candidate(
        id=f"n{node['nodeId']}",
        box=Box(seen.left * scale, seen.top * scale, seen.right * scale, seen.bottom * scale),
        role=role,
        name="" if role == "text" else name,
        text=name if role == "text" else "",
        value="" if secret else _word(node, "value"),
        source="accessibility",
        actions=offers,
        states=states,
        parent=f"n{parent}" if parent else "",
        provenance=(f"ax:{node.get('backendDOMNodeId', node['nodeId'])}",),
    )


def _folded(node: Mapping[str, Any], within: Candidate) -> Candidate:
    said = _said(node)
    return Candidate(
        id=f"n{node['nodeId']}",
        box=within.box,
        role="option",
        name=_name(node),
        source="accessibility",
        states=(*_states(said, secret=False), "offscreen"),
        parent=within.id,
        provenance=(f"ax:{node.get('backendDOMNodeId', node['nodeId'])}",),
    )


def _actions(role: str) -> Iterator[str]:
    if role in INTERACTIVE:
        yield "click"
    if role in _WRITABLE or role == "spinbutton":
        yield "type"
    if role in _WRITABLE | _SETTABLE:
        yield "set_value"


def _states(said: Mapping[str, Any], *, secret: bool) -> Iterator[str]:
    for word in ("checked", "disabled", "expanded", "focused", "selected"):
        if said.get(word) in (True, "true"):
            yield word
    if said.get("pressed") == "true" and said.get("checked") is None:
        yield "checked"
    if secret:
        yield "secret"


def _said(node: Mapping[str, Any]) -> dict[str, Any]:
    return {p["name"]: p["value"].get("value") for p in node.get("properties", ())}


def _name(node: Mapping[str, Any]) -> str:
    return " ".join(_word(node, "name").split())


def _word(node: Mapping[str, Any], what: str) -> str:
    return str(node.get(what, {}).get("value", ""))


def _above(node: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], made: Mapping[str, Candidate]) -> str:
    above = str(node.get("parentId", ""))
    while above and above not in made:
        above = str(by_id.get(above, {}).get("parentId", ""))
    return above


def _in_order(nodes: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Nodes as they are nested; the protocol gives them breadth first."""
    by_id = {n["nodeId"]: n for n in nodes}
    waiting = [n["nodeId"] for n in nodes if n.get("parentId", "") not in by_id][::-1]
    while waiting:
        node = by_id[waiting.pop()]
        yield node
        waiting += [c for c in reversed(node.get("childIds", ())) if c in by_id]


def _places(layout: Mapping[str, Any]) -> Iterator[tuple[int, _Place]]:
    document = layout["documents"][0]
    strings, nodes = layout["strings"], document["nodes"]
    dx, dy = document["scrollOffsetX"], document["scrollOffsetY"]
    for at, (left, top, width, height) in zip(
        document["layout"]["nodeIndex"], document["layout"]["bounds"], strict=True
    ):
        words = [strings[i].casefold() for i in nodes["attributes"][at]]
        secret = any(words[i] == "type" and words[i + 1] == "password" for i in range(0, len(words) - 1, 2))
        box = Box.from_xywh(left - dx, top - dy, width, height)
        yield nodes["backendNodeId"][at], _Place(box, secret)
