"""The pictures of the README and the documentation, drawn by the package itself."""

from __future__ import annotations

from pathlib import Path

import cuakit as ck
from cuakit.viz import overlay

STATIC = Path(__file__).resolve().parent.parent / "docs" / "_static"

if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    print(overlay.save(ck.observe(ck.data.drawio()), STATIC / "drawio-from-pixels.png"))
