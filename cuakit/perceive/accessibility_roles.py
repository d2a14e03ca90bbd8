"""AT-SPI's role and state words in ARIA's."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ROLE: Final[Mapping[str, str]] = MappingProxyType(
    {
        atspi: aria
        for aria, words in {
            "alert": "alert,notification,info bar",
            "button": "push button,toggle button,push button menu,tearoff menu item,arrow",
            "cell": "table cell,row header,table row header",
            "checkbox": "check box",
            "columnheader": "column header,table column header",
            "combobox": "combo box,date editor",
            "dialog": "dialog,file chooser,color chooser,font chooser",
            "document": "document frame,document spreadsheet,document presentation,document text,document web,document email,article",
            "group": "panel,filler,grouping,form,section,root pane,layered pane,glass pane,scroll pane,split pane,"
            "viewport,internal frame,option pane,landmark,redundant object,status bar,title bar,header,footer,editbar,"
            "embedded,block quote,page,html container,directory pane,extended",
            "heading": "heading",
            "icon": "icon,desktop icon",
            "image": "image,image map,animation,chart,canvas,drawing area,video",
            "link": "link",
            "listbox": "list,list box",
            "listitem": "list item",
            "menu": "menu,popup menu",
            "menubar": "menu bar",
            "menuitem": "menu item,check menu item,radio menu item",
            "progressbar": "progress bar,level bar",
            "radio": "radio button",
            "row": "table row",
            "scrollbar": "scroll bar",
            "slider": "slider,dial,rating",
            "spinbutton": "spin button",
            "tab": "page tab",
            "table": "table",
            "text": "label,static,paragraph,caption,accelerator label,comment,log,marquee,math,timer,description term,"
            "description value,footnote,mark,suggestion,definition,subscript,superscript",
            "textbox": "text,entry,password text,autocomplete,terminal",
            "toolbar": "tool bar",
            "tooltip": "tool tip",
            "tree": "tree,tree table",
            "treeitem": "tree item",
            "window": "frame,window,application,desktop frame,input method window",
        }.items()
        for atspi in words.split(",")
    }
)
"""AT-SPI role word → ARIA role word; what is not listed is ``unknown``."""

_STATE: Final = {
    "checked": "checked",
    "selected": "selected",
    "focused": "focused",
    "expanded": "expanded",
    "pressed": "checked",
}


def aria_role(word: str) -> str:
    """ARIA word of an AT-SPI role word."""
    return ROLE.get(word, "unknown")


def aria_states(states: frozenset[str], role: str) -> tuple[str, ...]:
    """State words of a candidate, sorted.

    An object counts as disabled when it could be sensitive and is not; text and containers never report that.
    """
    found = {aria for atspi, aria in _STATE.items() if atspi in states}
    if role == "password text":
        found.add("secret")
    if not states & {"enabled", "sensitive"} and aria_role(role) not in ("text", "group", "image", "unknown"):
        found.add("disabled")
    return tuple(sorted(found))
