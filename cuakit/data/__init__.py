"""Sample screens that ship with the package: real applications, photographed once, the same on every machine.

They are made by ``datasets/screens/samples.py``, which also says where they come from.
"""

from __future__ import annotations

import base64
import hashlib
import io
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import numpy as np
from PIL import Image

from cuakit.core.errors import InvalidImage
from cuakit.core.screenshot import Screenshot

SHA256: Final = MappingProxyType(
    {
        "drawio.png": "8de26a95663d7f88043c25e0048897bc3e4e7c22953cc96e39387e795cb566e2",
        "form-2x.png": "87bf28b3dc98f64af2da3d0e293f6166f7defb2a887c969f1df3d54485c2f2e5",
        "form.html": "2381a79169dcf0ce4d5343e28e2a6229c23ed87ec4e39e75d5829b3878062326",
        "form.png": "181c3abdc329085ca6cc8cf71ae7874de73fa2c95dead1cab92f608c457b884a",
    }
)
"""File → SHA-256 of its bytes."""


def form() -> Screenshot:
    """A small web form, 640×420 at 100 %: two links, a text field, a list, a checkbox and three buttons."""
    return _screen("form.png", 1.0)


def form_2x() -> Screenshot:
    """The same form at 200 %, 1280×840: equal in points, four times the pixels."""
    return _screen("form-2x.png", 2.0)


def drawio() -> Screenshot:
    """The draw.io editor with a small flow chart, 1280×800 at 100 %: menus, toolbars of icons, a canvas."""
    return _screen("drawio.png", 1.0)


def form_page() -> str:
    """The form as a live page: a ``data:`` URL that needs no network. Its buttons write into its status line."""
    text = _bytes("form.html")
    return "data:text/html;charset=utf-8;base64," + base64.b64encode(text).decode()


def _screen(name: str, scale: float) -> Screenshot:
    with Image.open(io.BytesIO(_bytes(name))) as picture:
        return Screenshot(pixels=np.asarray(picture.convert("RGB")), scale=scale, source=f"data:{name}")


def _bytes(name: str) -> bytes:
    content = files(__name__).joinpath("screens", name).read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256[name]:
        raise InvalidImage(f"the sample {name} is damaged", hint="install cuakit again")
    return content
