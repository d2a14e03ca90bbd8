"""Gold paths that read something off the screen and type or press what follows from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from cuakit.core.action import Action, Drag, Scroll
from cuakit.core.candidate import Candidate
from cuakit.core.geometry import Box
from cuakit.envs.miniwob.gold.view import Script, View, click, enter, submit


def _answer_field(view: View) -> Candidate | None:
    """The one-line field: the shallowest of all fields."""
    fields = view.all("textbox", "searchbox", "spinbutton")
    return min(fields, key=lambda c: (c.box.height, -c.reading_order), default=None)


def _text(view: View) -> str:
    """All text on the screen in reading order."""
    return " ".join(c.label for c in view.all("text", "cell", "listitem") if c.label)


def answer(view: View, text: str, *buttons: str) -> Action | None:
    """Type an answer and send it."""
    return enter(view, _answer_field(view), text) or submit(view, *buttons)


def nth_word(view: View) -> Action | None:
    """The n-th word of a paragraph."""
    place = int(view.parse(r"the (\d+)")[0])
    found = [re.sub(r"[^a-zA-Z]", "", w) for w in _text(view).split()]
    return answer(view, found[place - 1])


def arithmetic(view: View) -> Action | None:
    """A sum, difference or product of two digits."""
    match = re.search(r"(\d+) ([-+x]) (\d+) =", _text(view))
    if match is None:
        return None
    a, b = int(match[1]), int(match[3])
    return answer(view, str({"+": a + b, "-": a - b, "x": a * b}[match[2]]))


def algebra(view: View) -> Action | None:
    """An equation with x first or second."""
    match = re.search(r"(x|\d+) ([-+]) (x|\d+) = (\d+)", _text(view))
    if match is None:
        return None
    total = int(match[4])
    if match[1] == "x":
        value = total - int(match[3]) if match[2] == "+" else total + int(match[3])
    else:
        value = total - int(match[1]) if match[2] == "+" else int(match[1]) - total
    return answer(view, str(value))


def warped(view: View) -> Action | None:
    """Letters that are skewed on the screen, one element each."""
    letters = view.all("text", test=lambda c: len(c.label.strip()) >= 1)
    ordered = sorted(letters, key=lambda c: c.box.center.x)
    return answer(view, "".join(c.label.strip() for c in ordered))


def guess(view: View) -> Action | None:
    """A number between 0 and 9, halving what is left after each hint."""
    low, high = 0, 9
    for step in [*view.history, None]:
        seen = view if step is None else View(view.subtask, step.observation, ())
        hint = re.search(r"number is (lower|higher) than\s*(\d+)", _text(seen))
        if hint:
            low, high = (low, min(high, int(hint[2]) - 1)) if hint[1] == "lower" else (max(low, int(hint[2]) + 1), high)
    return answer(view, str((low + high) // 2))


def copied(view: View) -> Action | None:
    """The text of a text area into the field."""
    place = re.search(r"the (\d)\w+ text area", view.goal)
    areas = [c for c in view.all("textbox") if c != _answer_field(view)]
    return answer(view, areas[int(place[1]) - 1 if place else 0].value) if areas else None


def last_word(view: View) -> Action | None:
    """The last word of a text area into the field."""
    areas = [c for c in view.all("textbox") if c != _answer_field(view)]
    if not areas:
        return None
    return answer(view, re.sub(r"[^a-zA-Z0-9]", "", (areas[0].value or areas[0].text).split()[-1]))


def scrolled(view: View) -> Action | None:
    """A text area to its top or bottom, then Submit."""
    area = view.first("textbox")
    if area is None or view.actions:
        return submit(view)
    return Scroll(target=area.id, direction="down" if "bottom" in view.goal else "up", amount=30)


def agreement(view: View) -> Action | None:
    """Cancel; or read to the end, sign, and press what is asked."""
    if "Click the cancel button" in view.goal:
        return submit(view, "Cancel")
    name, button = view.parse(r'the name "(.+)" then press "(\w+)"')
    field = _answer_field(view)
    if field is not None and "disabled" in field.states:
        area = view.first(test=lambda c: c.role in ("textbox", "text") and c.box.height > 3 * field.box.height)
        return Scroll(target=area.id, amount=50) if area else None
    return enter(view, field, name) or submit(view, button)


def table_values(view: View) -> Action | None:
    """The value beside each label of the form, then Submit."""
    cells = [c for c in view.all("cell", "text") if c.label.strip() and not c.label.strip().endswith(":")]
    known = {a.label.strip(): b.label.strip() for a, b in pairwise(cells)}
    labels = view.all("text", test=lambda c: c.label.strip().endswith(":"))
    fields = view.all("textbox")
    for field in fields:
        beside = min(labels, key=lambda c: abs(c.box.center.y - field.box.center.y), default=None)
        label = (beside.label if beside else field.label).strip().rstrip(":")
        step = enter(view, field, known.get(label, ""))
        if step:
            return step
    return submit(view)


def layouts(view: View) -> Action | None:
    """Genre, director and year into the fields that their captions stand nearest to, then the button."""
    genre, name, year = view.parse(r"Search for (.+) movies directed by (.+) from year (\d+)")
    words = {"genre": genre, "director": name, "year": year, "date": year}
    for field in view.all("textbox"):
        caption = field.label or _caption(view, field)
        value = next((v for w, v in words.items() if w in caption.lower()), "")
        step = enter(view, field, value) if value else None
        if step:
            return step
    return submit(view, "Submit", "Search", "Go!")


def _caption(view: View, field: Candidate) -> str:
    """Nearest text: beside it, else above, else below."""
    keys = ("genre", "director", "year", "date")
    texts = view.all("text", "cell", "columnheader", test=lambda c: any(k in c.label.lower() for k in keys))
    best = min(texts, key=lambda c: _gap(c.box, field.box), default=None)
    return best.label if best else ""


def _gap(a: Box, b: Box) -> float:
    across = max(0.0, b.left - a.right, a.left - b.right)
    down = max(0.0, b.top - a.bottom, a.top - b.bottom)
    return across + down


def parity(view: View) -> Action | None:
    """Odd or even beside each number, then Submit."""
    numbers = view.all("text", test=lambda c: re.fullmatch(r"-?\d+", c.label.strip()) is not None)
    for number in numbers:
        word = "Odd" if int(number.label) % 2 else "Even"
        row = [c for c in view.all("button", name=word) if abs(c.box.center.y - number.box.center.y) < c.box.height]
        if row and not view.clicked(row[0]):
            return click(row[0])
    return submit(view)


def generated(view: View) -> Action | None:
    """Draw numbers until one fits, then Submit."""
    shown = view.first("text", test=lambda c: re.fullmatch(r"-?\d+", c.label.strip()) is not None)
    if shown is not None and _fits(view.goal, int(shown.label)):
        return submit(view)
    return click(view.first("button", name="Generate"))


def _fits(goal: str, number: int) -> bool:
    bound = re.search(r"(less|greater) than (\d+)", goal)
    if bound:
        return number < int(bound[2]) if bound[1] == "less" else number > int(bound[2])
    return bool(number % 2) == ("odd" in goal)


def highlight(view: View) -> Action | None:
    """A paragraph selected with the pointer, then Submit."""
    place = re.search(r"the (\d)\w+ paragraph", view.goal)
    lines = view.all("text")
    if view.actions or not lines:
        return submit(view)
    blocks: list[list[Candidate]] = []
    for line in lines:
        near = blocks and line.box.top - blocks[-1][-1].box.bottom < line.box.height * 0.7
        if near:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    block = blocks[int(place[1]) - 1 if place else 0]
    return Drag(target=block[0].id, to=block[-1].id, at=(0.0, 0.5), to_at=(1.0, 0.5))


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "copy-paste": copied,
        "copy-paste-2": copied,
        "find-word": nth_word,
        "generate-number": generated,
        "guess-number": guess,
        "highlight-text": highlight,
        "highlight-text-2": highlight,
        "multi-layouts": layouts,
        "multi-orderings": layouts,
        "odd-or-even": parity,
        "read-table-2": table_values,
        "scroll-text": last_word,
        "scroll-text-2": scrolled,
        "sign-agreement": agreement,
        "simple-algebra": algebra,
        "simple-arithmetic": arithmetic,
        "text-transform": warped,
    }
)
