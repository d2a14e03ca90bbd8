"""MiniWoB++: small web tasks that are their own judge, from the ``miniwob`` package, driven straight over DevTools."""

from cuakit.envs.miniwob.env import MiniWob, TimedMiniWob
from cuakit.envs.miniwob.families import FAMILIES, GROUPS, group_of

__all__ = ["FAMILIES", "GROUPS", "MiniWob", "TimedMiniWob", "group_of"]
