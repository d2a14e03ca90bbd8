"""HTML of single controls and groups of them. Roles and states stand in the markup, so the document tells the truth."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

import words
from style import Style


@cache
def svg(path: Path) -> str:
    """Source of a drawing, without its size."""
    text = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE.*?>", "", path.read_text("utf-8"), flags=re.DOTALL).strip()
    head, _, rest = text.partition(">")
    head = re.sub(r'\s(width|height|class|id|style)="[^"]*"', "", head)
    if "stroke=" not in head and "fill=" not in head:
        head = head.replace("<svg", '<svg fill="currentColor"', 1)
    return f"{head}>{rest}"


def icon(s: Style, px: int = 0) -> str:
    """A drawing of the page's icon set; a fifth of them in colour."""
    px = px or s.icon_px
    tint = f";color:hsl({s.rng.randrange(360)} 70% {s.rng.randint(30, 65)}%)" if s.rng.random() < 0.2 else ""
    look = f'<svg class="x-icon" aria-hidden="true" style="width:{px}px;height:{px}px;flex:none{tint}"'
    return svg(s.rng.choice(s.icons)).replace("<svg", look, 1)


def _off(s: Style, share: float = 0.08) -> str:
    return " disabled" if s.rng.random() < share else ""


def text(value: str) -> str:
    """Text made safe for HTML."""
    return html.escape(value)


def button(s: Style, *, small: bool = False) -> str:
    """A push button: text, icon and text, or a list that opens."""
    body = text(words.label(s.rng))
    if s.rng.random() < 0.3:
        body = icon(s, 14) + body if s.rng.random() < 0.8 else body + icon(s, 14)
    if s.rng.random() < 0.08:
        body += ' <span aria-hidden="true">▾</span>'
    kit = s.classes("button")
    more = " x-prime" if kit == "x-button" and s.rng.random() < 0.3 else ""
    thin = " x-slim" if small and kit == "x-button" else ""
    return f'<button type="button" class="{kit}{more}{thin}"{_off(s)}>{body}</button>'


def tool(s: Style, px: int = 0) -> str:
    """A button with nothing but an icon."""
    on = s.rng.random() < 0.08
    state = ' aria-pressed="true"' if on else ""
    extra = ' class="x-tool x-on"' if on else ' class="x-tool"'
    return f'<button type="button" aria-label="{words.label(s.rng)}"{extra}{state}{_off(s)}>{icon(s, px)}</button>'


def tools(s: Style, least: int = 4, most: int = 18) -> str:
    """A dense row of tool buttons with separators, now and then a list or a field among them."""
    out = []
    for _ in range(s.rng.randint(least, most)):
        draw = s.rng.random()
        if draw < 0.12:
            out.append('<span class="x-sep"></span>')
        elif draw < 0.17:
            out.append(select(s, width=s.rng.choice((48, 64, 90, 130))))
        elif draw < 0.2:
            out.append(field(s, width=s.rng.choice((40, 60, 90))))
        elif draw < 0.24:
            out.append(button(s, small=True))
        else:
            out.append(tool(s))
    gap = s.rng.choice((0, 0, 1, 2, 4, 8))
    return f'<div role="toolbar" class="x-bar" style="gap:{gap}px;padding:2px 4px">{"".join(out)}</div>'


def field(s: Style, *, width: int = 0, kind: str = "") -> str:
    """A field for text: empty, with a hint or with content."""
    kind = kind or s.rng.choice(("text", "text", "text", "search", "number", "email", "password", "date"))
    said = {"number": str(s.rng.randint(0, 999)), "date": "2026-03-14", "email": "a@b.org"}.get(kind)
    content = text(said or words.value(s.rng))
    draw = s.rng.random()
    shown = f' value="{content}"' if draw < 0.4 else f' placeholder="{content}"' if draw < 0.75 else ""
    wide = width or s.rng.choice((80, 120, 160, 200, 240, 320))
    return (
        f'<input type="{kind}" aria-label="f" class="{s.classes("field")}" style="width:{wide}px;max-width:100%"'
        f"{shown}{_off(s, 0.06)}>"
    )


def area(s: Style) -> str:
    """A field of several lines."""
    size = f"width:{s.rng.choice((160, 240, 360))}px;max-width:100%;height:{s.rng.choice((48, 70, 110))}px"
    content = text(words.sentence(s.rng, 3, 20)) if s.rng.random() < 0.5 else ""
    return f'<textarea aria-label="t" class="{s.classes("field")}" style="{size}">{content}</textarea>'


def select(s: Style, *, width: int = 0) -> str:
    """A list that opens: the browser's, or one made of divs."""
    wide = width or s.rng.choice((80, 110, 150, 200, 260))
    shown = text(words.value(s.rng))
    if s.rng.random() < 0.7:
        return (
            f'<select aria-label="s" class="{s.classes("select")}" style="width:{wide}px;max-width:100%"{_off(s, 0.06)}>'
            f"<option>{shown}</option></select>"
        )
    arrow = s.rng.choice(
        (
            "▾",
            "⌄",
            '<svg width="10" height="6" aria-hidden="true"><path d="M1 1l4 4 4-4" fill="none" stroke="currentColor"/></svg>',
        )
    )
    return (
        f'<div role="combobox" tabindex="0" aria-expanded="false" class="x-combo" style="width:{wide}px;white-space:nowrap;'
        f'overflow:hidden"><span>{shown}</span><span aria-hidden="true">{arrow}</span></div>'
    )


def mark(s: Style, kind: str, name: str = "") -> str:
    """A check box, radio button or switch, mostly with its label."""
    on = s.rng.random() < 0.45
    wording = text(words.label(s.rng, 1, 4)) if s.rng.random() < 0.85 else ""
    if kind == "switch":
        shape = f'<span role="switch" tabindex="0" aria-checked="{str(on).lower()}" class="x-switch" aria-label="w"><i></i></span>'
        return f'<span class="x-bar" style="gap:8px;display:inline-flex">{shape}<span>{wording}</span></span>'
    classes = s.classes("radio") if kind == "radio" and s.kit == "uikit" else s.classes("mark")
    key = f"m{s.rng.randrange(10**9)}"
    box = f'<input type="{kind}" id="{key}" name="{name or key}" class="{classes}"{" checked" if on else ""}{_off(s)}>'
    return (
        f'<span style="display:inline-flex;gap:6px;align-items:center">{box}<label for="{key}">{wording}</label></span>'
    )


def slider(s: Style) -> str:
    """A value on a line."""
    return f'<input type="range" aria-label="r" value="{s.rng.randint(0, 100)}" style="width:{s.rng.choice((80, 120, 200))}px">'


def link(s: Style, most: int = 3) -> str:
    """A link of a few words."""
    return f'<a href="#">{text(words.label(s.rng, 1, most))}</a>'


def tabs(s: Style, least: int = 2, most: int = 7) -> str:
    """A row of tabs, one chosen, some that close."""
    count, shut = s.rng.randint(least, most), s.rng.random() < 0.3
    chosen = s.rng.randrange(count)
    out = []
    for i in range(count):
        close = f'<button class="x-tool x-slim" aria-label="Close">{icon_cross(s)}</button>' if shut else ""
        picture = icon(s, 14) if s.rng.random() < 0.2 else ""
        look = " x-chosen" if i == chosen else ""
        out.append(
            f'<div role="tab" tabindex="0" aria-selected="{str(i == chosen).lower()}" class="x-tab{look}">'
            f"{picture}{text(words.label(s.rng))}{close}</div>"
        )
    line = "border-bottom:1px solid var(--line)"
    return f'<div role="tablist" class="x-bar" style="gap:{s.rng.choice((0, 2, 6, 14))}px;{line}">{"".join(out)}</div>'


def icon_cross(s: Style) -> str:
    """A small cross."""
    px = s.rng.choice((7, 8, 9, 10, 12))
    return f'<svg width="{px}" height="{px}" viewBox="0 0 10 10" aria-hidden="true"><path d="M1 1l8 8M9 1l-8 8" stroke="currentColor" stroke-width="1.4"/></svg>'


def menubar(s: Style) -> str:
    """Words at the top of a window."""
    names = ["File", "Edit", "View", "Insert", "Format", "Tools", "Window", "Help"][: s.rng.randint(3, 8)]
    if s.rng.random() < 0.4:
        names = [words.label(s.rng, 1, 1) for _ in names]
    gap = s.rng.choice((5, 8, 10, 14))
    items = "".join(
        f'<div role="menuitem" tabindex="0" style="padding:3px {gap}px;cursor:pointer">{text(n)}</div>' for n in names
    )
    return f'<div role="menubar" class="x-bar">{items}</div>'


def menu(s: Style) -> str:
    """An open menu with icons, marks, keys and separators."""
    pictures, keys = s.rng.random() < 0.5, s.rng.random() < 0.4
    rows = []
    for _ in range(s.rng.randint(3, 11)):
        if s.rng.random() < 0.12:
            rows.append('<div style="height:1px;background:var(--line);margin:4px 0"></div>')
        off = s.rng.random() < 0.12
        state = ' aria-disabled="true"' if off else ""
        key = (
            f'<span style="margin-left:auto;opacity:.6;padding-left:24px">Ctrl+{s.rng.choice("ABCDXZ")}</span>'
            if keys
            else ""
        )
        rows.append(
            f'<div role="menuitem" tabindex="0" class="x-item{" x-off" if off else ""}"{state}>'
            f"{icon(s, 16) if pictures else ''}<span>{text(words.label(s.rng, 1, 3))}</span>{key}</div>"
        )
    return f'<div role="menu" class="x-menu" style="width:{s.rng.choice((140, 180, 240))}px">{"".join(rows)}</div>'


def rows_list(s: Style, role: str = "option") -> str:
    """A list box, a list of entries or a tree."""
    holder = {"option": "listbox", "listitem": "list", "treeitem": "tree"}[role]
    pictures, rows = s.rng.random() < 0.5, []
    for _ in range(s.rng.randint(4, 16)):
        chosen = s.rng.random() < 0.1
        deep = s.rng.choice((0, 0, 14, 28)) if role == "treeitem" else 0
        twist = (
            '<span aria-hidden="true" style="width:9px">▸</span>' if role == "treeitem" and s.rng.random() < 0.5 else ""
        )
        rows.append(
            f'<div role="{role}" tabindex="0" aria-selected="{str(chosen).lower()}" class="x-item{" x-on" if chosen else ""}" '
            f'style="padding-left:{8 + deep}px">{twist}{icon(s, 16) if pictures else ""}<span>{text(words.label(s.rng, 1, 4))}</span></div>'
        )
    return f'<div role="{holder}" class="x-line" style="min-width:140px">{"".join(rows)}</div>'


def table(s: Style) -> str:
    """A table: text alone, with links, marks and tools in it, or a grid whose cells are chosen one by one."""
    columns, count = s.rng.randint(3, 8), s.rng.randint(3, 14)
    grid, check, acts = s.rng.random() < 0.25, s.rng.random() < 0.25, s.rng.random() < 0.35
    linked = s.rng.random() < 0.3
    head = "".join(f"<th>{text(words.label(s.rng, 1, 2))}</th>" for _ in range(columns))
    cell = ' role="gridcell" tabindex="0"' if grid else ""
    body = []
    for _ in range(count):
        cells = [text(words.value(s.rng)) for _ in range(columns)]
        if linked:
            cells[0] = f'<a href="#">{cells[0]}</a>'
        row = "".join(f"<td{cell}>{c}</td>" for c in cells)
        if check:
            row = f"<td>{mark(s, 'checkbox')}</td>{row}"
        if acts:
            row += f"<td>{''.join(tool(s, 14) for _ in range(s.rng.randint(1, 3)))}</td>"
        body.append(f"<tr>{row}</tr>")
    kind = ' role="grid"' if grid else ""
    first = "<th></th>" if check else ""
    return f'<table class="{s.classes("table")}"{kind}><thead><tr>{first}{head}{"<th></th>" if acts else ""}</tr></thead><tbody>{"".join(body)}</tbody></table>'
