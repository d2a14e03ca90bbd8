"""How a synthetic page looks: a published style sheet, or one of our own with random colours, borders and sizes."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import sources

KITS = {
    "bootstrap": ("bootstrap", "dist/css/bootstrap.min.css", 3.0),
    "bulma": ("bulma", "css/bulma.min.css", 2.0),
    "uikit": ("uikit", "dist/css/uikit.min.css", 2.0),
    "fomantic": ("fomantic-ui-css", "semantic.min.css", 2.0),
    "patternfly": ("@patternfly/patternfly", "patternfly.min.css", 1.5),
    "materialize": ("materialize-css", "dist/css/materialize.min.css", 1.5),
    "spectre": ("spectre.css", "dist/spectre.min.css", 1.5),
    "98": ("98.css", "dist/98.css", 1.0),
    "xp": ("xp.css", "dist/XP.css", 1.0),
    "7": ("7.css", "dist/7.css", 1.0),
    "pico": ("@picocss/pico", "css/pico.min.css", 1.0),
    "foundation": ("foundation-sites", "dist/css/foundation.min.css", 1.0),
    "pure": ("purecss", "build/pure-min.css", 1.0),
    "native": ("", "", 2.0),
    "own": ("", "", 20.0),
}
"""Style → package, sheet, and how often it is drawn."""

CLASSES = {
    "bootstrap": {
        "button": ("btn btn-primary", "btn btn-secondary", "btn btn-light", "btn btn-outline-primary", "btn btn-link"),
        "small": " btn-sm",
        "field": ("form-control", "form-control form-control-sm"),
        "select": ("form-select", "form-select form-select-sm"),
        "table": ("table table-striped", "table table-bordered", "table table-sm"),
        "card": ("card card-body",),
        "badge": ("badge bg-primary", "badge bg-danger"),
        "mark": ("form-check-input",),
    },
    "bulma": {
        "button": ("button is-primary", "button", "button is-link", "button is-light", "button is-outlined is-info"),
        "small": " is-small",
        "field": ("input", "input is-small"),
        "table": ("table is-fullwidth is-striped", "table is-narrow is-bordered"),
        "card": ("box",),
        "badge": ("tag is-info",),
    },
    "uikit": {
        "button": ("uk-button uk-button-default", "uk-button uk-button-primary", "uk-button uk-button-text"),
        "small": " uk-button-small",
        "field": ("uk-input", "uk-input uk-form-small"),
        "select": ("uk-select", "uk-select uk-form-small"),
        "table": ("uk-table uk-table-divider", "uk-table uk-table-small uk-table-striped"),
        "card": ("uk-card uk-card-default uk-card-body uk-card-small",),
        "badge": ("uk-label",),
        "mark": ("uk-checkbox",),
        "radio": ("uk-radio",),
    },
    "fomantic": {
        "button": ("ui button", "ui primary button", "ui basic button", "ui red button", "ui teal button"),
        "small": " mini",
        "table": ("ui celled table", "ui very basic table", "ui compact striped table"),
        "card": ("ui segment",),
        "badge": ("ui small label",),
    },
    "patternfly": {
        "button": tuple(f"pf-v6-c-button pf-m-{k}" for k in ("primary", "secondary", "tertiary", "link", "plain")),
        "small": " pf-m-small",
        "table": ("pf-v6-c-table", "pf-v6-c-table pf-m-compact"),
        "card": ("pf-v6-c-card",),
        "badge": ("pf-v6-c-badge pf-m-read",),
    },
    "materialize": {"button": ("btn", "btn-flat", "btn-small"), "card": ("card-panel",), "table": ("striped",)},
    "spectre": {
        "button": ("btn", "btn btn-primary", "btn btn-link"),
        "small": " btn-sm",
        "field": ("form-input",),
        "select": ("form-select",),
        "table": ("table table-striped", "table"),
        "card": ("card",),
        "badge": ("label label-primary",),
    },
    "foundation": {"button": ("button", "button secondary", "button hollow"), "card": ("card card-section",)},
    "pure": {"button": ("pure-button", "pure-button pure-button-primary"), "table": ("pure-table",)},
}
"""Style → part → class names to choose from; a part that is not listed gets the look of our own."""

SYSTEM_FONTS = ("DejaVu Sans", "Liberation Sans", "Liberation Serif", "Noto Sans", "Noto Serif", "DejaVu Sans Mono")


@dataclass(frozen=True)
class Style:
    """Everything that the parts of one page share.

    Args:
        kit: Key of :data:`KITS`.
        dark: Whether it is dark.
        css: Its own rules.
        sheets: Addresses of style sheets, relative to the packages' common folder.
        icons: Files of the icon set.
        icon_px: Side of an icon in a toolbar.
        rng: Draws for everything on the page.
    """

    kit: str
    dark: bool
    css: str
    sheets: tuple[str, ...]
    icons: tuple[Path, ...]
    icon_px: int
    rng: Random = field(repr=False)

    def classes(self, part: str) -> str:
        """Class names of a part, drawn anew each time."""
        return self.rng.choice(CLASSES.get(self.kit, {}).get(part, (f"x-{part}",)))


def draw(rng: Random) -> Style:
    """A style for one page."""
    kit = rng.choices(list(KITS), [k[2] for k in KITS.values()])[0]
    package, sheet, _ = KITS[kit]
    dark = rng.random() < 0.35 and kit in ("own", "native", "bootstrap", "bulma", "pico")
    sheets = []
    if package:
        sheets.append(f"{_folder(package).name}/{sheet}")
    font = rng.choice([*sources.FONTS, None])
    family = rng.choice(SYSTEM_FONTS)
    if font is not None:
        sheets += [f"{font.folder().name}/{weight}.css" for weight in (400, 700)]
        family = font.name.rpartition("/")[2].replace("-", " ").title()
    return Style(
        kit=kit,
        dark=dark,
        css=_css(rng, family, dark=dark, own=kit in ("own", "native")),
        sheets=tuple(sheets),
        icons=icon_files(rng.choice(sources.ICONS).name),
        icon_px=rng.choice((12, 14, 16, 16, 16, 18, 20, 22, 24)),
        rng=rng,
    )


def _folder(name: str) -> Path:
    return next(s for s in (*sources.KITS, *sources.ICONS) if s.name == name).folder()


@cache
def icon_files(name: str) -> tuple[Path, ...]:
    """SVG files of an icon set."""
    return tuple(sorted(_folder(name).rglob("*.svg")))


def _hsl(hue: float, saturation: float, light: float) -> str:
    r, g, b = colorsys.hls_to_rgb(hue % 1, min(max(light, 0), 1), saturation)
    return f"rgb({r * 255:.0f},{g * 255:.0f},{b * 255:.0f})"


def _css(rng: Random, family: str, *, dark: bool, own: bool) -> str:
    hue, grey = rng.random(), rng.choice((0.0, 0.0, 0.05, 0.15, 0.3))
    accent = _hsl(rng.choice((0.58, 0.6, hue)), rng.uniform(0.5, 0.9), rng.uniform(0.4, 0.55))
    page = rng.uniform(0.06, 0.2) if dark else rng.choice((1.0, 0.98, 0.94, rng.uniform(0.8, 1)))
    panel = page + rng.choice((0, 0, 0.04, 0.08)) * (1 if dark else -0.7)
    raised = page + (rng.uniform(0.04, 0.2) if dark else -rng.uniform(0, 0.14))
    ground = page + rng.uniform(-0.06, 0.1) if dark else rng.choice((1.0, 1.0, 0.97))
    ink = rng.choice(("#eee", "#ddd", "#fff", "#bbb")) if dark else rng.choice(("#000", "#111", "#222", "#333", "#555"))
    line = page + (rng.uniform(0.08, 0.3) if dark else -rng.uniform(0.08, 0.45))
    radius, border = rng.choice((0, 0, 2, 3, 4, 6, 10, 18)), rng.choice((0, 1, 1, 1, 2))
    pad_y, pad_x = rng.choice((1, 2, 3, 4, 5, 6, 8, 10)), rng.choice((4, 6, 8, 10, 12, 16, 20))
    size = rng.choice((11, 12, 12, 13, 13, 14, 14, 15, 16))
    face = rng.choice(("flat", "flat", "outline", "gradient", "bevel", "ghost"))
    look = {
        "flat": f"background:{_hsl(hue, grey, raised)};border:{border}px solid {_hsl(hue, grey, line)}",
        "outline": f"background:transparent;border:1px solid {_hsl(hue, grey, line)}",
        "gradient": f"background:linear-gradient({_hsl(hue, grey, raised + 0.06)},{_hsl(hue, grey, raised - 0.08)});"
        f"border:1px solid {_hsl(hue, grey, line)}",
        "bevel": f"background:{_hsl(hue, grey, raised)};border:2px outset {_hsl(hue, grey, raised)}",
        "ghost": "background:transparent;border:1px solid transparent",
    }[face]
    fields = rng.choice(
        (
            f"border:1px solid {_hsl(hue, grey, line)}",
            f"border:2px inset {_hsl(hue, grey, line)}",
            f"border:0;border-bottom:1px solid {_hsl(hue, grey, line)}",
        )
    )
    base = f"""
:root{{color-scheme:{"dark" if dark else "light"};--accent:{accent};--line:{_hsl(hue, grey, line)};
--panel:{_hsl(hue, grey, panel)};--ground:{_hsl(hue, grey, ground)};--page:{_hsl(hue, grey, page)};--ink:{ink}}}
*{{box-sizing:border-box}}
html,body{{margin:0;height:100%;overflow:hidden}}
.x-bar{{display:flex;align-items:center;flex-wrap:nowrap;overflow:hidden}}
.x-col{{display:flex;flex-direction:column}}
.x-icon svg,svg.x-icon{{display:block;fill:currentColor}}
.x-tool{{display:inline-flex;align-items:center;justify-content:center;border:1px solid transparent;background:none;
color:inherit;padding:{rng.choice((1, 2, 3, 4, 6))}px;border-radius:{
        min(radius, 6)
    }px;flex:none;margin:0;cursor:pointer}}
.x-on{{background:color-mix(in srgb,var(--accent) 30%,transparent);border-color:var(--accent)}}
.x-sep{{width:1px;align-self:stretch;margin:3px {rng.choice((2, 4, 6))}px;background:var(--line);flex:none}}
.x-panel{{background:var(--panel)}}
.x-line{{border:1px solid var(--line)}}
.x-menu{{background:var(--ground);border:1px solid var(--line);box-shadow:0 3px 10px #0004;padding:4px 0}}
.x-item{{display:flex;align-items:center;gap:8px;padding:{rng.choice((2, 3, 4, 6, 8))}px {rng.choice((8, 12, 16))}px;
cursor:pointer}}
.x-off{{opacity:.45}}
.x-tab{{padding:{max(2, pad_y)}px {pad_x}px;border:1px solid transparent;cursor:pointer;display:inline-flex;gap:6px;
align-items:center;flex:none}}
.x-chosen{{{
        rng.choice(
            (
                "border-bottom:2px solid var(--accent)",
                "background:var(--ground);border:1px solid var(--line);border-bottom:0",
                "background:var(--accent);color:#fff",
                "font-weight:700",
            )
        )
    }}}
.x-switch{{width:{rng.choice((28, 32, 36, 44))}px;height:{rng.choice((14, 16, 18, 22))}px;border-radius:20px;flex:none;
background:var(--line);position:relative;display:inline-block}}
.x-switch i{{position:absolute;top:2px;bottom:2px;aspect-ratio:1;left:2px;background:#fff;border-radius:50%}}
.x-switch[aria-checked=true]{{background:var(--accent)}} .x-switch[aria-checked=true] i{{left:auto;right:2px}}
.x-combo{{display:inline-flex;align-items:center;justify-content:space-between;gap:6px;cursor:pointer}}
.x-card{{background:var(--panel);border:1px solid var(--line);border-radius:{radius}px;padding:{
        rng.choice((6, 10, 14, 20))
    }px}}
.x-table{{border-collapse:collapse;width:100%}} .x-table td,.x-table th{{padding:{rng.choice((1, 3, 5, 8))}px 8px;
border:{rng.choice((0, 0, 1))}px solid var(--line);text-align:left;border-bottom:1px solid var(--line)}}
.x-badge{{background:var(--accent);color:#fff;border-radius:9px;padding:0 6px;font-size:80%}}
.x-slim{{padding:1px 4px}}
"""
    if not own:
        return base + f"body{{padding:{rng.choice((0, 0, 8, 16))}px}}"
    return (
        base
        + f"""
body{{font:{size}px '{family}',sans-serif;background:var(--page);color:var(--ink)}}
button,input,select,textarea{{font:inherit;color:inherit}}
.x-button{{{look};border-radius:{radius}px;padding:{pad_y}px {pad_x}px;display:inline-flex;gap:6px;align-items:center}}
.x-prime{{background:var(--accent);color:#fff;border-color:var(--accent)}}
.x-field,.x-select,.x-combo{{background:var(--ground);{fields};border-radius:{min(radius, 6)}px;
padding:{max(1, pad_y - 1)}px {min(pad_x, 10)}px}}
.x-mark{{accent-color:var(--accent);width:{rng.choice((12, 13, 14, 16, 18, 20))}px;aspect-ratio:1}}
a{{color:{rng.choice((accent, accent, "inherit"))};text-decoration:{rng.choice(("none", "underline"))}}}
h1,h2,h3,h4{{margin:{rng.choice((2, 6, 12))}px 0}} p{{margin:{rng.choice((2, 6, 10))}px 0}}
"""
    )
