"""AT-SPI's numbers as words: roles and states, in the order of ``atspi-constants.h`` (at-spi2-core 2.46)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

ROLES: Final[tuple[str, ...]] = tuple(
    "invalid,accelerator label,alert,animation,arrow,calendar,canvas,check box,check menu item,color chooser,"
    "column header,combo box,date editor,desktop icon,desktop frame,dial,dialog,directory pane,drawing area,"
    "file chooser,filler,focus traversable,font chooser,frame,glass pane,html container,icon,image,internal frame,"
    "label,layered pane,list,list item,menu,menu bar,menu item,option pane,page tab,page tab list,panel,"
    "password text,popup menu,progress bar,push button,radio button,radio menu item,root pane,row header,scroll bar,"
    "scroll pane,separator,slider,spin button,split pane,status bar,table,table cell,table column header,"
    "table row header,tearoff menu item,terminal,text,toggle button,tool bar,tool tip,tree,tree table,unknown,"
    "viewport,window,extended,header,footer,paragraph,ruler,application,autocomplete,editbar,embedded,entry,chart,"
    "caption,document frame,heading,page,section,redundant object,form,link,input method window,table row,tree item,"
    "document spreadsheet,document presentation,document text,document web,document email,comment,list box,grouping,"
    "image map,notification,info bar,level bar,title bar,block quote,audio,video,definition,article,landmark,log,"
    "marquee,math,rating,timer,static,math fraction,math root,subscript,superscript,description list,"
    "description term,description value,footnote,content deletion,content insertion,mark,suggestion,"
    "push button menu".split(",")
)
"""Role number → role word."""

STATES: Final[tuple[str, ...]] = tuple(
    "invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable focused "
    "has_tooltip horizontal iconified modal multi_line multiselectable opaque pressed resizable selectable selected "
    "sensitive showing single_line stale transient vertical visible manages_descendants indeterminate required "
    "truncated animated invalid_entry supports_autocompletion selectable_text is_default visited checkable has_popup "
    "read_only".split()
)
"""State number → state word."""


def role_word(number: int) -> str:
    """Word of a role number; ``unknown`` for one that is newer than this table."""
    return ROLES[number] if 0 <= number < len(ROLES) else "unknown"


def state_words(words: Sequence[int]) -> frozenset[str]:
    """Words of a state set, which comes as two 32-bit numbers, low first."""
    bits = sum(word << (32 * at) for at, word in enumerate(words))
    return frozenset(name for at, name in enumerate(STATES) if bits >> at & 1)
