"""draw.io, the whole web app, offline: a diagram editor whose canvas has no accessible objects, and its own judge."""

from cuakit.envs.drawio.app import MIRROR, PACKAGE, DrawIo, package_root
from cuakit.envs.drawio.document import Cell, Document, parse
from cuakit.envs.drawio.tasks import TASKS

__all__ = ["MIRROR", "PACKAGE", "TASKS", "Cell", "Document", "DrawIo", "package_root", "parse"]
