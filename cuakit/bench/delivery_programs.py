"""Real programs for the delivery matrix, and what tells, independently of any receipt, that an action arrived."""

from __future__ import annotations

import json
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from cuakit.backends.desktop import Desktop
from cuakit.core.candidate import Candidate, Candidates
from cuakit.core.errors import UsageError

SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""The Python that distributions install the toolkits' bindings for."""

TEXT: Final = "Ab<é語"
NUMBER: Final = 42

_ADDRESS: Final = re.compile(r"[A-Z]{1,3}[0-9]+(:[A-Z]{1,3}[0-9]+)?")


def apps_folder() -> Path:
    """Where the programs are: inside an installed package, or in the repository."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "data" / "apps"
    return packaged if packaged.is_dir() else package.parent / "benchmarks" / "apps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One action of the matrix on one program.

    Args:
        action: ``click``, ``place``, ``double``, ``right``, ``drag``, ``scroll``, ``type``, ``set_value``, ``key`` or
            ``hotkey``.
        target: Picks the object; None for keys.
        arrived: Whether the facts before and after show that it arrived, exactly once where that can be told.
        value: Text, number, key or chord.
    """

    action: str
    target: Callable[[Candidates], Candidate] | None
    arrived: Callable[[Any, Any], bool]
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Where a program can be looked at.

    Args:
        look: Reads its objects.
        title: Its window's title now.
        home: The folder given to :meth:`Program.command`.
    """

    look: Callable[[], Candidates]
    title: str
    home: Path


class Program(ABC):
    """A program under test.

    Attributes:
        name: Toolkit.
        title: Part of its window's title.
    """

    name: str
    title: str

    @abstractmethod
    def command(self, home: Path) -> list[str | Path]:
        """How to start it; it may write below ``home``."""

    @abstractmethod
    def facts(self, seen: Seen) -> Any:
        """What tells about its state now."""

    @abstractmethod
    def cells(self, turn: int) -> Sequence[Cell]:
        """Actions that have an effect in it; texts and numbers differ from turn to turn."""

    def missing(self) -> str:
        """What must be installed first; empty when nothing."""
        return ""


def picked(role: str, name: str | None = None, *, least: float = 0.0) -> Callable[[Candidates], Candidate]:
    """A picker of the first object with a role, and a label where one is given, of some area."""

    def pick(found: Candidates) -> Candidate:
        for c in found:
            if c.role == role and (name is None or c.label == name) and c.box.area >= least:
                return c
        raise UsageError(f"the program shows no {role} {name or ''}".strip())

    return pick


def canvas(found: Candidates) -> Candidate:
    """The largest object that offers nothing but pixels."""
    blank = [c for c in found if c.role in ("image", "group", "text") and c.label in ("", "canvas")]
    return max(blank, key=lambda c: c.box.area)


def _new(kind: str) -> Callable[[list[Any], list[Any]], list[Any]]:
    return lambda before, after: [e["values"] for e in after[len(before) :] if e["event"] == kind]


def _some(kind: str, test: Callable[[list[Any]], bool] = bool) -> Callable[[Any, Any], bool]:
    return lambda before, after: test(_new(kind)(before, after))


_POINTING: Final = (
    Cell(action="place", target=canvas, arrived=_some("press", lambda p: len(p) == 1 and p[0][-1] == 1)),
    Cell(action="double", target=canvas, arrived=_some("press", lambda p: len(p) >= 2)),
    Cell(action="right", target=canvas, arrived=_some("press", lambda p: len(p) == 1 and p[0][-1] == 3)),
    Cell(action="drag", target=canvas, arrived=lambda b, a: bool(_new("drag")(b, a)) and bool(_new("release")(b, a))),
    Cell(action="scroll", target=canvas, arrived=_some("scroll")),
)


@dataclass(frozen=True, slots=True)
class Logging(Program):
    """Our own program, which writes what reached it into a file."""

    name: str
    script: str
    version: str
    needs: str
    title: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", f"{self.name} app")

    def command(self, home: Path) -> list[str | Path]:
        """Start the script with its log."""
        return [SYSTEM_PYTHON, apps_folder() / self.script, self.version, home / f"{self.name}.log"]

    def facts(self, seen: Seen) -> list[Any]:
        """Events so far, without those of focus."""
        lines = (seen.home / f"{self.name}.log").read_text().splitlines()
        return [e for e in map(json.loads, lines) if not e["event"].startswith("focus")]

    def cells(self, turn: int) -> Sequence[Cell]:
        """All ten."""
        text, value = f"{TEXT}{turn}", str(NUMBER + turn)
        return (
            Cell(action="click", target=picked("button", "Press me"), arrived=_some("clicked", lambda c: len(c) == 1)),
            *_POINTING,
            Cell(
                action="type",
                target=picked("textbox"),
                arrived=_some("entry", lambda e: bool(e) and e[-1] == [text]),
                value=text,
            ),
            Cell(
                action="set_value",
                target=picked("slider"),
                arrived=_some("scale", lambda v: bool(v) and v[-1] == [float(value)]),
                value=value,
            ),
            Cell(action="key", target=None, arrived=_some("key", lambda k: len(k) == 1), value="F5"),
            Cell(
                action="hotkey",
                target=None,
                arrived=_some("key", lambda k: any(v[1] == 5 for v in k)),
                value="CTRL+SHIFT+F6",
            ),
        )

    def missing(self) -> str:
        """The bindings' package."""
        return "" if Path(SYSTEM_PYTHON).exists() else self.needs


@dataclass(frozen=True, slots=True)
class Web(Program):
    """A page in Chromium, whose title is its log."""

    name: str = "chromium"
    title: str = "web app"

    def command(self, home: Path) -> list[str | Path]:
        """A window of its own, with accessibility on."""
        options = "--no-sandbox --no-first-run --force-renderer-accessibility --disable-gpu --password-store=basic"
        page = (apps_folder() / "page.html").as_uri()
        return ["chromium", *options.split(), f"--user-data-dir={home / 'chromium'}", f"--app={page}"]

    def facts(self, seen: Seen) -> list[Any]:
        """Events in the title: the page keeps the last twelve, and counts all."""
        try:
            log = json.loads(seen.title.removesuffix(" - Chromium"))
        except ValueError:
            return []
        return [{"event": "older", "values": []}] * (log["count"] - len(log["events"])) + list(log["events"])

    def cells(self, turn: int) -> Sequence[Cell]:
        """All ten."""
        logging = {c.action: c for c in Logging("web", "", "", "").cells(turn)}
        typed = Cell(
            action="type",
            target=picked("textbox", "Name field"),
            arrived=logging["type"].arrived,
            value=logging["type"].value,
        )
        key = replace(logging["key"], value="F8")  # F5 would load the page again
        return tuple((logging | {"type": typed, "key": key}).values())

    def missing(self) -> str:
        """The browser's package."""
        return "" if shutil.which("chromium") else "chromium"


@dataclass(slots=True)
class _FreeCell:
    """Picks an empty cell in view that is not the current one, and remembers its address."""

    turn: int
    address: str = ""

    def __call__(self, found: Candidates) -> Candidate:
        current = {c.value for c in found if c.role == "textbox"}
        free = [c for c in found if c.role == "cell" and not c.value and c.name not in current and c.box.width > 20]
        chosen = free[len(free) // 3 + self.turn * 7 % max(1, len(free) // 3)]
        self.address = chosen.name
        return chosen


@dataclass(frozen=True, slots=True)
class Calc(Program):
    """A spreadsheet in LibreOffice, told by its cells."""

    name: str = "libreoffice"
    title: str = "data.csv"

    def command(self, home: Path) -> list[str | Path]:
        """A small table, opened without questions."""
        (home / "data.csv").write_text("name,qty\npear,2\nfig,5\n")
        options = "--calc --norestore --nologo --nofirststartwizard --infilter=CSV:44,34,76,1"
        return ["soffice", *options.split(), home / "data.csv"]

    def facts(self, seen: Seen) -> dict[str, Any]:
        """Cells, the address of the current one, and whether Bold is on."""
        table = seen.look()
        cells = {c.name: c.value for c in table if c.role == "cell"}
        address = next((c.value for c in table if c.role == "textbox" and _ADDRESS.fullmatch(c.value)), "")
        bold = next(("checked" in c.states for c in table if c.label == "Bold"), None)
        return {"cells": cells, "first": next(iter(cells), ""), "address": address, "bold": bold}

    def cells(self, turn: int) -> Sequence[Cell]:
        """What can be told apart; a double and a right click only open something."""
        text, value = f"{TEXT}{turn}", str(NUMBER + turn)
        free = _FreeCell(turn)
        return (
            Cell(action="click", target=picked("button", "Bold"), arrived=lambda b, a: b["bold"] is not a["bold"]),
            Cell(action="place", target=free, arrived=lambda _, a: a["address"] == free.address),
            Cell(
                action="drag",
                target=picked("table"),
                arrived=lambda b, a: ":" in a["address"] and a["address"] != b["address"],
            ),
            Cell(action="type", target=free, arrived=lambda _, a: a["cells"].get(free.address) == text, value=text),
            Cell(
                action="set_value",
                target=free,
                arrived=lambda _, a: a["cells"].get(free.address) == value,
                value=value,
            ),
            Cell(action="key", target=None, arrived=lambda b, a: b["address"] != a["address"], value="ARROW_DOWN"),
            Cell(action="hotkey", target=None, arrived=lambda b, a: b["bold"] is not a["bold"], value="CTRL+B"),
            Cell(action="scroll", target=free, arrived=lambda b, a: b["first"] != a["first"]),
        )

    def missing(self) -> str:
        """The office's packages."""
        return "" if shutil.which("soffice") else "libreoffice-calc libreoffice-gtk3"


@dataclass(frozen=True, slots=True)
class Terminal(Program):
    """A terminal in raw mode, which keeps every byte that it is given."""

    name: str = "xterm"
    title: str = "terminal app"

    def command(self, home: Path) -> list[str | Path]:
        """Keep the bytes."""
        return ["xterm", "-u8", "-T", self.title, "-e", f"stty raw -echo; cat > {home / 'terminal.log'}"]

    def facts(self, seen: Seen) -> bytes:
        """Bytes so far."""
        log = seen.home / "terminal.log"
        return log.read_bytes() if log.exists() else b""

    def cells(self, turn: int) -> Sequence[Cell]:
        """Keys only: nothing else has an effect."""
        whole, text = picked("unknown"), f"{TEXT}{turn}"
        return (
            Cell(action="type", target=whole, arrived=lambda b, a: a[len(b) :] == text.encode(), value=text),
            Cell(action="key", target=None, arrived=lambda b, a: a[len(b) :] == b"\x1b[15~", value="F5"),
            Cell(action="hotkey", target=None, arrived=lambda b, a: a[len(b) :] == b"\x02", value="CTRL+B"),
        )

    def missing(self) -> str:
        """The terminal's package."""
        return "" if shutil.which("xterm") else "xterm"


PROGRAMS: Final[tuple[Program, ...]] = (
    Logging("gtk3", "gtk_app.py", "3", "python3-gi gir1.2-gtk-3.0"),
    Logging("gtk4", "gtk_app.py", "4", "python3-gi gir1.2-gtk-4.0"),
    Logging("qt5", "qt_app.py", "5", "python3-pyqt5"),
    Logging("qt6", "qt_app.py", "6", "python3-pyqt6"),
    Web(),
    Calc(),
    Terminal(),
)
"""The rows of the matrix."""


def started(desktop: Desktop, program: Program) -> Any:
    """Start a program on a desktop, in its private home."""
    return desktop.spawn(program.command(desktop.home))
