"""Desktop applications of the data set: their window is photographed, their accessibility tree is the truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from drawn import Taken, extent

from cuakit.backends.desktop import Desktop
from cuakit.backends.x11 import X11
from cuakit.backends.x11_windows import list_windows
from cuakit.capture.window import Window
from cuakit.core.candidate import Candidates
from cuakit.core.errors import BackendError
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.data.annotations import Split, TextLine
from cuakit.perceive.accessibility import AccessibilityElements

PATIENCE_S = 60.0


@dataclass(frozen=True)
class Program:
    """One desktop program.

    Args:
        name: Its name in the data set.
        split: Part that it belongs to.
        command: How it is started.
        package: Debian package that brings it.
        titles: Parts of the titles of its window.
        least: Objects that its tree has when it is ready.
        environment: Further environment, by theme.
    """

    name: str
    split: Split
    command: tuple[str, ...]
    package: str
    titles: tuple[str, ...]
    least: int = 10
    dark: Mapping[str, str] = field(default_factory=lambda: {"GTK_THEME": "Adwaita:dark"})


TABLE = "name,qty,price\npear,2,3.5\nfig,5,1.2\nplum,7,0.9\ncherry,40,12.75\nquince,1,4.0\n"

OFFICE = ("soffice", "--norestore", "--nologo")

PROGRAMS = (
    Program("mousepad", "train", ("mousepad",), "mousepad", ("Mousepad",), 8),
    Program(
        "gtk3-widget-factory", "validation", ("gtk3-widget-factory",), "gtk-3-examples", ("gtk3-widget-factory",), 40
    ),
    Program("galculator", "test", ("galculator",), "galculator", ("galculator",), 30),
    Program("libreoffice-writer", "test", (*OFFICE, "--writer"), "libreoffice-writer", ("Writer",), 60),
    Program(
        "libreoffice-calc",
        "test",
        (*OFFICE, "--calc", "--infilter=CSV:44,34,76,1", "table.csv"),
        "libreoffice-calc",
        ("table.csv",),
        60,
    ),
)

SIZES = ((1600, 900), (1400, 1000), (1920, 1080))

SPEAKING = frozenset({"text", "heading", "menu", "menuitem", "tab", "checkbox", "radio", "cell", "columnheader"})
"""Roles whose name is drawn, so far as they have one."""

SILENT = frozenset({"document", "image", "table", "tree", "unknown", "scrollbar", "progressbar"})
"""Roles of areas whose content the tree does not tell, or not all of it."""


def shots(program: Program, number: Callable[[], int]) -> Iterator[tuple[str, float, bool, Callable[[], Taken]]]:
    """Every picture of a program. GTK 3 draws at whole scales only."""
    for scale in (1.0, 2.0):
        for dark in (False, True):
            size = SIZES[number() % len(SIZES)]
            yield "", scale, dark, lambda s=scale, d=dark, wh=size: _taken(program, s, d, wh)


def _taken(program: Program, scale: float, dark: bool, size: tuple[int, int]) -> Taken:
    width, height = (round(v * scale) for v in size)
    more = {"GDK_SCALE": f"{scale:g}", "SAL_USE_VCLPLUGIN": "gtk3"} | (dict(program.dark) if dark else {})
    with Desktop.launch(width=width, height=height) as desktop, X11.open(desktop.display) as x:
        (desktop.home / "table.csv").write_text(TABLE)
        desktop.spawn(list(program.command), env=more | {"TMPDIR": str(desktop.home)})
        end = time.monotonic() + PATIENCE_S
        while not (found := [w for w in list_windows(x) if w.on_screen and any(t in w.title for t in program.titles)]):
            _before(end, program)
        with Window.open(found[0].id, x=x) as window:
            read = AccessibilityElements(session=desktop.env["DBUS_SESSION_BUS_ADDRESS"]).bind(window)
            shot, table = _at_rest(program, window, read, end)
            return _told(replace(shot, scale=scale), _placed(table, scale, window.title()))


def _at_rest(program: Program, window: Window, read: Callable[[Screenshot], Candidates], end: float) -> Any:
    """A picture and its objects, once three pictures in a row are alike, apart from what is always moving."""
    last = None
    while True:
        _before(end, program)
        try:
            shot = window.grab()
            table = read(shot)
            again = window.grab()
        except BackendError:
            continue
        if len(table) >= program.least and last is not None and _alike(last, shot) and _alike(shot, again):
            return shot, table
        last = shot


def _alike(a: Screenshot, b: Screenshot) -> bool:
    """Whether all but a hundredth of two pictures is equal: a spinner turns for ever."""
    return a.size == b.size and float((a.pixels != b.pixels).any(axis=2).mean()) < 0.01


def _placed(table: Candidates, scale: float, title: str) -> Candidates:
    """Boxes where the objects are drawn.

    GTK 3 tells points, not pixels. LibreOffice tells its own controls relative to a menu bar that is lower than the one
    that GTK draws for it, so they are drawn lower by the difference; it lists that bar as well, though it is not drawn.
    """
    bar = next((c for c in table if c.role == "menubar"), None)
    inner = next((c for c in table if c.role == "group" and title and c.name == title), None)
    down = bar.box.bottom - inner.box.top if bar and inner and 0 < inner.box.top < bar.box.bottom else 0.0
    out = []
    for c in table:
        own = (
            down and c.box.top >= inner.box.top - 1 and not (c.role == "textbox" or (c.role == "button" and not c.name))
        )
        if down and c.role in ("menu", "menuitem") and c.box.top > 0:
            continue
        box = c.box.shift(0, down) if own and not (c.name == "Menu" and c.role == "button") else c.box
        out.append(replace(c, box=Box(*(v * scale for v in box.xyxy))))
    return Candidates(out, check_parents=False)


def _told(shot: Screenshot, table: Candidates) -> Taken:
    speaking = [
        c for c in table if c.role in SPEAKING and c.label and "\n" not in c.label and "offscreen" not in c.states
    ]
    lines = []
    for c in speaking:
        said = c.value if c.role == "cell" else c.label
        ink = extent(shot.pixels, c.box.pad(-2 * shot.scale))
        if said and ink is not None:
            lines.append(TextLine(box=ink, text=said))
    blind = [
        c.box for c in table if c.role in SILENT or (c.role == "group" and "scroll" in c.actions and c.box.top > 0)
    ]
    if any(c.role == "document" for c in table):  # an office: its status bar and its rulers are not told
        low = max(c.box.bottom for c in table if c.role in ("document", "tab", "scrollbar"))
        blind.append(Box(0, min(low, shot.height - 1), shot.width, shot.height))
    return Taken(shot=shot, found=table, lines=tuple(lines), blind=tuple(blind))


def _before(end: float, program: Program) -> None:
    if time.monotonic() > end:
        raise TimeoutError(f"{program.name} did not come up; is {program.package} installed?")
    time.sleep(0.1)
