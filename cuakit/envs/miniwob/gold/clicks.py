"""Gold paths that only click: buttons, links, tabs, boxes, shapes."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from PIL import ImageColor

from cuakit.core.action import Action
from cuakit.core.candidate import Candidate
from cuakit.envs.miniwob.gold.view import Script, View, click, submit


def only_button(view: View) -> Action | None:
    """The one button."""
    return click(view.first("button"))


def bare_name(view: View) -> Action | None:
    """A button named in the goal without quotes."""
    return click(view.first(name=view.parse(r"button (\w+)")[0]))


def quoted(view: View) -> Action | None:
    """What is quoted, wherever it is."""
    return click(view.first("button", "link", "menuitem", name=view.parse(r'"(.+)"')[0]))


def close_dialog(view: View) -> Action | None:
    """The x of the dialog box."""
    return click(view.first("button"))


def dialog_button(view: View) -> Action | None:
    """A labelled button of the dialog box; ``x`` is the one in its title bar, named Close."""
    wanted = view.parse(r'"(.+)"')[0]
    return click(view.first("button", name="Close" if wanted == "x" else wanted))


def tab(view: View) -> Action | None:
    """A numbered tab."""
    found = view.first("tab", name=view.parse(r"(Tab #\d+)")[0])
    return click(view.inner(found)) if found else None


def tab_link(view: View) -> Action | None:
    """A link behind one of the tabs."""
    wanted = view.parse(r'"(.+)"')[0]
    link = view.first(name=wanted, test=lambda c: c.role not in ("tab", "text"))
    if link and link.interactive:
        return click(link)
    tabs = [view.inner(c) for c in view.all("tab")]
    return click(min(tabs, key=view.clicked)) if tabs else None


def checkboxes(view: View) -> Action | None:
    """Named boxes, then Submit."""
    wanted = [w.strip() for w in view.parse(r"Select (.*) and click Submit")[0].split(",")]
    return click(_unticked(view, lambda c: c.label.strip() in wanted)) or submit(view)


def similar_checkboxes(view: View) -> Action | None:
    """Boxes whose word means the same as a word of the goal."""
    asked = {w.strip() for w in view.parse(r"similar to (.*) and click")[0].split(",")}
    groups = [set(g.split()) for g in _SYNONYMS if asked & set(g.split())]
    return click(_unticked(view, lambda c: any(c.label.strip() in g for g in groups))) or submit(view)


def _unticked(view: View, test: object) -> Candidate | None:
    boxes = view.all("checkbox", "radio")
    return next((c for c in boxes if callable(test) and test(c) and not {"checked"} & set(c.states)), None)


def option(view: View) -> Action | None:
    """A radio button, then Submit."""
    wanted = view.parse(r"Select (.*) and click Submit")[0]
    return click(_unticked(view, lambda c: c.label.strip() == wanted)) or submit(view)


def widget(view: View) -> Action | None:
    """Any widget of the named kind."""
    kind = view.parse(r'"(\w+)" widget')[0]
    if kind in ("text", "textarea"):
        tall = 25 * view.observation.screenshot.scale  # fields are drawn 24 points high, areas 26
        return click(view.first("textbox", test=lambda c: (c.box.height > tall) == (kind == "textarea")))
    return click(view.first(kind))


def sequence(view: View) -> Action | None:
    """ONE, then TWO."""
    return click(view.first(name="TWO" if view.actions else "ONE"))


def section(view: View) -> Action | None:
    """Unfold the section, then Submit."""
    header = view.first(has="Section #", test=lambda c: c.interactive)
    if header and not view.clicked(header):
        return click(header)
    return submit(view)


def section_link(view: View) -> Action | None:
    """A link inside one of the sections."""
    wanted = view.parse(r'"(.+)"')[0]
    link = view.first(name=wanted, test=lambda c: c.interactive)
    if link:
        return click(link)
    headers = view.all(has="Section #", test=lambda c: c.interactive)
    return click(min(headers, key=view.clicked)) if headers else None


def colour_box(view: View) -> Action | None:
    """The box of a named colour, told by its pixels."""
    wanted = ImageColor.getrgb(view.parse(r"the (\w+) colored")[0])[:3]
    boxes = view.all(test=lambda c: c.interactive)
    return click(min(boxes, key=lambda c: _distance(view.rgb(c), wanted), default=None))


def shades(view: View) -> Action | None:
    """All patches of one hue, then Submit."""
    hue = {"red": 0.0, "green": 1 / 3, "blue": 2 / 3}[view.parse(r"shades of (\w+)")[0]]
    patches = view.all(test=lambda c: c.interactive and c.role != "button")
    left = [c for c in patches if not view.clicked(c) and _near_hue(view.rgb(c), hue)]
    return click(left[0]) if left else submit(view)


def _near_hue(rgb: tuple[int, ...], hue: float) -> bool:
    found = colorsys.rgb_to_hsv(*(v / 255 for v in rgb))[0]
    return min(abs(found - hue), 1 - abs(found - hue)) < 1 / 6


def _distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def focus(view: View) -> Action | None:
    """The text box, or the n-th of them."""
    ordinal = {"1st": 0, "2nd": 1, "3rd": 2}
    at = next((i for word, i in ordinal.items() if word in view.goal), 0)
    fields = view.all("textbox")
    return click(fields[at]) if at < len(fields) else None


_SYNONYMS: Final = (
    "big large huge enormous gigantic",
    "small tiny little mini petite",
    "red scarlet crimson vermillion",
    "happy cheerful joyful gleeful delighted",
    "sad unhappy sorrowful miserable tragic",
    "angry mad furious irritated",
    "evil wicked immoral sinful corrupt depraved",
    "wrong incorrect mistaken erroneous",
    "real genuine actual",
    "strange odd peculiar unusual weird",
    "stop cease halt end finish",
    "scared terrified panicked fearful frightened afraid",
    "quiet calm peaceful serene mild",
    "old aged archaic",
    "love like adore favor",
    "kill murder assassinate",
    "keep retain preserve sustain maintain",
    "hide conceal camouflage",
    "hate despise loathe detest dislike",
    "funny humorous amusing comical laughable",
    "fat fleshy plump chubby",
    "stupid dumb dull unwise",
    "delicious savory delectable appetizing",
    "cut slice carve chop",
    "brave courageous fearless",
    "begin start initiate launch",
    "answer reply response",
    "television televisions TV TVs",
    "house home houses homes",
    "fire flame fires flames",
    "pig pork swine",
    "rabbit rabbits bunny bunnies",
    "car cars automobile automobiles vehicle vehicles",
    "water",
)
"""What the family counts as the same; its vocabulary is part of knowing how it works."""

SCRIPTS: Final[Mapping[str, Script]] = MappingProxyType(
    {
        "click-button": quoted,
        "click-button-sequence": sequence,
        "click-checkboxes": checkboxes,
        "click-checkboxes-large": checkboxes,
        "click-checkboxes-soft": similar_checkboxes,
        "click-checkboxes-transfer": checkboxes,
        "click-collapsible": section,
        "click-collapsible-nodelay": section,
        "click-collapsible-2": section_link,
        "click-collapsible-2-nodelay": section_link,
        "click-color": colour_box,
        "click-dialog": close_dialog,
        "click-dialog-2": dialog_button,
        "click-link": quoted,
        "click-option": option,
        "click-shades": shades,
        "click-tab": tab,
        "click-tab-2": tab_link,
        "click-tab-2-easy": tab_link,
        "click-tab-2-hard": tab_link,
        "click-tab-2-medium": tab_link,
        "click-test": only_button,
        "click-test-2": bare_name,
        "click-test-transfer": bare_name,
        "click-widget": widget,
        "focus-text": focus,
        "focus-text-2": focus,
        "unicode-test": quoted,
    }
)
