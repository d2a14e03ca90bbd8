"""Pictures with known contents."""

import cv2
import numpy as np

from cuakit.core.geometry import Box
from cuakit.core.screenshot import Screenshot


class Sheet:
    """A blank frame to draw on, in points; pixels are points times scale."""

    def __init__(self, width=320, height=200, *, scale=1, ground=255):
        self.scale = scale
        self.pixels = np.full((height * scale, width * scale, 3), ground, np.uint8)

    def box(self, left, top, right, bottom, *, line=(90, 90, 90), fill=None):
        a = (left * self.scale, top * self.scale)
        b = (right * self.scale - 1, bottom * self.scale - 1)
        if fill is not None:
            cv2.rectangle(self.pixels, a, b, fill, -1)
        if line is not None:
            cv2.rectangle(self.pixels, a, b, line, self.scale)
        return Box(left * self.scale, top * self.scale, right * self.scale, bottom * self.scale)

    def circle(self, x, y, radius, *, line=(90, 90, 90), thick=1):
        at = (x * self.scale, y * self.scale)
        cv2.circle(self.pixels, at, radius * self.scale, line, thick * self.scale if thick > 0 else -1, cv2.LINE_AA)
        return Box(
            (x - radius) * self.scale, (y - radius) * self.scale, (x + radius) * self.scale, (y + radius) * self.scale
        )

    def shot(self):
        return Screenshot(pixels=self.pixels.copy(), scale=self.scale)
