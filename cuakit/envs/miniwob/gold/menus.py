"""Gold paths through lists, menus and trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Click, PressKey, Scroll
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, click, enter, reachable, submit


def autocomplete(view: View) -> Action | None:
    """The beginning into the field, down the suggestions by keyboard, then Submit."""
    start = view.parse(r'starts with "([^"]+)"')[0]
    end = re.search(r'ends with "([^"]+)"', view.goal)
    field = view.first("textbox", "combobox", "searchbox")
    if field is None:
        return None
    if not view.actions:
        return enter(view, field, start)
    value = field.value
    if value.startswith(start) and value.endswith(end[1] if end else "") and value != start:
        return submit(view) or PressKey(key="ENTER", target=field.id)  # the list still covers the button
    return PressKey(key="ARROW_DOWN", target=field.id)


def scroll_list(view: View) -> Action | None:
    """One or two options of a list, then Submit."""
    wanted = view.parse(r"Select (.+) from the scroll list")[0].split(", ")
    for name in wanted:
        option = next(iter(view.all("option", name=name)), None)
        if option is None or view.clicked(option):
            continue
        if not reachable(option):
            area = view.first("listbox")
            down = area is not None and option.box.top > area.box.top
            return Scroll(target=option.parent, direction="down" if down else "up", amount=1)
        more = any(view.clicked(o) for o in view.all("option"))
        return Click(target=option.id, modifiers=("MOD",) if more else ())
    return submit(view)


def tree(view: View) -> Action | None:
    """Unfold folders until the name shows."""
    wanted = view.parse(r'"(.+)"')[0]
    for item in view.all("listitem", "treeitem"):
        rows = item.label.split()  # an open folder is one object with its contents, a name on each row
        if wanted in rows:
            return Click(target=item.id, at=(0.35, (rows.index(wanted) + 0.5) / len(rows)) if len(rows) > 1 else None)
    shut = [c for c in view.all("listitem", "treeitem") if not view.clicked(c) and _is_folder(view, c)]
    return click(shut[0]) if shut else None


def _is_folder(view: View, item: Candidate) -> bool:
    """Whether its icon is a folder's: yellow, where a file's is white."""
    left, top, right, bottom = item.box.clip(*view.observation.screenshot.size).rounded()
    red, green, blue = (view.observation.screenshot.pixels[top:bottom, left:right, i].astype(int) for i in range(3))
    return int(((red > 200) & (green > 150) & (blue < 140)).sum()) > 20


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "click-scroll-list": scroll_list,
        "navigate-tree": tree,
        "use-autocomplete": autocomplete,
        "use-autocomplete-nodelay": autocomplete,
    }
)
