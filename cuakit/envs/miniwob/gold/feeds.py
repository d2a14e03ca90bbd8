"""Gold paths through longer pages: posts, mail, contacts, menus of food, tickets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Scroll
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, click, reachable

_CONTROLS: Final = ("Reply", "Retweet", "Like", "Share")


def posts(view: View) -> Action | None:
    """The same action on all or some posts of a user, then Submit."""
    action = view.parse(r'Click the "(\w+)" button')[0]
    count, user = view.parse(r"button on (all|\d+) posts? by (\S+) and")
    at = _CONTROLS.index(action)
    pressed = len([a for a in view.actions if a.kind == "click"])
    if count == "all" or pressed < int(count):
        todo = [row[at] for row in _rows(view, user) if not view.clicked(row[at])]
        if todo:
            return click(todo[0])
    button = view.first("button", name="Submit")
    return click(button) if button else _further(view)


def _rows(view: View, user: str) -> list[list[Candidate]]:
    """The four controls under each visible post of a user."""
    controls = view.all("image", test=lambda c: reachable(c) and c.interactive)
    heads = [c for c in view.all("text") if "@" in c.label]
    rows = []
    for at, head in enumerate(heads):
        if head.label.strip() != user:
            continue
        bottom = heads[at + 1].box.top if at + 1 < len(heads) else float("inf")
        row = sorted((c for c in controls if head.box.top < c.box.center.y < bottom), key=lambda c: c.box.left)
        if len(row) >= 4:
            rows.append(row[:4])
    return rows


def _further(view: View) -> Action | None:
    """Scroll on."""
    area = view.first("group", "document", "list", test=lambda c: "scroll" in c.actions)
    return Scroll(target=area.id, amount=1) if area else None


def contact(view: View) -> Action | None:
    """Page to a person and click on one of their details."""
    person, kind = view.parse(r"Find (.+) in the contact book and click on their (\w+)")
    if view.first(name=person):
        links = [c for c in view.all(test=lambda c: c.interactive) if not re.fullmatch(r"[<>]|\d+|First|Last", c.label)]
        wanted = {"phone": r"\d{3}-\d{3}-\d{4}", "email": r".+@.+", "address": r"\d+ [A-Z].*"}[kind]
        return click(next((c for c in links if re.fullmatch(wanted, c.label.strip())), None))
    return click(view.first("link", name=">"))


def ticket(view: View) -> Action | None:
    """The ticket with the extreme price or duration."""
    wanted = view.parse(r"ticket with the (\w+ ?\w*) (?:cost|duration)")[0]
    buttons = view.all("button", has="Book for")
    times = [c for c in view.all("text") if re.fullmatch(r"\d+h \d+m", c.label.strip())]
    if wanted in ("cheapest", "most expensive"):
        prices = [int(re.sub(r"\D", "", b.label)) for b in buttons]
        best = min(prices) if wanted == "cheapest" else max(prices)
        return click(buttons[prices.index(best)])
    minutes = [_minutes(t.label) for t in times]
    best = min(minutes) if wanted == "shortest" else max(minutes)
    return click(_under(times[minutes.index(best)], buttons))


def _minutes(text: str) -> int:
    hours, minutes = re.findall(r"\d+", text)
    return 60 * int(hours) + int(minutes)


def _under(above: Candidate, below: Sequence[Candidate]) -> Candidate | None:
    return min((b for b in below if b.box.center.y > above.box.center.y), key=lambda b: b.box.top, default=None)


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "buy-ticket": ticket,
        "phone-book": contact,
        "social-media-all": posts,
        "social-media-some": posts,
    }
)
