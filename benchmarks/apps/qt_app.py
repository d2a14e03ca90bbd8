"""A Qt application that tells what reached it: one JSON object a line into the file named on the command line.

Run with the system's Python, which has the bindings: ``/usr/bin/python3 qt_app.py 6 LOG`` (or ``5``).
"""

import importlib
import json
import sys
from pathlib import Path

VERSION, LOG = sys.argv[1], Path(sys.argv[2]).open("a", buffering=1)
QtCore, QtWidgets = (importlib.import_module(f"PyQt{VERSION}.{name}") for name in ("QtCore", "QtWidgets"))
BUTTONS = {QtCore.Qt.MouseButton.LeftButton: 1, QtCore.Qt.MouseButton.RightButton: 3}


def log(event, *values):
    LOG.write(json.dumps({"event": event, "values": values}) + "\n")


def place(event):
    return event.position().toPoint() if VERSION == "6" else event.pos()


def held(event):
    names = {"Shift": 1, "Control": 4, "Alt": 8}
    flags = event.modifiers()
    return sum(bit for name, bit in names.items() if flags & getattr(QtCore.Qt.KeyboardModifier, name + "Modifier"))


class Canvas(QtWidgets.QLabel):
    def mousePressEvent(self, event):
        log("press", "button-press", place(event).x(), place(event).y(), BUTTONS.get(event.button()))

    def mouseDoubleClickEvent(self, event):
        log("press", "2button-press", place(event).x(), place(event).y(), BUTTONS.get(event.button()))

    def mouseReleaseEvent(self, event):
        log("release", place(event).x(), place(event).y(), BUTTONS.get(event.button()))

    def mouseMoveEvent(self, event):
        log("drag", place(event).x(), place(event).y())

    def wheelEvent(self, event):
        log("scroll", event.angleDelta().x(), event.angleDelta().y())


class Window(QtWidgets.QWidget):
    def keyPressEvent(self, event):
        log("key", event.text() or event.key(), held(event))

    def changeEvent(self, event):
        if event.type() == QtCore.QEvent.Type.ActivationChange:
            log("focus-in" if self.isActiveWindow() else "focus-out")
        super().changeEvent(event)


app = QtWidgets.QApplication([f"qt{VERSION} app"])
app.setApplicationName(f"qt{VERSION} app")
window = Window()
window.setWindowTitle(f"qt{VERSION} app")
layout = QtWidgets.QVBoxLayout(window)
button = QtWidgets.QPushButton("Press me")
button.clicked.connect(lambda *_: log("clicked"))
entry = QtWidgets.QLineEdit()
entry.setAccessibleName("Name field")
entry.textChanged.connect(lambda text: log("entry", text))
entry.returnPressed.connect(lambda: log("entry-enter", entry.text()))
secret = QtWidgets.QLineEdit("hunter2")
secret.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
secret.setAccessibleName("Password")
check = QtWidgets.QCheckBox("Agree")
check.toggled.connect(lambda on: log("toggled", on))
slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
slider.setRange(0, 100)
slider.setValue(10)
slider.valueChanged.connect(lambda value: log("scale", value))
combo = QtWidgets.QComboBox()
combo.addItems(["red", "green", "blue"])
combo.currentTextChanged.connect(lambda text: log("combo", text))
canvas = Canvas("canvas")
canvas.setMinimumSize(300, 150)
canvas.setStyleSheet("background: #ccccee")
for widget in (button, entry, secret, check, slider, combo, canvas):
    layout.addWidget(widget)
window.resize(420, 460)
window.show()
entry.setFocus()
log("ready")
app.exec()
