"""Gold paths that bring a value to where it should be: sliders, spinners, calendars, colours."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from PIL import ImageColor

from cuakit.core.action import Action, PressKey, Scroll, TypeText
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, click, enter, submit

_MONTHS: Final = "January February March April May June July August September October November December".split()


def slider(view: View) -> Action | None:
    """One slider to a number, then Submit."""
    wanted = int(view.parse(r"Select (-?\d+) with the slider")[0])
    return _slide(view, _numbers(view)[:1], _handles(view)[:1], [wanted]) or submit(view)


def sliders(view: View) -> Action | None:
    """Three sliders to three numbers, then Submit."""
    wanted = json.loads(view.parse(r"(\[.*\])")[0])
    return _slide(view, _numbers(view)[:3], _handles(view)[:3], wanted) or submit(view)


def _numbers(view: View) -> list[Candidate]:
    """Numbers that the page shows, from top to bottom."""
    return view.all("text", test=lambda c: re.fullmatch(r"-?\d+", c.label.strip()) is not None)


def _handles(view: View) -> list[Candidate]:
    """Slider handles, from top to bottom."""
    return sorted(view.all("slider"), key=lambda c: c.box.center.y)


def _slide(
    view: View, shown: Sequence[Candidate], handles: Sequence[Candidate], wanted: Sequence[int]
) -> Action | None:
    for number, handle, goal in zip(shown, handles, wanted, strict=False):
        left = goal - int(number.label)
        if left:
            key = _key(view, left)
            return PressKey(key=key, target=handle.id)
    return None


def _key(view: View, left: int) -> str:
    """Page keys for a long way, once their stride is known to be shorter than the way; arrows for the rest."""
    up = left > 0
    stride = _stride(view)
    far = abs(left) >= stride if stride else abs(left) >= 4
    return {
        (True, True): "PAGE_UP",
        (True, False): "PAGE_DOWN",
        (False, True): "ARROW_RIGHT",
        (False, False): "ARROW_LEFT",
    }[far, up]


def _stride(view: View) -> int:
    """How far the last page key went; 0 when none was pressed."""
    steps = [s for s in view.history if s.receipt is not None and s.receipt.injected]
    for at, step in enumerate(steps):
        action = step.decision.action
        if isinstance(action, PressKey) and action.key.startswith("PAGE"):
            after = steps[at + 1].observation if at + 1 < len(steps) else view.observation
            then = View(view.subtask, after, ())
            before = View(view.subtask, step.observation, ())
            moved = [
                abs(int(b.label) - int(a.label))
                for a, b in zip(_numbers(before), _numbers(then), strict=False)
                if a.label != b.label
            ]
            if moved and moved[0] > 1:
                return moved[0]
    return 0


def form_slider(view: View) -> Action | None:
    """A slider, then the n-th box, then Submit."""
    wanted, place = view.parse(r"Select (-?\d+) with the slider, click the (\d)")
    step = _slide(view, _numbers(view)[:1], _handles(view)[:1], [int(wanted)])
    if step:
        return step
    box = view.all("checkbox")[int(place) - 1]
    return click(box) if "checked" not in box.states else submit(view)


def form_radio(view: View) -> Action | None:
    """The n-th radio button, a number into the m-th field, then Submit."""
    radio, number, field = view.parse(r'the (\d)\w+ radio button and enter the number "(-?\d+)" into the (\d)')
    button = view.all("radio")[int(radio) - 1]
    if "checked" not in button.states:
        return click(button)
    return enter(view, view.all("textbox")[int(field) - 1], number) or submit(view)


def form_dropdown(view: View) -> Action | None:
    """An option of a drop-down list that the page has drawn itself, then a button."""
    option, button = view.parse(r'Choose (.+) from the dropdown, then click the button labeled "(\w+)"')
    if option in view.memory.labels:
        return submit(view, button)
    item = view.first("listitem", name=option)
    if item:
        return click(item)
    area = view.first("group", "list", "listbox", test=lambda c: "scroll" in c.actions)
    if area:  # the list is open, and shows other options
        return Scroll(target=area.id, amount=1)
    return click(view.first("group", test=lambda c: "click" in c.actions))


def spinner(view: View) -> Action | None:
    """Arrows of a spinner, as often as needed, then Submit."""
    wanted = int(view.parse(r"Select (-?\d+) with")[0])
    arrows = view.all("button", test=lambda c: c.label != "Submit")
    if len(arrows) < 2:
        return None
    up, down = arrows[:2]
    left = wanted - view.clicked(up) + view.clicked(down)  # it starts at 0
    return click(up if left > 0 else down) if left else submit(view)


def calendar(view: View) -> Action | None:
    """A day of a pop-up calendar, then Submit."""
    month, day = view.parse(r"(\d+)/(\d+)/\d+")
    field = view.first("textbox")
    if field and field.value:
        return submit(view)
    shown = view.first(test=lambda c: c.label.strip() in _MONTHS) or view.first(
        test=lambda c: c.label.split()[:1] != [] and c.label.split()[0] in _MONTHS
    )
    if shown is None:
        return click(field)
    apart = int(month) - 1 - _MONTHS.index(shown.label.split()[0])
    if apart:
        return click(view.first(name="Next" if apart > 0 else "Prev"))
    return click(view.first("link", name=str(int(day))))


def colour(view: View) -> Action | None:
    """The colour's code into the field of the colour picker, then Submit."""
    name = view.parse(r"Select (\w+) with")[0]
    red, green, blue = ImageColor.getrgb(name)[:3]
    typed = enter(view, view.first("textbox"), f"{red:02X}{green:02X}{blue:02X}")
    if isinstance(typed, TypeText):
        return replace(typed, then="TAB")  # the picker covers the button, which has the focus next
    return PressKey(key="SPACE")


SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "choose-date": calendar,
        "choose-date-easy": calendar,
        "choose-date-medium": calendar,
        "choose-date-nodelay": calendar,
        "form-sequence": form_slider,
        "form-sequence-2": form_radio,
        "form-sequence-3": form_dropdown,
        "use-colorwheel": colour,
        "use-slider": slider,
        "use-slider-2": sliders,
        "use-spinner": spinner,
    }
)
