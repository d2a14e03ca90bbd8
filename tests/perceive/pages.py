"""Small pages whose contents are known, as Chromium draws them."""

import urllib.parse

# A font that the set-up installs: what is found depends on the font, see docs/lab-log.md.
STYLE = "<style>body,button,input,select,textarea{font:15px 'DejaVu Sans'}body{margin:16px}*{animation:none}</style>"
DARK = "<style>:root{color-scheme:dark}body{background:#1e1e1e;color:#ddd}</style>"


def url(body, *, dark=False):
    text = f"<!doctype html><meta charset=utf-8>{STYLE}{DARK if dark else ''}{body}"
    return "data:text/html;charset=utf-8," + urllib.parse.quote(text)


def shoot(browser, body, *, scale=1.0, width=420, height=320, dark=False):
    page = browser.new_page(width=width, height=height, scale=scale, dark=dark)
    try:
        page.navigate(url(body, dark=dark))
        return page.grab()
    finally:
        page.close()
