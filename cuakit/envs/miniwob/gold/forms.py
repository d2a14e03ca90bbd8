"""Gold paths that fill in fields and send them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, TypeText
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, choose, click, enter, submit


def one_field(view: View) -> Action | None:
    """The input into the field, then Submit."""
    text = next(iter(view.subtask.inputs.values()))
    return enter(view, view.first("textbox"), str(text)) or submit(view)


def both_fields(view: View) -> Action | None:
    """The same text into every field, then Submit."""
    text = view.parse(r'"(.+)"')[0]
    for field in view.all("textbox"):
        step = enter(view, field, text)
        if step:
            return step
    return submit(view)


def login(view: View) -> Action | None:
    """User name and password in order, then Login."""
    user, password = view.parse(r'"(.*)" and the password "(.*)" into')
    for field, text in zip(view.all("textbox"), (user, password), strict=False):
        step = enter(view, field, text)
        if step:
            return step
    return submit(view, "Login")


def login_popup(view: View) -> Action | None:
    """As :func:`login`, but a message may come in between and take the text: its Cancel goes first, then once more."""
    cancel = view.first("button", name="Cancel")
    if cancel:
        return click(cancel)
    last = max((i for i, a in enumerate(view.actions) if a.kind == "click"), default=-1)
    typed = {a.text for a in view.actions[last + 1 :] if isinstance(a, TypeText)}
    values = view.parse(r'"(.*)" and the password "(.*)" into')
    for field, text, key in zip(view.all("textbox"), values, ("username", "password"), strict=False):
        if field.value != text and text not in typed:
            return TypeText(target=field.id, text=text, input_key=key)
    return submit(view, "OK")


def pick(view: View) -> Action | None:
    """One option of a drop-down list, then Submit."""
    wanted = view.parse(r"Select (.+) from the list")[0]
    return choose(view, view.first("combobox"), wanted) or submit(view)


def date(view: View) -> Action | None:
    """A date into a date field, in the form that such a field takes."""
    month, day, year = view.parse(r"(\d+)/(\d+)/(\d+)")
    return choose(view, _any_field(view), f"{year}-{month}-{day}") or submit(view)


def time(view: View) -> Action | None:
    """A time into a time field, in the form that such a field takes."""
    hour, minute, half = view.parse(r"(\d+):(\d+)\s+([AP]M)")
    hours = int(hour) % 12 + (12 if half == "PM" else 0)
    return choose(view, _any_field(view), f"{hours:02d}:{minute}") or submit(view)


def _any_field(view: View) -> Candidate | None:
    return view.first(test=lambda c: "set_value" in c.actions or "type" in c.actions)


def table_value(view: View) -> Action | None:
    """The value beside a key of the table, then Submit."""
    key = view.parse(r"the value of (.+) into")[0]
    cells = [c for c in view.all("cell", "text") if c.label]
    value = next((b.label for a, b in pairwise(cells) if a.label == key), "")
    return enter(view, view.first("textbox"), value) or submit(view)


def search(view: View) -> Action | None:
    """Search, page forward, and follow the n-th result."""
    text, place = view.parse(r'enter "(.+)" and press "Search", then find and click the (\d+)')
    step = enter(view, view.first("textbox"), text)
    if step:
        return step
    page, at = divmod(int(place) - 1, 3)
    button = view.first("button", name="Search")
    if button and not view.clicked(button):
        return click(button)
    results = [c for c in view.all("link") if not re.fullmatch(r"[<>\d]+|First|Last", c.label)]
    forward = view.first("link", name=">")
    if forward and view.memory.labels.count(">") < page:  # the link is drawn anew for each page
        return click(forward)
    return click(results[at]) if at < len(results) else None


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "choose-list": pick,
        "enter-date": date,
        "enter-password": both_fields,
        "enter-text": one_field,
        "enter-text-2": one_field,
        "enter-text-dynamic": one_field,
        "enter-time": time,
        "login-user": login,
        "login-user-popup": login_popup,
        "read-table": table_value,
        "search-engine": search,
    }
)
