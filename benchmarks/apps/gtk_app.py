"""A GTK application that tells what reached it: one JSON object a line into the file named on the command line.

Run with the system's Python, which has the bindings: ``/usr/bin/python3 gtk_app.py 3 LOG`` (or ``4``).
"""

import json
import sys
from pathlib import Path

import gi

VERSION, LOG = sys.argv[1], Path(sys.argv[2]).open("a", buffering=1)
gi.require_version("Gtk", VERSION + ".0")
gi.require_version("Gdk", VERSION + ".0")
from gi.repository import Gdk, Gio, Gtk  # noqa: E402


def log(event, *values):
    LOG.write(json.dumps({"event": event, "values": values}) + "\n")


def menu_button():
    button = Gtk.Button(label="Menu")
    if VERSION == "3":
        menu = Gtk.Menu()
        for name in ("Open", "Delete"):
            item = Gtk.MenuItem(label=name)
            item.connect("activate", lambda _, name=name: log("menu", name))
            menu.append(item)
        menu.show_all()
        button.connect(
            "clicked", lambda w: menu.popup_at_widget(w, Gdk.Gravity.SOUTH_WEST, Gdk.Gravity.NORTH_WEST, None)
        )
    else:
        button.connect("clicked", lambda _: log("menu-button"))
    return button


def watch_canvas(canvas):
    if VERSION == "3":
        masks = Gdk.EventMask
        canvas.add_events(
            masks.BUTTON_PRESS_MASK | masks.BUTTON_RELEASE_MASK | masks.SCROLL_MASK | masks.BUTTON1_MOTION_MASK
        )
        canvas.connect("button-press-event", lambda _, e: log("press", e.type.value_nick, int(e.x), int(e.y), e.button))
        canvas.connect("button-release-event", lambda _, e: log("release", int(e.x), int(e.y), e.button))
        canvas.connect("scroll-event", lambda _, e: log("scroll", e.direction.value_nick))
        canvas.connect("motion-notify-event", lambda _, e: log("drag", int(e.x), int(e.y)))
        return
    click = Gtk.GestureClick(button=0)
    click.connect("pressed", lambda g, n, x, y: log("press", n, int(x), int(y), g.get_current_button()))
    click.connect("released", lambda g, _, x, y: log("release", int(x), int(y), g.get_current_button()))
    drag = Gtk.GestureDrag()
    drag.connect("drag-update", lambda _, x, y: log("drag", int(x), int(y)))
    scroll = Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.BOTH_AXES)
    scroll.connect("scroll", lambda _, x, y: log("scroll", x, y))
    for controller in (click, drag, scroll):
        canvas.add_controller(controller)


def watch_window(window):
    if VERSION == "3":
        window.connect(
            "key-press-event", lambda _, e: log("key", Gdk.keyval_name(e.keyval), int(e.state) & 0xD) and False
        )
        window.connect("focus-in-event", lambda *_: log("focus-in") and False)
        window.connect("focus-out-event", lambda *_: log("focus-out") and False)
        return
    keys = Gtk.EventControllerKey()
    keys.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
    keys.connect(
        "key-pressed", lambda _, value, __, state: log("key", Gdk.keyval_name(value), int(state) & 0xD) and False
    )
    window.add_controller(keys)
    window.connect("notify::is-active", lambda w, _: log("focus-in" if w.is_active() else "focus-out"))


def build(app):
    window = Gtk.ApplicationWindow(application=app, title=f"gtk{VERSION} app")
    window.set_default_size(420, 460)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    button = Gtk.Button(label="Press me")
    button.connect("clicked", lambda _: log("clicked"))
    entry = Gtk.Entry(placeholder_text="Name field")
    entry.connect("changed", lambda w: log("entry", w.get_text()))
    entry.connect("activate", lambda w: log("entry-enter", w.get_text()))
    secret = Gtk.PasswordEntry(text="hunter2") if VERSION == "4" else Gtk.Entry(visibility=False, text="hunter2")
    check = Gtk.CheckButton(label="Agree")
    check.connect("toggled", lambda w: log("toggled", w.get_active()))
    adjustment = Gtk.Adjustment(value=10, lower=0, upper=100, step_increment=1)
    adjustment.connect("value-changed", lambda a: log("scale", a.get_value()))
    scale = Gtk.Scale(adjustment=adjustment)
    combo = Gtk.ComboBoxText()
    for name in ("red", "green", "blue"):
        combo.append_text(name)
    combo.set_active(0)
    combo.connect("changed", lambda w: log("combo", w.get_active_text()))
    canvas = Gtk.DrawingArea()
    canvas.set_size_request(300, 150)
    watch_canvas(canvas)
    watch_window(window)
    for widget in (button, entry, secret, check, scale, combo, menu_button(), canvas):
        (box.append if VERSION == "4" else box.add)(widget)
    (window.set_child if VERSION == "4" else window.add)(box)
    if VERSION == "3":
        window.show_all()
    window.present()
    entry.grab_focus()
    log("ready")


# Without uniqueness a second copy runs by itself instead of telling the first one to open another window.
app = Gtk.Application(application_id=f"org.cuakit.gtk{VERSION}", flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", build)
app.run([])
