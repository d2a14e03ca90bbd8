"""Gold paths through lists, menus and trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Click, Scroll
from cuakit.envs.miniwob.gold.view import Script, View, click, enter, reachable, submit


def autocomplete(view: View) -> Action | None:
    """The beginning into the field, an item from the pop-up, then Submit."""
    start = view.parse(r'starts with "([^"]+)"')[0]
    end = re.search(r'ends with "([^"]+)"', view.goal)
    field = view.first("textbox", "combobox", "searchbox")
    if field is None:
        return None
    if field.value.startswith(start) and field.value.endswith(end[1] if end else "") and field.value != start:
        return submit(view)
    items = view.all(test=lambda c: c.label.strip().startswith(start) and c.id != field.id and c.role != "text")
    fitting = [c for c in items if c.label.strip().endswith(end[1] if end else "")]
    if fitting:
        return click(fitting[0])
    return enter(view, field, start)


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
    item = view.first(name=wanted)
    if item:
        return click(item)
    shut = [c for c in view.all(test=lambda c: c.interactive) if not view.clicked(c)]
    return click(shut[0]) if shut else None


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "click-scroll-list": scroll_list,
        "navigate-tree": tree,
        "use-autocomplete": autocomplete,
        "use-autocomplete-nodelay": autocomplete,
    }
)
