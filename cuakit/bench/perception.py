"""How much of real screens a parser sees, and how it names it, against the truth of the applications themselves.

Matching is one to one at an intersection over union of 0.5. Elements are the controls and the lines of text outside any
control. Something found that lies inside a true control, its label or its icon, is no false alarm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from cuakit.bench.matching import Found, centred, corners, errors_within, match, overlaps, parts, plain
from cuakit.bench.paired import Interval, cluster_bootstrap
from cuakit.capture.image import load_image
from cuakit.core.candidate import Candidates
from cuakit.core.errors import UsageError
from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot
from cuakit.data.annotations import Screen
from cuakit.perceive.pipeline import Pixels

CONTAINERS: Final = frozenset({"dialog", "document", "group", "menu", "menubar", "table", "toolbar", "window"})
"""Roles of what holds others; the truth lists none, so none is counted."""

Parser = Callable[[Screenshot], Sequence[Found]]

SMALL_PT: Final = 16
"""A control whose shorter side is below this is small."""

READ: Final = 0.5
"""Share of characters that may be wrong in a line that still counts as found."""

ALIKE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "searchbox": "textbox",
        "spinbutton": "textbox",
        "switch": "checkbox",
        "listbox": "combobox",
        "icon": "button",
        "image": "button",
        "treeitem": "listitem",
        "option": "listitem",
        "heading": "text",
    }
)
"""Roles that pixels cannot tell apart, or that differ in nothing that an agent does with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What became of one true element.

    Args:
        screen: Its picture.
        app: Its application.
        scale: Pixels per point.
        theme: ``light`` or ``dark``.
        role: Its role.
        small: Whether it is a small control.
        found: Whether a box matches it.
        centred: Whether the centre of something found lies in it.
        role_right: Whether its role was told; None for text and for what was not found.
        name_right: Whether what is written on it was told; None where nothing is, or it was not found.
    """

    screen: str
    app: str
    scale: float
    theme: str
    role: str
    small: bool
    found: bool
    centred: bool
    role_right: bool | None
    name_right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What became of one true line of text: whether it was found, with how many wrong characters."""

    app: str
    scale: float
    found: bool
    wrong: int
    characters: int


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A parser on some screens.

    Args:
        elements: One per true element.
        alarms: Per found thing, its application and whether it is a true element or a part of one.
        lines: One per true line of text.
        seconds: Time of each parse.
    """

    elements: tuple[Element, ...]
    alarms: tuple[tuple[str, bool], ...]
    lines: tuple[Line, ...]
    seconds: tuple[float, ...] = ()


def judge(screen: Screen, found: Sequence[Found]) -> Judgement:
    """Compare what was found on one screen with its truth."""
    truth = [e.extents for e in screen.elements]
    found = [f for f in found if f.role not in CONTAINERS]
    boxes = [f.box for f in found]
    pairs = match(truth, boxes)
    near = centred(truth, boxes)
    elements = tuple(
        Element(
            screen=screen.image.name,
            app=screen.app,
            scale=screen.scale,
            theme=screen.theme,
            role=e.role,
            small=e.role != "text" and min(e.box.width, e.box.height) < SMALL_PT * screen.scale,
            found=i in pairs,
            centred=bool(near[i]) or i in pairs,
            role_right=_role_right((e.role, *e.looks), found[pairs[i]].role)
            if i in pairs and e.role != "text"
            else None,
            name_right=plain(found[pairs[i]].text) == plain(e.text)
            if i in pairs and e.role != "text" and e.text
            else None,
        )
        for i, e in enumerate(screen.elements)
    )
    held = parts(boxes, [_hull(e.extents) for e in screen.elements if e.role != "text"])
    unknown = parts(boxes, screen.blind)
    matched = set(pairs.values())
    alarms = tuple(
        (screen.app, k in matched or bool(held[k]))
        for k in range(len(found))
        if k in matched or held[k] or not unknown[k]
    )
    return Judgement(elements=elements, alarms=alarms, lines=_lines(screen, found))


def _role_right(right: Sequence[str], said: str) -> bool:
    return ALIKE.get(said, said) in {ALIKE.get(r, r) for r in right}


def _hull(boxes: Sequence[Box]) -> Box:
    return reduce(Box.union, boxes)


def _lines(screen: Screen, found: Sequence[Found]) -> tuple[Line, ...]:
    spoken = [f for f in found if f.text.strip()]
    a, b = corners([t.box for t in screen.lines]), corners([f.box for f in spoken])
    shared = overlaps(a, b)
    out = []
    for i, line in enumerate(screen.lines):
        truth = plain(line.text)
        near = sorted((k for k in range(len(spoken)) if shared[i, k] > 0), key=lambda k: spoken[k].box.left)
        said = [plain(spoken[k].text) for k in near]
        tries = [*said, "".join(said)]  # a line that was read in pieces
        wrong = min((errors_within(truth, text) for text in tries if text), default=len(truth))
        is_found = bool(truth) and wrong <= READ * len(truth)
        out.append(
            Line(
                app=screen.app,
                scale=screen.scale,
                found=is_found,
                wrong=wrong if is_found else 0,
                characters=len(truth),
            )
        )
    return tuple(line for line in out if line.characters)


def together(judged: Iterable[Judgement]) -> Judgement:
    """Several judgements as one."""
    all_of = tuple(judged)
    return Judgement(
        elements=tuple(e for j in all_of for e in j.elements),
        alarms=tuple(a for j in all_of for a in j.alarms),
        lines=tuple(t for j in all_of for t in j.lines),
        seconds=tuple(s for j in all_of for s in j.seconds),
    )


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of a parser, each with its interval over applications; None where there is nothing to count.

    Args:
        n: True elements.
        recall: Share of them that a box matches.
        precision: Share of found things that are elements or parts of one.
        f1: Harmonic mean of the two.
        centre_recall: Share of elements in which the centre of something found lies.
        small_recall: Recall of small controls.
        control_recall: Recall of controls alone.
        text_recall: Share of lines of text that were found.
        cer: Wrong characters per character in the lines that were found, at 100 %.
        role_accuracy: Share of found controls whose role was told.
        name_accuracy: Share of found controls with writing whose writing was told.
        counts: How many things stand behind each share.
        cold_ms: Median time of a parse, screens of all sizes together.
    """

    n: int
    recall: Interval | None
    precision: Interval | None
    f1: float | None
    centre_recall: Interval | None
    small_recall: Interval | None
    control_recall: Interval | None
    text_recall: Interval | None
    cer: Interval | None
    role_accuracy: Interval | None
    name_accuracy: Interval | None
    counts: Mapping[str, int]
    cold_ms: float | None

    def summary(self) -> dict[str, Any]:
        """Values and intervals as plain data."""
        out: dict[str, Any] = {"n": self.n, "counts": dict(self.counts)}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Interval):
                out[name] = round(value.value, 4)
                out[f"{name}_95"] = [round(max(0.0, value.low), 4), round(min(1.0, value.high), 4)]
            elif name not in out:
                out[name] = None if value is None else round(value, 4)
        return out


def figures(judged: Judgement) -> Figures:
    """All figures of some judgements."""
    es, lines = judged.elements, judged.lines
    whole = [t for t in lines if t.scale == 1 and t.found]
    rows: dict[str, Sequence[tuple[str, bool]]] = {
        "recall": [(e.app, e.found) for e in es],
        "precision": judged.alarms,
        "centre_recall": [(e.app, e.centred) for e in es],
        "small_recall": [(e.app, e.found) for e in es if e.small],
        "control_recall": [(e.app, e.found) for e in es if e.role != "text"],
        "text_recall": [(t.app, t.found) for t in lines],
        "cer": [(t.app, k < t.wrong) for t in whole for k in range(t.characters)],
        "role_accuracy": [(e.app, e.role_right) for e in es if e.role_right is not None],
        "name_accuracy": [(e.app, e.name_right) for e in es if e.name_right is not None],
    }
    shares = {name: _share(values) for name, values in rows.items()}
    recall, precision = shares["recall"], shares["precision"]
    both = recall.value + precision.value if recall and precision else 0.0
    return Figures(
        n=len(es),
        f1=2 * recall.value * precision.value / both if recall and precision and both else None,
        counts={name: len(values) for name, values in rows.items()},
        cold_ms=1e3 * median(judged.seconds) if judged.seconds else None,
        **shares,
    )


def _share(rows: Sequence[tuple[str, bool]]) -> Interval | None:
    return cluster_bootstrap([float(right) for _, right in rows], [app for app, _ in rows]) if rows else None


def by(judged: Judgement, key: Callable[[Element], object]) -> dict[str, tuple[float, int]]:
    """Recall and count of elements by some property, such as role, scale or theme."""
    groups: dict[str, list[bool]] = {}
    for e in judged.elements:
        groups.setdefault(str(key(e)), []).append(e.found)
    return {k: (sum(v) / len(v), len(v)) for k, v in sorted(groups.items())}


def pixels_parser(**options: Any) -> Parser:
    """The default pipeline as a parser."""
    stage = Pixels(remember=0, **options)
    return lambda shot: from_candidates(stage(shot))


def from_candidates(found: Candidates) -> list[Found]:
    """Candidates as what a parser found."""
    return [Found(box=c.box, role=c.role, text=c.label, score=c.score) for c in found]


def run(
    screens: Sequence[Screen], parsers: Mapping[str, Parser], *, progress: Callable[[str], object] = lambda _: None
) -> dict[str, Judgement]:
    """Judge parsers on the same screens.

    Args:
        screens: With truth.
        parsers: Name → parser.
        progress: Called with the name of each screen that is done.

    Raises:
        UsageError: There is no screen.
    """
    if not screens:
        raise UsageError("no screen to look at", hint="build them with: python datasets/screens/build.py")
    judged: dict[str, list[Judgement]] = {name: [] for name in parsers}
    for screen in screens:
        shot = load_image(screen.image, scale=screen.scale)
        for name, parse in parsers.items():
            start = time.perf_counter()
            found = parse(shot)
            spent = time.perf_counter() - start
            judged[name].append(replace(judge(screen, found), seconds=(spent,)))
        progress(screen.image.name)
    return {name: together(js) for name, js in judged.items()}
