"""Who acts in the delivery matrix: our own actor under its lease, and cua-driver over its own protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from cuakit.act.broker import CaptureBroker
from cuakit.act.windows import WindowActor
from cuakit.backends.desktop import Desktop
from cuakit.bench.delivery_programs import Cell
from cuakit.bench.tool_server import cua_driver
from cuakit.capture.window import Window
from cuakit.core.action import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    PressKey,
    RightClick,
    Scroll,
    SetValue,
    TypeText,
)
from cuakit.core.candidate import Candidate, Candidates

_FROM, _TO = (0.3, 0.3), (0.7, 0.7)


def action_of(cell: Cell, target: Candidate | None) -> Action:
    """A cell as one of our actions."""
    id = target.id if target is not None else ""
    match cell.action:
        case "click":
            return Click(target=id)
        case "place":
            return Click(target=id, at=(0.5, 0.5))
        case "double":
            return DoubleClick(target=id)
        case "right":
            return RightClick(target=id)
        case "drag":
            return Drag(target=id, to=id, at=_FROM, to_at=_TO)
        case "scroll":
            return Scroll(target=id)
        case "type":
            in_cell = target is not None and target.role == "cell"
            return TypeText(target=id, text=cell.value, then="ENTER" if in_cell else "")
        case "set_value":
            in_cell = target is not None and target.role == "cell"
            return (
                TypeText(target=id, text=cell.value, then="ENTER") if in_cell else SetValue(target=id, value=cell.value)
            )
        case "key":
            return PressKey(key=cell.value)
        case _:
            return Hotkey(keys=tuple(cell.value.split("+")))


class OurHand:
    """Our actor: observe, lease, act."""

    name = "cuakit"

    def __init__(self, desktop: Desktop, window: Window, pid: int) -> None:
        del pid
        self._window = window
        self._broker = CaptureBroker()
        self._actor = WindowActor(session=desktop.env["DBUS_SESSION_BUS_ADDRESS"]).bind(window, self._broker)

    def act(self, cell: Cell, target: Candidate | None) -> tuple[str, str]:
        """Carry out a cell under a fresh lease."""
        shot = self._window.grab()
        seen = Candidates([target] if target is not None else [], check_parents=False)
        capture = self._broker.issue(self._window, shot, seen)
        receipt = self._actor.perform(action_of(cell, target), capture.id)
        said = {"refused": "refused", "suspected_noop": "doubtful"}.get(receipt.effect, "sent")
        return said, receipt.code or receipt.route

    def close(self) -> None:
        """Let go of the actor."""
        self._actor.close()


_KEYS: Final = {"ARROW_DOWN": "down", "F5": "f5", "F6": "f6"}
_BUTTONS: Final = {"place": "click", "double": "double_click", "right": "right_click"}
_ROLES: Final = {
    "button": ("push button", "button", "toggle button"),
    "textbox": ("text", "entry"),
    "slider": ("slider",),
}


class PeerHand:
    """cua-driver, as its MCP server over standard input and output.

    Args:
        desktop: Where it runs.
        window: The window under test.
        pid: Its process.
        executable: The driver.

    Raises:
        BackendError: It does not start.
    """

    name = "cua-driver"

    def __init__(self, desktop: Desktop, window: Window, pid: int, executable: Path) -> None:
        self._window, self._pid = window, window.info().pid or pid
        self._tools = cua_driver(desktop, executable)

    def act(self, cell: Cell, target: Candidate | None) -> tuple[str, str]:
        """Carry out a cell the way its documentation asks for: read the window, then act by token or by point."""
        state = self._tool("get_window_state", {"tree_format": "elements"})
        elements = state.get("structuredContent", {}).get("elements", [])
        token = _token(elements, target)
        answer = self._tool(*self._call(cell, target, token))
        content = answer.get("structuredContent", {})
        if answer.get("isError"):
            return "refused", str(content.get("code", "error"))
        effect = str(content.get("effect", ""))
        return ("doubtful" if effect == "suspected_noop" else "sent"), str(content.get("route", effect))

    def close(self) -> None:
        """End it."""
        self._tools.close()

    def _call(self, cell: Cell, target: Candidate | None, token: str) -> tuple[str, dict[str, Any]]:
        at = self._point(target, (0.5, 0.5))
        by = {"element_token": token} if token else at
        match cell.action:
            case "click":
                return "click", by
            case "place" | "double" | "right":
                return _BUTTONS[cell.action], at
            case "drag":
                start, end = self._point(target, _FROM), self._point(target, _TO)
                return "drag", {"from_x": start["x"], "from_y": start["y"], "to_x": end["x"], "to_y": end["y"]}
            case "scroll":
                return "scroll", {"direction": "down", "amount": 3, **at}
            case "type":
                in_cell = target is not None and target.role == "cell"
                text = cell.value + ("\n" if in_cell else "")
                return "type_text", {"text": text, **(by if target is not None and target.role != "unknown" else {})}
            case "set_value" if token:
                return "set_value", {"value": cell.value, "element_token": token}
            case "set_value":
                return "type_text", {"text": cell.value + "\n", **at}
            case "key":
                return "press_key", {"key": _KEYS.get(cell.value, cell.value.lower())}
            case _:
                return "hotkey", {"keys": [part.lower() for part in cell.value.split("+")]}

    def _point(self, target: Candidate | None, at: tuple[float, float]) -> dict[str, float]:
        """A place in the driver's picture of the window, which includes the frame around it."""
        if target is None:
            return {}
        point = target.box.at(*at)
        return {"x": round(point.x), "y": round(point.y)}

    def _tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        where = {"pid": self._pid, "window_id": self._window.id}
        return self._tools.call(name, where | arguments)


def _token(elements: list[dict[str, Any]], target: Candidate | None) -> str:
    if target is None:
        return ""
    roles = _ROLES.get(target.role, (target.role,))
    for element in elements:
        named = not target.name or element.get("label") == target.name
        if element.get("role") in roles and (named or target.role == "slider"):
            return str(element.get("element_token", ""))
    return ""
