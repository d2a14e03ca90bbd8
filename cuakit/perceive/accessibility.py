"""Objects of a window as its application describes them to assistive technology (AT-SPI, Linux)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuakit.core.candidate import INTERACTIVE, Candidate, Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box, Point
from cuakit.core.screenshot import Screenshot
from cuakit.perceive.accessibility_roles import aria_role, aria_states

if TYPE_CHECKING:
    from cuakit.backends.atspi import Accessibility
    from cuakit.backends.atspi_tree import Node, Tree

_OBJECT: Final = "\ufffc"
"""Stands for an object inside a text."""

_CANVAS: Final = 48
"""Shortest side in pixels of a nameless leaf that is kept."""

_NAMED_BY_CHILDREN: Final = frozenset({"button", "link", "tab", "menuitem", "listitem", "cell", "row", "treeitem"})
_SILENT: Final = frozenset({"group", "unknown", "window", "scrollbar"})
"""Roles that are kept only when they have a name or offer something."""


@dataclass(frozen=True, kw_only=True)
class AccessibilityElements:
    """Stage ``accessibility-v1``: reads a window's objects from the accessibility bus.

    Args:
        session: D-Bus address of the session bus; ``DBUS_SESSION_BUS_ADDRESS`` of the environment by default.
        deadline_s: Most seconds for one read; a program that hangs costs no more.
        nodes: Most objects.
    """

    stage_id: ClassVar[str] = "accessibility-v1"
    session: str = ""
    deadline_s: float = 5.0
    nodes: int = 5000

    def bind(self, window: Any) -> WindowElements:
        """The stage on one open window.

        Args:
            window: A surface with ``info()``, such as :class:`cuakit.capture.window.Window`.

        Raises:
            AccessibilityUnavailable: There is no accessibility bus.
        """
        from cuakit.backends.atspi import Accessibility  # noqa: PLC0415 - an extra

        return WindowElements(access=Accessibility.open(self.session), window=window, stage=self)


@dataclass(frozen=True, kw_only=True)
class WindowElements:
    """The stage on one open window.

    Args:
        access: The accessibility bus.
        window: A surface with ``info()``.
        stage: Limits of a read.
    """

    access: Accessibility
    window: Any
    stage: AccessibilityElements

    def __call__(self, shot: Screenshot) -> Candidates:
        """Objects now, with boxes in the frame.

        Raises:
            AccessibilityUnavailable: The program is not on the bus.
            BackendError: It does not answer (code ``not_answering``).
        """
        return self.read(shot)[0]

    def read(self, shot: Screenshot, deadline_s: float | None = None) -> tuple[Candidates, str]:
        """As a call, and why some objects are missing.

        Args:
            shot: The frame.
            deadline_s: Most seconds for this read; that of the stage by default.

        Returns:
            The objects, and ``deadline``, ``node_limit`` or ``huge_container``; empty when none are missing.
        """
        from cuakit.backends.atspi_tree import Limits  # noqa: PLC0415 - an extra
        from cuakit.backends.atspi_window import read_window  # noqa: PLC0415 - an extra

        limits = Limits(deadline_s=deadline_s or self.stage.deadline_s, nodes=self.stage.nodes)
        tree = read_window(self.access, self.window.info(), limits)
        return candidates(tree, shot), tree.truncated


def candidates(tree: Tree, shot: Screenshot) -> Candidates:
    """A tree as candidates, numbered in reading order.

    Kept are objects that lie in the frame and have a name, a value or something to offer. A secret field's value is
    never kept.

    Args:
        tree: Objects with boxes in the frame's pixels.
        shot: The frame they lie in.

    Raises:
        BackendError: The application did not answer (code ``not_answering``).
    """
    if tree.truncated == "not_answering":
        raise BackendError(
            "the application does not answer on the accessibility bus",
            hint="it may be busy or hung; try again, or read the window from its pixels",
            code="not_answering",
        )
    frame = Box(0, 0, shot.width, shot.height)
    kept: dict[int, Candidate] = {}
    for at, node in enumerate(tree.nodes):
        if node.box is None or at == 0 or frame.intersect(node.box).area <= 0:
            continue
        made = _candidate(at, node, frame, tree)
        if _worth(made, node):
            kept[at] = made
    return Candidates.numbered(_with_parents(kept, tree))


def _worth(made: Candidate, node: Node) -> bool:
    """Whether an object says something, offers something, or is a leaf large enough to be pointed at: a canvas."""
    if made.label or made.value or made.actions:
        return True
    if made.role in _SILENT or made.role == "text":
        return node.children == 0 and made.role != "scrollbar" and min(made.box.width, made.box.height) >= _CANVAS
    return True


def _candidate(at: int, node: Node, frame: Box, tree: Tree) -> Candidate:
    assert node.box is not None
    role = aria_role(node.role)
    secret = node.role == "password text"
    name = node.name or (_joined(at, tree) if role in _NAMED_BY_CHILDREN else "") or node.description
    value = "" if secret else node.value.replace(_OBJECT, "")
    box = node.box.intersect(frame)
    return Candidate(
        id=f"n{at}",
        box=box,
        role=role,
        name=name.strip(),
        text=(value if role in ("text", "cell") else name).strip(),
        value=value,
        source="accessibility",
        actions=tuple(_actions(node, role)),
        states=aria_states(node.states, node.role),
        hit=None if frame.contains(node.box) else Point(*_middle(box)),
        provenance=(f"atspi:{node.ref.dest}{node.ref.path}",),
    )


def _middle(box: Box) -> tuple[float, float]:
    return box.center.x, box.center.y


def _joined(at: int, tree: Tree) -> str:
    """Names of the labels inside an object that has no name of its own."""
    names = []
    inside = {at}
    for below in range(at + 1, len(tree.nodes)):
        node = tree.nodes[below]
        if node.parent in inside:
            inside.add(below)
            if node.name and aria_role(node.role) in ("text", "image"):
                names.append(node.name)
    return " ".join(names)


def _actions(node: Node, role: str) -> Iterator[str]:
    usable = "sensitive" in node.states or "enabled" in node.states
    if usable and role in INTERACTIVE | {"menu"}:
        yield "click"
    if "EditableText" in node.interfaces or ("editable" in node.states and role == "textbox"):
        yield "type"
        yield "set_value"
    elif ("Value" in node.interfaces and role in ("slider", "spinbutton")) or role == "combobox":
        yield "set_value"
    if node.role in ("scroll pane", "viewport"):
        yield "scroll"


def _with_parents(kept: dict[int, Candidate], tree: Tree) -> Iterator[Candidate]:
    for at, made in kept.items():
        above = tree.nodes[at].parent
        while above >= 0 and above not in kept:
            above = tree.nodes[above].parent
        yield replace(made, parent=f"n{above}" if above in kept else "")
