"""Build synthetic windows of Qt widgets with exact truth, for training: drawn without a screen, seeded, resumable.

    python datasets/synthetic/desktop.py [--out DIR] [--seed N] [--frames N]

Needs PySide6 (extra ``train``). The widgets themselves say where they are and what they are.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "screens")]

import numpy as np  # noqa: E402 - after the folders beside this script are known
import sources  # noqa: E402
import words  # noqa: E402
from drawn import extent  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from PIL import Image  # noqa: E402
from PySide6 import QtCore, QtGui, QtWidgets  # noqa: E402
from PySide6.QtCore import QPoint, QRect, Qt  # noqa: E402
from PySide6.QtWidgets import QStyle  # noqa: E402
from style import SYSTEM_FONTS, icon_files  # noqa: E402
from widgets import svg  # noqa: E402

from cuakit.backends.npm import cache_dir  # noqa: E402
from cuakit.core.geometry import Box  # noqa: E402
from cuakit.data.annotations import FILE, Element, Screen, as_row  # noqa: E402

SIZES = ((640, 480), (900, 600), (1024, 768), (1280, 800))


@dataclass(frozen=True)
class Told:
    """What a widget says of one control: where it is, what it is, what is on it."""

    rect: QRect
    role: str
    text: str = ""
    states: tuple[str, ...] = ()
    exact: bool = False


@dataclass(frozen=True)
class Maker:
    """Draws for one window."""

    rng: Random
    icons: tuple[Path, ...]
    ink: str
    px: int

    def icon(self) -> QtGui.QIcon:
        """A drawing of the window's icon set."""
        colour = f"hsl({self.rng.randrange(360)},70%,45%)" if self.rng.random() < 0.3 else self.ink
        colour = (
            QtGui.QColor(colour).name()
            if colour.startswith("#")
            else QtGui.QColor.fromHsv(self.rng.randrange(360), 180, 190).name()
        )
        picture = QtGui.QPixmap()
        picture.loadFromData(svg(self.rng.choice(self.icons)).replace("currentColor", colour).encode(), "svg")
        return QtGui.QIcon(picture)


def window(make: Maker) -> QtWidgets.QMainWindow:
    """One window full of widgets."""
    rng, frame = make.rng, QtWidgets.QMainWindow()
    if rng.random() < 0.75:
        for name in ["File", "Edit", "View", "Insert", "Format", "Tools", "Window", "Help"][: rng.randint(2, 8)]:
            frame.menuBar().addAction(name if rng.random() < 0.7 else words.label(rng, 1, 1))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        bar = QtWidgets.QToolBar()
        bar.setMovable(rng.random() < 0.5)
        bar.setIconSize(QtCore.QSize(make.px, make.px))
        if rng.random() < 0.2:
            bar.setToolButtonStyle(rng.choice((Qt.ToolButtonTextBesideIcon, Qt.ToolButtonTextUnderIcon)))
        _fill_bar(bar, make)
        frame.addToolBar(rng.choice((Qt.TopToolBarArea, Qt.TopToolBarArea, Qt.LeftToolBarArea)), bar)
        frame.addToolBarBreak()
    frame.setCentralWidget(_panel(make, 2))
    if rng.random() < 0.5:
        dock = QtWidgets.QDockWidget(words.label(rng))
        dock.setWidget(_panel(make, 1))
        frame.addDockWidget(rng.choice((Qt.LeftDockWidgetArea, Qt.RightDockWidgetArea)), dock)
    if rng.random() < 0.6:
        frame.statusBar().showMessage(words.sentence(rng))
    return frame


def _fill_bar(bar: QtWidgets.QToolBar, make: Maker) -> None:
    rng = make.rng
    for _ in range(rng.randint(4, 22)):
        draw = rng.random()
        if draw < 0.12:
            bar.addSeparator()
        elif draw < 0.2:
            bar.addWidget(rng.choice((_combo, _line, _spin))(make))
        else:
            action = bar.addAction(make.icon(), words.label(rng, 1, 1))
            action.setEnabled(rng.random() > 0.15)
            if rng.random() < 0.15:
                action.setCheckable(True)
                action.setChecked(True)


def _panel(make: Maker, depth: int) -> QtWidgets.QWidget:
    rng = make.rng
    parts = [_form, _form, _marks, _table, _list, _keys, _edit, _choices]
    if depth and rng.random() < 0.55:
        if rng.random() < 0.5:
            tabs = QtWidgets.QTabWidget()
            for _ in range(rng.randint(2, 6)):
                tabs.addTab(_panel(make, depth - 1), words.label(rng))
            tabs.setTabsClosable(rng.random() < 0.25)
            return tabs
        box: QtWidgets.QWidget = QtWidgets.QWidget() if rng.random() < 0.5 else QtWidgets.QGroupBox(words.label(rng))
        layout = rng.choice((QtWidgets.QHBoxLayout, QtWidgets.QVBoxLayout))(box)
        for _ in range(rng.randint(2, 3)):
            layout.addWidget(_panel(make, depth - 1))
        return box
    return rng.choice(parts)(make)


def _combo(make: Maker) -> QtWidgets.QWidget:
    it = QtWidgets.QComboBox()
    it.addItem(words.value(make.rng))
    it.setEditable(make.rng.random() < 0.2)
    it.setEnabled(make.rng.random() > 0.1)
    return it


def _line(make: Maker) -> QtWidgets.QWidget:
    it = QtWidgets.QLineEdit()
    draw = make.rng.random()
    if draw < 0.4:
        it.setText(words.value(make.rng))
    elif draw < 0.6:
        it.setPlaceholderText(words.label(make.rng, 1, 3))
    it.setEnabled(make.rng.random() > 0.1)
    return it


def _spin(make: Maker) -> QtWidgets.QWidget:
    return QtWidgets.QSpinBox() if make.rng.random() < 0.7 else QtWidgets.QDateEdit()


def _slider(make: Maker) -> QtWidgets.QWidget:
    it = QtWidgets.QSlider(Qt.Horizontal)
    it.setValue(make.rng.randint(0, 99))
    return it


def _push(make: Maker) -> QtWidgets.QWidget:
    it = QtWidgets.QPushButton(words.label(make.rng))
    if make.rng.random() < 0.25:
        it.setIcon(make.icon())
    it.setEnabled(make.rng.random() > 0.12)
    return it


def _edit(make: Maker) -> QtWidgets.QWidget:
    it = QtWidgets.QPlainTextEdit()
    it.setPlainText("\n".join(words.sentence(make.rng) for _ in range(make.rng.choice((0, 0, 4, 12)))))
    return it


def _form(make: Maker) -> QtWidgets.QWidget:
    rng, holder = make.rng, QtWidgets.QWidget()
    layout = QtWidgets.QFormLayout(holder)
    if rng.random() < 0.3:
        layout.setRowWrapPolicy(QtWidgets.QFormLayout.WrapAllRows)
    for _ in range(rng.randint(3, 11)):
        layout.addRow(
            words.label(rng) + rng.choice((":", "")), rng.choice((_line, _line, _combo, _spin, _slider, _push))(make)
        )
    row = QtWidgets.QHBoxLayout()
    for _ in range(rng.randint(1, 4)):
        row.addWidget(_push(make))
    layout.addRow(row)
    return holder


def _marks(make: Maker) -> QtWidgets.QWidget:
    rng, holder = make.rng, QtWidgets.QGroupBox(words.label(make.rng))
    layout = rng.choice((QtWidgets.QVBoxLayout, QtWidgets.QVBoxLayout, QtWidgets.QHBoxLayout))(holder)
    kind = rng.choice((QtWidgets.QCheckBox, QtWidgets.QRadioButton))
    for _ in range(rng.randint(2, 7)):
        it = kind(words.label(rng, 1, 4))
        it.setChecked(rng.random() < 0.45)
        it.setEnabled(rng.random() > 0.12)
        layout.addWidget(it)
    return holder


def _choices(make: Maker) -> QtWidgets.QWidget:
    holder = QtWidgets.QWidget()
    layout = QtWidgets.QVBoxLayout(holder)
    layout.addWidget(QtWidgets.QLabel(words.sentence(make.rng)))
    for _ in range(make.rng.randint(1, 3)):
        layout.addWidget(make.rng.choice((_marks, _push, _slider, _line))(make))
    layout.addStretch()
    return holder


def _table(make: Maker) -> QtWidgets.QWidget:
    rng = make.rng
    it = QtWidgets.QTableWidget(rng.randint(4, 18), rng.randint(3, 9))
    it.setShowGrid(rng.random() < 0.7)
    it.setAlternatingRowColors(rng.random() < 0.3)
    for row in range(it.rowCount()):
        for column in range(it.columnCount()):
            if rng.random() < 0.7:
                it.setItem(row, column, QtWidgets.QTableWidgetItem(words.value(rng)))
    return it


def _list(make: Maker) -> QtWidgets.QWidget:
    rng = make.rng
    it = QtWidgets.QListWidget()
    for _ in range(rng.randint(4, 18)):
        entry = QtWidgets.QListWidgetItem(words.label(rng, 1, 3))
        if rng.random() < 0.6:
            entry.setIcon(make.icon())
        it.addItem(entry)
    if rng.random() < 0.6:
        it.setCurrentRow(rng.randrange(it.count()))
    return it


def _keys(make: Maker) -> QtWidgets.QWidget:
    rng, holder = make.rng, QtWidgets.QWidget()
    layout = QtWidgets.QGridLayout(holder)
    layout.setSpacing(rng.choice((0, 2, 6)))
    columns = rng.randint(3, 8)
    layout.addWidget(_line(make), 0, 0, 1, columns)
    for i in range(columns * rng.randint(3, 7)):
        it = QtWidgets.QPushButton(rng.choice([*"0123456789+-×÷=.%()√π", "sin", "cos", "log", "AC", "MR"]))
        it.setSizePolicy(QtWidgets.QSizePolicy.Expanding, QtWidgets.QSizePolicy.Expanding)
        it.setMinimumWidth(20)
        layout.addWidget(it, 1 + i // columns, i % columns)
    return holder


def told(root: QtWidgets.QMainWindow) -> Iterator[Told]:
    """What every visible widget of a window says, in its pixels."""
    for it in root.findChildren(QtWidgets.QWidget):
        if it.isVisible() and it.visibleRegion().boundingRect() == it.rect():
            at = it.mapTo(root, QPoint(0, 0))
            for one in _of(it):
                yield Told(one.rect.translated(at), one.role, one.text, one.states, one.exact)


def _of(it: QtWidgets.QWidget) -> Iterator[Told]:
    inside = isinstance(it.parent(), QtWidgets.QComboBox | QtWidgets.QAbstractSpinBox)
    off = () if it.isEnabled() else ("disabled",)
    if isinstance(it, QtWidgets.QCheckBox | QtWidgets.QRadioButton):
        yield from _mark(it, off)
    elif isinstance(it, QtWidgets.QToolButton) and it.parent().__class__.__name__ != "QTabBar":
        shown = it.text() if it.toolButtonStyle() != Qt.ToolButtonIconOnly or it.icon().isNull() else ""
        yield Told(it.rect(), "button", shown, (*off, *(("checked",) if it.isChecked() else ())))
    elif isinstance(it, QtWidgets.QPushButton):
        yield Told(it.rect(), "button", it.text(), off)
    elif isinstance(it, QtWidgets.QComboBox):
        yield Told(it.rect(), "combobox", it.currentText(), off)
    elif (
        isinstance(it, QtWidgets.QAbstractSpinBox)
        or (isinstance(it, QtWidgets.QLineEdit) and not inside)
        or isinstance(it, QtWidgets.QPlainTextEdit)
    ):
        yield Told(it.rect(), "textbox", "", off)
    elif isinstance(it, QtWidgets.QSlider):
        yield Told(it.rect(), "slider", "", off)
    elif isinstance(it, QtWidgets.QLabel) and it.text():
        size = it.fontMetrics().size(0, it.text())
        yield Told(
            QStyle.alignedRect(Qt.LeftToRight, it.alignment(), size, it.contentsRect()), "text", it.text(), (), True
        )
    elif isinstance(it, QtWidgets.QTabBar):
        for i in range(it.count()):
            yield Told(it.tabRect(i), "tab", it.tabText(i), ("selected",) if i == it.currentIndex() else ())
    elif isinstance(it, QtWidgets.QMenuBar):
        for action in it.actions():
            yield Told(it.actionGeometry(action), "menuitem", action.text())
    elif isinstance(it, QtWidgets.QTableWidget | QtWidgets.QListWidget):
        yield from _items(it)


def _mark(it: QtWidgets.QAbstractButton, off: tuple[str, ...]) -> Iterator[Told]:
    """The mark alone, as on web pages; its words belong to it and are no text of their own."""
    box = isinstance(it, QtWidgets.QCheckBox)
    option = QtWidgets.QStyleOptionButton()
    it.initStyleOption(option)
    part = QStyle.SE_CheckBoxIndicator if box else QStyle.SE_RadioButtonIndicator
    states = (*off, *(("checked",) if it.isChecked() else ()))
    yield Told(it.style().subElementRect(part, option, it), "checkbox" if box else "radio", it.text(), states)


def _items(it: QtWidgets.QTableWidget | QtWidgets.QListWidget) -> Iterator[Told]:
    at, seen = it.viewport().pos(), it.viewport().rect()
    if isinstance(it, QtWidgets.QListWidget):
        entries = [(it.item(i), "listitem") for i in range(it.count())]
    else:
        cells = [it.item(r, c) for r in range(it.rowCount()) for c in range(it.columnCount())]
        entries = [(cell, "cell") for cell in cells if cell is not None]
    for entry, role in entries:
        rect = it.visualItemRect(entry)
        if seen.contains(rect):
            yield Told(rect.translated(at), role, entry.text(), ("selected",) if entry.isSelected() else ())


def unknown(root: QtWidgets.QMainWindow) -> Iterator[Box]:
    """Areas that say nothing of what is drawn in them: headers, titles of groups, status lines, scroll bars."""
    for it in root.findChildren(QtWidgets.QWidget):
        if not it.isVisible():
            continue
        rect = it.rect()
        if isinstance(it, QtWidgets.QGroupBox):
            rect = QRect(0, 0, rect.width(), it.fontMetrics().height() + 4)
        elif not isinstance(it, QtWidgets.QHeaderView | QtWidgets.QStatusBar | QtWidgets.QScrollBar):
            continue
        at = it.mapTo(root, QPoint(0, 0))
        yield Box(at.x(), at.y(), at.x() + rect.width(), at.y() + rect.height())


def picture(root: QtWidgets.QMainWindow) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB of a window."""
    image = root.grab().toImage().convertToFormat(QtGui.QImage.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).copy()


def elements(root: QtWidgets.QMainWindow, pixels: NDArray[np.uint8]) -> Iterator[Element]:
    """Controls of which the picture shows something."""
    height, width = pixels.shape[:2]
    for one in told(root):
        r = one.rect
        box = Box(r.left(), r.top(), r.left() + r.width(), r.top() + r.height()).clip(width, height)
        if min(box.width, box.height) < 6:
            continue
        shown = box if one.exact else extent(pixels, box)
        if shown is not None:
            yield Element(box=shown, role=one.role, name=one.text, text=one.text, states=one.states)


def dressed(app: QtWidgets.QApplication, rng: Random) -> str:
    """Set style, palette and font; the colour of ink."""
    app.setStyle(rng.choice(QtWidgets.QStyleFactory.keys()))
    app.setFont(QtGui.QFont(rng.choice(SYSTEM_FONTS), rng.choice((7, 8, 9, 9, 10, 10, 11, 12))))
    dark = rng.random() < 0.35
    light = rng.randint(30, 70) if dark else rng.randint(215, 248)
    ground = QtGui.QColor.fromHsv(rng.randrange(360), rng.choice((0, 0, 8, 25)), light)
    palette = QtGui.QPalette(ground)
    palette.setColor(QtGui.QPalette.Highlight, QtGui.QColor.fromHsv(rng.randrange(190, 260), 190, 200))
    palette.setColor(QtGui.QPalette.Base, QtGui.QColor("#1e1e1e" if dark else "#ffffff"))
    app.setPalette(palette)
    return "#dddddd" if dark else "#333333"


def main() -> int:
    """Make what is missing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=cache_dir() / "synthetic" / "qt")
    options.add_argument("--seed", type=int, default=0, help="first seed")
    options.add_argument("--frames", type=int, default=100)
    given = options.parse_args()
    (given.out / "images").mkdir(parents=True, exist_ok=True)
    app = QtWidgets.QApplication([])
    for seed in range(given.seed, given.seed + given.frames):
        image = given.out / "images" / f"{seed:06}.webp"
        if image.exists():
            continue
        rng = Random(f"qt {seed}")
        ink = dressed(app, rng)
        root = window(Maker(rng, icon_files(rng.choice(sources.ICONS).name), ink, rng.choice((16, 16, 20, 22, 24, 32))))
        root.resize(*rng.choice(SIZES))
        root.show()
        app.processEvents()
        pixels = picture(root)
        screen = Screen(
            image=image,
            app="synthetic-qt",
            split="train",
            elements=tuple(elements(root, pixels)),
            source="widgets",
            blind=tuple(b for b in unknown(root) if b.area > 0),
        )
        root.close()
        root.deleteLater()
        app.processEvents()
        Image.fromarray(pixels).save(image, "WEBP", lossless=True, method=0)
        with (given.out / FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(as_row(screen, given.out), ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
