"""cuakit: see named objects instead of pixels, pick one by id, act under a lease, and measure all of it."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
