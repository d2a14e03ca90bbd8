"""Whole pages: forms, tables, editors, mail, dashboards, dialogs, and what looks like controls and is none."""

from __future__ import annotations

import widgets as w
import words
from style import Style


def page(s: Style) -> str:
    """The body of one page."""
    scene = s.rng.choices((editor, admin, form, mail, settings, mixture, document, keypad), (3, 3, 3, 2, 2, 4, 2, 1))[0]
    body = scene(s)
    if s.rng.random() < 0.15:
        body += dialog(s)
    elif s.rng.random() < 0.15:
        place = f"position:absolute;left:{s.rng.randint(0, 900)}px;top:{s.rng.randint(20, 400)}px"
        body += f'<div style="{place};z-index:9">{w.menu(s)}</div>'
    return body


def _some(s: Style, least: int, most: int, *parts: object) -> str:
    return "".join(s.rng.choice(parts)(s) for _ in range(s.rng.randint(least, most)))  # type: ignore[operator]


def _column(s: Style, width: int, body: str, *, panel: bool = True) -> str:
    look = f"width:{width}px;flex:none;overflow:hidden;padding:{s.rng.choice((0, 4, 10))}px;border-right:1px solid var(--line)"
    return f'<div class="x-col{" x-panel" if panel else ""}" style="{look}">{body}</div>'


def editor(s: Style) -> str:
    """An office or image editor, or a development environment: bars, a side, a canvas, a status line."""
    bars = "".join(w.tools(s, 8, 34) for _ in range(s.rng.randint(0, 3)))
    middle = canvas(s) if s.rng.random() < 0.65 else f'<div style="flex:1;overflow:hidden">{w.table(s)}</div>'
    left = ""
    if s.rng.random() < 0.6:
        left = palette(s) if s.rng.random() < 0.4 else _column(s, s.rng.choice((160, 220)), w.rows_list(s, "treeitem"))
    right = _column(s, s.rng.choice((180, 240)), controls(s)) if s.rng.random() < 0.5 else ""
    tabs = w.tabs(s) if s.rng.random() < 0.5 else ""
    status = "".join(f"<span>{w.text(words.value(s.rng))}</span>" for _ in range(s.rng.randint(0, 4)))
    foot = f'<div class="x-bar x-panel" style="gap:18px;padding:2px 8px">{status}{w.slider(s) if s.rng.random() < 0.3 else ""}</div>'
    top = w.menubar(s) if s.rng.random() < 0.75 else ""
    return (
        f'<div class="x-col" style="height:100vh"><div class="x-panel">{top}{bars}</div>{tabs}'
        f'<div style="display:flex;flex:1;min-height:0">{left}{middle}{right}</div>{foot}</div>'
    )


def palette(s: Style) -> str:
    """A grid of tools."""
    px = s.rng.choice((0, 16, 20, 24, 28))
    cells = "".join(w.tool(s, px) for _ in range(s.rng.randint(6, 40)))
    width = s.rng.choice((36, 64, 100, 180))
    return f'<div class="x-panel" style="width:{width}px;display:flex;flex-wrap:wrap;align-content:flex-start;gap:{s.rng.choice((0, 2, 6))}px">{cells}</div>'


def canvas(s: Style) -> str:
    """What fills an editor: a grid, a drawing, a photograph, code, a chart, a game, or nothing. None of it is a control."""
    kind = s.rng.choice(("grid", "grid", "dots", "shapes", "photo", "code", "chart", "game", "empty", "ruler", "page"))
    seed = s.rng.randrange(1 << 30)
    if kind == "code":
        lines = "".join(
            f'<div style="padding-left:{s.rng.choice((0, 16, 32, 48))}px;white-space:pre">{w.text(words.label(s.rng, 1, 8))}</div>'
            for _ in range(s.rng.randint(10, 45))
        )
        return f'<div style="flex:1;overflow:hidden;font-family:monospace;background:var(--ground);padding:6px">{lines}</div>'
    if kind == "page":
        prose = "".join(f"<p>{w.text(words.sentence(s.rng, 10, 40))}</p>" for _ in range(s.rng.randint(2, 9)))
        return f'<div style="flex:1;overflow:hidden;background:var(--line);padding:20px"><div style="background:#fff;color:#111;max-width:640px;min-height:700px;margin:auto;padding:50px">{prose}</div></div>'
    return f'<div style="flex:1;overflow:hidden;position:relative"><canvas data-kind="{kind}" data-seed="{seed}" style="width:100%;height:100%;display:block"></canvas></div>'


def controls(s: Style) -> str:
    """Labelled controls, one below the other, as in an inspector."""
    rows = []
    for _ in range(s.rng.randint(5, 18)):
        part = s.rng.choice((w.field, w.field, w.select, w.slider, w.button, w.area, _marks, _pair, _heading, _tools))
        name = w.text(words.label(s.rng))
        beside = s.rng.random() < 0.4
        head = "" if part in (_marks, _heading, _tools, w.button) else f'<span style="min-width:60px">{name}</span>'
        look = (
            "display:flex;align-items:center;gap:8px"
            if beside
            else "display:flex;flex-direction:column;align-items:flex-start"
        )
        rows.append(f'<div style="{look};margin:{s.rng.choice((1, 3, 6, 10))}px 0">{head}{part(s)}</div>')
    return "".join(rows)


def _tools(s: Style) -> str:
    return w.tools(s, 2, 6)


def _pair(s: Style) -> str:
    return f'<span style="display:flex;gap:6px">{w.button(s)}{w.button(s)}</span>'


def _heading(s: Style) -> str:
    level = s.rng.randint(2, 4)
    return f"<h{level}>{w.text(words.label(s.rng, 1, 3))}</h{level}>"


def _marks(s: Style) -> str:
    kind, name = s.rng.choice(("checkbox", "checkbox", "radio", "radio", "switch")), f"g{s.rng.randrange(10**9)}"
    flow = s.rng.choice(("row", "column"))
    body = "".join(w.mark(s, kind, name) for _ in range(s.rng.randint(1, 5)))
    return f'<div style="display:flex;flex-wrap:wrap;flex-direction:{flow};gap:{s.rng.choice((2, 6, 12, 18))}px">{body}</div>'


def _prose(s: Style) -> str:
    body = w.text(words.sentence(s.rng, 8, 40))
    if s.rng.random() < 0.4:
        body += f" {w.link(s)} {w.text(words.sentence(s.rng, 3, 10))}"
    return f"<p>{body}</p>"


def navigation(s: Style) -> str:
    """A column of links with icons, as in web applications."""
    pictures, dark = s.rng.random() < 0.7, s.rng.random() < 0.5
    rows = []
    for _ in range(s.rng.randint(5, 16)):
        if s.rng.random() < 0.12:
            rows.append(f'<div style="opacity:.6;padding:6px 12px;font-size:80%">{w.text(words.label(s.rng))}</div>')
        mark = (
            f'<span class="{s.classes("badge")}" style="margin-left:auto">{s.rng.randint(1, 99)}</span>'
            if s.rng.random() < 0.15
            else ""
        )
        rows.append(
            f'<a href="#" class="x-item" style="color:inherit;text-decoration:none">{w.icon(s, 16) if pictures else ""}<span>{w.text(words.label(s.rng, 1, 3))}</span>{mark}</a>'
        )
    look = "background:#263043;color:#dde" if dark else "background:var(--panel)"
    return (
        f'<nav style="width:{s.rng.choice((170, 220, 250))}px;flex:none;overflow:hidden;{look}">{"".join(rows)}</nav>'
    )


def header(s: Style) -> str:
    """The bar on top of a web application."""
    parts = [f"<b>{w.text(words.label(s.rng))}</b>"]
    parts += [s.rng.choice((w.link, w.tool, w.button, w.field, w.link))(s) for _ in range(s.rng.randint(3, 9))]
    look = s.rng.choice(
        ("background:var(--panel)", "background:#24292f;color:#eee", "background:var(--accent);color:#fff")
    )
    return f'<div class="x-bar" style="gap:{s.rng.choice((8, 14, 20))}px;padding:8px 14px;border-bottom:1px solid var(--line);{look}">{"".join(parts)}</div>'


def card(s: Style) -> str:
    """A panel with a heading and something in it."""
    body = s.rng.choice((w.table, controls, _prose, _numbers, _picture, w.rows_list, _marks, _listing))(s)
    tail = _pair(s) if s.rng.random() < 0.3 else ""
    return f'<div class="{s.classes("card")}" style="margin:6px;min-width:180px;flex:1 1 {s.rng.choice((200, 280, 380))}px;overflow:hidden">{_heading(s)}{body}{tail}</div>'


def _numbers(s: Style) -> str:
    return f'<div style="display:flex;align-items:center;gap:12px"><div style="font-size:28px">{words.number(s.rng)}</div>{w.icon(s, 40)}</div><div style="height:6px;background:var(--line)"><div style="height:6px;width:60%;background:var(--accent)"></div></div>'


def _picture(s: Style) -> str:
    kind, seed = s.rng.choice(("photo", "chart", "chart", "empty")), s.rng.randrange(1 << 30)
    return f'<canvas data-kind="{kind}" data-seed="{seed}" style="width:100%;height:{s.rng.choice((90, 140, 200))}px;display:block"></canvas>'


def _listing(s: Style) -> str:
    return (
        "<ul>"
        + "".join(
            f"<li>{w.link(s, 6) if s.rng.random() < 0.5 else w.text(words.sentence(s.rng))}</li>"
            for _ in range(s.rng.randint(2, 7))
        )
        + "</ul>"
    )


def admin(s: Style) -> str:
    """A dashboard."""
    crumbs = " / ".join(w.link(s, 1) for _ in range(s.rng.randint(0, 4)))
    cards = "".join(card(s) for _ in range(s.rng.randint(5, 13)))
    pages = "".join(
        f'<a href="#" class="x-line" style="padding:3px 9px">{i}</a>' for i in range(1, s.rng.randint(2, 8))
    )
    return f'{header(s)}<div style="display:flex;height:100%">{navigation(s)}<div style="flex:1;padding:8px;overflow:hidden"><div>{crumbs}</div><div style="display:flex;flex-wrap:wrap">{cards}</div><div class="x-bar" style="gap:2px">{pages}</div></div></div>'


def form(s: Style) -> str:
    """One or two columns of labelled controls."""
    columns = "".join(
        f'<div style="flex:1;padding:12px;min-width:0">{_heading(s)}{controls(s)}{_pair(s)}</div>'
        for _ in range(s.rng.randint(1, 3))
    )
    return f'{header(s) if s.rng.random() < 0.5 else ""}<div style="display:flex">{columns}</div>'


def mail(s: Style) -> str:
    """Folders, messages, one message."""
    rows = []
    for _ in range(s.rng.randint(10, 28)):
        star = w.tool(s, 14) if s.rng.random() < 0.5 else ""
        rows.append(
            f'<div class="x-bar" style="gap:8px;padding:4px 8px;border-bottom:1px solid var(--line)">{w.mark(s, "checkbox") if s.rng.random() < 0.5 else ""}{star}<a href="#">{w.text(words.label(s.rng, 2, 2))}</a><span style="flex:1;white-space:nowrap;overflow:hidden">{w.text(words.sentence(s.rng, 5, 14))}</span><span>{words.number(s.rng)}</span></div>'
        )
    return f'{header(s)}<div style="display:flex;height:100%">{_column(s, 170, w.rows_list(s, "listitem"))}<div style="flex:1;overflow:hidden">{w.tools(s)}{"".join(rows)}</div></div>'


def settings(s: Style) -> str:
    """Categories at the left, switches at the right."""
    rows = "".join(
        f'<div style="display:flex;align-items:center;justify-content:space-between;padding:8px 14px;border-bottom:1px solid var(--line)"><div><div>{w.text(words.label(s.rng, 1, 3))}</div><div style="opacity:.6;font-size:85%">{w.text(words.sentence(s.rng))}</div></div>{s.rng.choice((lambda t: w.mark(t, "switch"), lambda t: w.select(t, width=140), w.button, w.slider, lambda t: w.mark(t, "checkbox")))(s)}</div>'
        for _ in range(s.rng.randint(5, 14))
    )
    return f'<div style="display:flex;height:100vh">{navigation(s)}<div style="flex:1;overflow:hidden">{w.tabs(s) if s.rng.random() < 0.4 else ""}{rows}</div></div>'


def mixture(s: Style) -> str:
    """Cards of anything, in columns."""
    parts = (card, card, controls, w.tools, w.tabs, w.table, w.rows_list, _marks, _prose, w.menu, _pair, _listing)
    blocks = "".join(
        f'<div style="margin:{s.rng.choice((2, 6, 12))}px;flex:1 1 {s.rng.choice((160, 240, 340))}px;min-width:0;overflow:hidden">{s.rng.choice(parts)(s)}</div>'
        for _ in range(s.rng.randint(9, 24))
    )
    return (
        f'{w.menubar(s) if s.rng.random() < 0.3 else header(s)}<div style="display:flex;flex-wrap:wrap">{blocks}</div>'
    )


def document(s: Style) -> str:
    """A page to read: headings, prose, links, tables, code."""
    body = "".join(
        s.rng.choice((_heading, _prose, _prose, _listing, w.table, _picture))(s) for _ in range(s.rng.randint(6, 16))
    )
    return f'{header(s)}<div style="display:flex">{navigation(s) if s.rng.random() < 0.5 else ""}<main style="max-width:{s.rng.choice((560, 720, 900))}px;margin:0 auto;padding:10px">{body}</main></div>'


def keypad(s: Style) -> str:
    """A calculator or a month: a grid of equal buttons under a display."""
    columns, px = s.rng.choice((3, 4, 5, 7, 8)), s.rng.choice((22, 30, 40, 56))
    signs = [*"0123456789+-×÷=.%()√π", "sin", "cos", "log", "ln", "AC", "MR", "M+"]
    keys = "".join(
        f'<button type="button" class="{s.classes("button")}" style="height:{px}px;justify-content:center">{s.rng.choice(signs) if columns != 7 else i + 1}</button>'
        for i in range(columns * s.rng.randint(4, 7))
    )
    return f'{w.menubar(s) if s.rng.random() < 0.5 else ""}<div style="padding:10px;width:{columns * px * 2}px;max-width:100%">{w.field(s, width=columns * px)}<div style="display:grid;grid-template-columns:repeat({columns},1fr);gap:{s.rng.choice((0, 2, 6))}px">{keys}</div>{_marks(s)}</div>'


def dialog(s: Style) -> str:
    """A window over the page that takes all input."""
    body = s.rng.choice((_prose, controls, _marks))(s)
    acts = "".join(w.button(s) for _ in range(s.rng.randint(1, 3)))
    title = f'<div class="x-bar x-panel" style="padding:6px 10px;justify-content:space-between"><b>{w.text(words.label(s.rng))}</b><button class="x-tool" aria-label="Close">{w.icon_cross(s)}</button></div>'
    return f'<div style="position:fixed;inset:0;background:#0006;z-index:5"></div><div role="dialog" aria-modal="true" class="x-line" style="position:absolute;left:{s.rng.randint(60, 500)}px;top:{s.rng.randint(40, 260)}px;width:{s.rng.choice((260, 360, 480))}px;background:var(--ground);z-index:6">{title}<div style="padding:12px">{body}<div class="x-bar" style="gap:8px;justify-content:flex-end">{acts}</div></div></div>'
