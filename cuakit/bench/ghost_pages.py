"""Pages whose layout changes between the look and the click, made from a seed. Values only; nothing is opened here.

Each scene has one item that is meant, and a change. ``data-key`` on an element says which logical item it stands for,
whatever node shows it, so the page's own log tells what a click really reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from types import MappingProxyType
from typing import Any, Final

VIEW: Final = (900, 640)
"""Viewport in CSS pixels at the look."""

SCALES: Final = (1.0, 1.0, 1.25, 1.5, 2.0)
"""Display scales that seeds draw from."""

_NOUNS: Final = (
    "invoice report draft contract photo backup budget ticket order message folder account meeting letter receipt "
    "project picture schedule survey payment"
).split()
_NAMES: Final = "Ada Grace Alan Edsger Barbara Donald Margaret Linus Radia Ken Frances Niklaus Leslie Tim".split()
_VERBS: Final = "Delete Archive Send Approve Cancel Publish Restore Share".split()

_ICONS: Final = (
    "M3 3h10v10H3z",
    "M8 2l6 12H2z",
    "M2 8h12M8 2v12",
    "M2 8h12",
    "M3 3l10 10M13 3L3 13",
    "M8 2a6 6 0 1 0 .1 0z",
    "M3 13V3l10 5z",
    "M2 4h12M2 8h12M2 12h12",
    "M8 3v10M4 7l4-4 4 4",
    "M8 3v10M4 9l4 4 4-4",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One page and what happens to it between the look and the click.

    Args:
        name: Kind of change.
        seed: What it was made from.
        scale: Display scale at the look.
        html: Content of the body.
        target: Key of the item that is meant.
        change: JavaScript run in between; ``by(key)`` gives an item's element.
        harmless: Whether the same click is still right afterwards.
        view: Viewport afterwards, in CSS pixels, and its scale; None when it stays.
        hover: Whether the pointer comes to rest on the target.
    """

    name: str
    seed: int
    scale: float
    html: str
    target: str
    change: str = "0"
    harmless: bool = False
    view: tuple[int, int, float] | None = None
    hover: bool = False


@dataclass(frozen=True, slots=True)
class _Item:
    key: str
    label: str


_Maker = Callable[[Random], Mapping[str, Any]]


def scene(name: str, seed: int) -> Scene:
    """The page of one kind and seed; equal arguments give equal pages.

    Raises:
        KeyError: No such kind.
    """
    rng = Random(f"{name}/{seed}")
    scale = rng.choice(SCALES)
    made = dict(SCENES[name](rng))
    made["html"] = _style(rng) + str(made["html"])
    return Scene(name=name, seed=seed, scale=scale, **made)


def _style(rng: Random) -> str:
    """Colours and sizes of a page."""
    dark = rng.random() < 0.3
    back, ink, row, over = ("#202124", "#e8eaed", "#292a2d", "#35363a") if dark else ("#fff", "#111", "#fff", "#eef")
    size, height = rng.choice((12, 13, 14, 16)), rng.randint(28, 44)
    button = rng.choice(
        (f"{over};color:inherit", "#0d6efd;color:#fff", "#000;color:#fff", "none;color:inherit;border:0")
    )
    shade = rng.choice((0.1, 0.25, 0.32, 0.5, 0.6))
    return f"""<style>
body {{ margin: 0; padding: {rng.randint(20, 60)}px {rng.randint(20, 60)}px; font: {size}px {rng.choice(("sans-serif", "serif"))};
  background: {back}; color: {ink} }}
.row {{ display: flex; align-items: center; height: {height}px; width: {rng.randint(300, 560)}px; padding: 0 8px;
  box-sizing: border-box; background: {row}; border-bottom: 1px solid #8884; cursor: pointer }}
.row:hover, .plain:hover {{ background: {over} }}
.row .name {{ flex: 1 }} .rows .row {{ cursor: default }}
button {{ font: inherit; padding: 4px 10px; border: 1px solid #8886; border-radius: 4px; background: {button} }}
.bar {{ display: flex; flex-wrap: wrap; gap: 8px }} .cards {{ display: flex; flex-wrap: wrap; gap: 14px }}
.card {{ width: 150px; padding: 10px; border: 1px solid #8886 }} .card p {{ margin: 0 0 14px }}
svg {{ width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.6; display: block }}
.pane {{ height: {height * 6}px; width: 600px; overflow: auto }}
.sheet {{ position: fixed; inset: 0; background: rgb(0 0 0 / {shade}) }}
.dialog {{ position: fixed; width: 260px; padding: 14px; background: {row}; border: 1px solid #888; box-shadow: 0 4px 16px #0006 }}
input {{ font: inherit; padding: 5px; width: 240px; display: block; margin: 8px 0 }}
</style>"""


def _items(rng: Random, count: int) -> list[_Item]:
    labels: dict[str, None] = {}
    while len(labels) < count:
        labels[f"{rng.choice(_NAMES)}: {rng.choice(_NOUNS)} {rng.randint(10, 99)}"] = None
    return [_Item(f"item-{rng.getrandbits(32):08x}", label) for label in labels]


def _list(items: Sequence[_Item]) -> str:
    rows = "".join(f"<div class=row role=option tabindex=0 data-key={i.key}>{escape(i.label)}</div>" for i in items)
    return f"<div id=list role=listbox>{rows}</div>"


def _icon(path: str) -> str:
    return f'<svg viewBox="0 0 16 16"><path d="{path}"/></svg>'


def _pick(rng: Random) -> tuple[list[_Item], int, str]:
    """A list and one of its items, away from the ends."""
    items = _items(rng, rng.randint(7, 11))
    at = rng.randint(2, len(items) - 3)
    return items, at, items[at].key


def _shuffled(rng: Random, count: int, at: int) -> list[int]:
    """An order in which another item takes the place of the one at ``at``."""
    order = list(range(count))
    while order[at] == at:
        rng.shuffle(order)
    return order


def _dialog(rng: Random) -> Mapping[str, Any]:
    items, _, key = _pick(rng)
    dx, dy = rng.randint(-12, 12), rng.randint(-6, 6)
    buttons = "".join(f"<button data-key=dialog-{n}>{v}</button> " for n, v in enumerate(rng.sample(_VERBS, 2)))
    change = f"""const b = by({json.dumps(key)}).getBoundingClientRect();
const sheet = document.createElement('div'); sheet.className = 'sheet'; sheet.dataset.key = 'backdrop';
const box = document.createElement('div'); box.className = 'dialog'; box.setAttribute('role', 'dialog');
box.innerHTML = {json.dumps(f"<p>Are you sure?</p>{buttons}")};
document.body.append(sheet, box);
const first = box.querySelector('button').getBoundingClientRect(), whole = box.getBoundingClientRect();
box.style.left = (b.left + b.width / 2 + {dx} - (first.left - whole.left) - first.width / 2) + 'px';
box.style.top = (b.top + b.height / 2 + {dy} - (first.top - whole.top) - first.height / 2) + 'px';"""
    return {"html": _list(items), "target": key, "change": change}


def _backdrop(rng: Random) -> Mapping[str, Any]:
    """A dialog opens elsewhere; over the target lies its dimmed backdrop only, which closes it when clicked."""
    made = rng.choice((_still, _repeated_rows))(rng)
    change = """const sheet = document.createElement('div'); sheet.className = 'sheet'; sheet.dataset.key = 'backdrop';
const box = document.createElement('div'); box.className = 'dialog'; box.innerHTML = '<p>Are you sure?</p><button>Yes</button>';
box.style.right = '4px'; box.style.bottom = '4px'; document.body.append(sheet, box);"""
    return {"html": made["html"], "target": made["target"], "change": change}


def _resort_moved(rng: Random) -> Mapping[str, Any]:
    items, at, key = _pick(rng)
    order = _shuffled(rng, len(items), at)
    change = f"const all = [...list.children]; list.append(...{order}.map(i => all[i]));"
    return {"html": _list(items), "target": key, "change": change}


def _resort_recycled(rng: Random) -> Mapping[str, Any]:
    """A virtual list: the nodes stay, their content changes."""
    items, at, key = _pick(rng)
    order = _shuffled(rng, len(items), at)
    change = f"""const all = [...list.children].map(e => [e.dataset.key, e.textContent]);
{order}.forEach((from, to) => {{ [list.children[to].dataset.key, list.children[to].textContent] = all[from]; }});"""
    return {"html": _list(items), "target": key, "change": change}


def _inner(rng: Random) -> str:
    if rng.random() < 0.5:
        return _icon(rng.choice(_ICONS))
    return rng.choice(_VERBS)


def _repeated_rows(rng: Random) -> Mapping[str, Any]:
    """The same button in every row: only its row says what it does."""
    items, at, key = _pick(rng)
    order, inner = _shuffled(rng, len(items), at), _inner(rng)
    rows = "".join(
        f"<div class=row><span class=name>{escape(i.label)}</span><button data-key={i.key}>{inner}</button></div>"
        for i in items
    )
    if rng.random() < 0.5:
        change = f"const all = [...list.children]; list.append(...{order}.map(i => all[i]));"
    else:
        change = _recycle(order, ".name")
    return {"html": f"<div id=list class=rows>{rows}</div>", "target": key, "change": change}


def _recycle(order: Sequence[int], name: str) -> str:
    return f"""const parts = [...list.children].map(e => [e.querySelector('{name}'), e.querySelector('button')]);
const all = parts.map(([n, b]) => [n.textContent, b.dataset.key]);
{list(order)}.forEach((from, to) => {{ [parts[to][0].textContent, parts[to][1].dataset.key] = all[from]; }});"""


def _repeated_cards(rng: Random) -> Mapping[str, Any]:
    items, at, key = _pick(rng)
    order, inner = _shuffled(rng, len(items), at), _inner(rng)
    cards = "".join(
        f"<div class=card><p>{escape(i.label)}</p><button data-key={i.key}>{inner}</button></div>" for i in items
    )
    return {"html": f"<div id=list class=cards>{cards}</div>", "target": key, "change": _recycle(order, "p")}


def _inserted(rng: Random) -> Mapping[str, Any]:
    items, _, key = _pick(rng)
    new = "".join(
        f"<div class=row role=option tabindex=0 data-key={i.key}>{escape(i.label)}</div>"
        for i in _items(rng, rng.randint(1, 3))
    )
    if rng.random() < 0.3:
        new = f"<p style='height:{rng.randint(8, 120)}px;margin:0'>A notice that came late</p>"
    return {"html": _list(items), "target": key, "change": f"list.insertAdjacentHTML('afterbegin', {json.dumps(new)});"}


def _bar(rng: Random, count: int) -> tuple[str, list[_Item]]:
    labels: dict[str, None] = {}
    while len(labels) < count:
        labels[f"{rng.choice(_VERBS)} {rng.choice(_NOUNS)}"] = None
    items = [_Item(f"tool-{rng.getrandbits(32):08x}", label) for label in labels]
    buttons = "".join(f"<button data-key={i.key}>{escape(i.label)}</button>" for i in items)
    return f"<div id=list class=bar>{buttons}</div>", items


def _resized(rng: Random) -> Mapping[str, Any]:
    html, items = _bar(rng, rng.randint(14, 24))
    target = rng.choice(items[len(items) // 3 :]).key
    return {"html": html, "target": target, "view": (rng.randint(420, 760), VIEW[1] + rng.choice((0, 60)), 0.0)}


def _reflowed(rng: Random) -> Mapping[str, Any]:
    """A side panel opens: the window keeps its size, the content does not."""
    html, items = _bar(rng, rng.randint(14, 24))
    target = rng.choice(items[len(items) // 3 :]).key
    return {"html": html, "target": target, "change": f"list.style.width = '{rng.randint(300, 560)}px';"}


def _scaled(rng: Random) -> Mapping[str, Any]:
    """The display's scale changes: the window keeps its physical pixels, everything in it grows or shrinks."""
    html, items = _bar(rng, rng.randint(14, 24))
    factor = rng.choice((0.75, 1.25, 1.5, 2.0))
    return {"html": html, "target": rng.choice(items[4:]).key, "view": (0, 0, factor)}


def _scrolled(rng: Random) -> Mapping[str, Any]:
    items = _items(rng, 24)
    key = items[rng.randint(1, 4)].key
    by = rng.randint(14, 400)
    if rng.random() < 0.5:
        pane = f"<div class=pane id=pane>{_list(items)}</div>"
        return {"html": pane, "target": key, "change": f"pane.scrollTop = {by};"}
    return {"html": _list(items), "target": key, "change": f"scrollTo(0, {by});"}


def _animated(rng: Random) -> Mapping[str, Any]:
    items, _, key = _pick(rng)
    rows, ms = rng.choice((-3, -2, -1, 1, 2, 3)), rng.randint(150, 900)
    change = f"""const h = list.firstElementChild.offsetHeight;
list.animate([{{transform: 'none'}}, {{transform: `translateY(${{{rows} * h}}px)`}}], {{duration: {ms}, fill: 'forwards'}});
return new Promise(done => setTimeout(done, {rng.randint(0, 120)}));"""
    return {"html": _list(items), "target": key, "change": change}


def _removed(rng: Random) -> Mapping[str, Any]:
    items, at, key = _pick(rng)
    gone = items[rng.choice((at, at, at - 1))].key
    return {"html": _list(items), "target": key, "change": f"by({json.dumps(gone)}).remove();"}


def _swap(rng: Random, key: str, content: str) -> str:
    """Another item takes the place of one, in the same node or in a new one."""
    own = f"const e = by({json.dumps(key)});"
    fresh = "const n = e.cloneNode(true); e.replaceWith(n);" if rng.random() < 0.5 else "const n = e;"
    return f"{own} {fresh} n.dataset.key = 'look-alike'; n.innerHTML = {json.dumps(content)};"


def _other_word(rng: Random) -> Mapping[str, Any]:
    html, items = _bar(rng, 8)
    target = rng.choice(items)
    verb, noun = target.label.split()
    if rng.random() < 0.5:
        verb = rng.choice([v for v in _VERBS if v != verb])
    else:
        noun = rng.choice([n for n in _NOUNS if n != noun])
    return {"html": html, "target": target.key, "change": _swap(rng, target.key, f"{verb} {noun}")}


def _other_number(rng: Random) -> Mapping[str, Any]:
    """One digit differs."""
    items, at, key = _pick(rng)
    label = items[at].label
    digit = rng.choice([d for d in "0123456789" if d != label[-1]])
    return {"html": _list(items), "target": key, "change": _swap(rng, key, escape(label[:-1] + digit))}


def _other_icon(rng: Random) -> Mapping[str, Any]:
    icons = rng.sample(_ICONS, len(_ICONS))
    shown, spare = icons[:7], icons[7:]
    keys = [f"icon-{rng.getrandbits(32):08x}" for _ in shown]
    buttons = "".join(f"<button data-key={k}>{_icon(i)}</button>" for k, i in zip(keys, shown, strict=True))
    key = rng.choice(keys)
    return {
        "html": f"<div id=list class=bar>{buttons}</div>",
        "target": key,
        "change": _swap(rng, key, _icon(rng.choice(spare))),
    }


def _glass(rng: Random) -> Mapping[str, Any]:
    """A sheet without a pixel of its own, as pages lay under an open menu."""
    items, _, key = _pick(rng)
    change = "const s = document.createElement('div'); s.dataset.key = 'sheet'; s.style = 'position:fixed;inset:0'; document.body.append(s);"
    return {"html": _list(items), "target": key, "change": change}


def _still(rng: Random) -> Mapping[str, Any]:
    items, _, key = _pick(rng)
    return {"html": _list(items), "target": key, "harmless": True}


def _rerendered(rng: Random) -> Mapping[str, Any]:
    """New nodes, the same items: the whole list, one row, or all of a list with a button in every row."""
    if rng.random() < 0.4:
        made = dict(_repeated_rows(rng))
        return made | {"change": "list.innerHTML = list.innerHTML;", "harmless": True}
    items, _, key = _pick(rng)
    one = f"const e = by({json.dumps(key)}); e.replaceWith(e.cloneNode(true));"
    whole = rng.choice(("list.innerHTML = list.innerHTML;", "list.replaceWith(list.cloneNode(true));", one))
    return {"html": _list(items), "target": key, "change": whole, "harmless": True}


def _hovered(rng: Random) -> Mapping[str, Any]:
    made = _still(rng) if rng.random() < 0.6 else _repeated_rows(rng)
    return dict(made) | {"change": "0", "hover": True, "harmless": True}


def _caret(rng: Random) -> Mapping[str, Any]:
    """A caret blinks in the field: it is seen and then not, or the other way round."""
    values = [i.label for i in _items(rng, 4)]
    keys = [f"field-{n}" for n in range(4)]
    fields = "".join(f'<input data-key={k} value="{escape(v)}">' for k, v in zip(keys, values, strict=True))
    key = rng.choice(keys)
    off, on = rng.sample(("transparent", "auto"), 2)
    ready = f"<style>input {{ caret-color: {off} }}</style>"
    return {
        "html": ready + fields,
        "target": key,
        "change": f"by({json.dumps(key)}).style.caretColor = '{on}';",
        "harmless": True,
    }


def _banner(rng: Random) -> Mapping[str, Any]:
    """Something else on the page changes its words and colours: beside the items, above them, or below."""
    made = dict(_still(rng) if rng.random() < 0.6 else _repeated_rows(rng))
    place = rng.choice(("position:fixed;left:0;right:0;bottom:0;height:40px", "height:40px"))
    banner = f"<div id=banner style='{place};background:#fd6'>News: {rng.choice(_NAMES)} was here</div>"
    html = banner + str(made["html"]) if rng.random() < 0.5 else str(made["html"]) + banner
    change = f"banner.textContent = 'Sale: {rng.randint(10, 90)} % off'; banner.style.background = '#6cf';"
    return made | {"html": html, "change": change, "harmless": True}


SCENES: Final[Mapping[str, _Maker]] = MappingProxyType(
    {
        "dialog": _dialog,
        "backdrop": _backdrop,
        "resort_moved": _resort_moved,
        "resort_recycled": _resort_recycled,
        "repeated_rows": _repeated_rows,
        "repeated_cards": _repeated_cards,
        "inserted": _inserted,
        "resized": _resized,
        "reflowed": _reflowed,
        "scaled": _scaled,
        "scrolled": _scrolled,
        "animated": _animated,
        "removed": _removed,
        "other_word": _other_word,
        "other_number": _other_number,
        "other_icon": _other_icon,
        "glass": _glass,
        "still": _still,
        "rerendered": _rerendered,
        "hovered": _hovered,
        "caret": _caret,
        "banner": _banner,
    }
)
"""Kind of change → what makes a page of it."""

PIXELLESS: Final = frozenset({"glass"})
"""Changes that leave no pixel; only the page itself can tell, so they are not asked of an agent that has pixels only."""
