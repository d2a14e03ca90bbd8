"""Web applications of the data set: where they come from, which of their pages, and their truth from the document."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drawn import MARKS, Taken

from cuakit.backends.cdp import Browser, Page
from cuakit.backends.npm import NpmPackage, fetch
from cuakit.backends.static import StaticServer
from cuakit.core.geometry import Box
from cuakit.data.annotations import Split, TextLine
from cuakit.envs.drawio import TASKS, DrawIo
from cuakit.envs.miniwob import MiniWob
from cuakit.perceive.dom import DomElements

TRUTH = Path(__file__).with_name("truth.js").read_text("utf-8")

PACKAGES = {
    p.name: p
    for p in (
        NpmPackage(
            name="@excalidraw/excalidraw",
            version="0.17.6",
            integrity="sha512-fyCl+zG/Z5yhHDh5Fq2ZGmphcrALmuOdtITm8gN4d8w4ntnaopTXcTfnAAaU3VleDC6LhTkoLOTG6P5kgREiIg==",
        ),
        NpmPackage(
            name="react",
            version="18.3.1",
            integrity="sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==",
        ),
        NpmPackage(
            name="react-dom",
            version="18.3.1",
            integrity="sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==",
        ),
        NpmPackage(
            name="@tabler/preview",
            version="1.2.0",
            integrity="sha512-RkIICf4bXA67hJoycZ7SzIPNQZXlNogNf0u78FdgjrqVdthKXoHV7zhl8e9NgNAF0ykfYd0/A7MEVoL1bBieMQ==",
        ),
        NpmPackage(
            name="admin-lte",
            version="3.2.0",
            integrity="sha512-IDUfoU8jo9DVlB59lDEASAJXTesAEXDZ68DOHI3qg93r5ehVTkMl2x0ixgIyff8NiHeNYXpcOZh3tr6oGbvu9g==",
        ),
        NpmPackage(
            name="gentelella",
            version="1.4.0",
            integrity="sha512-lp54+y6bwSLHF6KMstW2jD6oqV68vLMnFqMqATRp5a/8Tp52NYly7Q+5FZIMaNKATrb3EKx+BN/bKpaZ4BYLEw==",
        ),
        NpmPackage(
            name="startbootstrap-sb-admin-2",
            version="4.1.4",
            integrity="sha512-Zr0JNu4tRD4EJVDwVLETKWfMniFx4Dy3qAnJ96ucqUqIZ8Ns4/H5a6Y0E44/K5lxO05EBQwi24hPxaLEz+2IhA==",
        ),
        NpmPackage(
            name="svgedit",
            version="7.4.1",
            integrity="sha512-SS78a3bLsUJPuvfPitaApgWq2loEWCbRQY+YD1Bb87ycmGnbyHCcI4t0p2Oy5UTd1L0M7YEjPcKYpqDyGxUCig==",
        ),
        NpmPackage(
            name="swagger-ui-dist",
            version="5.35.0",
            integrity="sha512-U06rpMtW9V3XPGOBeamTUSr0Z09jMX4IJuANpE/EZbAhw0G8CgwrzU4YmXkn/h0wCDNsXdGarTNNHC3sU8yVUQ==",
        ),
    )
}

SIZES = ((1280, 800), (1920, 1080), (1024, 768))

SETTINGS = tuple((scale, dark) for scale in (1.0, 1.5, 2.0) for dark in (False, True))

# Excalidraw is a component without a page: this one puts it together. {0} is the address of the packages' common folder.
EXCALIDRAW = """<!doctype html><meta charset=utf-8><style>html,body,#app{{height:100%;margin:0}}</style><div id=app></div>
<script>window.EXCALIDRAW_ASSET_PATH = '{0}{excalidraw}/dist/'</script>
<script src='{0}{react}/umd/react.production.min.js'></script>
<script src='{0}{react_dom}/umd/react-dom.production.min.js'></script>
<script src='{0}{excalidraw}/dist/excalidraw.production.min.js'></script>
<script>ReactDOM.createRoot(app).render(React.createElement(ExcalidrawLib.Excalidraw, {{theme: '{theme}'}}))</script>"""

PETS = {
    "openapi": "3.0.0",
    "info": {"title": "Orders", "version": "1.4", "description": "Everything about orders, customers and stock."},
    "tags": [{"name": t, "description": f"All about {t}"} for t in ("orders", "customers", "stock")],
    "paths": {
        f"/{t}{p}": {
            m: {"tags": [t], "summary": f"{word} {t}", "responses": {"200": {"description": "done"}}}
            for m, word in (("get", "List"), ("post", "Add to"), ("delete", "Remove from"))
        }
        for t in ("orders", "customers", "stock")
        for p in ("", "/{id}")
    },
}


@dataclass(frozen=True)
class App:
    """One web application.

    Args:
        name: Its name in the data set.
        split: Part that it belongs to.
        pages: Addresses below the root; for MiniWoB++ its task families.
        package: npm package that serves it.
        root: Folder of the package that is served.
        dark: Script that switches to dark colours; empty where it has none, and then it is only shown light.
    """

    name: str
    split: Split
    pages: tuple[str, ...]
    package: str = ""
    root: str = ""
    dark: str = ""


APPS = (
    App("drawio", "train", ("", "shapes")),
    App(
        "sb-admin-2", "train", ("index.html", "buttons.html", "tables.html", "login.html"), "startbootstrap-sb-admin-2"
    ),
    App("miniwob", "train", ("login-user", "click-checkboxes", "book-flight", "email-inbox")),
    App(
        "gentelella",
        "validation",
        ("production/form.html", "production/tables.html", "production/inbox.html", "production/general_elements.html"),
        "gentelella",
    ),
    App("svgedit", "validation", ("index.html",), "svgedit", "dist/editor"),
    App(
        "tabler",
        "test",
        ("form-elements.html", "datatables.html", "emails.html", "settings.html"),
        "@tabler/preview",
        "dist",
        "document.documentElement.dataset.bsTheme = 'dark'",
    ),
    App(
        "admin-lte",
        "test",
        ("pages/forms/general.html", "pages/mailbox/mailbox.html", "pages/UI/buttons.html", "pages/tables/simple.html"),
        "admin-lte",
        "",
        "document.body.classList.add('dark-mode')",
    ),
    App("swagger-ui", "test", ("",), "swagger-ui-dist"),
    App("excalidraw", "test", ("",)),
)


def take(page: Page) -> Taken:
    """Photograph a page that rests, and read it."""
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => 0)", timeout_s=30)
    shot = page.grab()
    found = DomElements(offscreen=0, text=False).bind(page)(shot)
    keys = {c.id: c.provenance[0].removeprefix("dom:") for c in found if c.role in MARKS}
    told = page.evaluate(f"({TRUTH})({json.dumps(keys)})", timeout_s=30)

    def box(corners: Sequence[float]) -> Box:
        return Box(*(v * shot.scale for v in corners))

    return Taken(
        shot=shot,
        found=found,
        lines=tuple(TextLine(box=box(row[1:]), text=row[0]) for row in told["lines"]),
        labels={key: box(where) for key, where in told["labels"].items()},
        blind=tuple(box(where) for where in told["blind"]),
    )


def shots(
    app: App, browser: Browser, number: Callable[[], int]
) -> Iterator[tuple[str, float, bool, Callable[[], Taken]]]:
    """Every picture of an application: page, scale, dark, and a call that takes it."""
    for scale, dark in SETTINGS:
        if dark and not (app.dark or app.name in ("drawio", "excalidraw")):
            continue
        for page in app.pages:
            size = SIZES[number() % len(SIZES)]
            yield page, scale, dark, lambda p=page, s=scale, d=dark, wh=size: _taken(app, browser, p, s, wh, dark=d)


def _taken(app: App, browser: Browser, name: str, scale: float, size: tuple[int, int], *, dark: bool) -> Taken:
    width, height = size
    if app.name == "miniwob":
        with MiniWob(browser, scale=scale, size=(500, 320)) as env:
            env.reset(name, 11)
            return take(env.surface)
    if app.name == "drawio":
        with DrawIo(browser, width=width, height=height, scale=scale, dark=dark) as env:
            env.reset(list(TASKS)[1 if name else 0], 3)
            return take(env.surface)
    page = browser.new_page(width=width, height=height, scale=scale, dark=dark)
    try:
        with StaticServer(_root(app)) as server:
            _open(page, app, name, server.url, dark=dark)
            _rest(page)
            return take(page)
    finally:
        page.close()


def _root(app: App) -> Path:
    if app.name == "excalidraw":
        return fetch(PACKAGES["react"]).parent
    return fetch(PACKAGES[app.package]) / app.root


def _open(page: Page, app: App, name: str, url: str, *, dark: bool) -> None:
    if app.name == "excalidraw":
        folders = {
            n.replace("-", "_").rpartition("/")[2]: fetch(PACKAGES[n]).name
            for n in ("@excalidraw/excalidraw", "react", "react-dom")
        }
        content = EXCALIDRAW.format(url, theme="dark" if dark else "light", **folders)
        page.navigate(f"{url}{folders['react']}/package.json")
        page.evaluate(f"document.open(); document.write({json.dumps(content)}); document.close(); 0")
        page.evaluate(_until("document.querySelector('.App-toolbar')"), timeout_s=60)
        return
    page.navigate(f"{url}{name}", timeout_s=60)
    if app.name == "swagger-ui":
        page.evaluate(f"SwaggerUIBundle({{spec: {json.dumps(PETS)}, dom_id: '#swagger-ui'}});0")
        page.evaluate(_until("document.querySelector('.opblock')"), timeout_s=60)
    elif app.name == "svgedit":  # it asks about storage first
        page.evaluate(_until("document.readyState === 'complete'"), timeout_s=60)
        _press(page, "OK")
    elif app.dark and dark:
        page.evaluate(f"{app.dark};0")


def _press(page: Page, name: str) -> None:
    """Click a button by its name, as soon as it is there."""
    read, end = DomElements(text=False).bind(page), time.monotonic() + 30
    while not (found := [c for c in read(page.grab()) if c.role == "button" and c.label == name and c.actions]):
        if time.monotonic() > end:
            raise TimeoutError(f"no button {name!r} came up")
        time.sleep(0.05)
    at = {"x": found[0].point.x / page.scale, "y": found[0].point.y / page.scale, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, **at)


def _until(holds: str) -> str:
    return f"(async () => {{ while (!({holds})) await new Promise(go => setTimeout(go, 30)); return 0; }})()"


def _rest(page: Page) -> None:
    """Wait until the document's boxes stay where they are for ten frames, at most five seconds."""
    page.evaluate(
        """(async () => {
          const mark = () => [...document.querySelectorAll('*')].slice(0, 4000).reduce((n, e) => {
            const r = e.getBoundingClientRect(); return (n * 31 + r.left * 7 + r.top * 3 + r.width) % 1e9; }, 0);
          const end = performance.now() + 5000;
          let same = 0, last = null;
          while (same < 10 && performance.now() < end) {
            await new Promise(go => setTimeout(go, 30));
            const now = mark();
            same = now === last ? same + 1 : 0;
            last = now;
          }
          return 0;
        })()""",
        timeout_s=30,
    )
